"""A long conversation on the real embedded runtime: it condenses, never overflows twice, and counts as estimated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.embedded_talk import condensations, number, read_pages, replies, reused

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
