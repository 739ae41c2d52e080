"""A service with a few dozen invented films: python3 service/films.py [PORT]."""

import http.server
import json
import pathlib
import sys
import urllib.parse

FILMS = json.loads((pathlib.Path(__file__).parent / "films.json").read_text())
FILMS_PER_PAGE = 10


def brief(film):
    return {name: film[name] for name in ("id", "title", "year")}


def answer(path, query):
    """Returns the answer to a request for this path; `None` if the path does not exist."""
    if path == "/popular":
        number = int(query.get("page", "1"))
        pages = -(-len(FILMS) // FILMS_PER_PAGE)
        if not 1 <= number <= pages:
            return None
        films = FILMS[(number - 1) * FILMS_PER_PAGE : number * FILMS_PER_PAGE]
        return {"page": number, "pages": pages, "films": [brief(film) for film in films]}
    if path == "/search":
        text = query.get("title", "").casefold()
        return [brief(film) for film in FILMS if text in film["title"].casefold()]
    if path.startswith("/films/"):
        return next((film for film in FILMS if str(film["id"]) == path[7:]), None)
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        try:
            value = answer(url.path, dict(urllib.parse.parse_qsl(url.query)))
            status = 200 if value is not None else 404
        except ValueError:
            value, status = None, 400
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8090
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"films on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
