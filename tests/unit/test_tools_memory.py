"""The memory tool: what it reads, what it records, and what becomes of what it gave."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.tools import CALL, Bench
from wisp_tui.audit import read_events
from wisp_tui.context.record import EntryKind, ThreadRecord
from wisp_tui.events import Kind
from wisp_tui.models import ModelError
from wisp_tui.recall import Past
from wisp_tui.session import ThreadOptions
from wisp_tui.session.callers import set_task
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import JsonObject, dump
from wisp_tui.tools import BadArguments
from wisp_tui.tools.memory import Memory

MEMORY = Memory()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    record = ThreadRecord()
    record.add(EntryKind.PROMPT, "What broke?", turn=TurnNumber(1), time=None)
    made.store.keep(CALL, b"".join(b"line %d\n" % number for number in range(1, 5001)))
    made.past = Past(record, made.store)
    return made


async def test_a_stored_output_is_paged_filtered_and_recorded(bench: Bench) -> None:
    page = await bench.call(MEMORY, request=f"recall output {CALL} from line 44")
    heading, first, *_, last = page.text.splitlines()
    assert heading.startswith(f"[output {CALL}: kept whole, 5,000 lines, ")
    assert first == "44\tline 44"
    assert bench.budget.fits(page.text)
    following = await bench.call(MEMORY, request=last.split('"')[1])
    assert following.text.splitlines()[1] == f"{page.lines + 42}\tline {page.lines + 42}"
    found = await bench.call(MEMORY, request=f"recall output {CALL} matching LINE 499*9")
    assert found.text.splitlines()[1:] == ["4999\tline 4999", "[end: 1 matching line shown of 5,000]"]
    events = bench.ear.of(Kind.CONTEXT_MEMORY)
    assert [event["next"] for event in events] == [page.lines + 42, events[1]["next"], None]
    assert {(event["action"], event["of"], event["source"]) for event in events} == {
        ("recall", f"output {CALL}", "output")
    }


async def test_what_is_not_kept_is_an_error_the_model_can_act_on(bench: Bench) -> None:
    gone = await bench.call(MEMORY, request="recall output 00000000")
    assert not gone.ok
    assert gone.text.startswith("error: there is no stored output 00000000")
    assert bench.ear.of(Kind.CONTEXT_MEMORY)[0]["found"] is False
    with pytest.raises(BadArguments, match="asks for nothing that is kept"):
        await bench.call(MEMORY, request="everything")


async def test_a_recall_is_whole_in_its_turn_and_a_reference_after_it(tmp_path: Path) -> None:
    told = "The codename is Heron. " * 60
    model = ScriptedModel(
        [says("Noted."), calls(("memory", {"request": "recall entry 2"})), says("Heron."), says("Gladly.")]
    )
    thread = session_with(tmp_path, model).new_thread(ThreadOptions(tools=("memory",)))
    await thread.submit(told)
    await thread.submit("What was the codename?")
    assert model.requests[2].messages[-1].content.startswith("[entry 2: the person's prompt, turn 1, ")
    assert told.strip() in model.requests[2].messages[-1].content
    await thread.submit("Thanks.")
    carried = next(message for message in model.requests[3].messages if message.answers is not None)
    assert 'to see it: memory "recall entry 6"]' in carried.content
    assert "recall the entry or turn they name with memory" in model.requests[0].messages[0].content


async def test_notes_become_facts_when_the_turn_ends_and_never_replace_the_persons_word(tmp_path: Path) -> None:
    asked = [
        "note decision database = SQLite",
        "note decision database = DuckDB",
        "note file a.py = gone",
        "note nonsense",
        "task Port the parser; objective: tests pass",
    ]
    model = ScriptedModel(
        [
            calls(*(("memory", {"request": request}) for request in asked)),
            says("Noted."),
            calls(("memory", {"request": "task Something else"}), ("memory", {"request": "task"})),
            [ModelError("gone")],
        ]
    )
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions(tools=("memory",)))
    ended = await thread.submit("Begin.")
    results = [message.content for message in model.requests[1].messages if message.answers is not None]
    assert results[0] == "noted, and kept when this turn ends: decision database = SQLite"
    assert results[2].startswith("error: not noted: file is not yours to note")
    assert results[3].startswith("error: not noted: a note is written as note SUBJECT NAME = VALUE; note one of: ")
    noted = {(fact["subject"], fact["value"]) for fact in ended.facts}
    assert noted == {("decision", "DuckDB"), ("task", "Port the parser; objective: tests pass")}
    set_task(thread.conversation, "Write the manual")
    await thread.submit("Go on.")
    refused, recalled = [entry.text for entry in thread.conversation.record if entry.output is not None][-2:]
    assert re.fullmatch("error: not noted: the task was set by .* and stays: Write the manual", refused)
    assert "Port the parser" in recalled


async def test_an_output_is_condensed_by_the_models_own_calls_which_no_request_carries(tmp_path: Path) -> None:
    model = ScriptedModel(
        [
            calls(("memory", {"request": f"condense output {CALL}: what broke?"})),
            says("The pump (line 3)."),
            says("It was the pump."),
        ]
    )
    thread = session_with(tmp_path, model).new_thread(ThreadOptions(tools=("memory",)))
    store = thread.conversation.store
    assert store is not None
    store.keep(CALL, b"fine\nfine\nthe pump broke\n")
    ended = await thread.submit("What broke?")
    assert (ended.outcome, len(model.requests)) == ("ok", 3)
    assert "3\tthe pump broke" in model.requests[1].messages[1].content
    assert model.requests[1].tools == ()
    assert model.requests[2].messages[-1].content == (
        f"[output {CALL}: kept whole, 3 lines, 25 bytes; condensed by the model in 1 part; it draws on line 3]\n"
        "The pump (line 3)."
    )


async def test_what_no_reader_knows_is_summarised_by_the_model_once_and_said_to_be(tmp_path: Path) -> None:
    point: JsonObject = {"line": 7, "words": "sold the Heron", "says": "The Heron was sold."}
    asks = calls(("memory", {"request": f"summarise output {CALL}"}))
    model = ScriptedModel(
        [
            asks,
            says(dump({"points": [point, {**point, "line": 8}]}).decode()),
            says("Sold."),
            asks,
            says("Sold, I said."),
        ]
    )
    session = session_with(tmp_path, model)
    thread = session.new_thread(ThreadOptions(tools=("memory",)))
    store = thread.conversation.store
    assert store is not None
    story = [f"The {word} boat lay at the quay of {place}." for word in ("red", "old") for place in "abcdefgh"]
    store.keep(CALL, "\n".join([*story[:6], "Captain Ames sold the Heron.", *story[6:]]).encode())
    for _ in range(2):
        assert (await thread.submit("What is in it?")).outcome == "ok"
    outputs = [entry.text for entry in thread.conversation.record if entry.output is not None]
    assert (
        outputs[0]
        .splitlines()[0]
        .endswith(
            "; no exact reader knows it: summarised by the model in 1 part; 1 point left out that no line bears out]"
        )
    )
    assert 'line 7: The Heron was sold. ("sold the Heron")' in outputs[0]
    assert outputs[1] == outputs[0], "a stored output does not change: its summary is made once"
    assert len(model.requests) == 5
    events = [event.details for event in read_events(session.home.logs) if event.kind == Kind.CONTEXT_MEMORY]
    assert events[0]["byModel"] == {"parts": 1, "points": 1, "leftOut": 1, "failure": None}


async def test_stopping_the_turn_stops_the_models_reading(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([calls(("memory", {"request": f"summarise output {CALL}"})), [Hang(reached)]])
    thread = session_with(tmp_path, model).new_thread(ThreadOptions(tools=("memory",)))
    store = thread.conversation.store
    assert store is not None
    store.keep(CALL, "\n".join(f"{'x' * number} and {'y' * (40 - number)}" for number in range(1, 40)).encode())
    turn = asyncio.create_task(thread.submit("What is in it?"))
    await reached.wait()
    assert thread.cancel()
    assert (await turn).outcome == "cancelled"
