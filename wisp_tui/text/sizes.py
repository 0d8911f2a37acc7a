"""How amounts are written for a person: bytes, counts, seconds, shortened text."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """Write ``1 line``, ``3,612 bytes``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def human_bytes(size: int) -> str:
    """Write a size in bytes as a person reads it: ``812 bytes``, ``180 KiB``, ``9.2 GiB``."""
    if size < 1024:
        return count(size, "byte")
    value, unit = size / 1024, "KiB"
    for larger in ("MiB", "GiB", "TiB"):
        if value < 1023.5:
            break
        value, unit = value / 1024, larger
    shown = round(value, 1)
    return f"{shown:.0f} {unit}" if shown >= 100 or shown == int(shown) else f"{shown} {unit}"


def human_seconds(seconds: float) -> str:
    """Write a duration: ``0.4 s``, ``12 s``, ``3 m 05 s``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} m {whole % 60:02d} s"


def ago(seconds: float) -> str:
    """Write how long something has waited: ``now``, ``4 min``, ``3 h``, ``12 days``."""
    for size, unit in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            whole = int(seconds // size)
            return count(whole, unit) if unit == "day" else f"{whole} {unit}"
    return "now"


def shorten(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` characters (one at least), the last one ``…`` when anything was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def shorten_start(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` characters from its start, as a path is, whose end names the file."""
    return text if len(text) <= limit else "…" + text[len(text) - max(limit - 1, 0) :]


def cut_bytes(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` bytes of UTF-8, at a character's edge."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: max(limit, 0)].decode("utf-8", "ignore")
