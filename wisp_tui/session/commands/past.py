"""The commands about what was said: /history, /export."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from wisp_tui.context.record import EntryKind
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.export import Form, NotExported, Wanted, export, form_of
from wisp_tui.session.export.context import NEXT
from wisp_tui.session.thread import Thread
from wisp_tui.text.clean import clean_line
from wisp_tui.text.sizes import shorten

LAST = 20
SHOWN = 100
"""Characters of a prompt that its line holds."""


async def _history(thread: Thread, argument: str) -> Answered:
    if argument and not argument.isdecimal():
        return Answered(("how many? /history N",), failed=True)
    record = thread.conversation.record
    said = [entry for entry in record if entry.kind in {EntryKind.PROMPT, EntryKind.COMMAND}]
    if not said:
        return Answered(("nothing was said yet",))
    active = {entry.id for entry in record.active}
    last = int(argument) if argument else LAST
    shown = said[len(said) - min(last, len(said)) :]
    lines = [
        f"{entry.id:>5}  {f'{entry.time:%m-%d %H:%M}' if entry.time else '':11}  "
        f"{'' if entry.id in active else '(left the context) '}{shorten(clean_line(entry.text), SHOWN)}"
        for entry in shown
    ]
    more = [f"the last {len(shown):,} of {len(said):,}"] if len(shown) < len(said) else []
    return Answered((*lines, *more, "/show N shows entry N whole"))


async def _export(thread: Thread, argument: str) -> Answered:
    try:
        path = await asyncio.to_thread(export, thread.conversation, _wanted(argument))
    except NotExported as error:
        return Answered((f"not exported: {error}",), failed=True)
    return Answered((f"exported: {path}",))


def _wanted(argument: str) -> Wanted:
    """Read what follows /export: a form, which of a conversation's contexts, a path; each may be left out."""
    word, _, rest = argument.partition(" ")
    if word not in set(Form):
        return Wanted(form_of(argument), argument)
    form, rest = Form(word), rest.strip()
    which, _, path = rest.partition(" ")
    if form is Form.CONTEXT and (which == NEXT or which.isdecimal()):
        return Wanted(form, path.strip(), which)
    return Wanted(form, rest)


def _export_ways(thread: Thread, argument: str) -> Sequence[str]:
    del thread, argument
    return [*Form, f"{Form.CONTEXT} {NEXT}"]


PAST = (
    Command(
        "/history",
        "/history [N]",
        "list what you said in this conversation, what has left the context included",
        _history,
    ),
    Command(
        "/export",
        "/export [FORM] [PATH]",
        "write the conversation to a file: markdown, html, or one context as JSON",
        _export,
        _export_ways,
    ),
)
