"""What waits for the person: facts that callers ask to keep, commands, questions; a small file each in ``pending/``.

A request is written once, answered once, and an answer is bound to exactly what was shown (spec "Facts"; MCP.md's
"Pending files"). May be imported by everything above ``tools``; imports ``keeping``, ``facts``, ``config``, ``text``.

A process that asks::

    request = pending.ask(FactRequest("", asker, asked, fact))    # the same one while it waits
    outcome = pending.outcome(request.id)                         # None while it waits

A face that answers shows ``request.shown`` and passes back the very request it showed::

    async for waiting in pending.watch(stop): ...                 # at the start, then on each change
    settled = pending.keep(act, request, permanent, now)          # or drop(act, ...), answer(act, ...) for a command,
                                                                  # reply(act, ...) for a question

``AlreadySettled`` says who was first; ``RequestChanged`` that the file is not what was shown.
"""

from wisp_tui.pending.directory import AlreadySettled, Snapshot, UnknownRequest
from wisp_tui.pending.processes import Asker, is_alive, this_process
from wisp_tui.pending.requests import (
    CommandRequest,
    Decision,
    FactRequest,
    Outcome,
    QuestionRequest,
    Request,
    RequestState,
    Unreadable,
    judged_by,
    notification,
    request_words,
    resource,
)
from wisp_tui.pending.store import Pending, RequestChanged

__all__ = [
    "AlreadySettled",
    "Asker",
    "CommandRequest",
    "Decision",
    "FactRequest",
    "Outcome",
    "Pending",
    "QuestionRequest",
    "Request",
    "RequestChanged",
    "RequestState",
    "Snapshot",
    "UnknownRequest",
    "Unreadable",
    "is_alive",
    "judged_by",
    "notification",
    "request_words",
    "resource",
    "this_process",
]
