"""A project has a fixed structure: the name of a module is enough to find the module (Beaver's B1)."""

import re
import shutil

import pytest
from harness import ROOT

DOMAIN = ROOT / "Sources" / "Domain"
# Modules of the library are mounted like others.
LIBRARY = {"Sessions": "sessions", "PendingEffects": "effects"}
# A module is a type, or an interface `Home` and the module `HomeModule` behind it.
MODULE = re.compile(r"\bstruct (\w+): [\w, ]*Module\b|\benum (\w+): [\w, ]*Interface\b")
MOUNT = re.compile(r"\b(\w+)(?:\(\)|\.module)\.at\(\\\.(\w+)\)")


def sources(folder):
    return {file: file.read_text() for file in folder.rglob("*.swift") if ".build" not in file.parts}


def mounted(folder):
    """Returns the modules of the root state by their types, in order, with the members for their slices."""
    roots = [text for text in sources(folder).values() if re.search(r": RootState\b", text)]
    assert len(roots) == 1, "one file has the state"
    return dict(MOUNT.findall(roots[0]))


def misplaced(folder):
    """Returns the declarations that are not at the place of their name, a line each."""
    texts, mounts, found = sources(folder), mounted(folder), []
    declared = {file: [a or b for a, b in MODULE.findall(text)] for file, text in texts.items()}
    behind = {f"{name}Module" for text in texts.values() for name in re.findall(r"\b(\w+)\.module\.at", text)}
    for name in [*mounts, *sorted(behind)]:
        files = [file.name for file, names in declared.items() if name in names]
        if name not in LIBRARY and files != [f"{name}.swift"]:
            found.append(f"{name} is declared in {files}")
    for name, member in mounts.items():
        if name in LIBRARY:
            continue
        if member != name[0].lower() + name[1:]:
            found.append(f"{name} has the slice {member}")
    for file, names in declared.items():
        if len(names) > 1:
            found.append(f"{file.name} has {len(names)} modules")
        found += [f"{name} is not mounted" for name in names if name not in {*mounts, *behind}]
    return found


def test_b1_a_module_is_found_by_its_name(fresh):
    """The place of a module in the state, in paths, on the wire and in a file."""
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
    interface = folder / "MovieCard" / "Interface"
    (interface / "MovieCard.swift").rename(interface / "Card.swift")


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
        (change("Home/Interface/Home.swift", "enum Home:", "enum List:"), "List is not mounted"),
        (change("Home/Interface/Home.swift", "enum Home:", "enum List:"), "Home is declared in []"),
        (
            change("Home/Module/HomeModule.swift", "struct HomeModule:", "struct ListModule:"),
            "HomeModule is declared in []",
        ),
        (
            change("Root/AppState.swift", "Home.module.at(\\.home)", "Home.module.at(\\.list)"),
            "Home has the slice list",
        ),
        (change("Root/AppState.swift", "User.module.at(\\.user).lifecycle(.program),", ""), "User is not mounted"),
        (
            change("Login/Module/LoginModule.swift", "extension Login {", "struct Other: Module {}\n"
                   "extension Login {"),
            "LoginModule.swift has 2 modules",
        ),
    ],
)
def test_b1_a_declaration_in_the_wrong_place_is_noticed(tmp_path, apply, complaint):
    shutil.copytree(DOMAIN, tmp_path / "Domain")
    apply(tmp_path / "Domain")
    assert complaint in misplaced(tmp_path / "Domain")

