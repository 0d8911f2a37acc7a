"""How a field of a server's JSON is read: the value when it is of the kind that is wanted, None or nothing when not."""

from __future__ import annotations

from collections.abc import Mapping

from wisp_tui.text.json import Json, JsonObject


def obj(value: Json) -> JsonObject:
    """Take a value as an object; anything else is an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Json) -> tuple[JsonObject, ...]:
    """Take the objects of a list, in order; anything that is no list has none."""
    return tuple(item for item in value if isinstance(item, Mapping)) if isinstance(value, list | tuple) else ()


def text(value: Json) -> str:
    """Take a value as text; anything else is no text."""
    return value if isinstance(value, str) else ""


def whole(value: Json) -> int | None:
    """Take a value as a count: a whole number, not negative. True and 3.5 are none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def positive(value: Json) -> int | None:
    """Take a value as a count that cannot be nought: a server that writes 0 for it does not know it."""
    return whole(value) or None
