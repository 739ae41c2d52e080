"""The imports between targets: the declarations in Package.swift, the imports of the sources, and the table of
docs/ARCHITECTURE.md."""

import json
import re
import subprocess

from files import ROOT

ARCHITECTURE = ROOT / "docs" / "ARCHITECTURE.md"
IMPORT = re.compile(
    r"^(?:@\w+ +)*(?:(?:public|package|internal|fileprivate|private) +)?import +"
    r"(?:(?:class|enum|func|let|protocol|struct|typealias|var) +)?(\w+)",
    re.M,
)
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \|", re.M)


def targets():
    """Yields the targets in Sources/, from Package.swift."""
    command = ["swift", "package", "--package-path", ROOT, "dump-package"]
    package = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    for target in package["targets"]:
        if target["type"] != "test" and not (target.get("path") or "").startswith("Tests/"):
            yield target


def folders():
    """Returns the folder of each target."""
    return {target["name"]: target.get("path") or f"Sources/{target['name']}" for target in targets()}


def declared():
    """Returns the targets that each target in Sources/ may import."""
    names = {}
    for target in targets():
        needs = [dependency.get("byName") or dependency.get("target") for dependency in target["dependencies"]]
        names[target["name"]] = {need[0] for need in needs if need}
    return names


def imports(folder):
    """(file, imported module) of all files of a target."""
    for path in sorted((ROOT / folder).rglob("*.swift")):
        for module in IMPORT.findall(path.read_text()):
            yield path.relative_to(ROOT).as_posix(), module


def undeclared(declared, imported):
    """Yields imports of our own targets that Package.swift does not declare, a line each."""
    for name, found in imported.items():
        for file, module in found:
            if module in declared and module != name and module not in declared[name]:
                yield (
                    f"{file} imports {module}, which is no dependency of {name}: remove the import, or add"
                    f' "{module}" to {name} in Package.swift where docs/ARCHITECTURE.md allows it'
                )


def rows(text):
    """Returns the targets of the table of layers, from the top down."""
    table = text.partition("\n## Layers\n")[2].partition("\n## ")[0]
    return [name for row in ROW.findall(table) for name in re.findall(r"\w+", row)]


def misplaced(declared, rows):
    """Yields the dependencies that contradict the order of the table, a line each."""
    table = "the table of layers in docs/ARCHITECTURE.md"
    for name in sorted(set(declared) - set(rows)):
        yield f"{table} has no row for {name}: add one, below what it depends on and above what depends on it"
    for name in rows:
        if name not in declared:
            yield f"{table} has a row for {name}, which is no target in Sources/: remove it"
        elif rows.count(name) > 1:
            yield f"{table} has {name} twice: keep one row"
    place = {name: index for index, name in enumerate(rows)}
    for name in rows:
        for need in sorted(declared.get(name, ())):
            if need in place and place[need] > place[name]:
                yield f"{table} has {name} above {need}, on which it depends: move {name} below {need}"
