"""Actions that no reducer should take, and the program that takes them (programs/Poison.swift)."""

DROP = {"type": "DropAdded"}
WHEEL = {"type": "WheelTurned"}
UNFINISHED_STATUS = 75


def send(server, body, headers=()):
    """Sends a dispatch that will get no answer."""
    try:
        return server.post(body, headers)
    except OSError:
        return None
