"""system_info: the machine's state by topic, in the shape that facts are read from."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.fakes.tools import TURN, Bench
from wisp_tui.config import Settings
from wisp_tui.facts import Extractor, ToolUse
from wisp_tui.session.facts import shipped_kinds
from wisp_tui.tools import BadArguments, machine
from wisp_tui.tools.machine import OWN_ONLY, Look
from wisp_tui.tools.system_info import SystemInfo

LOOK = Look(Path("/"))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_a_port_that_is_listened_on_is_shown_with_its_process_and_is_a_fact(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        output = await bench.call(SystemInfo(), topic="ports", match=str(port))
    line = f"{psutil.Process().name()} (pid {os.getpid()}), listening on 127.0.0.1"
    assert output.text == f"ports:\nport {port}: {line}"
    use = ToolUse("system_info", {}, output.text, ok=True, turn=TURN)
    facts = Extractor(shipped_kinds(Settings())).facts([use])
    assert [(fact.topic.subject, fact.topic.name, fact.value) for fact in facts] == [("service", f"port {port}", line)]


def test_without_the_right_to_see_all_ports_ones_own_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(kind: str) -> object:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil, "net_connections", denied)
    monkeypatch.setattr(psutil, "process_iter", lambda: [psutil.Process()])
    with socket.create_server(("127.0.0.1", 0)) as server:
        lines = list(machine.ports(Look(Path("/"), str(server.getsockname()[1]))))
    assert (len(lines), lines[0], lines[-1]) == (3, "ports:", OWN_ONLY)


async def test_every_topic_is_shown_and_is_a_fact(bench: Bench) -> None:
    output = await bench.call(SystemInfo(), match="no such thing anywhere")
    assert output.ok
    facts = Extractor(shipped_kinds(Settings())).facts([ToolUse("system_info", {}, output.text, ok=True, turn=TURN)])
    assert [fact.topic.name for fact in facts] == ["ports", "disk", "processes", "memory", "battery", "network"]
    assert {fact.topic.name: fact.value for fact in facts}["ports"] == "none listening"


async def test_a_process_is_found_by_name_or_number_without_its_arguments(bench: Bench) -> None:
    output = await bench.call(SystemInfo(), topic="processes", match=os.getpid())
    head, row = output.text.split("\n")
    assert head.startswith("processes: ")
    assert row.startswith(f"  {psutil.Process().name()} (pid {os.getpid()}): ")
    assert "pytest" not in row.partition("(")[2]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (None, "battery: none"),
        (SimpleNamespace(percent=80.6, secsleft=-2, power_plugged=True), "battery: 81%, plugged in"),
        (
            SimpleNamespace(percent=40, secsleft=5400, power_plugged=False),
            "battery: 40%, not plugged in, 90 m 00 s left",
        ),
        (SimpleNamespace(percent=40, secsleft=-1, power_plugged=None), "battery: 40%, not plugged in"),
    ],
)
def test_the_battery_says_what_is_known(monkeypatch: pytest.MonkeyPatch, state: object, said: str) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: state, raising=False)
    assert list(machine.battery(LOOK)) == [said]


def test_memory_and_disk_are_what_the_machine_has() -> None:
    assert machine.human_bytes(psutil.virtual_memory().total) in next(machine.memory(LOOK))
    assert machine.human_bytes(psutil.disk_usage("/").total) in next(machine.disk(LOOK))
    assert "not known" in next(machine.disk(Look(Path("/no such place"))))


async def test_a_topic_that_is_none_is_named(bench: Bench) -> None:
    with pytest.raises(BadArguments, match="topic must be one of"):
        await bench.call(SystemInfo(), topic="weather")
