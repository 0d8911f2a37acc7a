"""Stretches of a reply that copy a tool's output exactly, and their markers (spec "Cutting presentational text").

A reply is taken apart into blocks (paragraphs, and what stands in fences), each block into lines normalised for
formatting alone. A block whose lines stand in an output in order and next to each other reproduces it; neighbouring
blocks of one output make a stretch, and a stretch of two dozen words is cut. Nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wisp_tui.context.record import Cut, Entry
from wisp_tui.context.reply_blocks import CELL, ReplyBlock, blocks_of, normalised, unnumbered
from wisp_tui.context.runs import Runs

LEAST_WORDS = 24
"""Words a stretch must hold: about two lines of prose. Less is more likely a deliberate quotation."""
NUMBERED = frozenset({"read_file"})
"""The tools whose output carries line numbers, which are formatting."""


def marker(cut: Cut) -> str:
    """Write what stands in the place of a cut stretch."""
    return f"(showed the person the {cut.tool} output, entry {cut.output})"


def apply_cuts(text: str, cuts: Sequence[Cut]) -> str:
    """Return a reply with each cut stretch replaced by its marker."""
    if not cuts:
        return text
    data = text.encode("utf-8", "replace")
    kept, at = list[bytes](), 0
    for cut in sorted(cuts, key=lambda cut: cut.start):
        kept += [data[at : cut.start], marker(cut).encode("utf-8", "replace")]
        at = cut.end
    return b"".join([*kept, data[at:]]).decode("utf-8", "replace")


def find_cuts(reply: str, outputs: Sequence[Entry]) -> tuple[Cut, ...]:
    """Return the stretches of a reply that reproduce one of its turn's outputs, as ranges of its bytes, in order.

    A range ends before its last line's newline, and fence lines are in none. Entries that are no outputs are passed
    over. Where several outputs hold a stretch, the latest is named. A stretch no longer than its marker stays.
    """
    blocks = blocks_of(reply)
    runs = [_runs(blocks, copied) for copied in _copied(blocks, outputs)]
    found, at = list[Cut](), 0
    while at < len(blocks):
        ahead = [(words[at], place) for place, (_, words) in enumerate(runs)]
        words, place = max(ahead, default=(0, 0))
        after = at + 1
        if words >= LEAST_WORDS:
            after = runs[place][0][at]
            cut = _cut(reply, blocks[at], blocks[after - 1], outputs[place], words)
            found += [cut] if cut.end - cut.start > len(marker(cut).encode("utf-8", "replace")) else []
        at = after
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Variant:
    """One way to read a block's lines, and the words it holds so. ``numbered``: its lines begin with line numbers."""

    block: int
    lines: tuple[str, ...]
    words: int
    numbered: bool


def _copied(blocks: Sequence[ReplyBlock], outputs: Sequence[Entry]) -> Iterator[list[int]]:
    """Yield for each output the words of each block that reproduces it, 0 for a block that does not."""
    variants = [variant for place, block in enumerate(blocks) for variant in _variants(place, block)]
    automaton = Runs(variant.lines for variant in variants)
    for entry in outputs:
        words = [0] * len(blocks)
        if entry.output is not None and variants:
            numbered = entry.output.tool in NUMBERED
            lines = entry.text.split("\n")
            within = automaton.within(normalised(unnumbered(lines) if numbered else lines))
            for variant, found in zip(variants, within, strict=True):
                if found and (numbered or not variant.numbered):
                    words[variant.block] = max(words[variant.block], variant.words)
        yield words


def _variants(place: int, block: ReplyBlock) -> Iterator[_Variant]:
    raw = [line.text for line in block.lines]
    bare = unnumbered(raw)
    for lines, numbered in [(raw, False)] + ([(bare, True)] if bare != raw else []):
        readings = [tuple(normalised(lines))]
        if any("|" in line for line in lines):
            readings.append(tuple(normalised(lines, tables=False)))
        for kept in dict.fromkeys(readings):
            words = sum(len(line.replace(CELL, " ").split()) for line in kept)
            if words:
                yield _Variant(place, kept, words, numbered)


def _runs(blocks: Sequence[ReplyBlock], copied: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return for each block where the run of reproducing blocks that begins with it ends, and the words of that run."""
    ends, words = list(range(len(blocks))), [0] * len(blocks)
    for place in reversed(range(len(blocks))):
        if copied[place]:
            on = place + 1 < len(blocks) and blocks[place + 1].follows and copied[place + 1] > 0
            ends[place] = ends[place + 1] if on else place + 1
            words[place] = copied[place] + (words[place + 1] if on else 0)
    return ends, words


def _cut(reply: str, first: ReplyBlock, last: ReplyBlock, entry: Entry, words: int) -> Cut:
    start = len(reply[: first.start].encode("utf-8", "replace"))
    length = len(reply[first.start : last.end].encode("utf-8", "replace"))
    tool = entry.output.tool if entry.output is not None else ""
    return Cut(start, start + length, entry.id, tool, words)
