"""Schemas that the Swift tests derive, checked by independent validators (protocol 6.1, 6.2).

Needs jsonschema and openapi-spec-validator from PyPI. The Swift tests compare the derived schemas with the same
files, byte for byte, so the files always agree with the code.
"""

import json
import pathlib

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

FOLDER = pathlib.Path(__file__).parent / "fixtures" / "schema"
SCHEMA = json.loads((FOLDER / "store.schema.json").read_text())
CASES = json.loads((FOLDER / "cases.json").read_text())


def validator(definition):
    reference = {"$ref": f"#/$defs/{definition}"}
    return Draft202012Validator({**SCHEMA, **reference})


def test_the_schema_is_valid_2020_12():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)
    for definition in SCHEMA["$defs"].values():
        Draft202012Validator.check_schema(definition)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['definition']}-{case['valid']}")
def test_the_schema_accepts_exactly_the_valid_values(case):
    assert validator(case["definition"]).is_valid(case["value"]) == case["valid"]


@pytest.mark.parametrize(
    "body, valid",
    [
        ({"type": "module/case"}, True),
        ({"type": "module/case", "payload": None}, True),
        ({"type": "module/case", "payload": {}, "meta": {"a": 1}}, True),
        ([{"type": "Small", "payload": 1}, {"type": "module/case"}], True),
        ([], False),
        ([{"type": "module/case"}] * 1001, False),
        ({"type": "Small"}, False),
        ({"type": "Small", "payload": 1000}, False),
        ({"type": "Unknown", "payload": {}}, False),
        ({"payload": {}}, False),
    ],
)
def test_the_schema_accepts_exactly_the_valid_bodies_of_a_dispatch(body, valid):
    assert validator("Dispatch").is_valid(body) == valid


def test_the_description_is_valid_openapi_3_1():
    document = json.loads((FOLDER / "sample.openapi.json").read_text())
    OpenAPIV31SpecValidator(document).validate()
