"""The counted operations: each as requests to a server, or as work of a program."""

import json

from client import Clients, Connection, get, post

INCREASE = b'{"type":"CounterIncreaseRequested"}'
CARD = b'{"type":"movieCard/start","payload":{"title":"Movie 3"}}'
WANTED = b'{"type":"movieCard/wanted","payload":{"isWanted":true}}'
ARRAY = json.dumps([json.loads(INCREASE)] * 100).encode()
CONNECTIONS = 16
SUBSCRIBERS = 64


class Requests:
    """A request on each of some connections, again and again."""

    def __init__(self, request, count, connections=CONNECTIONS, status=200, prepare=()):
        self.request = request
        self.count = count
        self.connections = connections
        self.status = status
        self.prepare = prepare

    def begin(self, port):
        self.clients = Clients(port, self.connections)
        for request in self.prepare:
            one = Clients(port, 1)
            one.ask([request])
            one.close()
        self.number = 0

    def run(self, count):
        """Does at least `count` operations. Returns the real number."""
        rounds = -(-count // self.connections)
        for _ in range(rounds):
            self.clients.ask([self.next() for _ in self.clients.connections], self.status)
        return rounds * self.connections

    def next(self):
        self.number += 1
        request = self.request
        return request(self.number) if callable(request) else request

    def end(self):
        self.clients.close()


class Unchanged(Requests):
    """Requests a state that the client has already."""

    def begin(self, port):
        super().begin(port)
        one = Connection(port)
        one.socket.sendall(get("/state"))
        self.request = get("/state", If_None_Match=one.answer().tag)


class Deliveries:
    """Actions whose states go to many subscribers. One delivery is one state for one subscriber."""

    # The thread of a delivery. The work of other threads belongs to other operations.
    thread = "streams"

    def __init__(self, count):
        self.count = count

    def begin(self, port):
        self.streams = [Connection(port) for _ in range(SUBSCRIBERS)]
        for stream in self.streams:
            stream.socket.sendall(get("/events"))
        for stream in self.streams:
            stream.answer()
            stream.frames(1)
        self.clients = Clients(port, 1)

    def run(self, count):
        rounds = -(-count // SUBSCRIBERS)
        for _ in range(rounds):
            self.clients.ask([post("/dispatch", INCREASE)])
            for stream in self.streams:
                stream.frames(1)
        return rounds * SUBSCRIBERS

    def end(self):
        self.clients.close()
        for stream in self.streams:
            stream.socket.close()


class Subscriptions:
    """Subscribers that come, read the state and leave."""

    def __init__(self, count):
        self.count = count

    def begin(self, port):
        self.port = port

    def run(self, count):
        for _ in range(count):
            stream = Connection(self.port)
            stream.socket.sendall(get("/events"))
            stream.answer()
            stream.frames(1)
            stream.socket.close()
        return count

    def end(self):
        pass


def with_key(number):
    return post("/dispatch", INCREASE, Idempotency_Key=f'"key-{number:08}"')


# Requests to a server whose journal is in memory.
EPHEMERAL = {
    "POST one action": Requests(post("/dispatch", INCREASE), 1_600),
    "POST one action, 1 connection": Requests(post("/dispatch", INCREASE), 500, connections=1),
    "POST an enum's case": Requests(post("/dispatch", WANTED), 800, prepare=[post("/dispatch", CARD)]),
    "POST an array of 100": Requests(post("/dispatch", ARRAY), 48),
    "POST with a key": Requests(with_key, 800),
    "GET /state": Requests(get("/state"), 800),
    "GET /state/<pointer>": Requests(get("/state/counter/counter"), 800),
    "GET /state, If-None-Match": Unchanged(None, 800, status=304),
    "one delivery to a stream": Deliveries(3_200),
    "one subscriber": Subscriptions(100),
}

# The grants of a role of the guarded server. They allow the counted requests, and not every route.
ROLES = {"clerk": {"read": ["/counter"], "dispatch": ["CounterIncreaseRequested"]}}


def guarded(token):
    """Returns requests to a server with keys and a policy, from a client that shows this key."""
    shown = {"Authorization": f"Bearer {token}"}
    return {
        "POST one action, with a role": Requests(post("/dispatch", INCREASE, **shown), 1_600),
        "POST an array of 100, with a role": Requests(post("/dispatch", ARRAY, **shown), 48),
        "GET /state, with a role": Requests(get("/state", **shown), 800),
    }


# Requests to a server that waits for the disk.
DURABLE = {"POST one action, durable": Requests(post("/dispatch", INCREASE), 800)}

# Work of the program `cost`: its arguments, and the least and the greatest number of times.
IN_PROCESS = {
    "dispatch, no observer": (["dispatch", "0"], 1_000, 5_000),
    "dispatch, 1 observer": (["dispatch", "1"], 1_000, 5_000),
    "dispatch, 100 observers": (["dispatch", "100"], 1_000, 3_000),
    "dispatch to a module": (["module"], 1_000, 5_000),
    "dispatch to a module with a context": (["contextual-module"], 1_000, 5_000),
    "an effect that dispatches": (["effect"], 100, 500),
}

# Records of a journal from which a server starts: the least and the greatest number.
REPLAY = {"one replayed record": (1_000, 25_000)}
