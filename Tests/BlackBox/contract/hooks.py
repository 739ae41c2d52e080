"""Rules that OpenAPI cannot express: parameters that exclude or need each other."""

import re

import schemathesis

PATTERNS = {
    "If-Match": re.compile(r'^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$'),
    "Idempotency-Key": re.compile(r'^"([ !#-\[\]-~]|\\["\\]){1,255}"$'),
}


@schemathesis.hook
def filter_case(context, case):
    query, body = case.query or {}, case.body
    if "wait" in query and ("after" not in query or query["wait"] not in (0, 1, "0", "1")):
        # The description allows longer waits, but a test would really wait.
        return "after" in query and not str(query["wait"]).isdigit()
    # A request has its action in the query or in the body. A schema can't express that a query's text is an action.
    # A condition on a resource needs the tag of the resource, and the path of a resource that exists.
    if "if-match-of" in query:
        return False
    has_no_body = type(body).__name__ == "NotSet"
    if "action" in query or (has_no_body and case.path.endswith(("/dispatch", "/ui"))):
        return False
    if "wait=" in str((case.headers or {}).get("Prefer")):
        return False
    if ("version" in query or "blame" in query) and ("after" in query or "wait" in query):
        return False
    # Only objects have windows, and blame takes no window.
    if "from" in query or "limit" in query:
        if "blame" in query or (case.path.endswith("/events") and not query.get("path")):
            return False
    if str(query.get("old")).lower() == "true" and query.get("mode") == "patch":
        return False
    # If schemathesis finds no text for a pattern, it sends a text that does not match, and takes it for valid.
    if case.meta and case.meta.generation.mode.is_positive:
        for name, pattern in PATTERNS.items():
            text = (case.headers or {}).get(name)
            if text is not None and not pattern.match(text):
                return False
    # All members of an array have the same recipients and the same emitter.
    if isinstance(body, list) and all(isinstance(each, dict) for each in body):
        audiences = {repr((each.get("recipients"), each.get("emitter"))) for each in body}
        return len(audiences) <= 1
    return True


@schemathesis.check
def what_is_allowed_is_no_invalid_payload(context, response, case):
    """Checks that a body that the schema allows gets 422 only for an idempotency key that was used before."""
    if not case.meta or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    problem = response.json()
    assert problem["type"] != "/problems/invalid-payload", problem
