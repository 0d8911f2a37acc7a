"""A screen with the facts panel: it does what the person asks for there, and says when something begins to wait."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from textual import events, getters

from wisp_tui.app.base import BaseApp
from wisp_tui.app.kept.deeds import Deed, DeleteFact, MoveFact, do
from wisp_tui.app.kept.saying import Listing, announcement
from wisp_tui.app.keyboard import Keyboard
from wisp_tui.app.rows import drawable
from wisp_tui.app.screens.asking import AskingScreen
from wisp_tui.app.widgets.factsline import FactsLine
from wisp_tui.app.widgets.factspanel import FactsPanel
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.events import AuditEvent, FactsChanged, Kind, PendingChanged, Transient
from wisp_tui.facts import UnknownFact
from wisp_tui.session import Thread
from wisp_tui.session.kept import Kept
from wisp_tui.session.stating import NotDone

NOTHING_BEHIND = "you stated it: no entry and no audit event is behind it"


class KeptScreen(AskingScreen):
    """Has the facts panel, which lies over the conversation where the screen has the class ``-narrow``."""

    app = getters.app(BaseApp)

    def __init__(self, thread: Thread, keyboard: Keyboard, prompt: PromptBox) -> None:
        super().__init__(thread, keyboard, prompt)
        self.kept = Kept(thread.conversation)
        self.facts_panel = FactsPanel(self.kept, Path.home(), keyboard, id="facts")
        self._announced: set[str] = set()

    def notice_kept(self, events: Sequence[AuditEvent | Transient]) -> None:
        """Take in what has happened to the facts, the summary and what waits."""
        if any(isinstance(event, FactsChanged | PendingChanged) or _summarised(event) for event in events):
            self.facts_panel.look_again()
        if any(isinstance(event, PendingChanged) for event in events):
            self._announce()

    def _announce(self) -> None:
        """Say what has begun to wait, in passing; to the terminal too while the person looks elsewhere."""
        waits = self.kept.waits
        new = [request for request in waits if request.id not in self._announced]
        self._announced = {request.id for request in waits}
        if new:
            self.app.announce(*announcement(new), seen=self._shows(Listing.PENDING))

    def _shows(self, listing: Listing) -> bool:
        return self.facts_panel.display and self.facts_panel.model.listing is listing

    @property
    def judging(self) -> bool:
        """Whether the panel shows what waits for the person: nothing in passing lies over it then."""
        return self._shows(Listing.PENDING)

    def toggle_facts(self, listing: Listing) -> None:
        """Show one of the panel's lists and give it the keyboard; hide the panel where it shows that one."""
        if self._shows(listing):
            self.hide_facts()
        else:
            self.open_facts(listing)

    def open_facts(self, listing: Listing, ident: str | None = None) -> None:
        """Show one of the panel's lists, the cursor on a fact, and give it the keyboard."""
        self.facts_panel.open(listing, ident)

    def hide_facts(self) -> None:
        """Hide the facts panel."""
        held = self.facts_panel.has_focus_within
        self.facts_panel.display = False
        if held:
            self.prompt.focus()

    def kept_takes(self, event: events.Key | events.Paste) -> bool:
        """Whether what is typed is for the facts panel or a line of facts, which has the keyboard."""
        line = self.focused
        return self.facts_panel.takes(event) or (isinstance(line, FactsLine) and line.takes(event))

    def on_facts_line_left(self) -> None:
        """Go back to the prompt."""
        self.prompt.focus()

    def on_facts_line_opened(self, message: FactsLine.Opened) -> None:
        """Show a fact of the line among all."""
        self.open_facts(Listing.FACTS, message.fact)

    def on_facts_line_wanted(self, message: FactsLine.Wanted) -> None:
        """Move or delete a fact of the line."""
        try:
            fact = self.kept.book.fact(message.fact)
        except UnknownFact as error:
            self.notify(str(error), severity="warning")
        else:
            deed = DeleteFact(fact) if message.scope is None else MoveFact(fact, message.scope)
            self.run_worker(partial(self._do, deed), group="deeds")

    def on_facts_panel_left(self) -> None:
        """Go back to the prompt, and to the conversation where the panel lies over it."""
        if self.has_class("-narrow"):
            self.hide_facts()
        else:
            self.prompt.focus()

    def on_facts_panel_wanted(self, message: FactsPanel.Wanted) -> None:
        """Do what the person asked for, one thing after the other."""
        self.run_worker(partial(self._do, message.deed), group="deeds")

    async def _do(self, deed: Deed) -> None:
        try:
            said = await do(deed, self.thread.conversation)
        except NotDone as error:
            self._tell(str(error), failed=True)
        else:
            self._tell(said)

    def _tell(self, text: str, *, failed: bool = False) -> None:
        """Say what came of a deed: in the panel where it is shown, else in passing."""
        if self.facts_panel.display:
            self.facts_panel.tell(text, failed=failed)
        else:
            self.notify(drawable(text), severity="warning" if failed else "information")

    def on_facts_panel_opened(self, message: FactsPanel.Opened) -> None:
        """Show what is behind a line in the pager."""
        from wisp_tui.app.kept.opening import page_behind
        from wisp_tui.app.screens.pager import PagerScreen

        page = page_behind(self.thread.conversation, message.line)
        if page is None:
            self.facts_panel.tell(NOTHING_BEHIND, failed=True)
        else:
            self.app.push_screen(PagerScreen(page, self.thread.conversation.directory))


def _summarised(event: AuditEvent | Transient) -> bool:
    return isinstance(event, AuditEvent) and event.kind == Kind.CONTEXT_SUMMARY
