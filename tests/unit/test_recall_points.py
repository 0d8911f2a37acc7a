"""Summarising by the model what no exact reader knows: only points that their lines bear out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

import pytest

from wisp_tui.models import ModelError, Request
from wisp_tui.outputs import Cost
from wisp_tui.recall.documents import of_text
from wisp_tui.recall.points import MOST_PARTS, Told, told
from wisp_tui.recall.summaries import Summary, summarised
from wisp_tui.text.json import Json, JsonObject, dump

ROOM = Cost.for_bytes(4096)
STORY = [f"The {word} boat of the {place} lay at its {word} quay." for word in ("red", "old") for place in "abcdefgh"]
STORY[6] = "Captain Ames sold the Heron for 412 crowns in April."
BOATS = "\n".join(STORY)


def summary_of(text: str, *, overview: bool = False) -> Summary:
    return summarised(of_text("[output 3f9a2c1b]", text, "output"), overview=overview)


def points(*given: tuple[Json, Json, Json]) -> str:
    made: list[JsonObject] = [{"line": line, "words": words, "says": says} for line, words, says in given]
    return dump({"points": list(made)}).decode()


async def made(
    text: str,
    *answers: str | ModelError,
    room: Cost = ROOM,
    window: int | None = 8192,
    asked: list[Request] | None = None,
) -> Told:
    left = list(answers)

    async def ask(request: Request) -> str:
        if asked is not None:
            asked.append(request)
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, ModelError):
            raise answer
        return answer

    return await told(summary_of(text), room, window, ask, lambda: asyncio.timeout(60))


def lines(of: Told) -> list[str]:
    return [line.text for line in of.document.lines(1)]


def test_what_an_exact_reader_knows_is_never_unknown() -> None:
    for known in (
        '{"a": 1}',
        "\n".join([*STORY, "12 passed in 0.12s"]),
        "\n".join(f"12:00:{number:02} GET /{number}" for number in range(40)),
        "\n".join(STORY[:8]),
        "\n".join([*STORY, *(f"step {number}" for number in range(17))]),
    ):
        assert summary_of(known).unknown == (), known
    assert len(summary_of(BOATS).unknown) == 16


async def test_a_point_stands_when_its_line_holds_the_words_and_every_number_and_name_it_says() -> None:
    asked: list[Request] = []
    answer = points(
        (7, "sold the heron for 412", "The Heron was sold for 412 crowns."),
        (3, "lay at its red  quay", "A boat lay at the red quay."),
    )
    given = await made(BOATS, answer, asked=asked)
    assert given.document.heading == "[output 3f9a2c1b; no exact reader knows it: summarised by the model in 1 part]"
    assert lines(given) == [
        'line 3: A boat lay at the red quay. ("lay at its red quay")',
        'line 7: The Heron was sold for 412 crowns. ("sold the heron for 412")',
    ]
    assert (given.points, given.left_out, given.failure) == (2, 0, None)
    (request,) = asked
    assert request.messages[1].content.splitlines()[6] == f"7\t{STORY[6]}"
    assert (request.tools, request.options.greedy, request.options.max_tokens) == ((), True, 550)


@pytest.mark.parametrize(
    "wrong",
    [
        (99, "sold the Heron for 412", "It was sold."),
        (0, "sold the Heron for 412", "It was sold."),
        (8, "sold the Heron for 412", "It was sold."),
        (7, "sold the Heron for 512", "It was sold."),
        (7, "Heron", "It was sold."),
        (7, "", "It was sold."),
        (7, "sold the Heron for 412", "It was sold for 512 crowns."),
        (7, "sold the Heron for 412", "See /etc/passwd and NEXT_STEP."),
        (7, "sold the Heron for 412", ""),
    ],
)
async def test_a_point_that_its_line_does_not_bear_out_is_left_out_and_counted(wrong: tuple[int, str, str]) -> None:
    given = await made(BOATS, points((3, "lay at its red quay", "A boat lay there."), wrong))
    assert lines(given) == ['line 3: A boat lay there. ("lay at its red quay")']
    assert given.document.heading.endswith("in 1 part; 1 point left out that no line bears out]")


async def test_an_answer_that_was_cut_off_counts_as_far_as_it_goes() -> None:
    whole = points((3, "lay at its red quay", "A boat lay there."), (7, "sold the Heron for 412", "It was sold."))
    given = await made(BOATS, whole[:-30])
    assert lines(given) == ['line 3: A boat lay there. ("lay at its red quay")']


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("The boats lay at the quay.", "no line bears out what the model said of it"),
        ('{"points": "none"}', "no line bears out what the model said of it"),
        ('{"points": [7, {"line": true}, {"line": "7"}]}', "no line bears out what the model said of it"),
        (points((1, "not there at all", "x")), "no line bears out what the model said of it"),
        (ModelError("the server\x1b[2J went away"), "the server went away"),
    ],
)
async def test_where_nothing_comes_of_it_the_first_and_the_last_lines_are_given(
    answer: str | ModelError, why: str
) -> None:
    long = "\n".join([*STORY, *(line.replace("boat", "ship") for line in STORY if "boat" in line)])
    given = await made(long, answer)
    assert given.document.heading == f"[output 3f9a2c1b; no exact reader knows it, and {why}: its first and last lines]"
    assert lines(given)[0] == f"line 1: {STORY[0]}"
    assert lines(given)[-1].startswith("line 31: The old ship")
    assert (len(lines(given)), given.points, given.failure) == (16, 0, why)


async def test_past_its_time_what_was_read_until_then_is_given() -> None:
    reached = asyncio.Event()

    async def ask(request: Request) -> str:
        if "\n7\t" in f"\n{request.messages[1].content}":
            return points((7, "sold the Heron for 412", "It was sold."))
        reached.set()
        await asyncio.Event().wait()
        return ""

    def soon() -> asyncio.Timeout:
        limit = asyncio.timeout(None)
        tasks.append(asyncio.create_task(_expire(limit, reached)))
        return limit

    tasks: list[asyncio.Task[None]] = []
    given = await told(summary_of(BOATS), Cost.for_bytes(600), None, ask, soon)
    assert given.document.heading.endswith("by the model in 1 part; the model's time ran out after that]")
    assert lines(given) == ['line 7: It was sold. ("sold the Heron for 412")']


async def _expire(limit: asyncio.Timeout, reached: asyncio.Event) -> None:
    await reached.wait()
    limit.reschedule(0)


async def test_parts_are_within_the_room_and_a_third_of_the_window_and_of_too_many_the_ends_are_read() -> None:
    asked: list[Request] = []
    text = "\n".join(
        f"{'b' * (number % 97 + 1)} lay at {'q' * (number % 89 + 1)} of the harbour" for number in range(900)
    )
    given = await made(text, points(), room=ROOM, window=1024, asked=asked)
    assert given.parts == len(asked) == MOST_PARTS
    sizes = [Cost.of(request.messages[1].content) for request in asked]
    assert all(size.bytes <= 1024 * 4 // 3 for size in sizes)
    assert {request.options.max_tokens for request in asked} == {110}
    numbers = _numbers(asked)
    assert (numbers[0], numbers[-1]) == (1, 900)
    good = points((900, "of the harbour", "It lay in the harbour."))
    told_of = await made(text, *[points()] * (MOST_PARTS - 1), good, window=1024)
    gap = next(number for number, after in pairwise(numbers) if after > number + 1)
    assert f"; lines {gap + 1}-" in told_of.document.heading
    assert told_of.document.heading.endswith(" were not read]")
    assert (told_of.points, told_of.parts) == (1, MOST_PARTS)
    long = f"{BOATS}\n{'a harbour, and ' * 9000}"
    line = long.count("\n") + 1
    told_of = await made(long, *[points()] * (MOST_PARTS - 1), points((line, "a harbour, and", "It is.")), room=ROOM)
    assert told_of.document.heading.endswith(f"; parts of line {line} were not read]")


def _numbers(asked: Sequence[Request]) -> list[int]:
    return [int(line.split("\t")[0]) for request in asked for line in request.messages[1].content.splitlines()]
