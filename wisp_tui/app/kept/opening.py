"""What the pager shows of a line of the facts panel: the entry a fact came from, the turns a summary stands for."""

from __future__ import annotations

from wisp_tui.app.kept.summary import version_page
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.panel.opening import entry_page, event_page
from wisp_tui.facts import Fact, FactRow, RunningSummary
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.kept import Kept


def page_behind(conversation: Conversation, line: FactRow | RunningSummary) -> Paged | None:
    """Make the page of what is behind a line; None for a fact that has neither an entry nor an event behind it."""
    kept = Kept(conversation)
    match line:
        case FactRow(fact=fact):
            return _page_of(conversation, kept, fact)
        case RunningSummary() as version:
            text = version_page(version, kept.entries_of(version))
            return Paged.of_text(
                f"summary v{version.version}", text, remark="and the prompts and replies it added", name="summary.txt"
            )


def _page_of(conversation: Conversation, kept: Kept, fact: Fact) -> Paged | None:
    entry = kept.entry_of(fact)
    if entry is not None:
        return entry_page(conversation, entry)
    return event_page(conversation, fact.events[-1]) if fact.events else None
