"""A project has its form: a module is found by its name (Beaver's B1)."""

import re
import shutil

import pytest
from harness import ROOT

DOMAIN = ROOT / "Sources" / "Domain"
# Modules that come with the library are mounted like others.
LIBRARY = {"Sessions": "sessions", "PendingEffects": "effects"}
MODULE = re.compile(r"\bstruct (\w+): [\w, ]*Module\b")
MOUNT = re.compile(r"\b(\w+)\(\)\.at\(\\\.(\w+)\)")


def sources(folder):
    return {file: file.read_text() for file in folder.rglob("*.swift") if ".build" not in file.parts}


def mounted(folder):
    """The modules of the root state by their types, in order, with the members that are their slices."""
    roots = [text for text in sources(folder).values() if re.search(r": RootState\b", text)]
    assert len(roots) == 1, "one file has the state"
    return dict(MOUNT.findall(roots[0]))


def misplaced(folder):
    """What is not where its name says, a line each."""
    texts, mounts, found = sources(folder), mounted(folder), []
    declared = {file: MODULE.findall(text) for file, text in texts.items()}
    for name, member in mounts.items():
        if name in LIBRARY:
            continue
        files = [file.name for file, names in declared.items() if name in names]
        if files != [f"{name}.swift"]:
            found.append(f"{name} is declared in {files}")
        if member != name[0].lower() + name[1:]:
            found.append(f"{name} has the slice {member}")
    for file, names in declared.items():
        if len(names) > 1:
            found.append(f"{file.name} has {len(names)} modules")
        found += [f"{name} is not mounted" for name in names if name not in mounts]
    return found


def test_b1_a_module_is_found_by_its_name(fresh):
    """In the state, in paths, on the wire and in a file of its own."""
    assert misplaced(DOMAIN) == []
    members = list(mounted(DOMAIN).values())
    modules = fresh.get("/modules").json["modules"]
    assert [each["name"] for each in modules] == list(fresh.state) == members
    for each in modules:
        assert each["href"] == f"/modules/{each['name']}"
        started = fresh.get(each["href"]).status == 200
        assert each["started"] is started is (fresh.state[each["name"]] is not None)
        module = [name for name in each["actions"] if "/" in name]
        assert all(name.startswith(each["name"] + "/") for name in module)


@pytest.mark.parametrize("example", ["Counter", "Guestbook", "Movies"])
def test_b1_the_examples_have_the_same_form(example):
    assert misplaced(ROOT / "examples" / example / "Sources") == []


def rename(folder):
    (folder / "Movies" / "MovieCard.swift").rename(folder / "Movies" / "Card.swift")


def change(file, old, new):
    def apply(folder):
        path = folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return apply


@pytest.mark.parametrize(
    "apply, complaint",
    [
        (rename, "MovieCard is declared in ['Card.swift']"),
        (change("Movies/Home.swift", "struct Home:", "struct List:"), "List is not mounted"),
        (change("Movies/Home.swift", "struct Home:", "struct List:"), "Home is declared in []"),
        (change("AppState.swift", "Home().at(\\.home)", "Home().at(\\.list)"), "Home has the slice list"),
        (change("AppState.swift", "User().at(\\.user),", ""), "User is not mounted"),
        (
            change("Users/Login.swift", "public struct LoginPresenter", "public struct Other: Module {}\n"
                   "public struct LoginPresenter"),
            "Login.swift has 2 modules",
        ),
    ],
)
def test_b1_what_is_not_where_its_name_says_is_noticed(tmp_path, apply, complaint):
    shutil.copytree(DOMAIN, tmp_path / "Domain")
    apply(tmp_path / "Domain")
    assert complaint in misplaced(tmp_path / "Domain")

