"""Stepping through a conversation's contexts: each as it was sent, what changed in it, and its parts whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.condensing import harbour_model, question
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui.app.panel.opening import page_of
from wisp_tui.context.parts import Form
from wisp_tui.context.record import EntryKind
from wisp_tui.context.view import Change
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.contexts import NoSuchTurn, turn_rows
from wisp_tui.session.steps import ContextSteps
from wisp_tui.text.ids import TurnNumber

TURNS = 10


async def condensed(tmp_path: Path) -> Thread:
    thread = session_with(tmp_path, harbour_model()).new_thread(ThreadOptions())
    for boat in range(1, TURNS + 1):
        await thread.submit(question(boat))
    return thread


@pytest.fixture
async def thread(tmp_path: Path) -> Thread:
    """A conversation of ten turns in which the context was condensed."""
    return await condensed(tmp_path)


async def test_steps_go_from_the_next_request_back_to_the_first_turn_and_on_again(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    back: list[TurnNumber | None] = [None]
    while (turn := steps.before(back[-1])) != back[-1]:
        back.append(turn)
    assert back == [None, *range(TURNS, 0, -1)]
    on: list[TurnNumber | None] = [TurnNumber(1)]
    while (turn := steps.after(on[-1])) is not None:
        on.append(turn)
    assert [*on, None] == back[::-1]
    assert steps.after(None) is None


async def test_a_turn_is_shown_as_it_was_sent_with_what_left_before_it(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    sent = {composed.turn: composed.sha256 for composed in thread.conversation.composed}
    for turn in steps.turns:
        shown = steps.show(turn)
        assert shown.composition.sha256 == sent[turn]
        assert shown.since == (turn - 1 or None)
        assert [row.entry for row in shown.view.gone] == list(shown.view.changes.dropped)
        assert {row.change for row in shown.view.gone} <= {Change.DROPPED}
    assert any(steps.show(turn).view.gone for turn in steps.turns)


async def test_the_next_request_is_compared_with_the_last_one_sent(thread: Thread) -> None:
    shown = ContextSteps(thread.conversation).show(None)
    assert (shown.turn, shown.since, shown.running) == (None, TURNS, False)
    new = [row for row in shown.view.rows if row.change is Change.NEW]
    assert [row.kind for row in new] == [EntryKind.REPLY]


async def test_the_gauge_of_a_turn_has_the_headroom_it_had_then(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    first, last = steps.show(TurnNumber(1)).gauge, steps.show(TurnNumber(TURNS)).gauge
    assert first is not None
    assert last is not None
    assert "headroom" not in {segment.name for segment in first.segments}
    assert "headroom" in {segment.name for segment in last.segments}


async def test_a_turn_that_was_not_had_is_refused_and_nothing_is_forgotten(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    with pytest.raises(NoSuchTurn):
        steps.show(TurnNumber(99))


async def test_the_row_of_a_turn_is_the_one_of_the_list(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    assert [steps.row(turn) for turn in reversed(steps.turns)] == turn_rows(thread.conversation)[::-1]
    assert steps.row(TurnNumber(3)) is steps.row(TurnNumber(3))


async def test_an_entry_opens_whole_and_as_it_is_sent(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    text = "".join(f"line {number} of the notes, with some words\n" for number in range(40))
    (work / "notes.md").write_text(text)
    reading = calls(("read_file", {"path": "notes.md"}))
    session = session_with(tmp_path, ScriptedModel([reading, says(f"Here:\n\n```\n{text}```"), says("Sure.")]))
    thread = session.new_thread(ThreadOptions())
    await thread.submit("Read notes.md.")
    await thread.submit("And?")
    steps = ContextSteps(thread.conversation)
    shown = steps.show(None)
    forms = {row.state: row for row in shown.view.rows}

    def page(form: Form, *, whole: bool) -> str:
        paged = page_of(thread.conversation, forms[form], shown, whole=whole)
        return paged.source.read(0, paged.source.size).decode()

    assert page(Form.REFERENCE, whole=False).startswith("[output of entry ")
    assert "line 39 of the notes" in page(Form.REFERENCE, whole=True)
    assert "line 39" not in page(Form.CUT, whole=False)
    assert "line 39" in page(Form.CUT, whole=True)
    assert page(Form.BLOCK, whole=True) == page(Form.BLOCK, whole=False) != ""
    output = forms[Form.REFERENCE].entry
    assert output is not None
    assert steps.tool(output) == "read_file"


async def test_what_was_dropped_still_opens_whole_and_as_it_was_sent(thread: Thread) -> None:
    steps = ContextSteps(thread.conversation)
    shown = next(shown for shown in map(steps.show, steps.turns) if shown.view.gone)
    row = shown.view.gone[0]
    assert row.entry is not None
    entry = thread.conversation.record.entry(row.entry)
    for whole in (True, False):
        paged = page_of(thread.conversation, row, shown, whole=whole)
        assert paged.source.read(0, paged.source.size).decode() == entry.text
