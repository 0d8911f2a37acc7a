"""The command that shows what the model sees and what is kept: /inspect."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence

from wisp_tui.context.view import TurnRow, turns_markdown, view_markdown
from wisp_tui.facts import summary_words, table
from wisp_tui.session.commands.approvals import approvals
from wisp_tui.session.commands.audit import audited, ways
from wisp_tui.session.commands.base import Answered, Command, View
from wisp_tui.session.commands.standing import config, status, thinking
from wisp_tui.session.contexts import NoSuchTurn, next_view, turn_rows, turn_view
from wisp_tui.session.thread import Thread
from wisp_tui.text.ids import TurnNumber

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


async def _context(thread: Thread, argument: str) -> Answered:
    held = thread.conversation
    match argument:
        case "":
            return _saved(thread)
        case "next":
            view = view_markdown(next_view(held), "The next request", held.window)
            return Answered(view=View("context", view))
        case "turns":
            rows = turn_rows(held)
            return Answered(view=View("turns", turns_markdown(rows), turns=tuple(_row(row) for row in rows)))
        case number if number.isdecimal():
            return _of_turn(thread, TurnNumber(int(number)))
        case _:
            return Answered(
                ("inspect which context? next · turns · a turn's number; alone, it saves the next",), failed=True
            )


def _saved(thread: Thread) -> Answered:
    held = thread.conversation
    if held.saver is None:
        return Answered(("contexts are saved only while the audit is on; /inspect context next shows it",), failed=True)
    label = f"{held.clock.now():%H%M%S}"
    path = held.saver(held, label)
    if path is None:
        return Answered(failed=True)
    return Answered((f"the next request's context is saved: {path}, and as JSON beside it",))


def _of_turn(thread: Thread, turn: TurnNumber) -> Answered:
    held = thread.conversation
    try:
        view = turn_view(held, turn)
    except NoSuchTurn as error:
        return Answered((str(error),), failed=True)
    return Answered(view=View("context", view_markdown(view, f"Turn {turn}", held.window), turn=turn))


def _row(row: TurnRow) -> Mapping[str, str | int | None]:
    return {
        "turn": row.turn,
        "time": row.time.isoformat(timespec="seconds") if row.time is not None else None,
        "prompt": row.prompt,
        "tokens": row.tokens,
        "changed": ", ".join(row.changed),
    }


_INSPECTORS: dict[str, Inspector] = {
    "context": _context,
    "facts": _facts,
    "summary": _summary,
    "thinking": thinking,
    "config": config,
    "status": status,
    "approvals": approvals,
    "audit": audited,
}


async def _inspect(thread: Thread, argument: str) -> Answered:
    what, _, rest = argument.partition(" ")
    inspector = _INSPECTORS.get(what)
    if inspector is None:
        near = difflib.get_close_matches(what, _INSPECTORS, n=1)
        hint = f"; did you mean /inspect {near[0]}?" if near else ""
        return Answered((f"inspect what? {' · '.join(_INSPECTORS)}{hint}",), failed=True)
    return await inspector(thread, rest.strip())


def _ways(thread: Thread, argument: str) -> Sequence[str]:
    what, space, rest = argument.partition(" ")
    if space and what == "audit":
        return [f"audit {way}" for way in ways(thread, rest)]
    return [*_INSPECTORS, "context next", "context turns", "facts all", "summary all"]


INSPECT = (
    Command(
        "/inspect", "/inspect WHAT", "show the context, the facts, the summary, the thinking and more", _inspect, _ways
    ),
)
