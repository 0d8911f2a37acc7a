"""ask: a question that only the person answers, and what becomes of the answer."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.tools import SESSION, Bench
from wisp_tui.events import Bus, QuestionWaiting
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.questions import QuestionDesk, chosen
from wisp_tui.text.json import Json
from wisp_tui.tools import Arguments, BadArguments, ToolOutput
from wisp_tui.tools.ask import Ask
from wisp_tui.tools.asking import Answered, Question


class Person:
    """Answers every question alike."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answered:
        self.asked.append(question)
        return Answered(self.answer, "they did not want to")


async def ask(bench: Bench, person: Person, **arguments: Json) -> ToolOutput:
    return await Ask().run(Arguments(arguments), replace(bench.context(), person=person))


async def test_the_result_is_the_answer_and_nothing_else(tmp_path: Path) -> None:
    person = Person("the \x1b[2Jsecond\n")
    output = await ask(Bench(tmp_path), person, question="Which\x1b[6n one?", choices=["first", "second", "first"])
    assert (output.text, output.ok) == ("the second", True)
    assert (person.asked[0].text, person.asked[0].choices) == ("Which one?", ("first", "second"))


async def test_no_answer_is_a_failure_that_says_why(tmp_path: Path) -> None:
    output = await ask(Bench(tmp_path), Person(None), question="Which?")
    assert not output.ok
    assert output.text.startswith("error: the person did not answer (they did not want to): go on with what you know")
    nobody = await Bench(tmp_path).call(Ask(), question="Which?")
    assert "nobody can be asked here" in nobody.text


@pytest.mark.parametrize(
    "arguments",
    [
        {"question": " "},
        {"question": "x" * 2001},
        {"question": "?", "choices": [str(number) for number in range(10)]},
        {"question": "?", "choices": [""]},
        {"question": "?", "choices": [1]},
        {"question": "?", "choices": "a"},
    ],
)
async def test_a_question_that_cannot_be_shown_is_refused(tmp_path: Path, arguments: dict[str, Json]) -> None:
    with pytest.raises(BadArguments):
        await ask(Bench(tmp_path), Person("x"), **arguments)


def test_a_choices_number_stands_for_it() -> None:
    question = Question("q", "Which?", ("first", "second"))
    assert [chosen(question, text) for text in ("2", " 1 ", "3", "0", "both")] == ["second", "first", "3", "0", "both"]


async def test_a_question_waits_until_it_is_answered_declined_or_out_of_time() -> None:
    desk = QuestionDesk(SESSION, Bus(), 60, nullcontext, shown=True)
    question = Question("q", "Which?")
    for answer, expected in (("this", Answered("this")), (None, Answered(None, "they declined to"))):
        asking = asyncio.create_task(desk.ask(question))
        await asyncio.sleep(0)
        assert list(desk.waiting) == ["q"]
        assert desk.answer("q", answer)
        assert not desk.answer("q", "again")
        assert await asking == expected
    assert not desk.waiting
    desk.timeout = 0
    assert await desk.ask(question) == Answered(None, "no answer in 0 s")


def opened(tmp_path: Path) -> Thread:
    question = {"question": "Which language?", "choices": ["swift", "rust"]}
    return session_with(tmp_path, ScriptedModel([calls(("ask", question)), says("Fine.")])).new_thread(ThreadOptions())


async def test_the_answer_is_a_fact_of_the_thread_from_the_person(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    thread.questions.shown = True
    with thread.conversation.bus.subscribe() as events:
        turn = asyncio.create_task(thread.submit("Write it."))
        async for event in events:
            if isinstance(event, QuestionWaiting):
                assert (event.text, event.choices) == ("Which language?", ("swift", "rust"))
                assert thread.questions.answer(event.id, "swift")
                break
        ended = await turn
    (fact,) = ended.facts
    assert (fact["subject"], fact["name"], fact["value"]) == ("answer", "Which language?", "swift")
    assert (fact["source"], fact["scope"]) == ("person", "thread")


async def test_where_nobody_is_asked_nothing_is_recorded(tmp_path: Path) -> None:
    ended = await opened(tmp_path).submit("Write it.")
    assert (ended.outcome, ended.facts, ended.ran) == ("ok", (), "ran: ask (failed)")
