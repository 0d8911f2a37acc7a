"""Tools of the person's own, as ``tools.custom`` describes them: a command line with places for quoted arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
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
_WORD_STARTS = frozenset(("", *" \t\n;&|()<>"))
"""What a word may follow; nothing, at the start of the line."""


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
        before = template[: match.start()][-1:]
        pieces += [template[end : match.start()], Place(match[1], before in _WORD_STARTS)]
        end = match.end()
    return (*pieces, template[end:])


def filled(pieces: tuple[str | Place, ...], values: Mapping[str, str]) -> str:
    """Put arguments into a command line, each quoted as one word; one that is not given is left out."""
    return "".join(piece if isinstance(piece, str) else _word(piece, values) for piece in pieces)


def _word(place: Place, values: Mapping[str, str]) -> str:
    value = values.get(place.name)
    return "" if value is None else shlex.quote(value)


def _inside(before: str) -> str | None:
    """Tell what is open at the end of the start of a command line: quotes or a comment; None when nothing is."""
    quote = ""
    at = 0
    while at < len(before):
        char = before[at]
        if quote in ("'", "#"):
            quote = "" if char == {"'": "'", "#": "\n"}[quote] else quote
        elif char == "\\":
            at += 1
        elif quote:
            if before.startswith("$(", at):
                raise BadTemplate('arguments cannot be quoted safely after a command within "…"')
            quote = "" if char == quote else quote
        elif char in ("'", '"') or (char == "#" and before[:at][-1:] in _WORD_STARTS):
            quote = char
        at += 1
    return {"": None, "#": "a comment"}.get(quote, "quotes")


class CustomTool(BaseModel):
    """A tool of the person's own: a command line that the model gives arguments to. It asks as commands do."""

    model_config = ConfigDict(frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True)

    description: str = Field(min_length=1, max_length=300, description="What the model is told of it.")
    command: str = Field(min_length=1, description="The command line; {name} is where an argument goes, quoted.")
    arguments: dict[str, str] = Field(default={}, description="What the model is told of each argument, by name.")
    optional: tuple[str, ...] = Field(default=(), description="The arguments that may be left out.")
    reads_only: bool = Field(default=False, description="Whether calling it again changes nothing.")
    timeout_seconds: int | None = Field(default=None, ge=1, le=86_400, description="Seconds it may run.")
    directory: str = Field(default=".", description="Where it runs, from the conversation's directory on.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if unknown := set(self.optional) - set(self.arguments):
            raise ValueError(f"optional names no argument: {', '.join(sorted(unknown))}")
        parsed(self.command, self.arguments)
        return self
