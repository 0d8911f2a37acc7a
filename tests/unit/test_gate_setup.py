"""A conversation's gate as its settings want it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.tools import CALL, TURN, Answers, Ear
from wisp_tui.approval import Answer, Gate, Level, gate_rules
from wisp_tui.config import ConfigError, Home, Settings

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/eve"}


async def test_the_settings_make_the_gate(wisp_home: Path, tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"approval": {"threshold": "dangerous"}, "commandPolicy": {"deny": ["git push"], "allow": ["make *"]}}
    )
    rules = gate_rules(settings, Home(wisp_home), ENVIRONMENT, tmp_path, sandboxed=True)
    person = Answers(Answer.NO)
    gate = Gate(person, Ear(), rules)

    async def allowed(line: str) -> bool:
        return (await gate.permit(line, str(tmp_path), turn=TURN, call=CALL)).allowed

    assert rules.threshold is Level.DANGEROUS
    assert [await allowed(line) for line in ("ls", "touch p", "make x", "git push")] == [True, True, True, False]
    assert person.asked == []
    assert await allowed("rm -rf src") is False
    assert [request.command for request in person.asked] == ["rm -rf src"]


def test_a_pattern_that_cannot_be_read_is_an_error_of_the_settings(wisp_home: Path, tmp_path: Path) -> None:
    settings = Settings.model_validate({"commandPolicy": {"deny": ["git 'push"]}})
    with pytest.raises(ConfigError, match="commandPolicy"):
        gate_rules(settings, Home(wisp_home), ENVIRONMENT, tmp_path, sandboxed=True)
