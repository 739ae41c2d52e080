"""Protocol 6.2: `GET /openapi.json` is true. Requests are made from it, and answers are checked against it."""

import json
import re
import urllib.parse
import uuid

import pytest
from harness import INCREASE, Server, Wire
from jsonschema import Draft202012Validator

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Candidates for texts that match a pattern.
TEXTS = ["", "x", "*", '"00000000:0"', '"a" , W/"b"', "counter", "todos/items/0", "a~1b/~0", " "]
HEADER_BYTES_MAX, TARGET_BYTES_MAX, BODY_BYTES_MAX = 16 << 10, 8 << 10, 1 << 20


class Description:
    def __init__(self, document):
        self.document = document
        self.operations = [
            (method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]

    def resolved(self, schema):
        while "$ref" in schema:
            node = self.document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                node = node[part.replace("~1", "/").replace("~0", "~")]
            schema = node
        return schema

    def check(self, schema, value):
        whole = {"$schema": DIALECT, "components": self.document["components"], "allOf": [schema]}
        Draft202012Validator(whole).validate(value)

    def values(self, schema):
        """Returns values that a schema allows, with its bounds among them. The first is the least."""
        schema = self.resolved(schema)
        if "enum" in schema:
            return schema["enum"]
        for word in ("oneOf", "anyOf"):
            if word in schema:
                return [value for part in schema[word] for value in self.values(part)]
        match schema.get("type"):
            case "boolean":
                return [False, True]
            case "null":
                return [None]
            case "integer":
                return [schema["minimum"], schema["maximum"]]
            case "string":
                allowed = [text for text in TEXTS if re.search(schema.get("pattern", ""), text)]
                assert allowed, schema
                return allowed
            case "array":
                least, most = schema.get("minItems", 0), schema.get("maxItems", 2)
                parts = self.values(schema["items"])
                return [[part] * least for part in parts] + [[parts[0]] * most]
            case "object":
                return self.objects(schema)
        return [0]

    def objects(self, schema):
        """Returns the smallest object, and for each member one object with each of its values."""
        properties = schema.get("properties", {})
        smallest = {name: self.values(properties[name])[0] for name in schema.get("required", [])}
        further = [
            {**smallest, name: value}
            for name, part in properties.items()
            for value in self.values(part)
        ]
        return [smallest] + [value for value in further if value != smallest]


def needed(parameter):
    """Returns the other parameter that this parameter needs. OpenAPI can express that only in prose."""
    return re.findall(r"Needs (\w+)", parameter["description"])


class Request:
    def __init__(self, method, path):
        self.method, self.path = method, path
        # An empty POST has this length.
        self.query, self.headers, self.body = {}, {}, b"" if method.upper() == "POST" else None

    def put(self, parameter, value):
        text = value if isinstance(value, str) else json.dumps(value)
        match parameter["in"]:
            case "path":
                text = urllib.parse.quote(text, safe="/~")
                self.path = self.path.replace("{" + parameter["name"] + "}", text)
            case "query":
                self.query[parameter["name"]] = text
            case "header":
                self.headers[parameter["name"]] = text

    def __repr__(self):
        return f"{self.method} {self.target} {self.headers} {str(self.body)[:200]}"

    @property
    def target(self):
        return self.path + ("?" + urllib.parse.urlencode(self.query) if self.query else "")


def made(description, method, path, operation, given=None, body=None):
    """Returns a request with all required parameters, each at its least, and with the given values."""
    request = Request(method, path)
    given = given or {}
    for parameter in operation.get("parameters", []):
        if parameter["name"] in given:
            request.put(parameter, given[parameter["name"]])
        elif parameter.get("required"):
            request.put(parameter, description.values(parameter["schema"])[0])
    if content := operation.get("requestBody", {}).get("content"):
        (media, part), *_ = content.items()
        request.headers["Content-Type"] = media
        request.body = json.dumps(body or description.values(part["schema"])[0]).encode()
    if "action" in given:
        # The query has the action, in place of the body.
        request.query["action"] = request.body.decode()
        request.body = b""
        del request.headers["Content-Type"]
    if "if-match-of" in given:
        # The parameter names the resource of a tag.
        request.query["if-match-of"] = "/state"
        request.headers["If-Match"] = '"00000000:0"'
    return request


def allowed(description, method, path, operation):
    """Yields requests that an operation's description allows: each parameter and the body at its bounds."""
    parameters = {parameter["name"]: parameter for parameter in operation.get("parameters", [])}
    yield made(description, method, path, operation)
    for name, parameter in parameters.items():
        for value in description.values(parameter["schema"]):
            # With a key that was used before, the answer would be the earlier answer.
            value = f'"{uuid.uuid4()}"' if name == "Idempotency-Key" else value
            others = {
                # An empty pointer is the whole state, which has no windows.
                other: "/counter" if other == "path" else description.values(parameters[other]["schema"])[0]
                for other in needed(parameter)
            }
            yield made(description, method, path, operation, {name: value, **others})
    for part in operation.get("requestBody", {}).get("content", {}).values():
        for body in description.values(part["schema"]):
            yield made(description, method, path, operation, body=body)


def forbidden(description, method, path, operation):
    """Yields requests that an operation's description forbids, each with the status of its answer."""
    for parameter in operation.get("parameters", []):
        name, schema = parameter["name"], parameter["schema"]
        wrong = []
        if schema.get("type") == "integer":
            wrong = [schema["minimum"] - 1, schema["maximum"] + 1, "x", ""]
        elif schema.get("type") == "boolean" or ("enum" in schema and parameter["in"] == "query"):
            wrong = ["x", ""]
        elif "pattern" in schema and parameter["in"] == "header":
            wrong = [text for text in TEXTS if not re.search(schema["pattern"], text)]
        for value in wrong:
            yield 400, made(description, method, path, operation, {name: value})
        for _ in needed(parameter):
            value = description.values(schema)[0]
            yield 400, made(description, method, path, operation, {name: value})
    for status, change in (
        (400, lambda r: r.query.update(nonsense="1")),
        (413, lambda r: r.headers.update({"Content-Length": str(BODY_BYTES_MAX + 1)})),
        (414, lambda r: r.query.update(nonsense="x" * TARGET_BYTES_MAX)),
        (421, lambda r: r.headers.update(Host="evil.example")),
        (431, lambda r: r.headers.update({"X-Long": "x" * (HEADER_BYTES_MAX + 1)})),
    ):
        request = made(description, method, path, operation)
        change(request)
        yield status, request
    if "requestBody" in operation:
        for status, type_, body in (
            (400, None, b"{"),
            (400, None, b"7"),
            (415, "text/plain", b"{}"),
            (422, None, b'{"type":"nonsense"}'),
        ):
            request = made(description, method, path, operation)
            request.headers["Content-Type"] = type_ or request.headers["Content-Type"]
            request.body = body
            yield status, request


def ask(server, request):
    fields = {"Host": server.authority, "Connection": "close", **request.headers}
    if request.body is not None:
        fields.setdefault("Content-Length", str(len(request.body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    with Wire(server) as wire:
        wire.send(f"{request.method} {request.target} HTTP/1.1\r\n{head}\r\n".encode("latin-1"))
        wire.send(request.body or b"")
        answer = wire.head()
        if answer["content-length"] and request.method != "HEAD" and answer.status != 304:
            length = int(answer["content-length"])
            while len(wire.buffer) < length:
                assert wire.more(), answer
            answer.body = wire.buffer[:length]
    return answer


def hold(description, operation, request, answer):
    """Checks that an answer is described."""
    response = operation["responses"].get(str(answer.status))
    assert response, f"{request}: {answer.status} is not described"
    content = response.get("content")
    if content is None:
        assert not answer.body, f"{request}: {answer.status} has a body that is not described"
        return
    media = (answer["content-type"] or "").split(";")[0]
    assert media in content, f"{request}: {answer.status} comes as {media!r}, not {list(content)}"
    if media.endswith("json") and "schema" in content[media]:
        description.check(content[media]["schema"], answer.json)
    for name in response.get("headers", {}):
        if name in ("Retry-After", "Accept", "Allow"):
            assert answer[name], f"{request}: {answer.status} lacks {name}"


@pytest.fixture(scope="module")
def described():
    with Server() as server:
        # With a version greater than 0, requests that wait for a change are answered at once.
        assert server.post(INCREASE).status == 200
        yield server, Description(server.get("/openapi.json").json)


def test_6_2_a_request_that_the_description_allows_is_answered_as_described(described):
    server, description = described
    count = 0
    for method, path, operation in description.operations:
        for request in allowed(description, method, path, operation):
            answer = ask(server, request)
            hold(description, operation, request, answer)
            # A reducer may refuse the action, the tag may differ, and the pointer may lead nowhere.
            assert answer.status < 400 or answer.status in (404, 409, 412), (request, answer)
            count += 1
    print(f"{count} requests")
    assert count > 100


def test_6_2_a_request_that_the_description_forbids_is_refused_as_described(described):
    server, description = described
    for method, path, operation in description.operations:
        for status, request in forbidden(description, method, path, operation):
            answer = ask(server, request)
            assert answer.status == status, (request, answer)
            hold(description, operation, request, answer)


def test_6_2_every_method_that_is_served_is_described(described):
    server, description = described
    for path in description.document["paths"]:
        operations = {method: it for method, at, it in description.operations if at == path}
        method, operation = next(iter(operations.items()))
        request = made(description, method, path, operation)
        other = next(each for each in ("DELETE", "GET", "PUT") if each not in operations)
        answer = server.request(other, request.target, b"" if other == "PUT" else None)
        assert set(answer["allow"].split(", ")) == set(operations), path
        assert server.request("OPTIONS", request.target)["allow"] == answer["allow"], path
