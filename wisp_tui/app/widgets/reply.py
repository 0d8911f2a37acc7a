"""A reply as it streams: what has ended is drawn once, what still grows is drawn again."""

from __future__ import annotations

import asyncio
from functools import partial

from wisp_tui.app.markdown import AT_ONCE, Block, BlockKind, Splitter, block_rows, colour, fence_code
from wisp_tui.app.rows import Role, Row
from wisp_tui.app.widgets.rowview import RowView


class ReplyView(RowView):
    """One reply of the model, as Markdown.

    Whole blocks are kept as text and drawn again only for another width. Joining fragments is the caller's: each
    ``append`` draws the growing block once.
    """

    def __init__(self) -> None:
        super().__init__(classes="reply")
        self._splitter = Splitter()
        self._blocks: list[Block] = []
        self._settled = 0
        self._plain: list[Block] = []
        """Blocks of code that have no colours yet."""
        self._stopped: str | None = None

    def append(self, text: str) -> None:
        """Add a fragment."""
        self._show(self._splitter.feed(text))

    def finish(self, stopped: str | None = None) -> None:
        """Say that the reply has ended; ``stopped`` says why where it did not end by itself."""
        self._stopped = stopped
        self._show(self._splitter.end())

    def rewrapped(self) -> None:
        """Draw all blocks for the new width."""
        settled = [row for block in self._blocks for row in self._drawn(block)]
        self._settled = len(settled)
        self._rows[:] = [*settled, *self._tail()]

    def _show(self, ended: list[Block]) -> None:
        first = self._settled
        if not self._blocks and ended:
            ended[0] = Block(ended[0].kind, ended[0].text)  # no gap above the first
        self._blocks += ended
        self._colour([block for block in ended if _is_long_code(block)])
        settled = [row for block in ended for row in self._drawn(block)]
        self._settled += len(settled)
        self.replace([*settled, *self._tail()], first)

    def _tail(self) -> list[Row]:
        growing = self._splitter.growing
        rows = [] if growing is None else self._drawn(growing, growing=True)
        if not self._blocks and rows and growing is not None and growing.gap:
            rows = rows[1:]
        if self._stopped is not None:
            rows.append(Row(f"[{self._stopped}]", role=Role.FAINT))
        return rows

    def _drawn(self, block: Block, *, growing: bool = False) -> list[Row]:
        plain = block in self._plain
        return block_rows(block, self.wrapped_for or 80, growing=growing, coloured=not plain)

    def _colour(self, blocks: list[Block]) -> None:
        """Draw long code plain, and again with its colours once it was read, beside everything else."""
        if blocks and self.is_attached:
            self._plain += blocks
            self.run_worker(partial(self._read_code, blocks))

    async def _read_code(self, blocks: list[Block]) -> None:
        for block in blocks:
            await asyncio.to_thread(colour, *fence_code(block.text))
            self._plain.remove(block)
        self.rewrapped()
        self.replace(self._rows)


def reply_rows(text: str, width: int, stopped: str | None = None) -> list[Row]:
    """Draw a reply that has ended without its widget, and its code without colours; ``width`` is in cells."""
    splitter = Splitter()
    blocks = [*splitter.feed(text), *splitter.end()]
    rows = [row for block in blocks for row in block_rows(block, width, coloured=False)]
    rows = rows[1:] if blocks and blocks[0].gap else rows  # no gap above the first
    return rows if stopped is None else [*rows, Row(f"[{stopped}]", role=Role.FAINT)]


def _is_long_code(block: Block) -> bool:
    return block.kind is BlockKind.FENCE and len(block.text) > AT_ONCE
