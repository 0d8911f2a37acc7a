"""The words of the status line: what is left out where there is no room, and what never is."""

from __future__ import annotations

import pytest

from wisp_tui.app.words import StatusFacts, status_line
from wisp_tui.session.status import GitState, Status


def shown(width: int, *, bare: bool) -> str:
    mode = "asks above safe, no sandbox" if bare else "asks at moderate"
    status = Status("ollama:granite4.1:8b", "~/src/harbour", GitState("main", 12, 3), mode, 4913, 8192, bare)
    _, right = status_line(StatusFacts(status, None), width)
    return "".join(piece.text for piece in right)


@pytest.mark.parametrize("width", [120, 96, 76, 56, 46, 36])
def test_that_there_is_no_sandbox_is_said_at_any_width_with_room_for_it(width: int) -> None:
    assert "no sandbox" in shown(width, bare=True)


def test_the_approval_mode_gives_way_before_the_directory_where_there_is_one() -> None:
    assert shown(120, bare=False).endswith("asks at moderate")
    assert shown(76, bare=False).endswith("~/src/harbour:main")
