"""Thirty turns of reading on the embedded model: condensations, the estimate's error, the share of the prefix reused.

Run as ``python -m tests.bench.embedded_context MODEL.gguf``; it prints one line a window.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.fakes.embedded_talk import condensations, number, read_pages, replies, reused


def main(weights: Path) -> None:
    """Talk at each window and print what came of it."""
    for window in (2048, 4096):
        with tempfile.TemporaryDirectory() as folder:
            events = asyncio.run(read_pages(Path(folder), weights, window=window, turns=30, lines=10))
        errors = [number(said, "usage", "input") / number(said, "estimate") - 1 for said in replies(events)][2:]
        overflows = sum(1 for event in condensations(events) if event.details["reason"] == "overflow")
        print(
            f"window {window:,}: {len(condensations(events))} condensations, {overflows} overflows, "
            f"estimate off by {min(errors):+.1%} to {max(errors):+.1%}, {reused(events):.0%} of the prompt reused"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
