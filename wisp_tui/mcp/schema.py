"""The shape a caller may ask a reply to have, and whether a reply has it (MCP.md, "respond").

A small part of JSON Schema that every runtime holds a model to: objects, arrays with ``minItems`` and ``maxItems``,
strings with ``enum``, numbers, booleans. What is more than that is refused by name, with its place: a model would be
held to less than its caller believes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from wisp_tui.text.json import Json, JsonObject

MAX_TOKENS = 1024
"""The longest shaped reply."""
DEEPEST = 16
"""Levels of nesting a schema may have."""
_WORDS = frozenset({"type", "title", "description"})
_KEYWORDS: Mapping[str, frozenset[str]] = {
    "object": _WORDS | {"properties", "required", "additionalProperties"},
    "array": _WORDS | {"items", "minItems", "maxItems"},
    "string": _WORDS | {"enum"},
    "number": _WORDS,
    "integer": _WORDS,
    "boolean": _WORDS,
}
_TOP = {"$schema"}


class BadSchema(Exception):
    """A schema asks for what a reply is not held to; the message names it and its place."""


class NotOfShape(Exception):
    """A reply does not have the shape that was asked for; the message says where."""


def check_schema(schema: JsonObject) -> None:
    """Hold that a schema is an object of the kinds there are. Raises BadSchema."""
    if schema.get("type") != "object":
        raise BadSchema('schema: its type must be "object"')
    _check({name: value for name, value in schema.items() if name not in _TOP}, "schema", 0)


def _check(schema: JsonObject, place: str, depth: int) -> None:
    kind = schema.get("type")
    if depth > DEEPEST:
        raise BadSchema(f"{place} is nested deeper than {DEEPEST} levels")
    for name in schema:  # what is known to be refused is named before what is missing
        if not isinstance(kind, str) or name not in _KEYWORDS.get(kind, _WORDS):
            if name in _WORDS:
                continue
            raise BadSchema(f"{place}.{name} is not among what a reply can be held to")
    if not isinstance(kind, str) or kind not in _KEYWORDS:
        raise BadSchema(f"{place}.type must be one of {', '.join(_KEYWORDS)}, not {kind!r:.60}")
    if kind == "object":
        _check_object(schema, place, depth)
    elif kind == "array":
        _check(_object(schema.get("items"), f"{place}.items"), f"{place}.items", depth + 1)
        least = _whole(schema.get("minItems", 0), f"{place}.minItems")
        if _whole(schema.get("maxItems", least), f"{place}.maxItems") < least:
            raise BadSchema(f"{place}.maxItems is less than its minItems")
    elif "enum" in schema and not _texts(schema["enum"], f"{place}.enum"):
        raise BadSchema(f"{place}.enum names no choice")


def _check_object(schema: JsonObject, place: str, depth: int) -> None:
    properties = _object(schema.get("properties", {}), f"{place}.properties")
    for name, inner in properties.items():
        _check(_object(inner, f"{place}.{name}"), f"{place}.{name}", depth + 1)
    for name in _texts(schema.get("required", []), f"{place}.required"):
        if name not in properties:
            raise BadSchema(f"{place}.required names {name!r:.60}, which is no property")
    if not isinstance(schema.get("additionalProperties", False), bool):
        raise BadSchema(f"{place}.additionalProperties must be true or false")


def check_reply(value: Json, schema: JsonObject, place: str = "the reply") -> None:
    """Hold that a value has the shape. Raises NotOfShape."""
    kind = schema.get("type")
    if not _is(value, str(kind)):
        raise NotOfShape(f"{place} is not {_A[str(kind)]}")
    match value:
        case dict():
            _check_members(value, schema, place)
        case list():
            least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
            if not cast("int", least) <= len(value) <= cast("int", most):
                raise NotOfShape(f"{place} has {len(value)} items")
            for number, item in enumerate(value):
                check_reply(item, cast("JsonObject", schema["items"]), f"{place}[{number}]")
        case str() if "enum" in schema and value not in cast("list[str]", schema["enum"]):
            raise NotOfShape(f"{place} is {value!r:.60}, which is none of its choices")
        case _:
            pass


def _check_members(value: Mapping[str, Json], schema: JsonObject, place: str) -> None:
    properties = cast("Mapping[str, JsonObject]", schema.get("properties", {}))
    missing = [name for name in cast("list[str]", schema.get("required", [])) if name not in value]
    if missing:
        raise NotOfShape(f"{place} lacks {', '.join(missing)}")
    for name, item in value.items():
        if name in properties:
            check_reply(item, properties[name], f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            raise NotOfShape(f"{place}.{name:.60} is not asked for")


_A = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
}


def _is(value: Json, kind: str) -> bool:
    match kind:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _object(value: Json, place: str) -> JsonObject:
    if not isinstance(value, Mapping):
        raise BadSchema(f"{place} must be an object")
    return value


def _texts(value: Json, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise BadSchema(f"{place} must be a list of strings")
    return cast("list[str]", value)


def _whole(value: Json, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadSchema(f"{place} must be a whole number, 0 or more")
    return value
