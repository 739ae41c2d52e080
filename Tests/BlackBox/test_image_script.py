"""scripts/image: the context and the arguments that it gives to a builder, and its errors. `make image-test` builds."""

import os
import subprocess

import pytest
from harness import ROOT

BUILDER = """#!/usr/bin/env bash
printf '%s\\n' "$@" >"$RECORD/arguments"
cd "${!#}"
find . -type f | sort >"$RECORD/files"
exit "${BUILDER_STATUS:-0}"
"""


@pytest.fixture
def image(tmp_path):
    """Runs the script with a builder that records its arguments and its files."""
    builder = tmp_path / "builder"
    builder.write_text(BUILDER)
    builder.chmod(0o755)

    def run(*arguments, root=ROOT, folder=None, **variables):
        environment = {**os.environ, "IMAGE_BUILDER": str(builder), "RECORD": str(tmp_path), **variables}
        return subprocess.run(
            [root / "scripts" / "image", *map(str, arguments)],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=60,
        )

    return run


@pytest.fixture
def library(tmp_path):
    """A folder with the files of this package that the script needs."""
    for name in ("scripts/image", "docker/Dockerfile", "Package.swift"):
        path = tmp_path / "library" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / name).read_bytes())
        path.chmod(0o755)
    return tmp_path / "library"


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return folder


def recorded(folder):
    arguments = (folder / "arguments").read_text().splitlines()
    return arguments, (folder / "files").read_text().splitlines()


def test_without_a_package_the_image_is_that_of_store_server(image, tmp_path):
    assert image().returncode == 0
    arguments, _ = recorded(tmp_path)
    assert arguments == ["-f", f"{ROOT}/docker/Dockerfile", "-t", "store-server:latest", str(ROOT)]


def test_packages_keep_their_relative_paths_and_leave_out_what_is_built(library, image, tmp_path):
    shop = made(tmp_path / "mine" / "shop", "Package.swift", "Sources/Shop/data/Main.swift", ".build/debug/Shop",
                ".git/HEAD", "data/store.db")
    made(tmp_path / "mine" / "parts", "Package.swift")
    made(tmp_path / "mine" / "other", "Package.swift")
    flags = ["--package", "shop", "--product", "Shop", "--with", "parts", "--build-arg", "RUN_PACKAGES=ffmpeg"]
    assert image(*flags, root=library, folder=shop.parent).returncode == 0
    arguments, files = recorded(tmp_path)
    assert arguments[:-1] == [
        "-f", f"{library}/docker/Dockerfile", "-t", "shop:latest", "--build-arg", "RUN_PACKAGES=ffmpeg",
        "--build-arg", "PACKAGE=mine/shop", "--build-arg", "PRODUCT=Shop",
    ]
    assert files == [
        "./library/Package.swift", "./library/docker/Dockerfile", "./library/scripts/image",
        "./mine/parts/Package.swift", "./mine/shop/Package.swift", "./mine/shop/Sources/Shop/data/Main.swift",
    ]
    assert not os.path.exists(arguments[-1]), "the copied files are removed"


def test_a_checkout_of_swiftpm_builds_the_package_that_has_it(library, image, tmp_path):
    shop = made(tmp_path / "shop", "Package.swift", "Sources/Shop/Main.swift")
    checkout = shop / ".build" / "checkouts" / "StoreServer"
    checkout.parent.mkdir(parents=True)
    library.rename(checkout)
    assert image("--package", ".", "--product", "Shop", "shop:2.4.0", root=checkout, folder=shop).returncode == 0
    arguments, files = recorded(tmp_path)
    assert arguments[3] == "shop:2.4.0" and "PACKAGE=." in arguments
    assert files == ["./Package.swift", "./Sources/Shop/Main.swift"]


@pytest.mark.parametrize("arguments, text", [
    (["--package"], "--package needs a value"),
    (["--tag", "x"], "unknown flag --tag; there are --package, --product, --with and --build-arg"),
    (["a", "b"], "two tags, 'a' and 'b'; one is allowed"),
    (["--product", "Shop"], "--product and --with go with --package"),
    (["--package", "/nowhere", "--product", "Shop"], "there is no Package.swift in '/nowhere'"),
    (["--package", ROOT], "--package needs --product, the name of the program in Package.swift"),
    (["--package", ROOT, "--product", "a b"], "'a b' can't be the name of a program"),
    (["--package", ROOT, "--product", "Shop", "--with", "/nowhere"], "--with: there is no folder '/nowhere'"),
])
def test_a_mistake_ends_with_2_and_one_line(image, tmp_path, arguments, text):
    ended = image(*arguments)
    assert (ended.returncode, ended.stderr) == (2, f"image: {text}\n")
    assert not (tmp_path / "arguments").exists()


def test_the_status_is_that_of_the_builder(image):
    assert image("--package", ROOT / "examples" / "Shop", "--product", "Shop", BUILDER_STATUS="7").returncode == 7
