"""Shared values: one owner writes, the others read."""

import signal

import pytest
from harness import Server, Stream, action
from programs import build_sample, typecheck

WORK = action("work/begun", name="a", ms=1)


@pytest.fixture(scope="module")
def stage_program():
    return build_sample("Stage")


def test_b37_owner_and_reader_see_a_change_once_each(stage_program):
    with Server(program=stage_program) as server:
        with Stream(server, "/modules/work/events") as owner, Stream(
            server, "/modules/board/events"
        ) as reader:
            assert owner.opened().event().json == {"done": []}
            assert reader.opened().event().json == {"done": 0, "title": "done"}
            assert server.wait(WORK).status == 200
            seen = owner.event(), reader.event()
            assert [each.json["done"] for each in seen] == [["a"], 1]
            assert seen[0].id == seen[1].id == server.tag
            # The reader's own changes stay its own.
            server.post(action("board/named", title="x"))
            assert reader.event().json == {"done": 1, "title": "x"}
            assert owner.quiet(0.5) and reader.quiet(0.1)


def test_b37_only_the_owner_writes(stage_program):
    with Server(program=stage_program) as server:
        server.post(action("work/ended", name="a")).problem("forbidden", 403)
        server.post(action("board/named", title="x", done=7))
        assert server.state["board"] == {"done": 0, "title": "x"}


def test_b37_a_reader_that_writes_does_not_compile(stage_program, tmp_path):
    def check(change):
        return typecheck(
            "import StoreCore\n"
            "struct Board: Module {\n"
            "    struct State: ModuleState { var done = Shared<Int>() }\n"
            "    enum Action: ModuleAction { case named }\n"
            "    func reduce(_ state: inout State, _ action: Action) {\n"
            f"        {change}\n"
            "    }\n"
            "}\n",
            tmp_path,
        )

    assert check("_ = state.done.value").returncode == 0
    wrong = check("state.done.value = 7")
    assert wrong.returncode != 0 and "setter is inaccessible" in wrong.stderr


def test_x8_a_shared_value_survives_a_restart(stage_program, tmp_path):
    server = Server(program=stage_program, data=tmp_path / "data")
    assert server.wait(WORK).status == 200
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with Server(program=stage_program, data=tmp_path / "data") as server:
        assert server.state["board"]["done"] == 1
