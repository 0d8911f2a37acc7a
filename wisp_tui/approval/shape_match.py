"""Whether a command has one of the shapes that only read: exactly that form, every word of it accounted for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wisp_tui.approval import filters
from wisp_tui.approval.options import Arguments, read_options
from wisp_tui.approval.rules import Shape
from wisp_tui.approval.script import Known, Word


def fitting(shape: Shape, words: Sequence[Word], rest: Sequence[Word]) -> Arguments | None:
    """Read a command by a shape; None when it does not fit it."""
    read = read_options(rest, shape.reads)
    if read is None or any(_never(word, shape.never) for word in rest):
        return None
    operands = _operands(shape, read)
    pattern = re.compile(shape.pattern) if shape.pattern else None
    limited = shape.most is not None
    count = len(operands)
    fits = (
        shape.least <= count
        and (shape.operands != "none" or not count)
        and not (limited and (count > (shape.most or 0) or read.interleaved or _uncertain(operands)))
        and not (pattern and not all(word.exact and pattern.fullmatch(word.text) for word in operands))
        and (not shape.needs or bool(read.flags & set(shape.needs)))
        and (not operands or not shape.operands_need or bool(read.flags & set(shape.operands_need)))
        and _value_fits(shape, read)
        and _place_fits(shape.first, operands, 0, needed=True)
        and _place_fits(shape.second, operands, 1, needed=False)
    )
    return read if fits and _checked(shape, words, rest, read) else None


def _never(word: Word, options: Sequence[str]) -> bool:
    """Whether a word is an option that is never allowed, written out or shortened."""
    if word.choices and not word.text:
        return any(_never(choice, options) for choice in word.choices)
    name = word.text.partition("=")[0] if word.exact and word.may_be_option else ""
    return len(name) > 2 and any(option.startswith(name) for option in options)


def _uncertain(operands: Sequence[Word]) -> bool:
    return any(word.known is Known.PATTERN or word.splits for word in operands)


def _value_fits(shape: Shape, read: Arguments) -> bool:
    return shape.values is None or all(
        value.exact and re.fullmatch(shape.values, value.text)
        for flag, value in read.values
        if not shape.values_of or flag in shape.values_of
    )


def _place_fits(pattern: str | None, operands: Sequence[Word], at: int, *, needed: bool) -> bool:
    if pattern is None:
        return True
    if len(operands) <= at:
        return not needed
    return operands[at].exact and re.fullmatch(pattern, operands[at].text) is not None


def _checked(shape: Shape, words: Sequence[Word], rest: Sequence[Word], read: Arguments) -> bool:
    """Whether the script or expression among a command's words only reads too."""
    match shape.check:
        case None:
            return True
        case "test":
            return filters.reading_test(words)
        case "printf":
            return filters.reading_printf(words)
        case "find":
            return filters.reading_find(rest)
        case "sed" | "awk" | "jq":
            scripts = [value for flag, value in read.values if flag in shape.text_from]
            scripts += read.operands[: _texts(shape, read)]
            reads = {"sed": filters.reading_sed, "awk": filters.reading_awk, "jq": filters.reading_jq}[shape.check]
            known = bool(scripts) and all(script.exact and reads(script.text) for script in scripts)
            return known and (shape.check != "jq" or _all_reading_jq(read))


def _all_reading_jq(read: Arguments) -> bool:
    """Whether no operand could be a program that reads files: yq may take its program after a word of its own."""
    return all(not word.exact or filters.reading_jq(word.text) for word in read.operands)


def _operands(shape: Shape, read: Arguments) -> list[Word]:
    """The operands; where any option may stand, those words that are none and no option's value."""
    if not shape.reads.any:
        return read.operands
    operands: list[Word] = []
    rest = iter(read.operands)
    for word in rest:
        if not (word.exact and word.may_be_option):
            operands.append(word)
        elif word.text in shape.valued:
            next(rest, None)
        elif word.text == "--":
            operands += rest
        elif "/" in word.text or any(_gives(word.text, flag) for flag in shape.reads_from):
            operands.append(_named_by(word))
    return operands


def _named_by(option: Word) -> Word:
    """The file an option names: after its ``=``, or after its letter."""
    text = option.text.partition("=")[2] if "=" in option.text else option.text[2:]
    return Word(option.source, text)


def _texts(shape: Shape, read: Arguments) -> int:
    """How many of the first operands are text and no files."""
    if shape.reads.any:
        given = any(
            word.exact and word.may_be_option and any(_gives(word.text, flag) for flag in shape.text_from)
            for word in read.operands
        )
    else:
        given = bool(read.flags & set(shape.text_from))
    return 0 if given else shape.text


def _gives(option: str, flag: str) -> bool:
    """Whether a word is an option, written out, shortened or among other letters; rather too often than too seldom."""
    if flag.startswith("--"):
        name = option.partition("=")[0]
        return len(name) > 2 and flag.startswith(name)
    return not option.startswith("--") and flag[1] in option[1:]


def files_shown(shape: Shape, read: Arguments) -> list[Word]:
    """The words of a command that name files whose content it shows: all past its text, which may become several."""
    operands, texts = _operands(shape, read), _texts(shape, read)
    shown = [word for word in operands[:texts] if word.splits or word.known is Known.PATTERN] + operands[texts:]
    return shown + [value for _, value in read.values if value.exact and "/" in value.text]
