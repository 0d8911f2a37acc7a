"""Text that is not ours is drawn as it stands: never markup, never a control sequence, never an action."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.strip import Strip
from textual.widget import Widget

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.screen import StillApp, app_with, prompt, said, send, talk_screen, until
from tests.fakes.waiting import ASKER, ask_in, command_request
from wisp_tui.app.markdown import Splitter, block_rows
from wisp_tui.app.rows import Piece, Row, plain_rows
from wisp_tui.events import AuditFault, Note
from wisp_tui.text.ids import ThreadId

MARKUP = ("[/", "[/etc/hosts]", "[a=1,b=2]", "[@click=app.quit]x[/]", "[bold]b[/bold]", "[link=file:///etc]l[/link]")
CONTROLS = "A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x1b[6n\x9b31m\x07\x00Z"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def drawn(app: StillApp) -> Iterator[Strip]:
    """Give every line of every widget on the screen, as it is drawn."""
    for widget in app.screen.walk_children(Widget):
        for y in range(widget.size.height):
            yield widget.render_line(y)


def assert_safe(app: StillApp) -> None:
    for strip in drawn(app):
        assert not _CONTROL.search(strip.text), strip.text
        for segment in strip:
            assert segment.style is None or segment.style.link is None
            assert segment.style is None or not any(key.startswith("@") for key in segment.style.meta)


@pytest.mark.parametrize("text", MARKUP)
async def test_markup_is_shown_as_it_is_written_everywhere(tmp_path: Path, text: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f.txt").write_text(f"{text}\n")
    app = app_with(tmp_path, ScriptedModel([calls(("read_file", {"path": "f.txt"}), text=f"say {text}"), says(text)]))
    async with app.run_test(size=(140, 60)) as pilot:
        app.session.bus.publish(Note(app.thread.conversation.session, f"note {text}"))
        prompt(app).write(f"ask {text}")
        await pilot.press("enter")
        await until(pilot, lambda: "ran: read_file" in said(app))
        app.notify(text, title=text)
        app.session.bus.publish(AuditFault(text))
        await pilot.pause()
        shown = said(app)
        for line in (f"ask {text}", f"say {text}", f"  {text}"):
            assert line in shown
        assert_safe(app)
        assert any(text in strip.text for strip in drawn(app))


async def test_no_control_sequence_reaches_the_screen_from_any_text(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "f.txt").write_bytes(CONTROLS.encode("utf-8", "surrogateescape") + b"\xc2\x9b31m\n")
    app = app_with(
        tmp_path,
        ScriptedModel(
            [calls(("read_file", {"path": f"f.txt{CONTROLS}"}), ("read_file", {"path": "f.txt"})), says(CONTROLS)]
        ),
    )
    async with app.run_test(size=(120, 50)) as pilot:
        app.session.bus.publish(Note(app.thread.conversation.session, CONTROLS, "warning"))
        app.session.bus.publish(AuditFault(CONTROLS))
        app.notify(CONTROLS, title=CONTROLS)
        await send(pilot, "go")
        await until(pilot, lambda: "ran: read_file" in said(app))
        await pilot.pause()
        assert_safe(app)
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert_safe(app)


@pytest.mark.parametrize("target", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "app.quit", "//x"])
def test_a_link_that_is_not_http_is_no_link(target: str) -> None:
    splitter = Splitter()
    (block,) = [*splitter.feed(f"see [here]({target}) now"), *splitter.end()]
    (row,) = block_rows(block, 80)
    assert not [span for span in row.spans if span.role.value == "link"]
    assert "here" in row.text


def test_an_http_link_shows_where_it_goes() -> None:
    splitter = Splitter()
    (block,) = [*splitter.feed("see [your bank](https://evil.example/x) now"), *splitter.end()]
    (row,) = block_rows(block, 80)
    assert row.text == "see your bank (https://evil.example/x) now"


def test_plain_rows_are_clean_and_have_no_tabs() -> None:
    rows = plain_rows(f"{CONTROLS}\tx\r\ny")
    assert [row.text for row in rows] == ["ABZ    x".replace("ABZ    ", "ABZ ".ljust(4)), "y"]
    assert all(not _CONTROL.search(row.text) for row in rows)


async def test_the_audit_fault_stays_on_the_screen(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("fine")]))
    async with app.run_test() as pilot:
        app.session.bus.publish(AuditFault("the disk is full"))
        await until(pilot, lambda: any("the disk is full" in strip.text for strip in drawn(app)))
        await send(pilot, "go")
        await until(pilot, lambda: "fine" in said(app))
        await send(pilot, "/new")
        await until(pilot, lambda: "fine" not in said(app))
        fault = talk_screen(app).query_one("#fault")
        assert fault.display
        assert "the disk is full" in fault.render_line(0).text


def test_no_row_and_no_piece_of_one_holds_what_leaves_it_whoever_made_it() -> None:
    text = "a\nb\tc\x1b[2J\u009bd\u202ee\u2028f\u200dg"
    safe = "a b c\ufffd[2J\ufffdd\ufffde\ufffdf\u200dg"
    row = Row(text, prefix=text, hang=text)
    assert (row.text, row.prefix, row.hang, Piece(text).text) == (safe, safe, safe, safe)


async def test_who_asks_from_another_process_names_itself_on_one_line(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    asker = replace(ASKER, thread=ThreadId(f"git\nFAKE{CONTROLS}"), client="c\u202e" + "w" * 200)
    hostile = replace(command_request(f"touch {CONTROLS}\nx"), asker=asker, directory="/w\nd", level="safe\n")
    ask_in(app.session.home, hostile)
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("f8")
        await until(pilot, lambda: len(talk_screen(app).facts_panel.model.lines) == 1)
        await pilot.pause()
        assert_safe(app)
        text = "\n".join(strip.text for strip in drawn(app))
        assert "git FAKE" in text
        assert "<U+001B>" in text


def test_no_reference_to_a_character_in_markdown_leaves_its_row() -> None:
    text = "a&#10;FAKE &#x202e;b &#x2028; [x&#10;y](http://e/&#10;z) `c`\n\n|a&#10;b|c|\n|-|-|\n|x&#x202e;|y&#9;|\n\n"
    splitter = Splitter()
    rows = [row for block in [*splitter.feed(text), *splitter.end()] for row in block_rows(block, 80)]
    assert any("FAKE" in row.text for row in rows)
    assert [row for row in rows if _CONTROL.search(row.prefix + row.text)] == []
