"""The approval dialog of an edit: its diff, whole, before it can be approved."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.screen import Tick, app_with, said, send, talk_screen, until
from wisp_tui.app.rows import Role
from wisp_tui.app.widgets.approval import request_rows
from wisp_tui.app.widgets.diffrows import diff_rows


async def test_an_edit_shows_its_diff_to_the_end_before_it_can_be_approved(tmp_path: Path) -> None:
    clock = Tick()
    text = "".join(f"line {number}\n" for number in range(1, 61))
    edits = [calls(("edit_file", {"path": "made.txt", "action": "write", "text": text}))]
    app = app_with(tmp_path, ScriptedModel([*edits, says("it is over")]), clock=clock)
    async with app.run_test(size=(80, 24)) as pilot:
        await send(pilot, "do it")
        await until(pilot, lambda: talk_screen(app).approval is not None)
        panel = talk_screen(app).approval
        assert panel is not None
        rows = [f"{row.prefix}{row.text}" for row in request_rows(panel.request, 1)]
        assert rows[2:6] == ["✎ edit_file made.txt", "", "@@ -0,0 +1,60 @@", "+ line 1"]
        assert "+ line 60" in rows
        clock.move(0.6)
        await pilot.press("y")
        assert app.thread.desk.waiting
        for _ in range(8):
            await pilot.press("pagedown")
        await until(pilot, lambda: panel.below == 0)
        clock.move(0.6)
        await pilot.press("y")
        await until(pilot, lambda: "it is over" in said(app))
        assert (tmp_path / "work" / "made.txt").read_text() == text


def test_nothing_in_a_diff_is_hidden_or_read_as_markup() -> None:
    rows = list(diff_rows("@@ -1 +1 @@\n-\ta\u202eb\r\n+[/x]\x1b[2J\n\\ no newline at the end of the file"))
    assert [f"{row.prefix}{row.text}" for row in rows] == [
        "@@ -1 +1 @@",
        "-     a<U+202E>b<U+000D>",
        "+ [/x]<U+001B>[2J",
        "\\ no newline at the end of the file",
    ]
    assert [row.role for row in rows] == [Role.FAINT, Role.ERROR, Role.GOOD, Role.FAINT]
