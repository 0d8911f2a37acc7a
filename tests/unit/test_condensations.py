"""Condensations gathered from the bus's events: as they run, as they were, and what they wrote."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.condensing import FACTS, SUMMARY, harbour_model, question
from tests.fakes.session import session_with
from wisp_tui.events import AuditEvent, CondensationStep, ContextFill, Kind, Transient, TurnEnded, TurnStarted
from wisp_tui.session import ThreadOptions
from wisp_tui.session.condensations import Condensation, Condensations
from wisp_tui.text.ids import EventId, SessionId, TurnNumber
from wisp_tui.text.json import Json

SESSION = SessionId("s1")
TURN = TurnNumber(4)


def step(name: str, fill: int, amount: int = 0, *, seconds: float = 0.0, floor: bool = False) -> CondensationStep:
    return CondensationStep(SESSION, TURN, name, "budget", fill, 5000, 8192, amount, seconds, floor)


def audited(kind: Kind, **details: Json) -> AuditEvent:
    return AuditEvent(EventId("e1"), "2026-03-01T14:05:12.000Z", "1", 1, SESSION, TURN, None, kind, details)


def fact(ident: str) -> AuditEvent:
    written: dict[str, Json] = {"id": ident, "subject": "branch", "name": "", "value": "ma\x1b[2Jin"}
    return audited(Kind.FACT_RECORDED, fact=written)


def whole() -> list[AuditEvent | Transient]:
    return [
        step("began", 6913),
        step("referenced", 6102, 3),
        step("distilling", 6102, 7),
        fact("c7"),
        fact("c8"),
        audited(Kind.CONTEXT_DISTILLATION, turns=[1, 2], seconds=2.0, facts=2, failure=None),
        audited(Kind.CONTEXT_SUMMARY, turns=7, seconds=1.5, version=2, text="What was\x07 said.", failure=None),
        step("dropped", 4870, 7, seconds=3.5),
        audited(
            Kind.CONTEXT_CONDENSATION,
            headroom=412,
            turnsBefore=9,
            turnsAfter=2,
            savedBefore="/home/before.md",
            savedAfter=None,
            retention={"share": 0.75, "of": 8, "missing": ["a.py", "42"]},
        ),
        step("ended", 4870),
    ]


def gathered(*events: AuditEvent | Transient) -> tuple[Condensations, Condensation]:
    condensations = Condensations()
    for event in events:
        condensations.take(event)
    return condensations, condensations.all[-1]


def test_a_condensation_settles_to_one_line_of_what_it_did_and_wrote() -> None:
    condensations, told = gathered(*whole())
    assert told.line == "condensed 7 turns: 6,913 → 4,870 · 2 facts, summary"
    assert told.over
    assert not told.stopped
    assert condensations.running is None


def test_each_step_says_what_it_took_the_fill_from_and_to() -> None:
    _, told = gathered(*whole())
    assert [(taken.words, taken.before, taken.after) for taken in told.steps] == [
        ("3 outputs sent as references", 6913, 6102),
        ("7 turns dropped", 6102, 4870),
    ]
    assert told.seconds == 3.5


def test_a_running_condensation_says_how_many_turns_are_being_distilled() -> None:
    condensations, told = gathered(*whole()[:3])
    assert condensations.running is told
    assert told.distilling == 7
    condensations.take(step("dropped", 4870, 7))
    assert told.distilling == 0


def test_what_it_wrote_and_what_may_be_lost_is_told_and_is_clean() -> None:
    _, told = gathered(*whole())
    assert next((written.id, written.topic, written.value) for written in told.facts) == ("c7", "branch", "main")
    assert told.summary is not None
    assert (told.summary.version, told.summary.text) == (2, "What was said.")
    assert told.audited is not None
    assert told.audited.retained is not None
    assert (told.audited.retained.share, told.audited.retained.missing) == (0.75, ("a.py", "42"))
    assert (told.audited.saved_before, told.audited.saved_after) == ("/home/before.md", None)
    assert told.audited.time is not None
    assert told.audited.time.timestamp() == 1772373912


def test_facts_recorded_outside_a_condensation_are_none_of_its() -> None:
    events = whole()
    _, told = gathered(fact("c1"), *events, fact("c9"))
    assert [written.id for written in told.facts] == ["c7", "c8"]


def test_a_failed_summary_is_told_with_its_reason_and_is_not_called_one() -> None:
    failed = audited(Kind.CONTEXT_SUMMARY, turns=7, seconds=1.5, version=None, text=None, failure="it was no JSON")
    _, told = gathered(step("began", 6913), failed, step("dropped", 4870, 1), step("ended", 4870))
    assert told.summary is None
    assert told.summaries[0].failure == "it was no JSON"
    assert told.line == "condensed 1 turn: 6,913 → 4,870"


def test_the_floor_is_said() -> None:
    _, told = gathered(step("began", 6913), step("squeezed", 6500, 1), step("ended", 6500, floor=True))
    assert told.line == "condensed the facts and the summary: 6,913 → 6,500 · as far as it goes"


def test_one_that_ends_with_its_turn_is_stopped() -> None:
    ended = TurnEnded(SESSION, TURN, "cancelled", 1.0, None, None)
    condensations, told = gathered(step("began", 6913), step("distilling", 6913, 7), ended)
    assert condensations.running is None
    assert (told.over, told.stopped, told.distilling) == (True, True, 0)
    assert told.line == "condensed nothing: 6,913 → 6,913 · stopped"


def test_the_fill_of_each_turn_is_its_last_request() -> None:
    condensations = Condensations()
    for turn, used in ((1, (100, 250)), (2, (400,))):
        condensations.take(TurnStarted(SESSION, TurnNumber(turn), "?"))
        for size in used:
            condensations.take(ContextFill(SESSION, (), 0, size, 8192, exact=False))
    assert condensations.fills == {1: 250, 2: 400}


async def test_a_real_conversation_tells_of_its_own_condensations(tmp_path: Path) -> None:
    session = session_with(tmp_path, harbour_model())
    thread = session.new_thread(ThreadOptions(tools=("read_file", "run_command", "current_date")))
    condensations = Condensations()
    with session.bus.subscribe() as events:
        for boat in range(1, 14):
            await thread.submit(question(boat))
            for event in events.take():
                condensations.take(event)
    first = condensations.all[0]
    assert len(condensations.all) == thread.conversation.condensations >= 2
    assert first.dropped > 0
    assert first.before > first.fill == first.steps[-1].after <= first.goal
    assert {written.value for written in first.facts} == {entry["value"] for entry in FACTS}
    assert first.summary is not None
    assert first.summary.text == SUMMARY
    assert first.audited is not None
    assert Path(first.audited.saved_before or "").read_text().startswith("# Context")
    assert list(condensations.fills) == list(range(1, 14))
    assert condensations.fills[first.turn] < condensations.fills[TurnNumber(first.turn - 1)]
