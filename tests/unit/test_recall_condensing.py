"""Answering a question from all of a stored output, with a scripted reader."""

from __future__ import annotations

import pytest

from wisp_tui.models import Request
from wisp_tui.outputs import Cost
from wisp_tui.recall import BadRequest, Condense, NothingThere, condensed, condensing, read_request
from wisp_tui.recall.documents import of_text

ROOM = Cost.for_bytes(2048)
OUTPUT = of_text("[output 3f9a2c1b]", "\n".join(f"line of step {number}" for number in range(1, 401)), "output")


async def test_each_part_is_within_the_room_and_the_answers_are_combined_with_their_lines() -> None:
    asked: list[Request] = []

    async def ask(request: Request) -> str:
        asked.append(request)
        material = request.messages[1].content.split("\n\n")[1]
        assert Cost.of(material).within(ROOM)
        if "notes" in request.messages[0].content:
            return "It stopped at step 40 (line 40) and went on (lines 301-302), not at (line 9000)."
        return next((f"Step {at} (line {at})." for at in (40, 301) if f"\n{at}\t" in material), "NONE")

    answer = await condensed(OUTPUT, "where did it stop?", 1, ROOM, ask)
    parts = len(asked) - 1
    assert answer.heading == (
        f"[output 3f9a2c1b; condensed by the model in {parts} parts; it draws on lines 40, 301, 302]"
    )
    read = [line for request in asked[:-1] for line in request.messages[1].content.split("\n\n")[1].splitlines()]
    assert [line.split("\t")[0] for line in read] == [str(number) for number in range(1, 401)]


async def test_a_combination_that_says_nothing_leaves_the_notes_of_the_parts() -> None:
    async def ask(request: Request) -> str:
        return "" if "notes" in request.messages[0].content else "Step 40 (line 40)."

    answer = await condensed(OUTPUT, "where did it stop?", 1, ROOM, ask)
    assert {line.text for line in answer.lines(1)} == {"Step 40 (line 40)."}
    assert answer.heading.endswith("it draws on line 40]")


async def test_what_bears_on_nothing_is_said_and_a_long_output_says_where_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(condensing, "MOST_PARTS", 2)

    async def ask(request: Request) -> str:
        del request
        return "NONE."

    with pytest.raises(NothingThere, match=r"bears on the question; read up to line \d+, more from line \d+"):
        await condensed(OUTPUT, "why?", 1, ROOM, ask)


async def test_a_line_longer_than_the_room_is_read_in_pieces_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    long = of_text("[output 3f9a2c1b]", "a b " * 2000 + "needle", "output")
    asked: list[str] = []

    async def ask(request: Request) -> str:
        material = request.messages[1].content.split("\n\n")[1]
        assert Cost.of(material).within(ROOM)
        asked.append(material)
        return "It ends so (line 1)." if "needle" in material else "NONE"

    answer = await condensed(long, "how does it end?", 1, ROOM, ask)
    assert answer.heading.endswith(f"in {len(asked)} parts; it draws on line 1]")
    assert "".join(piece.removeprefix("1\t") for piece in asked) == "a b " * 2000 + "needle"
    monkeypatch.setattr(condensing, "MOST_PARTS", 2)
    with pytest.raises(NothingThere, match="read up to a part of line 1, more from line 2"):
        await condensed(long, "how does it end?", 1, ROOM, ask)


def test_the_question_follows_the_output() -> None:
    assert read_request("condense output 3f9a2c1b: why did it fail?") == Condense("3f9a2c1b", "why did it fail?")
    assert read_request("condense output 3F9A2C1B from line 90: why?") == Condense("3f9a2c1b", "why?", 90)
    with pytest.raises(BadRequest, match="condense output ID: QUESTION"):
        read_request("condense it")
