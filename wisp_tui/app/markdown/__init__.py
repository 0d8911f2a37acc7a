"""Markdown as rows: cut into blocks while it streams, each block drawn once it has ended. Values only, no Textual.

A reply is a model's text: links are shown and never active, HTML is shown as it is written, images are named.
"""

from wisp_tui.app.markdown.blocks import Block, BlockKind, Splitter
from wisp_tui.app.markdown.code import AT_ONCE, colour
from wisp_tui.app.markdown.rendering import block_rows, fence_code, warm_up

__all__ = ["AT_ONCE", "Block", "BlockKind", "Splitter", "block_rows", "colour", "fence_code", "warm_up"]
