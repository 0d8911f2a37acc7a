"""Which variables of a line are known from the line alone: found in its text, before it is read word by word."""

from __future__ import annotations

import re
from collections import Counter

_UNSEEN = re.compile(
    r"\b(?:read|mapfile|readarray|getopts|declare|typeset|local|export|readonly|let|unset|eval|source|trap|coproc|select"
    r"|IFS|function|HOME|PWD)\b(?!/)|printf\s+-v|wait\s+-|:=|\$\{[^}]{0,500}=|(?:^|[\s;&|({])\.\s|\(\s*\)|(?<!\$)\(\("
)
"""What sets variables in other ways than ``NAME=VALUE``, or changes how their values are read."""
_HOME_READ = re.compile(r"\$\{?(?:HOME|PWD)\b\}?")
_SET = re.compile(
    r"(?:\bfor\s+(?P<loop>[A-Za-z_]\w*)\b)|(?<![\w$])(?P<name>[A-Za-z_]\w*)(?:\[[^\]]{0,200}\])?\+?=(?!=)"
)
_INTEGER = re.compile(
    r"(?<![\w$])(?P<name>[a-z_][a-z0-9_]*)=(?:\d+|\$\(\((?P<sum>[^()`'\"\\]*)\)\))(?=[\s;&|)]|$)"
    r"|\bfor\s+(?P<loop>[a-z_][a-z0-9_]*)\s+in(?:\s+\d+)+\s*(?:[;\n]|$)"
)
_SPECIAL = re.compile(
    r"_.*|BASH.*|OLDPWD|RANDOM|SRANDOM|SECONDS|LINENO|EPOCH.*|DIRSTACK|GROUPS|FUNCNAME|PIPESTATUS|REPLY|OPT.*"
)
"""Variables that the shell itself sets."""
_WORD = re.compile(r"[A-Za-z_]\w*")


def settled(line: str) -> bool:
    """Whether every assignment in the line can be seen for what it sets."""
    return _UNSEEN.search(_HOME_READ.sub("", line)) is None


def set_once(line: str) -> frozenset[str]:
    """Find the variables that the line sets in exactly one place. Sees too many places rather than too few."""
    places = Counter(found["loop"] or found["name"] for found in _SET.finditer(line))
    return frozenset(name for name, number in places.items() if number == 1 and not _SPECIAL.fullmatch(name))


def integers(line: str) -> frozenset[str]:
    """Find the variables whose every assignment in the line gives a whole number."""
    if _UNSEEN.search(_HOME_READ.sub("", line).replace("((", "").replace("let ", "")) is not None:
        return frozenset()
    places = Counter(found["loop"] or found["name"] for found in _SET.finditer(line))
    numeric: Counter[str] = Counter()
    sums: dict[str, set[str]] = {}
    for found in _INTEGER.finditer(line):
        name = found["loop"] or found["name"]
        numeric[name] += 1
        sums.setdefault(name, set()).update(_WORD.findall(found["sum"] or ""))
    sure = {name for name, number in numeric.items() if number == places[name]}
    while True:
        unsure = {name for name in sure if not sums[name] <= sure}
        if not unsure:
            return frozenset(sure)
        sure -= unsure
