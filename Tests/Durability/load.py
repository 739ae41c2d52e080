"""Clients that dispatch, and clients that watch the state and the log, until the server is gone."""

import json
import threading

from harness import Stream, Wire


class Load:
    """All clients at work on one server. Their findings go into the ledger."""

    def __init__(self, server, ledger, clients=4):
        self.server = server
        self.ledger = ledger
        self.stopping = threading.Event()
        self.troubles = []
        work = [self.dispatch] * clients + [self.watch, self.follow, self.read]
        self.threads = [threading.Thread(target=self.run, args=(body,)) for body in work]
        for thread in self.threads:
            thread.start()

    def end(self):
        """Waits for all clients. A finding other than the server's end is an error."""
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        assert not self.troubles, self.troubles

    def run(self, body):
        """Runs the work of a client until its connection breaks."""
        try:
            body()
        except TimeoutError as error:
            self.troubles.append(error)
        except OSError:
            pass
        except AssertionError as error:
            self.troubles.append(error)

    def dispatch(self):
        with Wire(self.server) as wire:
            while not self.stopping.is_set():
                self.ledger.dispatch(self.server, self.ledger.request(), wire)

    def read(self):
        with Wire(self.server) as wire:
            while not self.stopping.is_set():
                answer = self.server.get("/state", wire=wire)
                self.ledger.saw(answer["etag"], answer.body.decode())

    def watch(self):
        with Stream(self.server) as stream:
            stream.opened()
            while not self.stopping.is_set() and not stream.ended:
                while (event := stream.take()) is not None:
                    if event.name == "message":
                        self.ledger.saw(event.id, event.data)
                        self.ledger.last_event = event.id
                stream.read()

    def follow(self):
        """Reads the log of actions from the last id of the server's previous life on: no action is left out."""
        last = self.ledger.last_action
        with Stream(self.server, "/actions/events", last=last) as stream:
            assert stream.opened().answer.status == 200, stream.answer
            while not self.stopping.is_set() and not stream.ended:
                while (event := stream.take()) is not None:
                    if event.id:
                        self.ledger.saw_action(event.id, json.loads(event.data))
                    else:
                        assert event.name in ("caught-up", "heartbeat", "bye"), event
                stream.read()
