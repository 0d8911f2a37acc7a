"""The commands about models: /models lists what there is, /model says which answers, or goes on with another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wisp_tui.models import ModelError
from wisp_tui.models.choose import AUTO
from wisp_tui.models.gguf import gguf_files
from wisp_tui.session.commands.base import Answered, Command, Offer, View
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line
from wisp_tui.text.columns import aligned

if TYPE_CHECKING:
    from wisp_tui.models.catalogue import Listed

HERE = "●"
"""Marks the model that answers."""


async def _models(thread: Thread, argument: str) -> Answered:
    from wisp_tui.models.listing import HEADINGS, shown

    del argument
    found = await _found(thread)
    current = thread.resolved.id if thread.resolved is not None else None
    rows = [("", *HEADINGS), *((HERE if each.name == current else "", *shown(each)) for each in found)]
    lines = aligned([tuple(map(clean_line, row)) for row in rows])
    end = "/model NAME goes on with another; `wisp models pull` fetches one, `wisp models check` tries what one can do"
    return Answered(view=View("models", "\n".join([*lines, "", end])), offer=_offer(thread, found))


async def _model(thread: Thread, argument: str) -> Answered:
    if not argument:
        resolved = thread.resolved
        if resolved is None:
            said = "no model is in use yet; /model NAME chooses one, /models lists what there is"
        else:
            window = f"{resolved.window:,} tokens" if resolved.window else "unknown"
            said = f"{resolved.id}, window {window} ({resolved.window_source})"
        return Answered((said,), offer=_offer(thread, await _found(thread)))
    if thread.running:
        return Answered(("a turn is running; stop it first (Esc), or wait for its end",), failed=True)
    try:
        await thread.switch(argument)
    except ModelError as error:
        stays = f"; {thread.resolved.id} still answers" if thread.resolved is not None else ""
        return Answered((f"not changed: {error}{stays}",), failed=True)
    return Answered((f"{argument} answers from here on",))


async def _found(thread: Thread) -> Sequence[Listed]:
    from wisp_tui.models.catalogue import list_models

    held = thread.conversation
    found = await list_models(thread.shelf.home, held.settings, held.environment)
    thread.seen_models = tuple(each.name for each in found if each.usable)
    return found


def _offer(thread: Thread, found: Sequence[Listed]) -> Offer | None:
    names = tuple(each.name for each in found if each.usable)
    current = (thread.resolved.id,) if thread.resolved is not None else ()
    return Offer("Which model answers from here on?", names, "/model", current) if names else None


def _names(thread: Thread, argument: str) -> Sequence[str]:
    """Complete a model's name: as last listed, and those in the home; nobody is asked."""
    del argument
    here = (f"embedded:{file.name}" for file in gguf_files(thread.shelf.home))
    return tuple(dict.fromkeys((*thread.seen_models, *here, AUTO)))


MODELS = (
    Command("/models", "/models", "list the models there are, and mark the one that answers", _models),
    Command("/model", "/model [NAME]", "say which model answers, or go on with another", _model, _names),
)
