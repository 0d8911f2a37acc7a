"""A long conversation on the real embedded runtime: it condenses, never overflows twice, and counts as estimated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.embedded_talk import condensations, number, read_pages, replies, reused, talk_of_boats
from wisp_tui.events import Kind
from wisp_tui.text.json import dump, load_object

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

pytest.importorskip("xllamacpp")


async def test_turns_of_reading_condense_never_overflow_and_count_as_estimated(
    tmp_path: Path, small_model: Path
) -> None:
    events = await read_pages(tmp_path, small_model, window=1024, turns=12, lines=4)
    condensed = condensations(events)
    assert len(condensed) >= 2
    assert {str(event.details["reason"]) for event in condensed} == {"budget"}, "it overflowed"
    assert all(
        event.details["floor"] is True or number(event, "fillAfter") <= number(event, "target") for event in condensed
    )
    ratios = [number(event, "usage", "input") / number(event, "estimate") for event in replies(events)]
    assert all(0.85 < ratio < 1.1 for ratio in ratios[2:]), ratios
    assert reused(events) > 0.2, "the prefix cache is not reused"


async def test_a_long_conversation_distils_and_summarises_by_itself(tmp_path: Path, small_model: Path) -> None:
    events = await talk_of_boats(tmp_path, small_model, window=1024)
    (condensed, *_) = condensations(events)
    assert number(condensed, "turnsAfter") < number(condensed, "turnsBefore")
    distilled = [event for event in events if event.kind == Kind.CONTEXT_DISTILLATION]
    assert {str(event.details["failure"]) for event in distilled} <= {"None", "the answer was cut off"}
    facts = [load_object(dump(event.details["fact"])) for event in events if event.kind == Kind.FACT_RECORDED]
    found = [fact for fact in facts if fact["source"] == "model"]
    assert len(found) == sum(number(event, "facts") for event in distilled)
    assert {str(fact["scope"]) for fact in found} <= {"thread"}, "only the person makes a fact permanent"
    (summary, *_) = [event for event in events if event.kind == Kind.CONTEXT_SUMMARY]
    assert number(summary, "turns") >= 3
    text, failure = summary.details["text"], summary.details["failure"]
    assert (text is None) != (failure is None), "there is a summary, or a reason why not"
    assert condensed.details["retention"] is not None
    assert not (tmp_path / "home" / "facts.json").exists()
