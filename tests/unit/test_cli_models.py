"""``wisp models``: a model as a person, a script and a program read it; and pulling one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from wisp_tui import entry
from wisp_tui.cli import pulling
from wisp_tui.cli.models import described, fields
from wisp_tui.cli.pulling import Telling, pull_model
from wisp_tui.config import Home
from wisp_tui.models import Capability, catalogue
from wisp_tui.models.catalogue import Listed
from wisp_tui.models.listing import shown
from wisp_tui.models.pull import Pulled, PullError, PullPlan, PullProgress, PullStep
from wisp_tui.text.columns import aligned
from wisp_tui.text.ids import ModelId

GOOD = Listed(
    ModelId("ollama:granite4.1:8b"),
    "ollama",
    size=5_368_709_120,
    window=24_576,
    window_source="24,576 of 131,072",
    capabilities=frozenset({Capability.TOOLS, Capability.SCHEMA}),
    remark="fine",
)
BROKEN = Listed(ModelId("embedded:smollm2"), "embedded", size=98_362_432, fault="not pulled", remedy="pull it")
HOSTILE = Listed(ModelId("openai:a\x1b[2Jb\nc\td"), "openai", fault="no\r\nway")


def test_a_program_reads_every_field() -> None:
    assert described(GOOD) == {
        "name": "ollama:granite4.1:8b",
        "runtime": "ollama",
        "size": 5_368_709_120,
        "window": 24_576,
        "windowSource": "24,576 of 131,072",
        "capabilities": ["schema", "tools"],
        "usable": True,
        "fault": None,
        "remedy": None,
        "remark": "fine",
    }
    assert (described(BROKEN)["usable"], described(BROKEN)["capabilities"]) == (False, None)


def test_a_script_reads_plain_numbers_and_a_person_sizes_and_reasons() -> None:
    assert fields(GOOD) == (GOOD.name, "ollama", "5368709120", "24576", "24,576 of 131,072", "schema,tools", "")
    assert fields(BROKEN)[-1] == "not pulled"
    assert shown(GOOD) == (GOOD.name, "ollama", "5 GiB", "24,576 (24,576 of 131,072)", "schema, tools", "fine")
    assert shown(BROKEN)[-1] == "not pulled; pull it"


def test_columns_are_aligned_also_where_characters_are_wide() -> None:
    assert aligned([("NAME", "X"), ("漢字モデル", "1"), ("a", "2")]) == [
        "NAME        X",
        "漢字モデル  1",
        "a           2",
    ]


def terminals(monkeypatch: pytest.MonkeyPatch, *files: int) -> None:
    """Have these descriptors, and no others, be terminals."""

    def isatty(file: int) -> bool:
        return file in files

    monkeypatch.setattr(os, "isatty", isatty)


def listing(monkeypatch: pytest.MonkeyPatch, *found: Listed) -> None:
    async def list_models(*_: object) -> list[Listed]:
        return list(found)

    monkeypatch.setattr(catalogue, "list_models", list_models)


def wisp(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["wisp", *arguments])
    return entry.wisp()


def test_in_a_pipe_a_model_is_a_line_of_cells_parted_by_tabs_whatever_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listing(monkeypatch, GOOD, HOSTILE)
    assert wisp(monkeypatch, "models") == 0
    out = capsys.readouterr().out
    assert [line.count("\t") for line in out.splitlines()] == [6, 6]
    assert out.splitlines()[1].startswith("openai:ab c d\topenai\t")
    assert "\x1b" not in out


def test_on_a_terminal_there_are_headings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    listing(monkeypatch, GOOD)
    terminals(monkeypatch, 1)
    assert wisp(monkeypatch, "models") == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["NAME", "RUNTIME", "SIZE", "WINDOW", "CAN"]


def test_json_is_one_array(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    listing(monkeypatch, GOOD, HOSTILE)
    assert wisp(monkeypatch, "models", "--json") == 0
    assert [item["name"] for item in json.loads(capsys.readouterr().out)] == [GOOD.name, HOSTILE.name]


def pulled(monkeypatch: pytest.MonkeyPatch, *steps: PullProgress, fault: PullError | None = None) -> list[Path]:
    """Have a pull tell these steps, and end as it should; return the homes it was for."""
    homes: list[Path] = []

    async def pull(plan: PullPlan, home: Home, tell: Telling) -> Pulled:
        homes.append(home.root)
        for step in steps:
            tell(step)
        if fault:
            raise fault
        return Pulled(Path("models") / plan.file)

    monkeypatch.setattr(pulling, "pull", pull)
    return homes


def test_nothing_is_fetched_without_asking_and_nobody_is_asked_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    homes = pulled(monkeypatch)
    terminals(monkeypatch)
    assert wisp(monkeypatch, "models", "pull", "smollm2") == 64
    said = capsys.readouterr().err
    for part in ("Apache-2.0", "88.6 MiB", str(wisp_home / "models"), "--yes fetches it without asking"):
        assert part in said
    assert homes == []
    assert not wisp_home.exists()


@pytest.mark.parametrize(("agreed", "code"), [(True, 0), (False, 1)])
def test_on_a_terminal_the_answer_decides(monkeypatch: pytest.MonkeyPatch, agreed: bool, code: int) -> None:
    homes = pulled(monkeypatch)
    terminals(monkeypatch, 0)

    def confirm(question: str, *, err: bool) -> bool:
        assert (question, err) == ("Fetch it?", True)
        return agreed

    monkeypatch.setattr("click.confirm", confirm)
    assert pull_model("smollm2", os.environ, yes=False) == code
    assert len(homes) == int(agreed)


def test_a_pipe_is_told_each_step_and_each_tenth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wisp_home: Path
) -> None:
    steps = [PullProgress(PullStep.FETCHING, done, 1000) for done in range(0, 1001, 7)]
    homes = pulled(monkeypatch, PullProgress(PullStep.FINDING), *steps)
    assert wisp(monkeypatch, "models", "pull", "smollm2", "--yes") == 0
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert lines[:2] == ["finding", "fetching 0 bytes of 1,000 bytes"]
    assert len(lines) == 11
    assert "`wisp-tui -m embedded:smollm2` talks to it" in said.out
    assert homes == [wisp_home]


def test_a_pull_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pulled(monkeypatch, fault=PullError("the download stopped at 1 MiB"))
    assert wisp(monkeypatch, "models", "pull", "smollm2", "--yes") == 1
    assert "wisp: the download stopped at 1 MiB" in capsys.readouterr().err


def test_a_name_that_cannot_be_pulled_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wisp(monkeypatch, "models", "pull", "gpt-9", "--yes") == 64
    assert "there is no 'gpt-9' to pull" in capsys.readouterr().err


def test_an_interrupted_pull_keeps_what_came_and_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def pull(*_: object) -> Pulled:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(pulling, "pull", pull)
    assert wisp(monkeypatch, "models", "pull", "smollm2", "--yes") == 130
    assert "what came is kept: `wisp models pull smollm2` goes on from there" in capsys.readouterr().err
