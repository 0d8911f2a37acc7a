"""Which tools there are, which a conversation has, and the date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from tests.fakes.tools import TOOLS, Bench
from wisp_tui.config import Home, Settings
from wisp_tui.config.settings import ToolSettings
from wisp_tui.context.messages import definition
from wisp_tui.models import ToolDefinition
from wisp_tui.text.tokens import estimate_tokens
from wisp_tui.tools import Arguments
from wisp_tui.tools.current_date import CurrentDate, local_now
from wisp_tui.tools.registry import UnknownTool, built_in, chosen
from wisp_tui.tools.run_command import RunCommand


def test_every_tool_is_under_its_own_name() -> None:
    tools = TOOLS
    assert list(tools) == [
        "read_file",
        "edit_file",
        "run_command",
        "current_date",
        "system_info",
        "inspect",
        "ask",
        "notify",
        "memory",
    ]
    assert all(tool.spec.name == name for name, tool in tools.items())


def test_the_settings_reach_the_command_tool() -> None:
    tool = built_in(SETTINGS, Home(Path("/nobody/.wisp")))["run_command"]
    assert tool == RunCommand(limit=7, max_output_bytes=9000)


SETTINGS = Settings(tools=ToolSettings(command_timeout_seconds=7, command_max_output_bytes=9000))
FEW = {name: TOOLS[name] for name in ("read_file", "run_command", "current_date")}


def test_all_tools_are_chosen_unless_some_are_named() -> None:
    assert list(chosen(FEW)) == list(FEW)
    assert list(chosen(FEW, ["run_command", "read_file", "run_command"])) == ["read_file", "run_command"]
    assert list(chosen(FEW, [])) == []


def test_memory_is_among_all_tools_only_by_the_setting_and_among_named_ones_always() -> None:
    assert "memory" not in chosen(TOOLS)
    assert "memory" in chosen(TOOLS, memory=True)
    assert list(chosen(TOOLS, ["memory"])) == ["memory"]
    assert "memory" not in chosen(TOOLS, ["memory"], ["memory"], memory=True)


def test_a_disabled_tool_is_left_out_also_where_it_is_named() -> None:
    assert list(chosen(FEW, None, ["run_command"])) == ["read_file", "current_date"]
    assert list(chosen(FEW, ["run_command", "read_file"], ["run_command"])) == ["read_file"]


def test_an_unknown_tool_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(UnknownTool) as fault:
        chosen(FEW, ["read_file", "write_file"])
    assert fault.value.names == ("write_file",)
    assert str(fault.value) == "there is no tool write_file; the tools are: read_file, run_command, current_date"


def test_the_definitions_of_all_tools_cost_at_most_1300_tokens() -> None:
    tools = TOOLS.values()
    sent = [definition(ToolDefinition(tool.spec.name, tool.spec.description, tool.spec.parameters)) for tool in tools]
    assert sum(map(estimate_tokens, sent)) <= 1300
    assert max(map(estimate_tokens, sent)) <= 170
    assert all(len(tool.spec.description) < 120 for tool in tools)
    assert all(len(tool.spec.clause) <= 80 for tool in tools)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (
            datetime(2026, 10, 14, 15, 4, 5, tzinfo=timezone(timedelta(hours=2), "CEST")),
            "Wednesday, 2026-10-14, 15:04:05 CEST (UTC+02:00)",
        ),
        (
            datetime(2026, 3, 1, 0, 0, 0, tzinfo=timezone(timedelta(hours=-3, minutes=-30), "NST")),
            "Sunday, 2026-03-01, 00:00:00 NST (UTC-03:30)",
        ),
        (datetime(2026, 1, 5, 9, 8, 7, tzinfo=UTC), "Monday, 2026-01-05, 09:08:07 UTC (UTC+00:00)"),
    ],
)
async def test_the_date_has_its_weekday_time_and_zone(tmp_path: Path, moment: datetime, text: str) -> None:
    output = await CurrentDate(now=lambda: moment).run(Arguments({}), Bench(tmp_path).context())
    assert (output.text, output.ok, output.lines) == (text, True, 1)


def test_the_clock_knows_its_zone() -> None:
    assert local_now().utcoffset() is not None
