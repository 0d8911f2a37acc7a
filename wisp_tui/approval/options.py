"""A program's options as a table, and a command's words read by it: exactly, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wisp_tui.approval.script import Known, Word

_NUMBER = re.compile(r"-\d+")


@dataclass(frozen=True, slots=True)
class Options:
    """The options a program may be given.

    Written as texts: ``-abc`` are flags, ``-n=`` and ``--lines=`` take a value, ``--color?`` may have one attached,
    ``--arg==`` takes two, ``-a#`` also allows ``-5``. Literal ones are taken whole: ``-version``.
    """

    any: bool = False
    plain: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    literal: frozenset[str] = frozenset()
    number: bool = False

    @classmethod
    def of(cls, written: Sequence[str] | Literal["any"], literal: Iterable[str] = ()) -> Options:
        """Read a table as it is written."""
        if written == "any":
            return cls(any=True)
        plain, valued, optional, paired = set[str](), set[str](), set[str](), set[str]()
        for text in written:
            if text.endswith("=="):
                paired.add(text[:-2])
            elif text.endswith("="):
                valued.add(text[:-1])
            elif text.endswith("?"):
                optional.add(text[:-1])
            elif text.startswith("--"):
                plain.add(text)
            else:
                plain.update(f"-{letter}" for letter in text[1:])
        return cls(
            plain=frozenset(plain),
            valued=frozenset(valued),
            optional=frozenset(optional),
            paired=frozenset(paired),
            literal=frozenset(literal),
            number="-#" in plain,
        )


@dataclass(slots=True)
class Arguments:
    """A command's words after its program, read by a table of options."""

    operands: list[Word] = field(default_factory=list[Word])
    flags: set[str] = field(default_factory=set[str])
    values: list[tuple[str, Word]] = field(default_factory=list[tuple[str, Word]])
    interleaved: bool = False
    """An option stands after an operand, where not every system takes it for one."""


def read_options(words: Sequence[Word], options: Options, *, stop: bool = False) -> Arguments | None:
    """Read a command's words; None when one of them is no option of the table, or could be an option and is not known.

    With ``stop``, the first operand ends the options: it and what follows are the operands.
    """
    read = Arguments()
    if options.any:
        read.operands = list(words)
        return read
    rest = iter(words)
    for word in rest:
        if not word.may_be_option:
            read.operands.append(word)
            if stop:
                break
            continue
        if not word.exact:
            name, equals, _ = word.text.partition("=")
            if not equals or word.splits or name not in options.valued:
                return None
            read.flags.add(name)
            read.values.append((name, Word(word.source, "", Known.UNKNOWN)))
            continue
        if word.text == "--":
            break
        read.interleaved = read.interleaved or bool(read.operands)
        known = _long(word, rest, options, read) if word.text.startswith("--") else _short(word, rest, options, read)
        if not known:
            return None
    read.operands += rest
    return read


def _long(word: Word, rest: Iterator[Word], options: Options, read: Arguments) -> bool:
    name, equals, value = word.text.partition("=")
    read.flags.add(name)
    if equals:
        read.values.append((name, Word(value, value)))
        return name in options.valued or name in options.optional
    if name in options.plain or name in options.optional or name in options.literal:
        return True
    if name in options.paired:
        return _value(name, rest, read) and _value(name, rest, read)
    return name in options.valued and _value(name, rest, read)


def _short(word: Word, rest: Iterator[Word], options: Options, read: Arguments) -> bool:
    text = word.text
    if text in options.literal or (options.number and _NUMBER.fullmatch(text)):
        read.flags.add(text)
        return True
    for at, letter in enumerate(text[1:], start=1):
        flag = f"-{letter}"
        attached = text[at + 1 :]
        read.flags.add(flag)
        if flag in options.optional or (flag in options.valued and attached):
            if attached:
                read.values.append((flag, Word(attached, attached)))
            return True
        if flag in options.valued:
            return _value(flag, rest, read)
        if flag not in options.plain or letter == "#":
            return False
    return True


def _value(flag: str, rest: Iterator[Word], read: Arguments) -> bool:
    """Take the next word as an option's value: it must be there, and one word."""
    value = next(rest, None)
    if value is None or value.splits or value.known is Known.PATTERN:
        return False
    read.values.append((flag, value))
    return True
