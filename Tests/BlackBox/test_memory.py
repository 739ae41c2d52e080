"""`--memory-max`: readers that take nothing are let go before the kernel ends the process."""

import re

from harness import INCREASE, Server, Stream, until

MIB = 1 << 20
#: Of the items that make the state so large that no two versions of it fit into a socket.
TEXT = "x" * 200_000


def metric(server, name):
    found = re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)$", server.get("/metrics").body.decode(), re.M)
    return float(found[1])


def resident(server):
    with open(f"/proc/{server.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def add_text(server, number):
    action = {"type": "AddItem", "payload": {"text": f"{number}{TEXT}"}}
    assert server.post(action).status == 200


def test_readers_that_take_nothing_are_let_go_and_dispatch_goes_on():
    limit = 256 * MIB
    with Server("--memory-max", str(limit), "--stall-timeout", "3600") as server:
        for number in range(20):
            add_text(server, number)
        readers, most = [], 0
        for number in range(200):
            reader = Stream(server, receive_bytes=2048)
            readers.append(reader)
            # Each keeps a version of the list that no other reader has.
            add_text(server, number)
            most = max(most, resident(server))
            if metric(server, "store_streams_shed_total") > 0:
                break
        server.await_log("memory is scarce: new streams are refused, and slow readers are let go")
        assert metric(server, "store_streams_shed_total") > 0
        assert most < limit, f"{most / MIB:.0f} of {limit / MIB:.0f} MiB"
        until(lambda: "event=memory.normal" in server.log_text, "there is memory again", 30)
        for _ in range(10):
            assert server.post(INCREASE).status == 200
        with Stream(server, "/modules/counter/events") as stream:
            stream.opened()
        for reader in readers:
            reader.close()
        assert server.stop() == 0


def test_no_stream_is_opened_while_memory_is_scarce_and_all_else_is_served():
    with Server("--memory-max", str(MIB)) as server:
        server.await_log("event=memory.high")
        refused = server.get("/events").problem("overloaded", 503)
        assert "memory" in refused["detail"] or "memory" in str(refused)
        assert server.get("/modules/counter/events").status == 503
        assert metric(server, "store_streams_refused_for_memory_total") == 2
        assert server.post(INCREASE).json["version"] == 1
        assert server.get("/state").status == server.get("/actions").status == 200
        assert server.log_text.count("event=memory.high") == 1


def test_without_a_bound_nothing_is_refused():
    with Server() as server:
        with Stream(server) as stream:
            stream.opened()
        assert metric(server, "store_streams_shed_total") == 0
        assert "memory." not in server.log_text
