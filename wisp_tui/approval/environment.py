"""What setting a variable does to the commands after it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from wisp_tui.approval.base import Level
from wisp_tui.approval.rules import Rules
from wisp_tui.approval.script import Word
from wisp_tui.approval.verdict import Finding


def special(name: str, value: Word, rules: Rules) -> list[Finding]:
    """What setting a variable does whether or not programs are given it: nothing, for one of the line's own."""
    variables = rules.variables
    if name in variables.pagers and value.exact and value.text in variables.pager_values:
        return []
    return [
        Finding(rule.level, f"sets {name}: {rule.reason}")
        for rule in variables.rules
        if any(fnmatchcase(name, pattern) for pattern in rule.names)
    ]


def exported(name: str, value: Word, rules: Rules) -> list[Finding]:
    """What setting a variable does that programs are given."""
    if findings := special(name, value, rules):
        return findings
    variables = rules.variables
    harmless = name in variables.pagers or any(fnmatchcase(name, pattern) for pattern in variables.harmless)
    if harmless and value.exact and not value.home and re.fullmatch(variables.harmless_value, value.text):
        return []
    return [Finding(Level.MODERATE, f"sets {name} for the programs it runs")]
