"""The call of the assessment: what the model is given, the schema, and what comes of any answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wisp_tui.assessment import Answer, AssessmentJob, Offered, Task, TaskSetter, ranked, repeated
from wisp_tui.assessment.call import ANSWER_TOKENS
from wisp_tui.assessment.relevance import OFFERED
from wisp_tui.facts import (
    NOTED,
    Assertion,
    FactBook,
    FactId,
    Moment,
    Source,
    TemporalClass,
    Topic,
    Unusable,
    record,
)
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import JsonObject, dump

START = datetime(2026, 3, 1, 14, 5, tzinfo=UTC)
TOOLS = (Offered("read_file", "read a text file, a page at a time"), Offered("run_command", "run a shell command"))
TASK = Task("add a flag; objective: sync copies nothing", TaskSetter.MODEL)


def book_of(*facts: tuple[str, str, str], temporal: TemporalClass = TemporalClass.DYNAMIC) -> FactBook:
    book = FactBook()
    for place, (subject, name, value) in enumerate(facts):
        said = Assertion(Topic(subject, name), value, temporal, Source.of_tool("read_file"))
        book = record(book, [said], Moment(START + timedelta(seconds=place), TurnNumber(1))).book
    return book


BOOK = book_of(("entity", "release codename", "BLUE HERON"), ("file", "docs/a.md", "12 lines"))
JOB = AssessmentJob("What now?", TOOLS, TASK, False, ("read_file",), ranked(BOOK, "").offered, 8192)


def test_the_model_is_given_the_catalogue_the_task_the_facts_names_and_the_request_and_no_more() -> None:
    asked = JOB.ask()
    assert asked.messages[1].content == (
        "Tools:\n"
        "- read_file: read a text file, a page at a time\n"
        "- run_command: run a shell command\n"
        "Tools of the request before: read_file\n"
        "Current task: add a flag; objective: sync copies nothing\n"
        "Facts:\n"
        "- c2: file docs/a.md\n"
        "- c1: entity release codename\n"
        "Request:\n"
        "What now?"
    )
    assert "HERON" not in f"{asked.messages}{asked.options.schema}"
    assert (asked.tools, asked.options.greedy, asked.options.max_tokens) == ((), True, ANSWER_TOKENS)
    small = replace(JOB, window=300).ask()
    assert small.options.max_tokens == 100


def test_a_fixed_task_is_told_as_fixed_and_cannot_be_answered() -> None:
    fixed = replace(JOB, task_fixed=True)
    assert "Current task (fixed): add a flag" in fixed.ask().messages[1].content
    assert set(_properties(fixed.schema)) == {"intent", "tools", "facts"}
    read = fixed.read('{"intent": "x", "tools": [], "task": "another", "objective": "", "facts": []}')
    assert isinstance(read, Answer)
    assert read.task is None


def test_what_there_is_none_of_is_not_asked_for() -> None:
    bare = replace(JOB, tools=(), facts=(), task=None, previous=())
    assert set(_properties(bare.schema)) == {"intent", "task", "objective"}
    assert bare.ask().messages[1].content == "Current task: none yet\nRequest:\nWhat now?"


def test_an_answer_counts_as_far_as_it_names_what_there_is() -> None:
    given: JsonObject = {
        "intent": "read\x1b[2J  the docs",
        "tools": ["run_command", "rm", "run_command", 7],
        "task": "port the parser.",
        "objective": "all tests pass",
        "facts": ["c1", "c9", "p1"],
    }
    assert JOB.read(dump(given).decode()) == Answer(
        "read the docs", ("run_command",), "port the parser; objective: all tests pass", (FactId("c1"),)
    )


@pytest.mark.parametrize("task", ["", "none", "None.", "(no change)", "N/A", "unchanged", "-", "Add a FLAG", 3, None])
def test_nothing_and_the_task_there_is_are_no_change(task: str | int | None) -> None:
    read = JOB.read(dump({"intent": "", "tools": [], "task": task, "objective": "done", "facts": []}).decode())
    assert isinstance(read, Answer)
    assert read.task is None


def test_a_task_without_an_objective_stands_alone_and_a_long_one_is_cut() -> None:
    for objective in ("none", "x" * 5_000):
        read = JOB.read(dump({"tools": [], "task": "x" * 5_000, "objective": objective}).decode())
        assert isinstance(read, Answer)
        assert read.task is not None
        assert len(read.task) <= 120
        assert "objective" not in read.task


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "the answer is empty"),
        ("I would read the file.", "the answer is not JSON"),
        ('{"intent": "x", "tools": ["read_f', "the answer is not JSON"),
        ("[]", "the answer is not JSON"),
        ('{"intent": "x"}', "the answer has no list of tools"),
        ('{"tools": "read_file"}', "the answer has no list of tools"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none(answer: str, reason: str) -> None:
    assert JOB.read(answer) == Unusable(reason)


def test_facts_that_share_words_come_first_then_the_newest_and_at_most_thirty_are_offered() -> None:
    many = book_of(*(("file", f"f{number}.md", "1 line") for number in range(60)), ("entity", "codename", "HERON"))
    older = record(many, [Assertion(Topic("entity", "bird"), "x", TemporalClass.DYNAMIC, NOTED)], Moment(START)).book
    found = ranked(older, "Which codename does the Heron release have?")
    assert [fact.identity.name for fact in found.offered][:2] == ["codename", "f59.md"]
    assert len(found.offered) == OFFERED
    assert found.relevant() == ("c61",)
    assert found.relevant([FactId("c3"), FactId("c99")]) == ("c3", "c61")
    assert len(found.relevant([FactId(f"c{number}") for number in range(1, 9)])) == 4


def test_the_task_the_processs_facts_and_common_words_are_no_relevant_facts() -> None:
    book = book_of(("task", "", "what was the port"), ("entity", "port", "the harbour"), ("tests", "this", "that"))
    machine = Assertion(Topic("service", "port 80"), "nginx", TemporalClass.EPHEMERAL, Source.of_tool("system_info"))
    book = record(book, [machine], Moment(START)).book
    assert ranked(book, "What was the port of this, and that?").relevant() == ("c2",)


def test_a_disputed_fact_is_repeated_with_what_the_other_says_and_one_that_is_gone_is_not() -> None:
    book = book_of(("tests", "pytest", "passed"))
    noted = Assertion(Topic("tests", "pytest"), "flaky", TemporalClass.DYNAMIC, NOTED)
    book = record(book, [noted], Moment(START)).book
    (fact,) = ranked(book, "pytest").facts
    assert "another source disagrees: the model says flaky" in repeated(book, [fact.id, FactId("c44")])[0]
    newer = Assertion(Topic("tests", "pytest"), "failed", TemporalClass.DYNAMIC, Source.of_tool("run_command"))
    assert repeated(record(book, [newer], Moment(START)).book, [fact.id]) == ()


def _properties(schema: JsonObject) -> JsonObject:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return properties
