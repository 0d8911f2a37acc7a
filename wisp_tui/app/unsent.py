"""What the person has written and not sent: kept in the live copy as it changes, and given back after a crash."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisp_tui.app.talk import Talk
from wisp_tui.app.widgets.promptbox import PromptBox

if TYPE_CHECKING:
    from wisp_tui.context.journal import Unsent

EVERY_SECONDS = 1.0
"""How often it is looked at."""
LARGEST = 64 * 1024
"""Characters of a text above which it is kept without its large pastes."""


@dataclass(slots=True)
class Drafts:
    """Looks at one screen's prompt and at what waits for its turn."""

    talk: Talk
    prompt: PromptBox

    def keep(self) -> None:
        """Keep what there is now; where nothing has changed nothing is written."""
        from wisp_tui.context.journal import Unsent

        written = self.prompt.text
        whole = self.prompt.pastes.expand(written)
        draft = whole if len(whole) <= LARGEST else written
        self.talk.thread.conversation.live.unsent(Unsent(tuple(self.talk.outbox.texts), draft))

    def give_back(self) -> None:
        """Put what a conversation that was cut short had not sent where it was; what waited is held."""
        cut = self.talk.thread.conversation.cut_off
        if cut is not None:
            self._give_back(cut.unsent)

    def _give_back(self, unsent: Unsent) -> None:
        for text in unsent.queued:
            self.talk.outbox.add(text)
        self.talk.outbox.hold()
        self.talk.changed()
        if unsent.draft and not self.prompt.text:
            self.prompt.write(self.prompt.pastes.take(unsent.draft))
