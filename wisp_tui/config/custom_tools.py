"""Tools of the person's own, as ``tools.custom`` describes them: a command line with places for quoted arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PLACE = re.compile(r"(?<![$\\])\{([A-Za-z_][A-Za-z0-9_]*)\}")
_UNQUOTABLE = {
    "`": "a command in backticks",
    "$'": "a string in $'…'",
    '$"': 'a string in $"…"',
    "${": "a variable in ${…}: write $NAME",
    "$[": "arithmetic",
    "((": "arithmetic",
    "[[": "a test in [[…]]: write [ … ]",
    "<<": "a here-document",
}
"""What a shell reads in its own way, so that an argument quoted beside it is not surely one word."""
_WORD_STARTS = frozenset(" \t\n;&|(")


class BadTemplate(ValueError):
    """A command's arguments could not be put into it as one word each; the message says where."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an argument goes. ``starts``: it begins a word, so a value that begins with a dash would be an option."""

    name: str
    starts: bool


def parsed(template: str, names: Collection[str]) -> tuple[str | Place, ...]:
    """Part a command line at the places of its arguments, each of which must stand outside of quotes and comments.

    Braces around anything else are text. Raises BadTemplate.
    """
    found = [match for match in _PLACE.finditer(template) if match[1] in names]
    if missing := set(names) - {match[1] for match in found}:
        raise BadTemplate(f"the command has no place for {', '.join(f'{{{name}}}' for name in sorted(missing))}")
    if not found:
        return (template,)
    if unsafe := next((what for form, what in _UNQUOTABLE.items() if form in template.replace("<<<", "")), None):
        raise BadTemplate(f"arguments cannot be quoted safely in a command that has {unsafe}")
    pieces: list[str | Place] = []
    end = 0
    for match in found:
        if (where := _inside(template[: match.start()])) is not None:
            raise BadTemplate(f"{match[0]} is in {where}; arguments are quoted already: put it outside")
        before = template[match.start() - 1 : match.start()]
        pieces += [template[end : match.start()], Place(match[1], not before or before in _WORD_STARTS)]
        end = match.end()
    return (*pieces, template[end:])


def filled(pieces: tuple[str | Place, ...], values: Mapping[str, str]) -> str:
    """Put arguments into a command line, each quoted as one word; one that is not given is left out."""
    return "".join(piece if isinstance(piece, str) else _word(piece, values) for piece in pieces)


def _word(place: Place, values: Mapping[str, str]) -> str:
    value = values.get(place.name)
    return "" if value is None else shlex.quote(value)


def _inside(before: str) -> str | None:
    """Tell what is open at the end of the start of a command line; None when nothing is."""
    quote: str | None = None
    for char in _unescaped(before):
        if quote == "#":
            quote = None if char == "\n" else quote
        elif quote is not None:
            if quote == '"' and char == "$(":
                raise BadTemplate('arguments cannot be quoted safely after a command in "…"')
            quote = None if char == quote else quote
        elif char in ("'", '"', "#"):
            quote = char
    return {None: None, "#": "a comment"}.get(quote, "quotes")


def _unescaped(text: str) -> Iterator[str]:
    """Go through a command line by character, leaving out what is escaped; ``$(`` and a comment's ``#`` are one each."""
    single = False
    at = 0
    while at < len(text):
        char = text[at]
        if char == "'":
            single = not single
        if char == "\\" and not single:
            at += 2
            continue
        if text.startswith("$(", at):
            char = "$("
        elif char == "#" and at and text[at - 1] not in _WORD_STARTS:
            char = "x"
        yield char
        at += len(char)
