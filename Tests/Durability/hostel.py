"""The guests of programs/Hostel.swift: their requests, and the check that a log and a state agree with them."""

import collections
import datetime
import itertools
import json
import random
import threading

from access import cookie_of
from harness import Stream, Wire, action

LIVE = "/stores/live"
#: A part of each personal value.
MARK = "geheim"
USERS = [f"u{number}" for number in range(9)]
WORKERS = 3
SECOND = 1_000_000_000
MISSED = ["once", "each", "skipped"]


class Request:
    """A request of a guest, and whether an answer came."""

    def __init__(self, owner=None, value=None):
        self.owner, self.value, self.is_answered = owner, value, False


class Ledger:
    """What was asked for, by the name and the payload of the action."""

    def __init__(self):
        self.requests = {}
        self.numbers = itertools.count()
        #: Sessions of visitors that no one has signed in with, by their names.
        self.visitors = {}
        self.sign_ins = {}

    def key(self, type_, payload):
        """The name of a request: personal values are no part of it."""
        if "number" in payload:
            return type_, payload["number"]
        return type_, json.dumps(payload, sort_keys=True)


class Guests:
    """Threads that dispatch until the server is gone. The users in `absent` do nothing."""

    def __init__(self, server, ledger, house, seed, absent):
        self.server, self.ledger, self.house = server, ledger, house
        self.stopping, self.troubles = threading.Event(), []
        users = [user for user in USERS if user not in absent]
        self.threads = [
            threading.Thread(target=self.run, args=(random.Random(f"{seed} {place}"), users[place::WORKERS], users))
            for place in range(WORKERS)
        ]
        self.threads.append(threading.Thread(target=self.watch))
        for thread in self.threads:
            thread.start()

    def end(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        assert not self.troubles, self.troubles

    def run(self, chance, mine, users):
        try:
            with Wire(self.server) as wire:
                while not self.stopping.is_set():
                    self.act(chance, mine, users, wire)
        except TimeoutError as error:
            self.troubles.append(error)
        except OSError:
            pass  # The server is gone.
        except Exception as error:
            self.troubles.append(error)

    def dispatch(self, wire, type_, header, owner=None, value=None, **payload):
        request = self.ledger.requests.setdefault(self.ledger.key(type_, payload), Request(owner, value))
        answer = self.server.post(action(type_, **payload), header, wire=wire)
        assert answer.status == 200, (type_, payload, answer)
        request.is_answered = True

    def act(self, chance, mine, users, wire):
        number, user = next(self.ledger.numbers), chance.choice(mine)
        header, owner = self.house.headers[user], f"@{user}"
        match chance.randrange(8):
            case 0 | 1:
                value = f"{MARK}-{number}-ß"
                agent = {**header, "User-Agent": f"{MARK}-agent"}
                self.dispatch(wire, "profile/noted", agent, owner, value, number=number, text=value)
            case 2:
                value, invitee = f"{MARK}-{number}@x.example", chance.choice(users)
                fields = {"number": number, "invitee": invitee, "email": value}
                self.dispatch(wire, "invitations/sent", header, f"@{invitee}", value, **fields)
            case 3:
                self.put(chance, wire, header, owner, number)
            case 4:
                self.visit(chance, wire, user)
            case 5:
                fields = {"label": f"{number}", "missed": chance.choice(MISSED)}
                self.dispatch(wire, "bells/set", header, ms=chance.randrange(1_500), **fields)
            case 6:
                if chance.random() < 0.3:
                    fields = {"label": f"{number}", "missed": chance.choice(MISSED)}
                    self.dispatch(wire, "bells/repeated", header, seconds=1, **fields)
                if chance.random() < 0.5:
                    self.dispatch(wire, "bells/cancelled", header, label=f"{number}")
            case 7:
                names = ["start", "booked", "stop"]
                for name in names[: chance.choice([2, 3])]:
                    self.dispatch(wire, f"room/r{number}/{name}", header)

    def put(self, chance, wire, header, owner, item):
        if chance.random() < 0.5:
            self.dispatch(wire, "cart/added", header, owner, item=item)
        else:
            self.dispatch(wire, "cart/reserved", header, owner, item=item, ms=chance.randrange(1_500))

    def visit(self, chance, wire, user):
        """A visitor fills a cart, and perhaps signs in or goes away."""
        begun = self.server.request("POST", "/sessions", b"", wire=wire)
        assert begun.status == 201, begun
        name, header = begun.json["session"], cookie_of(begun, "store-session")
        for _ in range(chance.randrange(1, 4)):
            self.put(chance, wire, header, f"~{name}", next(self.ledger.numbers))
        match chance.randrange(6):
            case 0 | 1 | 2:
                self.ledger.sign_ins[name] = request = Request(f"@{user}")
                both = {**self.house.headers[user], **header}
                signed = self.server.request("POST", "/sessions", b"", both, wire=wire)
                assert signed.status == 201, signed
                request.is_answered = True
            case 3:
                assert self.server.request("DELETE", "/session", b"", header, wire=wire).status == 204
            case _:
                self.ledger.visitors[name] = header

    def watch(self):
        """A guest that is present with an open stream."""
        try:
            begun = self.server.request("POST", "/sessions", b"")
            name, header = begun.json["session"], cookie_of(begun, "store-session")
            with Stream(self.server, f"{LIVE}/events?path=/whereabouts", headers=header.items()) as stream:
                stream.opened().event()
                entered = self.server.send(f"{LIVE}/dispatch", action("whereabouts/entered", place="bar"), header)
                assert entered.status == 200, entered
                shown = self.server.get(f"{LIVE}/state/whereabouts/bar/{name}")
                assert shown.status == 200, shown
                while not self.stopping.is_set():
                    stream.event(heartbeats=True)
        except TimeoutError as error:
            self.troubles.append(error)
        except OSError:
            pass
        except Exception as error:
            self.troubles.append(error)


class Timer:
    def __init__(self, due, missed, next_, interval=None):
        self.due, self.missed, self.next, self.interval = due, missed, next_, interval


class Outage:
    """The time from the end of a process to the moment at which the next one listens."""

    def __init__(self, killed, spawned, listening):
        self.killed, self.spawned, self.listening = killed, spawned, listening


def nanoseconds(text):
    whole, _, fraction = text.removesuffix("Z").partition(".")
    start = datetime.datetime.fromisoformat(whole + "+00:00")
    return int(start.timestamp()) * SECOND + int(fraction.ljust(9, "0") or 0)


class Fold:
    """The state that a log leads to. Fails if a record is not in its order, or if a timer has a wrong time."""

    def __init__(self, ledger, outages):
        self.ledger, self.outages, self.counts = ledger, outages, collections.Counter()
        self.rung, self.calls, self.emails = collections.Counter(), {}, {}
        self.carts, self.notes, self.timers = {}, {}, {}
        #: The versions at which each user was forgotten.
        self.forgotten = collections.defaultdict(list)
        self.due = None

    def take(self, record):
        type_, payload, time = record["type"], record["payload"], nanoseconds(record["time"])
        module, _, rest = type_.partition("/")
        if self.due:
            assert (type_, payload) == self.due, f"{type_} {payload} came instead of {self.due}"
            self.due = None
        elif type_.endswith(("/rang", "/called", "/lapsed")):
            raise AssertionError(f"no timer led to {record}")
        match module:
            case "bells":
                self.ring(rest, payload, time)
            case "room":
                self.room(*rest.split("/"), time)
            case "cart":
                self.cart(rest, payload, time)
            case "profile":
                request = self.ledger.requests[self.ledger.key(type_, payload)]
                self.notes.setdefault(request.owner, []).append(request.value)
            case "invitations" if rest == "sent":
                request = self.ledger.requests[self.ledger.key(type_, payload)]
                self.emails.setdefault(payload["invitee"], []).append(request.value)
            case "invitations":
                self.emails.pop(payload["invitee"], None)
            case "schedule":
                self.fire(rest, payload, time)
        match type_:
            case "users/signedIn":
                items, lapsed = self.carts.pop("~" + payload["visitor"], ([], []))
                cart = self.carts.setdefault("@" + payload["principal"], ([], []))
                cart[0].extend(items), cart[1].extend(lapsed)
                self.end("~" + payload["visitor"])
            case "users/forgotten":
                self.end("@" + payload["principal"])
                self.forgotten["@" + payload["principal"]].append(record["version"])
            case "sessions/ended":
                self.end("~" + payload["session"])

    def end(self, owner):
        """The end of an owner's slices and timers."""
        self.carts.pop(owner, None), self.notes.pop(owner, None)
        self.drop(owner + " ")

    def drop(self, prefix):
        for name in [name for name in self.timers if name.startswith(prefix)]:
            del self.timers[name]

    def ring(self, name, payload, time):
        label = payload["label"]
        next_ = ("bells/rang", {"label": label})
        match name:
            case "set":
                self.timers[f"bells/{label}"] = Timer(time + payload["ms"] * 1_000_000, payload["missed"], next_)
            case "repeated":
                self.timers[f"bells/{label}"] = Timer(time + SECOND, payload["missed"], next_, SECOND)
            case "cancelled":
                self.timers.pop(f"bells/{label}", None)
            case "rang":
                self.rung[label] += 1

    def room(self, id_, name, time):
        match name:
            case "start":
                self.calls[id_] = 0
            case "booked":
                self.timers[f"room/{id_}/call"] = Timer(time + SECOND, "each", (f"room/{id_}/called", {}), SECOND)
            case "called":
                self.calls[id_] += 1
            case "stop":
                del self.calls[id_]
                self.drop(f"room/{id_}/")

    def cart(self, name, payload, time):
        item = payload["item"]
        if name == "lapsed":
            [cart] = [cart for cart in self.carts.values() if item in cart[0]]
            cart[0].remove(item), cart[1].append(item)
            return
        owner = self.ledger.requests[self.ledger.key(f"cart/{name}", payload)].owner
        self.carts.setdefault(owner, ([], []))[0].append(item)
        if name == "reserved":
            due = time + payload["ms"] * 1_000_000
            self.timers[f"{owner} cart/{item}"] = Timer(due, "once", ("cart/lapsed", {"item": item}))

    def fire(self, name, payload, time):
        timer, due = self.timers.get(payload["timer"]), payload["due"]
        assert timer, f"{payload} of a timer that was removed, or that was handled"
        assert timer.due == due <= time, f"{payload}, but {timer.due} is due"
        if name == "fired":
            self.due = timer.next
            missed = timer.missed == "skipped" and any(o.killed < due < o.spawned for o in self.outages)
            assert not missed, f"{payload} was missed, and is not to be made up for"
        else:
            # A time just before a kill may have had no action yet.
            gaps = [o for o in self.outages if o.killed - SECOND < due < o.listening and time > o.spawned]
            assert timer.missed == "skipped" and gaps, f"{payload} was skipped without need"
        self.counts[name, timer.missed, bool(timer.interval)] += 1
        if not timer.interval:
            del self.timers[payload["timer"]]
            return
        timer.due += timer.interval
        if timer.missed != "each" and timer.due <= time:
            timer.due += ((time - timer.due) // timer.interval + 1) * timer.interval

    @property
    def state(self):
        return {
            "bells": {"rung": dict(self.rung)},
            "room": {id_: {"calls": calls} for id_, calls in self.calls.items()},
            "cart": {owner: {"items": items, "lapsed": lapsed} for owner, (items, lapsed) in self.carts.items()},
            "profile": {owner: {"notes": notes} for owner, notes in self.notes.items()},
            "invitations": {"emails": self.emails},
            "schedule": {name: timer.due for name, timer in self.timers.items()},
        }


ASKED = (
    "bells/set", "bells/repeated", "bells/cancelled", "cart/added", "cart/reserved", "profile/noted",
    "invitations/sent",
)  # fmt: skip


def check_log(ledger, records, forgotten):
    """Compares the log with the requests, and its personal values with the users that were forgotten."""
    found = collections.Counter()
    sign_ins = {}
    for record in records:
        type_, payload = record["type"], record["payload"]
        if type_ == "users/signedIn":
            assert payload["visitor"] not in sign_ins, record
            sign_ins[payload["visitor"]] = "@" + payload["principal"]
        if type_ not in ASKED and not (type_.startswith("room/") and not type_.endswith("/called")):
            continue
        key = ledger.key(type_, payload)
        found[key] += 1
        request = ledger.requests[key]
        if request.value is None:
            continue
        is_forgotten = any(version > record["version"] for version in forgotten[request.owner])
        value = payload["text" if type_ == "profile/noted" else "email"]
        assert value == (None if is_forgotten else request.value), (record, forgotten[request.owner])
        assert record.get("forgotten", False) == is_forgotten, record
        sender = any(version > record["version"] for version in forgotten["@" + record["principal"]])
        assert ("origin" in record) != sender, record
    for key, request in ledger.requests.items():
        assert found[key] == 1 or (found[key] == 0 and not request.is_answered), (key, found[key])
    for visitor, request in ledger.sign_ins.items():
        signed = sign_ins.get(visitor)
        assert signed == request.owner or (signed is None and not request.is_answered), (visitor, signed)
