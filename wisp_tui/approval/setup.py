"""A conversation's gate as its settings want it, its judge loaded once there is something to judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from wisp_tui.approval.base import Level
from wisp_tui.approval.gate import GateRules
from wisp_tui.approval.patterns import BadPattern
from wisp_tui.approval.policy import CommandPolicy
from wisp_tui.approval.store import ApprovalStore
from wisp_tui.approval.verdict import Verdict
from wisp_tui.config import ConfigError, Home, Settings

if TYPE_CHECKING:
    from wisp_tui.approval.credentials import Credentials
    from wisp_tui.approval.judge import Judge

BASH = Path("/bin/bash")


def gate_rules(
    settings: Settings, home: Home, environment: Mapping[str, str], directory: Path, *, sandboxed: bool
) -> GateRules:
    """What a gate decides by, for a conversation in ``directory`` whose commands are given ``environment``.

    ``sandboxed``: commands really run in a sandbox. Raises ConfigError for a pattern that cannot be read.
    """
    try:
        policy = CommandPolicy.read(settings.command_policy.deny, settings.command_policy.allow)
    except BadPattern as error:
        raise ConfigError(f"commandPolicy: {error}") from error
    return GateRules(
        judge=LateJudge(partial(_judge, home, environment, directory)),
        threshold=Level(settings.approval.threshold),
        policy=policy,
        store=ApprovalStore(home),
        sandboxed=sandboxed,
        guarded=LateCredentials(partial(_credentials, home, environment)),
    )


class LateJudge:
    """A judge that is made with the first line: the grammar and the rules take longer to load than a line to judge."""

    def __init__(self, make: Callable[[], Judge]) -> None:
        self._judge = cache(make)

    def judge(self, line: str, directory: Path) -> Verdict:
        """Judge a line that would run in ``directory``."""
        return self._judge().judge(line, directory)


class LateCredentials:
    """The files that ask before they are read, by rules that are loaded with the first of them."""

    def __init__(self, make: Callable[[], Credentials]) -> None:
        self._credentials = cache(make)

    def asks_for(self, path: Path) -> str | None:
        """Tell why reading a file asks; None when it does not."""
        return self._credentials().asks_for(path)


def _judge(home: Home, environment: Mapping[str, str], directory: Path) -> Judge:
    from wisp_tui.approval.judge import Judge
    from wisp_tui.approval.rules import load_rules
    from wisp_tui.approval.surroundings import Surroundings

    return Judge(load_rules(), Surroundings.of(environment, home.root, bash=BASH.exists()), directory)


def _credentials(home: Home, environment: Mapping[str, str]) -> Credentials:
    from wisp_tui.approval.credentials import Credentials
    from wisp_tui.approval.rules import load_rules
    from wisp_tui.approval.surroundings import home_of

    return Credentials.of(load_rules(), home_of(environment), home.root)
