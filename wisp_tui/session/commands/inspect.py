"""The command that shows what the model sees and what is kept: /inspect."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from wisp_tui.facts import summary_words, table
from wisp_tui.session.commands.base import Answered, Command, View
from wisp_tui.session.thread import Thread

Inspector = Callable[[Thread, str], Awaitable[Answered]]


async def _facts(thread: Thread, argument: str) -> Answered:
    keeper = thread.conversation.facts
    if keeper is None:
        return Answered(("this conversation keeps no facts (facts.enabled is off)",), failed=True)
    return Answered(view=View("facts", table(keeper.current(thread.conversation), everything=argument == "all")))


async def _summary(thread: Thread, argument: str) -> Answered:
    keeper = thread.conversation.facts
    if keeper is None:
        return Answered(("this conversation keeps no summary (facts.enabled is off)",), failed=True)
    return Answered(view=View("summary", summary_words(keeper.summaries, everything=argument == "all")))


_INSPECTORS: dict[str, Inspector] = {"facts": _facts, "summary": _summary}


async def _inspect(thread: Thread, argument: str) -> Answered:
    what, _, rest = argument.partition(" ")
    inspector = _INSPECTORS.get(what)
    if inspector is None:
        return Answered((f"inspect what? {' · '.join(_INSPECTORS)}",), failed=True)
    return await inspector(thread, rest.strip())


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    del thread, argument
    return [*_INSPECTORS, "facts all", "summary all"]


INSPECT = (Command("/inspect", "/inspect WHAT", "show facts and the summary", _inspect, _ways),)
