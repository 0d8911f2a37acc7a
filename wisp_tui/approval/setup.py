"""A conversation's gate as its settings want it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wisp_tui.approval.base import Level
from wisp_tui.approval.gate import GateRules
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.patterns import BadPattern
from wisp_tui.approval.policy import CommandPolicy
from wisp_tui.approval.rules import load_rules
from wisp_tui.approval.store import ApprovalStore
from wisp_tui.approval.surroundings import Surroundings
from wisp_tui.config import ConfigError, Home, Settings

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
    surroundings = Surroundings.of(environment, home.root, bash=BASH.exists())
    return GateRules(
        judge=Judge(load_rules(), surroundings, directory),
        threshold=Level(settings.approval.threshold),
        policy=policy,
        store=ApprovalStore(home),
        sandboxed=sandboxed,
    )
