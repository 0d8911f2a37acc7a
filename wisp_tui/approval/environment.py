"""What setting a variable does to the commands after it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from wisp_tui.approval.base import Level
from wisp_tui.approval.rules import Rules, VariableRule
from wisp_tui.approval.script import Known, Word
from wisp_tui.approval.verdict import Finding

_SECRET = re.compile(r"\$\{?[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASS|CRED|AUTH|_PWD|_PAT\b|_DSN|_UR[IL])[A-Z0-9_]*")
"""A variable whose name says that it may hold a secret."""

USES_SECRET = Finding(Level.MODERATE, "uses a secret of the environment")


def secret(word: Word) -> bool:
    """Whether a word may hold a secret of the environment."""
    return word.known is Known.UNKNOWN and _SECRET.search(word.source) is not None


def special(name: str, value: Word, rules: Rules) -> list[Finding]:
    """What setting a variable does whether or not programs are given it: nothing, for one of the line's own."""
    variables = rules.variables
    if name in variables.pagers and value.exact and value.text in variables.pager_values:
        return []
    return [
        Finding(rule.level, f"sets {name}: {rule.reason}")
        for rule in variables.rules
        if any(fnmatchcase(name, pattern) for pattern in rule.names) and not _unless(rule, value)
    ]


def _unless(rule: VariableRule, value: Word) -> bool:
    """Whether a value is one that a rule lets pass; a number is, wherever any is."""
    return rule.unless is not None and (
        value.plain or (value.exact and re.fullmatch(rule.unless, value.text) is not None)
    )


def exported(name: str, value: Word, rules: Rules) -> list[Finding]:
    """What setting a variable does that programs are given."""
    if findings := special(name, value, rules):
        return findings
    variables = rules.variables
    harmless = name in variables.pagers or any(fnmatchcase(name, pattern) for pattern in variables.harmless)
    if harmless and value.exact and not value.home and re.fullmatch(variables.harmless_value, value.text):
        return []
    return [Finding(Level.MODERATE, f"sets {name} for the programs it runs")]
