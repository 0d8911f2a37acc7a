"""What a JSON value is, as a type, and one way to read and write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import orjson

from wisp_tui.text.clean import encodable

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = "Mapping[str, Json]"


def dump(value: Json, *, sort: bool = False) -> bytes:
    """Write a value as compact UTF-8 JSON; lone surrogates become U+FFFD, so it can always be written."""
    option = orjson.OPT_SORT_KEYS if sort else None
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        return orjson.dumps(_encodable(value), option=option)


def load(data: bytes | str) -> Json:
    """Read a JSON value; raises ValueError when it is not one."""
    return cast("Json", orjson.loads(data))


def load_object(data: bytes | str) -> JsonObject:
    """Read a JSON object; raises ValueError when the text is not JSON or not an object."""
    value = load(data)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004
    return cast("JsonObject", value)


def _encodable(value: Json) -> Json:
    match value:
        case str():
            return encodable(value)
        case Mapping():
            return {encodable(str(key)): _encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in cast("Sequence[Json]", value)]
        case _:
            return value
