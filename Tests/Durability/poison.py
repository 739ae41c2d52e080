"""Actions that no reducer should accept, and the program that accepts them (programs/Poison.swift)."""

DROP = {"type": "DropAdded"}
WHEEL = {"type": "WheelTurned"}
UNFINISHED_STATUS = 75


def send(server, body, headers=()):
    """Sends a dispatch that gets no answer."""
    try:
        return server.post(body, headers)
    except OSError:
        return None
