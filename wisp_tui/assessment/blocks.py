"""What the assessment adds to a request: the catalogue in the instructions, and the last lines of the now block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wisp_tui.context.composer import Block, Blocks
from wisp_tui.context.parts import PartKind
from wisp_tui.facts.blocks import NOW

_CATALOGUE = "Tools (each request names its own; call any by name):"
_NOW = "now"
_RELEVANT = "Relevant to this request:"


class Offered(NamedTuple):
    """A tool that the conversation allows, and its clause."""

    name: str
    clause: str


def catalogue(tools: Iterable[Offered]) -> str:
    """Write the terse catalogue of every allowed tool; empty for none. It is the same all through a conversation."""
    lines = [f"- {tool.name}: {tool.clause}" for tool in tools]
    return "\n".join([_CATALOGUE, *lines]) if lines else ""


def assessed(blocks: Blocks, *, catalogue: str, facts: Sequence[str], tools: Sequence[str]) -> Blocks:
    """Add to a request's blocks the catalogue, the lines of the facts that bear on it, and the tools it registers.

    All but the catalogue is on the prompt's side: a record, as the rest of the now block.
    """
    others = tuple(block for block in blocks.now if block.kind != _NOW)
    now = "\n".join(block.text for block in blocks.now if block.kind == _NOW)
    lines = [now] if now else []
    if facts:
        lines += [*([] if now else [NOW]), _RELEVANT, *facts]
    if tools:
        lines.append(f"Tools for this request: {', '.join(tools)}.")
    return Blocks(
        earlier=blocks.earlier,
        now=(*others, Block(_NOW, "\n".join(lines))) if lines else others,
        instructions=(Block(PartKind.CATALOGUE, catalogue),) if catalogue else (),
    )
