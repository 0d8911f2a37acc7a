"""Commands within commands: what a wrapper, ``xargs``, ``find -exec`` or an interpreter is given to run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wisp_tui.approval.filters import FIND_RUNS
from wisp_tui.approval.options import Options, read_options
from wisp_tui.approval.rules import Interpreter, Wrapper
from wisp_tui.approval.script import Known, Word

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_XARGS = Options.of(
    [
        "-0rtpxo",
        "-n=",
        "-P=",
        "-I=",
        "-i?",
        "-L=",
        "-l?",
        "-d=",
        "-s=",
        "-E=",
        "-e?",
        "-J=",
        "-R=",
        "-S=",
        "--null",
        "--no-run-if-empty",
        "--verbose",
        "--max-args=",
        "--max-procs=",
        "--max-lines?",
        "--replace?",
        "--delimiter=",
        "--max-chars=",
        "--exit",
    ]
)
_SHELL = Options.of(["-ceuxlis", "-o=", "--norc", "--noprofile", "--posix", "--login"])

GIVEN = Word("…", "", Known.UNKNOWN, splits=True)
"""What ``xargs`` adds to a command: names from its input."""


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """The command inside, and the variables set for it."""

    words: tuple[Word, ...]
    variables: tuple[tuple[str, Word], ...] = ()


def unwrapped(words: Sequence[Word], wrapper: Wrapper) -> Unwrapped | None:
    """Take a wrapper off a command; None when what it runs cannot be told. No words: it runs nothing."""
    if wrapper.opaque:
        return None
    read = read_options(words[1:], wrapper.reads, stop=True)
    if read is None:
        return None
    rest = read.operands
    variables = [(name, Word("", "")) for name in ("PATH",) if read.flags & set(wrapper.clears)]
    variables += [(value.text, Word("", "")) for flag, value in read.values if flag in wrapper.unsets]
    while wrapper.assignments and rest:
        found = _ASSIGNMENT.fullmatch(rest[0].text)
        if found is None:
            break
        value = Word(rest[0].source, found[2], rest[0].known, splits=rest[0].splits)
        variables.append((found[1], value))
        rest = rest[1:]
    if len(rest) < wrapper.skip or any(word.splits for word in rest[: wrapper.skip]):
        return None if rest else Unwrapped(())
    return Unwrapped(tuple(rest[wrapper.skip :]), tuple(variables))


def given_to_xargs(words: Sequence[Word], *, listed: tuple[Word, ...]) -> Unwrapped | None:
    """The command that ``xargs`` runs, with what it adds; ``listed`` names what it is fed, when that is a listing."""
    read = read_options(words[1:], _XARGS, stop=True)
    if read is None:
        return None
    marks = [value.text for flag, value in read.values if flag in {"-I", "-J", "--replace", "-i"} and value.exact]
    if not marks and read.flags & {"-i", "--replace"}:
        marks = ["{}"]
    inner = tuple(read.operands) or (Word("echo", "echo"),)
    given = Word("…", "", Known.UNKNOWN, splits=not marks, choices=listed)
    if not marks:
        return Unwrapped((*inner, given))
    return Unwrapped(tuple(_replaced(word, marks[0], given) for word in inner))


def given_to_find(words: Sequence[Word], *, listed: tuple[Word, ...]) -> list[tuple[Word, ...]] | None:
    """The commands that a ``find`` expression runs; None when one cannot be told from what follows it.

    The names it gives them begin with the directory it was given, so none is taken for an option.
    """
    commands: list[tuple[Word, ...]] = []
    rest = list(words)
    rooted = bool(rest) and rest[0].exact and not rest[0].may_be_option
    name = Word("{}", f"{rest[0].text}/" if rooted else "", Known.UNKNOWN, choices=listed)
    while rest:
        word = rest.pop(0)
        if not (word.exact and word.text in FIND_RUNS):
            continue
        command: list[Word] = []
        while rest and not (rest[0].exact and (rest[0].text == ";" or (rest[0].text == "+" and _last_names(command)))):
            command.append(rest.pop(0))
        if not rest or not command:
            return None
        rest.pop(0)
        commands.append(tuple(_replaced(inside, "{}", name) for inside in command))
    return commands


def without_runs(words: Sequence[Word]) -> list[Word]:
    """A ``find`` expression without what it runs."""
    kept: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.exact and word.text in FIND_RUNS:
            while rest and not (rest[0].exact and rest[0].text in {";", "+"}):
                rest.pop(0)
            rest = rest[1:]
        else:
            kept.append(word)
    return kept


def _last_names(command: Sequence[Word]) -> bool:
    return bool(command) and command[-1].text == "{}"


def _replaced(word: Word, mark: str, given: Word) -> Word:
    if mark not in word.text or not word.exact:
        return word
    if word.text == mark:
        return replace(given, source=word.source)
    return Word(word.source, word.text.partition(mark)[0], Known.UNKNOWN)


# Interpreters -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Given:
    """What an interpreter is given: code, or the name of a script, or nothing, so that it reads its input."""

    code: Word | None = None
    script: Word | None = None
    module: Word | None = None
    sure: bool = True
    """Its options are all known."""
    login: bool = False
    """It reads the person's start-up files, or waits for a person."""


def given_to_shell(words: Sequence[Word]) -> Given:
    """What a shell is given to run."""
    read = read_options(words[1:], _SHELL, stop=True)
    if read is None:
        return Given(sure=False)
    login = bool(read.flags & {"-l", "-i", "--login"})
    first = read.operands[0] if read.operands else None
    if first is not None and first.text.startswith("+"):
        return Given(sure=False)
    if "-c" in read.flags:
        return Given(code=first, sure=first is not None, login=login)
    if first is None or "-s" in read.flags:
        return Given(login=login)
    return Given(script=first, login=login)


def given_to_interpreter(words: Sequence[Word], interpreter: Interpreter) -> Given:
    """What an interpreter is given to run."""
    for at, word in enumerate(words[1:], start=1):
        if word.exact and word.text in interpreter.code:
            return Given(code=words[at + 1] if at + 1 < len(words) else None, sure=at + 1 < len(words))
    read = read_options(words[1:], interpreter.reads, stop=True)
    if read is None:
        return Given(sure=False)
    for flag, value in read.values:
        if flag in interpreter.code:
            return Given(code=value)
        if flag == "-m":
            return Given(module=value)
    first = read.operands[0] if read.operands else None
    return Given() if first is None or (first.exact and first.text == "-") else Given(script=first)
