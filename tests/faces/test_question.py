"""A question of the model's on the screen: answered in the prompt, by number or in words, or declined."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.screen import StillApp, Tick, app_with, prompt, said, send, talk_screen, until, write
from wisp_tui.app.widgets.question import question_rows
from wisp_tui.context.record import EntryKind
from wisp_tui.tools.asking import Question

ASKED = {"question": "Which [b]language[/b]?", "choices": ["swift", "rust"]}


async def asked(pilot: Pilot[int], app: StillApp) -> None:
    """Wait until the question that waits is the one on the screen."""

    def shown() -> bool:
        view = talk_screen(app).question
        return view is not None and view.question.id in app.thread.questions.waiting

    await until(pilot, shown)


def outputs(app: StillApp) -> list[str]:
    record = app.thread.conversation.record
    return [entry.text.rpartition("]\n")[2] for entry in record if entry.kind is EntryKind.OUTPUT]


async def test_it_is_answered_by_number_in_words_or_declined(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([*[calls(("ask", ASKED))] * 4, says("it is over")]))
    async with app.run_test() as pilot:
        await send(pilot, "do it")
        await asked(pilot, app)
        view = talk_screen(app).question
        assert view is not None
        assert view.max_scroll_y == 0, "what there is room for is shown whole"
        await send(pilot, "2")
        await until(pilot, lambda: outputs(app) == ["rust"])
        await asked(pilot, app)
        await send(pilot, "both of them")
        await until(pilot, lambda: outputs(app)[1:] == ["both of them"])
        await asked(pilot, app)
        await pilot.press("escape")
        await until(pilot, lambda: len(outputs(app)) == 3)
        await asked(pilot, app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "it is over" in said(app))
        assert ["the person did not answer (they declined to)" in text for text in outputs(app)[2:]] == [True, True]
        assert talk_screen(app).question is None


async def test_a_message_begun_before_the_question_is_no_answer_to_it(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([calls(("ask", ASKED)), says("it is over"), says("and that too")]))
    async with app.run_test() as pilot:
        await send(pilot, "do it")
        await asked(pilot, app)
        prompt(app).text = "and then"
        talk_screen(app).show_question()
        await pilot.press("enter")
        await until(pilot, lambda: list(app.talk.outbox.texts) == ["and then"])
        assert app.thread.questions.waiting
        await write(pilot, "1")
        await pilot.press("enter")
        await until(pilot, lambda: "and that too" in said(app))


def test_nothing_in_it_is_hidden() -> None:
    rows = question_rows(Question("q", "a\u202eb\nc", ("x\u200by",)))
    assert [f"{row.prefix}{row.text}" for row in rows[:4]] == [
        "? the model asks",
        "  a<U+202E>b",
        "  c",
        "  1  x<U+200B>y",
    ]


async def test_a_long_one_scrolls_and_takes_neither_the_prompt_nor_a_dialog_off_the_screen(tmp_path: Path) -> None:
    clock = Tick()
    long = "\n".join(f"line {number}" for number in range(60))
    app = app_with(tmp_path, ScriptedModel([calls(("run_command", {"command": "touch made"})), says("x")]), clock=clock)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = talk_screen(app)
        asking = asyncio.create_task(app.thread.questions.ask(Question("q", long, ("swift",))))
        await until(pilot, lambda: screen.question is not None and screen.question.max_scroll_y > 0)
        assert screen.find_widget(prompt(app)).visible_region.height == 1
        await pilot.press("pagedown")
        assert screen.question is not None
        assert screen.question.scroll_offset.y > 0
        app.send("do it")
        await until(pilot, lambda: (panel := screen.approval) is not None and panel.seen)
        assert screen.approval is not None
        place = screen.find_widget(screen.approval)
        assert place.visible_region == place.region
        screen.refuse()
        app.thread.questions.answer("q", None)
        await asking


async def test_a_notification_is_shown_by_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    model = ScriptedModel([calls(("notify", {"title": "[b]Tests[/b]", "body": "all pass"})), says("it is over")])
    app = app_with(tmp_path, model)
    app.environment["TERM_PROGRAM"] = "WezTerm"
    monkeypatch.setattr(app, "tell_terminal", told.append)
    async with app.run_test() as pilot:
        await send(pilot, "do it")
        await until(pilot, lambda: "it is over" in said(app))
        assert told == ["the model: [b]Tests[/b]: all pass"]
        assert outputs(app) == ["shown by the terminal: [b]Tests[/b]: all pass"]
