"""Whether a rule on risk holds for a command, and which files the command would write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wisp_tui.approval.rules import Rule, Writer
from wisp_tui.approval.script import Known, Word


def holds(rule: Rule, words: Sequence[Word]) -> bool:
    """Whether a rule holds. Where a word is not known, it holds: it may be what the rule is about."""
    rest = words[1:]
    if rule.unless_flags and any(word.exact and word.text.partition("=")[0] in rule.unless_flags for word in rest):
        return False
    if any(verb == tuple(word.text for word in rest[: len(verb)]) for verb in _split(rule.unless_verb)):
        return False
    placed = words[0].text.rpartition("/")[2] == "git"  # its options before the verb are taken off
    if rule.verb and not any(_has_verb(verb, rest, placed=placed) for verb in rule.verbs):
        return False
    if rule.flags and not any(_is_flag(word, rule.flags) for word in _before_end(rest)):
        return False
    if (shape := rule.operand_shape) and not any(_is_operand(word, shape) for word in rest):
        return False
    text = rule.text_shape
    return not text or any(not word.exact or text.search(word.text) for word in rest)


def in_words(rule: Rule, words: Sequence[Word]) -> bool:
    """Whether a rule that holds does so by the words that are known."""
    return holds(rule, [word for word in words if word.known is not Known.UNKNOWN])


def _split(verbs: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(verb.split()) for verb in verbs]


def _before_end(words: Sequence[Word]) -> Sequence[Word]:
    ends = next((at for at, word in enumerate(words) if word.exact and word.text == "--"), len(words))
    return words[:ends]


def _has_verb(verb: Sequence[str], words: Sequence[Word], *, placed: bool) -> bool:
    """Whether a verb stands first, or, where options with values may stand before it, among the first operands."""
    first = list(words) if placed else [word for word in words if not word.exact or not word.text.startswith("-")]
    for start in range(1 if placed else 3):
        found = first[start : start + len(verb)]
        if len(found) == len(verb) and all(
            not word.exact or word.text == part for word, part in zip(found, verb, strict=True)
        ):
            return True
    return False


def _is_flag(word: Word, flags: Sequence[str]) -> bool:
    if not word.exact:
        return word.may_be_option
    text = word.text.partition("=")[0]
    for flag in flags:
        if text == flag:
            return True
        if flag.startswith("--") and len(text) > 3 and flag.startswith(text):
            return True
        letters = text[1:]
        if len(flag) == 2 and text.startswith("-") and not text.startswith("--") and flag[1] in letters[:6]:
            return True
    return False


def _is_operand(word: Word, shape: re.Pattern[str]) -> bool:
    if word.known is Known.UNKNOWN:
        return True
    if word.text.startswith("-") and word.text != "--":
        return False
    return shape.fullmatch(word.text) is not None or (
        word.home and shape.fullmatch("~") is not None and word.text == "~"
    )


def targets_of(writer: Writer, words: Sequence[Word]) -> list[Word]:
    """The words that name what a program writes."""
    if writer.needs and not any(_is_flag(word, writer.needs) for word in words):
        return []
    targets: list[Word] = []
    operands: list[Word] = []
    rest = iter(words)
    for word in rest:
        if not word.exact or not word.text.startswith("-") or word.text in {"-", "--"}:
            operands.append(word)
            continue
        name, equals, value = word.text.partition("=")
        if name in writer.flags and equals:
            targets.append(Word(word.source, value))
        elif name in writer.flags:
            targets += [found for found in (next(rest, None),) if found is not None]
        else:
            attached = next((flag for flag in writer.flags if len(flag) == 2 and name.startswith(flag)), None)
            if attached:
                targets.append(Word(word.source, word.text[2:]))
    operands = [word for word in operands if word.text != "--"]
    match writer.targets:
        case "all":
            targets += operands
        case "last":
            targets += operands[-1:]
        case "none":
            pass
    return targets
