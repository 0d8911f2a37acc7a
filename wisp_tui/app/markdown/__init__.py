"""Markdown as rows: cut into blocks while it streams, each block drawn once it has ended. Values only, no Textual.

A reply is a model's text: links are shown and never active, HTML is shown as it is written, images are named.
"""

from wisp_tui.app.markdown.blocks import Block, BlockKind, Splitter
from wisp_tui.app.markdown.rendering import block_rows

__all__ = ["Block", "BlockKind", "Splitter", "block_rows"]
