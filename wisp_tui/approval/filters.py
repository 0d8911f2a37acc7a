"""Scripts that are arguments: whether those of sed, awk, jq, find and test only read. What is not known asks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wisp_tui.approval.script import Known, Word

# sed ----------------------------------------------------------------------------------------------------------------

LONGEST = 4000
"""Characters of a script that is read."""
_SED_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\[\n]|\\[^\n]|\[\^?\]?[^\]/\n]*\])*/I?)"
_SED_ADDRESSES = re.compile(rf"\s*(?:{_SED_ADDRESS}(?:\s*,\s*(?:{_SED_ADDRESS}|[+~]\d+))?)?\s*!?\s*")
_SED_COMMAND = re.compile(r"[pPdDqQhHgGxnNl=zF](?=\s*(?:[;}\n]|$))|q\s*\d+(?=\s*(?:[;}\n]|$))|[{}]")
_SED_FLAGS = re.compile(r"[gpiIm0-9]*(?=\s*(?:[;}\n]|$))")
_SED_BETWEEN = re.compile(r"[\s;]*")


def reading_sed(script: str) -> bool:
    """Whether a sed script only prints: no ``w``, ``e``, ``r``, no flag that runs or writes, nothing unusual."""
    at = 0
    if len(script) > LONGEST:
        return False
    while True:
        at = _end(_SED_BETWEEN, script, at)
        if at == len(script):
            return True
        at = _end(_SED_ADDRESSES, script, at)
        after = _sed_command(script, at)
        if after is None:
            return False
        at = after


def _end(pattern: re.Pattern[str], script: str, at: int) -> int:
    """Where something that may be empty ends."""
    found = pattern.match(script, at)
    return found.end() if found else at


def _sed_command(script: str, at: int) -> int | None:
    """Where a command that only prints ends; None for any other."""
    if at < len(script) and script[at] in "sy":
        return _sed_replacement(script, at)
    found = _SED_COMMAND.match(script, at)
    return found.end() if found else None


def _sed_replacement(script: str, at: int) -> int | None:
    """Where ``s/a/b/flags`` or ``y/abc/xyz/`` ends. Seds differ on a bracket that holds the delimiter: not read."""
    mark = script[at + 1 : at + 2]
    if not mark or mark in "\\\n" or mark.isalnum() or mark.isspace():
        return None
    stretch = re.compile(rf"(?:[^\\\n{re.escape(mark)}]|\\[^\n])*{re.escape(mark)}")
    end = at + 2
    for number in range(2):
        found = stretch.match(script, end)
        if found is None or (number == 0 and _bracket_open(found[0][:-1])):
            return None
        end = found.end()
    flags = _SED_FLAGS.match(script, end)
    return flags.end() if flags else None


def _bracket_open(expression: str) -> bool:
    """Whether a bracket is still open at the end of an expression, in any sed's reading."""
    if re.search(r"\[[^\]]*\\", expression):
        return True  # a backslash in a bracket is itself in some seds, and quotes in others
    rest = re.sub(r"\\.|\[\^?\]?(?:\[:\w+:\]|[^\]\[])*\]", "", expression, flags=re.DOTALL)
    return "[" in rest


# awk ----------------------------------------------------------------------------------------------------------------

_AWK_ACTS = re.compile(r"\b(?:system|getline|close|fflush|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|@")


def reading_awk(program: str) -> bool:
    """Whether an awk program only prints. Before the first brace, ``>`` compares and ``|`` is in an expression."""
    actions = program.partition("{")[2].replace("||", "")
    return _AWK_ACTS.search(program) is None and ">" not in actions and "|" not in actions


# jq -----------------------------------------------------------------------------------------------------------------

_JQ_ACTS = re.compile(
    r"\b(?:env|ENV|load\w*|strenv|envsubst|system|import|include|input_filename|get_search_list|modulemeta|eval)\b"
)


def reading_jq(program: str) -> bool:
    """Whether a jq or yq program only looks at its input, not at files or variables."""
    return _JQ_ACTS.search(program) is None


# find ---------------------------------------------------------------------------------------------------------------

_FIND_ALONE = re.compile(
    r"""
    [!(),] | -(?: a | o | and | or | not | print | print0 | ls | prune | quit | empty | readable | writable | executable
      | nouser | nogroup | true | false | depth | d | xdev | mount | x | s | X | E | follow | daystart | noleaf | warn
      | nowarn | ignore_readdir_race | noignore_readdir_race | L | H | P )
    """,
    re.VERBOSE,
)
_FIND_VALUED = re.compile(
    r"""
    -(?: i?name | i?path | i?wholename | i?lname | i?regex | regextype | x?type | size | [acm](?:time|min)
      | B(?:time|min) | newer(?:[aBcm][aBcmt])? | [ac]newer | samefile | perm | user | group | uid | gid
      | links | inum | maxdepth | mindepth | fstype | printf | used | flags )
    """,
    re.VERBOSE,
)
FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
FIND_ACTS = frozenset({"-delete", "-fprint", "-fprintf", "-fprint0", "-fls"})


def reading_find(words: Sequence[Word]) -> bool:
    """Whether a find expression only looks: each word is known, and no action removes, writes or runs."""
    rest = iter(words)
    for word in rest:
        if word.known is Known.EXACT and _FIND_ALONE.fullmatch(word.text):
            continue
        if word.known is Known.EXACT and _FIND_VALUED.fullmatch(word.text):
            value = next(rest, None)
            if value is None or value.splits or (value.known is Known.PATTERN and "." not in value.text.strip("*?")):
                return False
            continue
        if word.may_be_option or word.splits:
            return False
    return True


# test ---------------------------------------------------------------------------------------------------------------

_UNARY = re.compile(r"-[edfrwxsLhnzbcpStugkOGN]")
_BINARY = re.compile(r"=|==|!=|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)")


def reading_printf(words: Sequence[Word]) -> bool:
    """Whether ``printf`` is given a format first, so that no option sets a variable."""
    return len(words) > 1 and words[1].exact and not words[1].text.startswith("-")


def reading_test(words: Sequence[Word]) -> bool:
    """Whether ``test`` or ``[`` is given a form that evaluates nothing: ``-v`` and what could become it does."""
    if words and words[0].source == "[":
        if words[-1].source != "]":
            return False
        words = words[:-1]
    operands = list(words[1:])
    if operands and operands[0].exact and operands[0].text == "!":
        operands.pop(0)
    if any(operand.splits or operand.known is Known.PATTERN for operand in operands):
        return False
    texts = [operand.text if operand.exact else None for operand in operands]
    match texts:
        case [] | [_]:
            return True
        case [str() as unary, _]:
            return _UNARY.fullmatch(unary) is not None
        case [_, str() as binary, _]:
            return _BINARY.fullmatch(binary) is not None
        case _:
            return all(text is not None and text not in {"-v", "-R"} for text in texts)
