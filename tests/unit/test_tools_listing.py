"""The lists of the tools: /tools in a conversation, and wisp tools for a person, a program and a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from tests.fakes.tools import TOOLS
from wisp_tui import entry
from wisp_tui.config import Settings
from wisp_tui.config.settings import ToolSettings
from wisp_tui.session import ThreadOptions
from wisp_tui.session.commands import run_command_line


def wisp(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wisp", "tools", *arguments])
        return entry.wisp()


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert wisp(*arguments) == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WISP_HOME", str(tmp_path))
    (tmp_path / "config.json").write_text('{"tools": {"disabled": ["current_date"]}}')
    return tmp_path


def test_every_tool_is_a_row_of_a_list_an_object_and_a_section(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [line.split("\t") for line in listed(capsys).splitlines()]
    assert [row[0] for row in rows] == list(TOOLS)
    assert {row[0]: row[1] for row in rows}["current_date"] == "disabled"
    assert {row[0]: row[1] for row in rows}["edit_file"] == "asks"
    described = {tool["name"]: tool for tool in json.loads(listed(capsys, "--json"))}
    assert list(described) == list(TOOLS)
    assert (described["read_file"]["readsOnly"], described["read_file"]["disabled"]) == (True, False)
    assert described["edit_file"]["parameters"]["required"] == ["path", "action", "text"]
    page = listed(capsys, "--markdown")
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == list(TOOLS)
    assert "| `action` | `write` or `append` or `replace` |" in page
    assert "(reads · disabled)" in page


def test_two_forms_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert wisp("--json", "--markdown") == 64
    assert "exclude each other" in capsys.readouterr().err


async def test_a_conversation_lists_its_tools_those_that_are_off_and_their_cost(tmp_path: Path) -> None:
    settings = Settings(tools=ToolSettings(disabled=("edit_file",)))
    thread = session_with(tmp_path, ScriptedModel([says("Yes.")]), settings=settings).new_thread(ThreadOptions())
    lines = (await run_command_line(thread, "/tools")).lines
    assert [line.split()[0] for line in lines[:-2]] == [name for name in TOOLS if name not in {"edit_file", "memory"}]
    assert next(line for line in lines if line.startswith("run_command")).endswith(
        "run a shell command; the fallback for anything else · asks"
    )
    assert lines[-2] == "off (tools.disabled): edit_file"
    assert lines[-1].startswith("their definitions take about ")
