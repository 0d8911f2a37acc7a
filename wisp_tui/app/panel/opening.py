"""What the pager shows of a part of a context: the entry whole, or as it is sent; and the audit event behind it."""

from __future__ import annotations

import json
from functools import partial

from wisp_tui.app.pager.paged import Paged
from wisp_tui.audit import find_event
from wisp_tui.context.parts import Form, PartKind
from wisp_tui.context.record import Entry
from wisp_tui.context.view import ContextRow
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.outputs import find_output
from wisp_tui.session.steps import ShownContext
from wisp_tui.text.clean import clean
from wisp_tui.text.ids import EventId


def page_of(conversation: Conversation, row: ContextRow, shown: ShownContext, *, whole: bool) -> Paged:
    """Make the page of a part. An entry whole is its content as it came; an output's, all that was kept of it."""
    named = f"{row.entry} {row.kind}" if row.entry is not None else f"{row.layer.value} {row.kind}"
    entry = conversation.record.entry(row.entry) if row.entry is not None else None
    if not whole or entry is None or row.kind == PartKind.UNANSWERED:
        as_sent = "as it is sent" if row.state in {Form.WHOLE, Form.BLOCK} else f"as it is sent: {row.why}"
        return Paged.of_text(named, shown.sent(row), remark=as_sent, name=f"{named}.txt".replace(" ", "-"))
    return entry_page(conversation, entry)


def entry_page(conversation: Conversation, entry: Entry) -> Paged:
    """Make the page of an entry whole; behind it, the audit event that recorded it."""
    named = f"{entry.id} {entry.kind}"
    if entry.output is not None:
        page = Paged.of_output(find_output(conversation, str(entry.id)), f"{entry.output.tool} {named}")
    else:
        tool = f"{entry.call.tool} " if entry.call is not None else ""
        page = Paged.of_text(f"{tool}{named}", entry.text, remark="the whole entry", name=f"entry-{entry.id}.txt")
    return page.before(partial(event_page, conversation, entry.sources[0])) if entry.sources else page


def event_page(conversation: Conversation, ident: EventId) -> Paged:
    """Make the page of an audit event, as it stands in the log. One that was rotated out says so."""
    event = find_event(conversation.audit.directory, ident)
    if event is None:
        return Paged.of_text(f"audit event {ident}", "", remark="it is not in the log any more")
    text = json.dumps(json.loads(event.line()), indent=2, ensure_ascii=False)
    return Paged.of_text(
        f"{event.kind} audit event {ident}", clean(text), remark=event.time, name=f"event-{ident}.json"
    )
