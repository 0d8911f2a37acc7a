"""The rules that commands are judged by, read from ``resources/risk-rules.json`` and indexed by program.

The file's parts are described in docs/approval.md; a part that does not fit its description is a fault of the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic.alias_generators import to_camel

from wisp_tui.approval.base import Level
from wisp_tui.approval.options import Options
from wisp_tui.config import shipped
from wisp_tui.text.json import load_object


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""A list of texts, or one text."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class _OfPrograms(_Part):
    programs: tuple[str, ...]
    example: str


class Shape(_OfPrograms):
    """A form of a command that only reads: its options, its operands, and nothing else."""

    verb: Texts = ()
    """The first words after the program, one of these."""
    options: tuple[str, ...] | Literal["any"]
    literal: tuple[str, ...] = ()
    valued: tuple[str, ...] = ()
    """Where any option may stand, those whose value is the next word."""
    never: tuple[str, ...] = ()
    """Where any option may stand, those that may not."""
    reads_from: tuple[str, ...] = ()
    """Options whose value names a file that is read."""
    operands: Literal["none", "text", "names", "content"]
    """``content``: files whose content it shows; ``names``: files it shows no content of; ``text``: no files."""
    least: int = 0
    most: int | None = None
    pattern: str | None = None
    """What each operand must be, whole."""
    first: str | None = None
    second: str | None = None
    values: str | None = None
    """What each option's value must be, whole…"""
    values_of: tuple[str, ...] = ()
    """… or, where these are given, each of theirs."""
    text: int = 0
    """How many of the first operands are text rather than files…"""
    text_from: tuple[str, ...] = ()
    """… unless one of these options is there."""
    needs: tuple[str, ...] = ()
    """One of these options must be there."""
    operands_need: tuple[str, ...] = ()
    """With operands, one of these options must be there."""
    check: Literal["test", "printf", "find", "sed", "awk", "jq"] | None = None

    @cached_property
    def reads(self) -> Options:
        """The options it may have."""
        return Options.of(self.options, self.literal)

    @cached_property
    def verbs(self) -> tuple[tuple[str, ...], ...]:
        """Its verbs, each as its words; one empty verb when it has none."""
        return tuple(tuple(verb.split()) for verb in self.verb) or ((),)


class Rule(_OfPrograms):
    """What makes a command moderate or dangerous. Without conditions, it always holds for its programs."""

    level: Level
    reason: str
    verb: Texts = ()
    flags: tuple[str, ...] = ()
    operand: str | None = None
    any_text: str | None = None
    unless_flags: tuple[str, ...] = ()
    unless_verb: Texts = ()

    @cached_property
    def verbs(self) -> tuple[tuple[str, ...], ...]:
        """Its verbs, each as its words."""
        return tuple(tuple(verb.split()) for verb in self.verb)

    @cached_property
    def operand_shape(self) -> re.Pattern[str] | None:
        """What an operand must be, whole, for the rule to hold."""
        return re.compile(self.operand, re.DOTALL) if self.operand else None

    @cached_property
    def text_shape(self) -> re.Pattern[str] | None:
        """What must stand in some word for the rule to hold."""
        return re.compile(self.any_text) if self.any_text else None


class Wrapper(_OfPrograms):
    """A program that runs the command it is given."""

    options: tuple[str, ...] = ()
    literal: tuple[str, ...] = ()
    skip: int = 0
    """Operands before the command."""
    assignments: bool = False
    """``NAME=VALUE`` words stand before the command."""
    clears: tuple[str, ...] = ()
    """Options that leave the command no variables, so that a shell looks for programs along a path of its own."""
    unsets: tuple[str, ...] = ()
    """Options that take the variable away which they name."""
    joined: bool = False
    """The words are joined, and a shell reads them."""
    opaque: bool = False
    """How it is told what to run is its own."""
    level: Level = Level.SAFE
    reason: str = ""

    @cached_property
    def reads(self) -> Options:
        """The options it may have before the command."""
        return Options.of(self.options, self.literal)


class Interpreter(_OfPrograms):
    """A program that runs code in a language of its own."""

    code: tuple[str, ...]
    options: tuple[str, ...] = ()
    language: str

    @cached_property
    def reads(self) -> Options:
        """The options it may have, those that take code included."""
        return Options.of((*self.options, *(f"{flag}=" for flag in self.code if len(flag) == 2)), self.code)


class Writer(_OfPrograms):
    """A program that writes files named by its operands or options."""

    targets: Literal["all", "last", "none"]
    flags: tuple[str, ...]
    needs: tuple[str, ...] = ()


class VariableRule(_Part):
    """What setting a variable does."""

    names: tuple[str, ...]
    level: Level
    reason: str
    example: str
    unless: str | None = None
    """A value that does nothing, whole."""


class Variables(_Part):
    """The variables that are harmless to set, and those that are not."""

    harmless: tuple[str, ...]
    harmless_value: str
    pagers: tuple[str, ...]
    pager_values: tuple[str, ...]
    rules: tuple[VariableRule, ...]


class PathRule(_Part):
    """Paths that are more than files."""

    patterns: tuple[str, ...]
    reason: str
    example: str


class Paths(_Part):
    """Paths that are more than files; ``holders`` are directories with credentials in them, beside those above one."""

    harmless: tuple[str, ...]
    credentials: tuple[PathRule, ...]
    sensitive: tuple[PathRule, ...]
    holders: tuple[str, ...]


_Programs = TypeVar("_Programs", bound=_OfPrograms)


class Rules(_Part):
    """All rules."""

    version: Literal[1]
    about: str
    shapes: tuple[Shape, ...]
    listings: tuple[str, ...]
    """Commands that print names of files and no other text, as expressions."""
    filters: tuple[str, ...]
    """Commands that pass some of the lines they are fed on as they are, as expressions."""
    wrappers: tuple[Wrapper, ...]
    interpreters: tuple[Interpreter, ...]
    shells: tuple[str, ...]
    shells_read: tuple[str, ...]
    code_that_acts: str
    rules: tuple[Rule, ...]
    writers: tuple[Writer, ...]
    variables: Variables
    paths: Paths
    verbs: Mapping[str, int]
    exact_only: tuple[str, ...]
    alone: tuple[str, ...]
    local: tuple[str, ...]
    git_verbs: frozenset[str]

    @cached_property
    def shapes_of(self) -> Mapping[str, tuple[Shape, ...]]:
        """The shapes of each program."""
        return _by_program(self.shapes)

    @cached_property
    def rules_of(self) -> Mapping[str, tuple[Rule, ...]]:
        """The rules of each program."""
        return _by_program(self.rules)

    @cached_property
    def wrapper_of(self) -> Mapping[str, tuple[Wrapper, ...]]:
        """The wrapper each program is."""
        return _by_program(self.wrappers)

    @cached_property
    def interpreter_of(self) -> Mapping[str, tuple[Interpreter, ...]]:
        """The interpreter each program is."""
        return _by_program(self.interpreters)

    @cached_property
    def writers_of(self) -> Mapping[str, tuple[Writer, ...]]:
        """What each program writes."""
        return _by_program(self.writers)

    @cached_property
    def listing(self) -> re.Pattern[str]:
        """A command that prints names of files and no other text."""
        return re.compile("|".join(self.listings))

    @cached_property
    def filtering(self) -> re.Pattern[str]:
        """A command that passes some of the lines it is fed on as they are."""
        return re.compile("|".join(self.filters))

    @cached_property
    def acting_code(self) -> re.Pattern[str]:
        """What code must not hold to be no worse than moderate."""
        return re.compile(self.code_that_acts)


def _by_program(parts: Iterable[_Programs]) -> Mapping[str, tuple[_Programs, ...]]:
    indexed: dict[str, tuple[_Programs, ...]] = {}
    for part in parts:
        for program in part.programs:
            indexed[program] = (*indexed.get(program, ()), part)
    return indexed


@cache
def load_rules() -> Rules:
    """Read the rules that the package ships. They are read once: they are values, and the package's own."""
    return Rules.model_validate(load_object(shipped("resources", "risk-rules.json").read_bytes()))
