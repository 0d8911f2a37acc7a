"""A search beside the screen: matches in the order of asking, then the count, stopped when told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.fakes.pager import BytesSource
from wisp_tui.app.pager.finding import Finder, Found, Outcome
from wisp_tui.app.pager.search import Needle
from wisp_tui.app.pager.source import PAGE

DATA = b"".join(b"line %06d needle\n" % number for number in range(30_000))


class Watched:
    """A finder that runs, with what it has said."""

    def __init__(self, data: bytes) -> None:
        self.hits: list[int] = []
        self.news = asyncio.Event()
        self.finder = Finder(BytesSource(data), self.hits.append, self.news.set)

    async def until_counted(self) -> Found:
        async with asyncio.timeout(20):
            while not (self.finder.found.whole and not self.finder.looking):
                self.news.clear()
                await self.news.wait()
        return self.finder.found


@asynccontextmanager
async def running(data: bytes) -> AsyncGenerator[Watched]:
    watched = Watched(data)
    task = asyncio.create_task(watched.finder.run())
    yield watched
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_the_match_comes_first_and_then_how_many_there_are() -> None:
    async with running(DATA) as watched:
        watched.finder.start(Needle.of("needle"), len(DATA) // 2, forward=True)
        assert watched.finder.found.outcome is Outcome.LOOKING
        found = await watched.until_counted()
        first = DATA.index(b"needle", len(DATA) // 2)
        assert watched.hits == [first]
        assert found == Found(Outcome.FOUND, "needle", DATA[:first].count(b"needle") + 1, 30_000, whole=True)


async def test_each_step_that_was_asked_for_is_taken_in_order() -> None:
    async with running(DATA) as watched:
        watched.finder.start(Needle.of("needle"), 0, forward=True)
        for forward in (True, True, False, True):
            watched.finder.again(forward=forward)
        found = await watched.until_counted()
        assert [DATA[:hit].count(b"\n") for hit in watched.hits] == [0, 1, 2, 1, 2]
        assert found.ordinal == 3


async def test_past_the_last_it_goes_on_at_the_first_and_says_so() -> None:
    async with running(b"needle here\n" + b"." * PAGE) as watched:
        watched.finder.start(Needle.of("needle"), 0, forward=True)
        watched.finder.again(forward=True)
        found = await watched.until_counted()
        assert watched.hits == [0, 0]
        assert found.wrapped


async def test_what_is_not_there_is_said_to_be_absent() -> None:
    async with running(DATA) as watched:
        watched.finder.start(Needle.of("Needle"), 0, forward=True)
        found = await watched.until_counted()
        assert (found.outcome, found.total, watched.hits) == (Outcome.ABSENT, 0, [])


async def test_a_new_search_takes_the_place_of_the_one_before() -> None:
    async with running(DATA) as watched:
        watched.finder.start(Needle.of("needle"), 0, forward=True)
        watched.finder.start(Needle.of("line 000007"), 0, forward=True)
        found = await watched.until_counted()
        assert found.text == "line 000007"
        assert watched.hits == [7 * 19]
        assert found.total == 1


async def test_when_it_is_ended_nothing_is_found_any_more() -> None:
    async with running(DATA) as watched:
        watched.finder.start(Needle.of("needle"), 0, forward=True)
        watched.finder.clear()
        watched.finder.again(forward=True)
        assert watched.finder.found == Found()
        watched.finder.start(Needle.of("000001"), 0, forward=True)
        await watched.until_counted()
        assert watched.hits == [DATA.index(b"000001")]


async def test_others_have_their_turn_while_it_searches() -> None:
    async with running(b"nothing to see\n" * 400_000) as watched:
        turns = 0
        watched.finder.start(Needle.of("nothing"), 0, forward=True)
        while not watched.finder.found.whole:
            turns += 1
            await asyncio.sleep(0)
        assert turns > 3
