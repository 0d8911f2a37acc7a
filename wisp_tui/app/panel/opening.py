"""What the pager shows of a part of a context: the entry whole, or as it is sent."""

from __future__ import annotations

from wisp_tui.app.pager.paged import Paged
from wisp_tui.context.parts import Form, PartKind
from wisp_tui.context.view import ContextRow
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.outputs import find_output
from wisp_tui.session.steps import ShownContext


def page_of(conversation: Conversation, row: ContextRow, shown: ShownContext, *, whole: bool) -> Paged:
    """Make the page of a part. An entry whole is its content as it came; an output's, all that was kept of it."""
    named = f"{row.entry} {row.kind}" if row.entry is not None else f"{row.layer.value} {row.kind}"
    entry = conversation.record.entry(row.entry) if row.entry is not None else None
    if not whole or entry is None or row.kind == PartKind.UNANSWERED:
        as_sent = "as it is sent" if row.state in {Form.WHOLE, Form.BLOCK} else f"as it is sent: {row.why}"
        return Paged.of_text(named, shown.sent(row), remark=as_sent, name=f"{named}.txt".replace(" ", "-"))
    if entry.output is not None:
        return Paged.of_output(find_output(conversation, str(entry.id)), f"{entry.output.tool} {named}")
    tool = f"{entry.call.tool} " if entry.call is not None else ""
    return Paged.of_text(f"{tool}{named}", entry.text, remark="the whole entry", name=f"entry-{entry.id}.txt")
