"""The commands that show outputs: /last and /show."""

from __future__ import annotations

from collections.abc import Sequence

from wisp_tui.context.record import EntryKind
from wisp_tui.session.commands.base import Answered, Command
from wisp_tui.session.outputs import NothingToShow, ShownOutput, find_entry, latest_output
from wisp_tui.session.thread import Thread


async def _last(thread: Thread, argument: str) -> Answered:
    del argument
    try:
        return _answered(latest_output(thread.conversation))
    except NothingToShow as error:
        return Answered((str(error),), failed=True)


async def _show(thread: Thread, argument: str) -> Answered:
    try:
        wanted = argument.strip()
        shown = find_entry(thread.conversation, wanted) if wanted else latest_output(thread.conversation)
    except NothingToShow as error:
        return Answered((str(error),), failed=True)
    return _answered(shown)


def _answered(shown: ShownOutput) -> Answered:
    head = f"entry {shown.entry} · {shown.tool} · {shown.remark}"
    return Answered((head,), output=shown)


def _outputs(thread: Thread, argument: str) -> Sequence[str]:
    del argument
    return [str(entry.id) for entry in thread.conversation.record if entry.kind is EntryKind.OUTPUT][::-1]


OUTPUTS = (
    Command("/last", "/last", "show the last output, whole", _last),
    Command("/show", "/show [ENTRY]", "show an entry by its number, or an output by its id, whole", _show, _outputs),
)
