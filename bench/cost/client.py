"""Clients that take steps together: each sends one request, and all wait for all answers.

So a server gets the same work in the same portions each time. wrk does not send such portions.
"""

import collections
import socket

Answer = collections.namedtuple("Answer", "status tag body")


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.rest = b""

    def answer(self):
        """Returns the next answer."""
        while (end := self.rest.find(b"\r\n\r\n")) < 0:
            self.receive()
        head, self.rest = self.rest[:end].decode(), self.rest[end + 4 :]
        status, *fields = head.split("\r\n")
        fields = {name.lower(): value for name, _, value in (each.partition(": ") for each in fields)}
        status = int(status.split(" ", 2)[1])
        length = 0 if status == 304 else int(fields.get("content-length", 0))
        while len(self.rest) < length:
            self.receive()
        body, self.rest = self.rest[:length], self.rest[length:]
        return Answer(status, fields.get("etag"), body)

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise SystemExit("the server has closed a connection")
        self.rest += data

    def frames(self, count):
        """Reads `count` events from a stream."""
        while self.rest.count(b"\n\n") < count:
            self.receive()
        for _ in range(count):
            self.rest = self.rest.split(b"\n\n", 1)[1]


class Clients:
    def __init__(self, port, count):
        self.port = port
        self.connections = [Connection(port) for _ in range(count)]

    def ask(self, requests, status=200):
        """Sends a list of requests, one on each connection."""
        for connection, request in zip(self.connections, requests):
            connection.socket.sendall(request)
        for connection in self.connections:
            answer = connection.answer()
            if answer.status != status:
                raise SystemExit(f"{answer.status} in place of {status}: {answer.body.decode()}")

    def close(self):
        for connection in self.connections:
            connection.socket.close()


def get(path, **fields):
    return request("GET", path, b"", fields)


def post(path, body, **fields):
    fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **fields}
    return request("POST", path, body, fields)


def request(method, path, body, fields):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
    head += "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return (head + "\r\n").encode() + body
