"""A small OpenTelemetry collector for tests, which takes OTLP over HTTP."""

import contextlib
import http.server
import json
import socket
import threading


class Collector:
    """Keeps the posted bodies, and answers with the next of its statuses. The last status repeats."""

    def __init__(self, *statuses, body=b"{}", fields=()):
        self.requests = []
        self._statuses = list(statuses) or [200]
        self._body, self._fields = body, dict(fields)
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = collector._take(self.path, dict(self.headers), body)
                self.send_response(status)
                for name, value in collector._fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(collector._body)))
                self.end_headers()
                self.wfile.write(collector._body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _take(self, path, fields, body):
        self.requests.append((path, {name.lower(): value for name, value in fields.items()}, body))
        return self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    @property
    def spans(self):
        """All spans, in the order of their arrival."""
        found = []
        for _, _, body in self.requests:
            for resource in json.loads(body)["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found += scope["spans"]
        return found

    @property
    def text(self):
        return b"\n".join(body for _, _, body in self.requests).decode()

    def named(self, name):
        """Returns the only span of a name."""
        [span] = [span for span in self.spans if span["name"] == name]
        return span


@contextlib.contextmanager
def silent():
    """The URL of a peer that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def value(attribute):
    [(kind, value)] = attribute["value"].items()
    return int(value) if kind == "intValue" else value


def attributes(span):
    """Returns the attributes of a span or a resource, by their names. Fails if a name occurs twice."""
    found = {attribute["key"]: value(attribute) for attribute in span["attributes"]}
    assert len(found) == len(span["attributes"]), span
    return found
