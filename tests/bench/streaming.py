"""What a streamed reply costs on the screen: beside ``Markdown.get_stream()``, in the same process.

    python -m tests.bench.streaming [--tokens 5000] [--limit 40]

For prose, one list, one table and one fence: processor seconds, the longest time the event loop did not run, and both
as a share of Textual's own stream. That one is stopped at ``--limit`` processor seconds: it costs more than is said.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Markdown

from wisp_tui.app.app import WispApp
from wisp_tui.events import ReplyDelta, ReplyEnded
from wisp_tui.session import Session, ThreadOptions
from wisp_tui.text.ids import TurnNumber

SIZE = (120, 40)
RATE = 400.0
"""Tokens a second that the producer gives: faster than any local model writes."""

_WORDS = (
    "the",
    "harbour",
    "keeps",
    "a",
    "journal",
    "of",
    "what",
    "each",
    "boat",
    "**carried**",
    "in",
    "and",
    "`out`",
    "again",
)


def texts(tokens: int) -> dict[str, list[str]]:
    """Make each kind of reply as its tokens."""
    words = itertools.cycle(_WORDS)

    def prose() -> Iterator[str]:
        for number in itertools.count(1):
            yield next(words) + ("\n\n" if number % 60 == 0 else " ")

    def rows(start: str, end: str, each: int) -> Iterator[str]:
        for number in itertools.count():
            place = number % each
            yield (start if place == 0 else "") + next(words) + (end if place == each - 1 else " ")

    def fence() -> Iterator[str]:
        yield "```python\n"
        yield from rows("    print('", "')\n", 8)

    def table() -> Iterator[str]:
        yield "| one | two |\n|---|---|\n"
        for number in itertools.count():
            yield ("| " if number % 10 == 0 else "") + next(words) + (" | " if number % 10 in {4, 9} else " ")
            if number % 10 == 9:
                yield "\n"

    made = {"prose": prose(), "list": rows("- ", "\n", 10), "table": table(), "fence": fence()}
    return {kind: list(itertools.islice(stream, tokens)) for kind, stream in made.items()}


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds, and the longest stall of the event loop in seconds. ``whole``: all tokens were shown."""

    cpu: float
    stall: float
    whole: bool = True
    shown: int = 0


async def measured(
    tokens: list[str], write: Callable[[str], Awaitable[None]], settle: Callable[[], Awaitable[None]], limit: float
) -> Cost:
    """Write tokens at the rate, and measure until the last is on the screen."""
    stalls = [0.0]

    async def watch() -> None:
        while True:
            before = time.process_time()  # not the wall's: others may use this machine too
            await asyncio.sleep(0.005)
            stalls.append(time.process_time() - before)

    watching = asyncio.create_task(watch())
    started, begun = time.process_time(), time.perf_counter()
    shown = 0
    for number, token in enumerate(tokens, 1):
        await write(token)
        shown = number
        early = begun + number / RATE - time.perf_counter()
        await asyncio.sleep(max(early, 0))
        if time.process_time() - started > limit:
            break
    await settle()
    cost = time.process_time() - started
    watching.cancel()
    return Cost(cost, max(stalls), shown == len(tokens), shown)


async def ours(tokens: list[str], limit: float) -> Cost:
    """Stream through the bus into the app, as a turn does."""
    with tempfile.TemporaryDirectory() as home:
        session = Session.open({"WISP_HOME": home}, Path(home))
        thread = session.new_thread(ThreadOptions(model="replay:none"))
        ident = thread.conversation.session
        app = WispApp.over(session, thread)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            gc.freeze()  # as the app does once it is open

            async def write(token: str) -> None:
                session.bus.publish(ReplyDelta(ident, TurnNumber(1), token))

            async def settle() -> None:
                session.bus.publish(ReplyEnded(ident, TurnNumber(1)))
                await asyncio.sleep(0.8)
                await pilot.pause()

            return await measured(tokens, write, settle, limit)


class _Plain(App[None]):
    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Markdown()


async def theirs(tokens: list[str], limit: float) -> Cost:
    """Stream into Textual's Markdown widget with its own stream."""
    app = _Plain()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        app.query_one(VerticalScroll).anchor()
        stream = Markdown.get_stream(app.query_one(Markdown))

        async def settle() -> None:
            await stream.stop()
            await pilot.pause()

        return await measured(tokens, stream.write, settle, limit)


async def main() -> None:
    """Measure each kind, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=5000)
    parser.add_argument("--limit", type=float, default=40.0, help="processor seconds after which Textual's is stopped")
    parser.add_argument("--only-ours", action="store_true")
    options = parser.parse_args()
    costs: dict[str, Cost] = {}
    for kind, tokens in texts(options.tokens).items():
        mine = costs[kind] = await ours(tokens, 1e9)
        line = f"{kind:6} ours {mine.cpu:6.2f} s CPU, longest stall {mine.stall * 1000:4.0f} ms"
        if not options.only_ours:
            other = await theirs(tokens, options.limit)
            more = "" if other.whole else f" after {other.shown:,} tokens, stopped"
            line += f" | get_stream {other.cpu:6.2f} s, {other.stall * 1000:5.0f} ms{more}"
            line += f" | ratio {'<' if not other.whole else ''}{mine.cpu / other.cpu:.2f}"
        print(line, flush=True)
    print("beside prose: " + ", ".join(f"{kind} {cost.cpu / costs['prose'].cpu:.2f}" for kind, cost in costs.items()))


if __name__ == "__main__":
    asyncio.run(main())
