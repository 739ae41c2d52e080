"""A client of streams in patch mode: applies each patch to its state (RFC 6902)."""

import copy
import json


def tokens(pointer):
    assert pointer == "" or pointer.startswith("/"), pointer
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def patched(document, patch):
    """Returns the document with a patch applied. Fails if an operation does not fit."""
    document = copy.deepcopy(document)
    for operation in patch:
        way = tokens(operation["path"])
        if not way:
            assert operation["op"] in ("add", "replace"), operation
            document = copy.deepcopy(operation["value"])
            continue
        parent = document
        for token in way[:-1]:
            parent = parent[int(token) if isinstance(parent, list) else token]
        last, op = way[-1], operation["op"]
        if isinstance(parent, list):
            index = len(parent) if last == "-" else int(last)
            if op == "add":
                assert index <= len(parent), operation
                parent.insert(index, operation["value"])
            elif op == "replace":
                assert index < len(parent), operation
                parent[index] = operation["value"]
            else:
                assert op == "remove", operation
                del parent[index]
        elif op == "add":
            parent[last] = operation["value"]
        else:
            assert last in parent, operation
            if op == "replace":
                parent[last] = operation["value"]
            else:
                assert op == "remove", operation
                del parent[last]
    return document


def canonical(value):
    """Returns the bytes of a value, with its members in a fixed order."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Mirror:
    """The state of a reader after the events that it has got."""

    def __init__(self, state=None, version=None):
        self.state, self.version = state, version
        self.names = []

    def take(self, event):
        """Applies one event, and checks that ids only grow."""
        self.names.append(event.name)
        if event.name == "resync":
            self.version = None
            return self
        assert self.version is None or event.version > self.version, event
        if event.name == "snapshot":
            self.state = event.json
        elif event.name == "patch":
            assert self.version is not None, "a patch for one that has nothing"
            self.state = patched(self.state, event.json)
        else:
            assert event.name == "gone", event
            self.state = None
        self.version = event.version
        return self

    def follow(self, stream, version):
        """Reads a stream until the state has a version."""
        while self.version is None or self.version < version:
            self.take(stream.event())
        return self
