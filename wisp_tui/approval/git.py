"""A git command taken apart: the options before its verb, where it runs, and its verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.approval.base import Level
from wisp_tui.approval.script import Known, Word
from wisp_tui.approval.verdict import Finding

_HARMLESS = frozenset(
    {
        "--no-pager",
        "-P",
        "--paginate",
        "-p",
        "--no-optional-locks",
        "--literal-pathspecs",
        "--glob-pathspecs",
        "--noglob-pathspecs",
        "--icase-pathspecs",
        "--no-replace-objects",
        "--no-lazy-fetch",
        "--no-advice",
    }
)
_HARMLESS_SETTINGS = (
    "color.",
    "core.quotepath=",
    "pager.",
    "advice.",
    "column.",
    "log.",
    "diff.noprefix=",
)

OPTIONS = Finding(Level.DANGEROUS, "gives git settings or programs of its own")


@dataclass(slots=True)
class GitCommand:
    """A git command without what stands before its verb."""

    words: tuple[Word, ...]
    """``git``, the verb and what follows it."""
    moves: tuple[Word, ...] = ()
    """The operands of ``-C``: where it runs."""
    fault: Finding | None = None


def taken_apart(words: Sequence[Word]) -> GitCommand:
    """Take off the options before the verb. One that could change what git runs is a fault."""
    moves: list[Word] = []
    fault: Finding | None = None
    at = 1
    while at < len(words):
        word = words[at]
        if word.known is not Known.EXACT:
            fault = fault or (OPTIONS if word.may_be_option else None)
            break
        if not word.text.startswith("-") or word.text in {"--version", "--help", "-v", "-h"}:
            break
        following = words[at + 1] if at + 1 < len(words) else None
        if word.text == "-C" and following is not None:
            moves.append(following)
            at += 1
        elif word.text == "-c" and following is not None:
            if not following.exact or not _harmless_setting(following.text):
                fault = OPTIONS
            at += 1
        elif word.text in {
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--config-env",
            "--attr-source",
        }:
            fault = OPTIONS
            at += 1
        elif word.text not in _HARMLESS:
            fault = OPTIONS
        at += 1
    return GitCommand((words[0], *words[at:]), tuple(moves), fault)


def _harmless_setting(setting: str) -> bool:
    lowered = setting.lower()
    if lowered.startswith(("pager.", "core.pager=")):
        return lowered.partition("=")[2] in {"", "false", "0", "no", "off", "cat"}
    if lowered.startswith("log."):
        return "signature" not in lowered
    return lowered.startswith(_HARMLESS_SETTINGS)
