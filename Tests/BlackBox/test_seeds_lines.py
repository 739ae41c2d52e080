"""The lines of the originals' READMEs, as an author who comes from an original would write them."""

import pathlib

import pytest
from programs import build_sample, typecheck

ORIGINALS = pathlib.Path(__file__).parent / "originals"
NAMES = sorted(path.stem for path in ORIGINALS.glob("*.swift"))


@pytest.fixture(scope="module")
def library():
    """The modules of the library, which are built with any program that needs them."""
    build_sample("UnicoreCounter")


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_of_an_original_compile_as_they_stand_there(name, library, tmp_path):
    checked = typecheck((ORIGINALS / f"{name}.swift").read_text(), tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_all_five_originals_are_typed():
    assert NAMES == ["Beaver", "Katana", "Plan", "Tempura", "Unicore"]
