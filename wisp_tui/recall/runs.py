"""Reading what builds and tests print, exactly: their errors, what failed, the outcome, each by the line it stands on.

Known are the lines of pytest, unittest, cargo, go, swift, gcc and clang, tsc, jest, npm, make, and Python's tracebacks.
"""

from __future__ import annotations

import re
from enum import Enum, auto


class Said(Enum):
    """What a line of a run says."""

    ERROR = auto()
    FAILED = auto()
    WARNING = auto()
    OUTCOME = auto()


_ANY = re.IGNORECASE
_SHAPES: tuple[tuple[Said, re.Pattern[str]], ...] = (
    (Said.OUTCOME, re.compile(r"=* ?\d+ (?:passed|failed|errors?|skipped|deselected)\b.* in [\d.]+ ?s.*")),
    (Said.OUTCOME, re.compile(r"test result: .+|Tests?: +.*\d+ total|Executed \d+ tests?, .+|Ran \d+ tests? in .+")),
    (Said.OUTCOME, re.compile(r"FAILED \((?:failures|errors)=.+\)|Build complete!.*|BUILD (?:SUCCESSFUL|FAILED).*")),
    (Said.OUTCOME, re.compile(r" *Finished .*(?:profile|target).*|npm ERR! code .+|make(?:\[\d+\])?: \*\*\* .+")),
    (Said.OUTCOME, re.compile(r"error: could not compile .+|error: aborting due to .+|ok  \t.+|FAIL(?:\t.+)?")),
    (Said.FAILED, re.compile(r"(?:FAILED|ERROR) \S+::.+|(?:FAIL|ERROR): .+ \(.+\)|test .+ \.\.\. FAILED")),
    (Said.FAILED, re.compile(r"\s*--- FAIL: .+|FAIL +\S+\.[jt]sx?.*|\s*● .+|Test Case .+ failed.*")),
    (Said.ERROR, re.compile(r"(?:fatal |internal compiler )?error(?:\[\w+\])?: .+", _ANY)),
    (Said.ERROR, re.compile(r"\S[^:]*:\d+(?::\d+)?: (?:fatal )?error: .+|\S+\(\d+,\d+\): error .+", _ANY)),
    (
        Said.ERROR,
        re.compile(r"\S+\.go:\d+:\d+: .+|panic: .+|thread '.+' .*panicked at .+|ld: .+|.*undefined reference.+"),
    ),
    (
        Said.ERROR,
        re.compile(r"E {3,}(?:[\w.]*(?:Error|Exception|Failure|Exit)|assert)\b.*|[\w.]+(?:Error|Exception): .+"),
    ),
    (Said.WARNING, re.compile(r"(?:.*[\s:(])?warning(?:\[\w+\])?:? .+", _ANY)),
)
_HINTS = (
    "error",
    "fail",
    "warning",
    "passed",
    "skipped",
    "deselected",
    "test",
    "panic",
    "exception",
    "build",
    "finished",
    "***",
    "undefined",
    "●",
    ".go:",
)
_STARTS = ("e   ", "ld: ", "ok  \t")
"""What a line that says anything has, or begins with: looked for first, since most lines say nothing."""
_LONGEST = 2000
"""Characters of a line that are read."""


def read_line(text: str) -> Said | None:
    """Say what a line of a run says, None for nothing."""
    line = text[:_LONGEST].rstrip()
    small = line.lower()
    if not small.startswith(_STARTS) and not any(hint in small for hint in _HINTS):
        return None
    return next((said for said, shape in _SHAPES if shape.fullmatch(line)), None)
