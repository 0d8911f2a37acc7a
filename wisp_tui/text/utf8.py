"""Where UTF-8 may be cut: bytes in, offsets out."""

from __future__ import annotations


def character_edge(data: bytes) -> int:
    """Find where the last whole character ends in bytes that were cut anywhere; bytes that are no UTF-8 stay."""
    for back in range(1, min(len(data), 4) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) if back >= needed else len(data) - back
    return len(data)
