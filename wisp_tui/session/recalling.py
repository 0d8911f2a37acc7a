"""What a conversation recalls for each request unasked, where that is on: once a turn, before its first request."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from wisp_tui.context.composer import Block, Blocks
from wisp_tui.context.record import Entry
from wisp_tui.events import Kind
from wisp_tui.recall import Index
from wisp_tui.recall.unasked import NOTHING, Unasked, recalled_unasked
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.conversation import BlockSource, Conversation
from wisp_tui.session.remembering import past_of
from wisp_tui.text.ids import EntryId
from wisp_tui.text.json import Json

BLOCK = "recalled"
"""The kind of its block."""
SECONDS = 2.0
"""How long a turn waits for it: the first time much may have to be taken in."""


@dataclass(slots=True)
class Recaller:
    """Recalls for one conversation's requests. ``inner`` gives the blocks that its own is put with."""

    conversation: Conversation
    inner: BlockSource
    index: Index
    """The conversation's own, which its memory tool searches too."""
    _request: EntryId | None = None
    _found: Unasked = NOTHING

    async def recall(self, prompt: Entry, activity: ActivityBoard) -> None:
        """Find what a turn's prompt names and the context shows no longer. Raises AuditUnavailable."""
        held = self.conversation
        self._request, self._found = prompt.id, NOTHING
        if self._all_is_shown():
            return
        activity.doing("recalling")
        shown = [part.text for part in held.composer.compose(held.record, held.plan(prompt.id)).parts if part.entry]
        finding = asyncio.to_thread(recalled_unasked, prompt.text, prompt.id, past_of(held), self.index, shown)
        try:
            self._found = await asyncio.wait_for(finding, SECONDS)
        except TimeoutError:
            return  # the index goes on taking in beside the turn: the next one has it
        if self._found.text:
            of: list[Json] = list(self._found.of)
            told: dict[str, Json] = {"action": "unasked", "of": of, "bytes": len(self._found.text.encode())}
            held.write(Kind.CONTEXT_MEMORY, {**told, "lines": len(of)}, turn=held.turn)

    def blocks(self, conversation: Conversation, *, squeezed: bool) -> Blocks:
        """Return the blocks of the next request, with what was recalled for the turn that runs."""
        blocks = self.inner(conversation, squeezed=squeezed)
        if squeezed or not self._found.text or self._request != conversation.running:
            return blocks
        return replace(blocks, now=(Block(BLOCK, self._found.text), *blocks.now))

    def _all_is_shown(self) -> bool:
        """Whether nothing was dropped, sent as a reference, or held back."""
        record = self.conversation.record
        return len(record.active) == len(record) and not any(
            entry.output is not None and (entry.output.kept or record.state(entry.id).referenced_in is not None)
            for entry in record
        )
