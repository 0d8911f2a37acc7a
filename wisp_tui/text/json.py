"""What a JSON value is, as a type, and one way to read and write it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import orjson

from wisp_tui.text.clean import encodable

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = "Mapping[str, Json]"


DEEPEST = 200
"""Levels of nesting that are written; what lies deeper is written as null."""


def dump(value: Json, *, sort: bool = False) -> bytes:
    """Write a value as compact UTF-8 JSON. Any value can be written: what JSON or UTF-8 lacks is replaced.

    A lone surrogate becomes U+FFFD; a number that is not finite, and what is nested too deep, becomes null.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS if sort else None)
    except TypeError:  # a lone surrogate, or beyond what orjson takes: 64 bits, 254 levels
        written = json.dumps(_encodable(value), ensure_ascii=False, separators=(",", ":"), sort_keys=sort)
        return written.encode()


def load(data: bytes | str) -> Json:
    """Read a JSON value; raises ValueError when it is not one. An escaped lone surrogate is read as U+FFFD."""
    try:
        return cast("Json", orjson.loads(data))
    except orjson.JSONDecodeError:
        if not _SURROGATE_ESCAPE.search(data if isinstance(data, bytes) else data.encode("utf-8", "replace")):
            raise
    try:
        value = cast("Json", json.loads(data, parse_constant=_refused))
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if _is_deeper(value, DEEPEST):
        raise ValueError("it is nested too deep")
    return _encodable(value)


def load_object(data: bytes | str) -> JsonObject:
    """Read a JSON object; raises ValueError when the text is not JSON or not an object."""
    value = load(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return cast("JsonObject", value)


_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


def _is_deeper(value: Json, levels: int) -> bool:
    """Say whether a value is nested deeper than so many levels, looked at level by level: no depth is too much."""
    level: list[Json] = [value]
    for _ in range(levels + 1):
        inner = [item for item in level if isinstance(item, Mapping | list)]
        if not inner:
            return False
        level = [below for item in inner for below in (item.values() if isinstance(item, Mapping) else item)]
    return True


def _encodable(value: Json, depth: int = 0) -> Json:
    match value:
        case str():
            return encodable(value)
        case Mapping() | list() | tuple() if depth == DEEPEST:
            return None
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {encodable(str(key)): _encodable(item, depth + 1) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item, depth + 1) for item in cast("Sequence[Json]", value)]
        case _:
            return value
