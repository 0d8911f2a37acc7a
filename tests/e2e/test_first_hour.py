"""``docs/first-hour.md`` holds: from the first question over kill -9 to going on, in the app and in plain chat."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.fakes.first_hour import at_a_shell, shell_lines, steps

pytestmark = [
    pytest.mark.tmux,
    pytest.mark.skipif(None in (shutil.which("tmux"), shutil.which("bash")), reason="there is no tmux or bash here"),
    pytest.mark.timeout(120),
]


def test_the_first_hour_in_the_app_is_as_its_page_says(tmp_path: Path) -> None:
    with at_a_shell(tmp_path, width=80, height=24) as walk:
        for step in steps("In the app"):
            walk.take(step)


def test_the_first_hour_in_plain_chat_is_as_its_page_says(tmp_path: Path) -> None:
    with at_a_shell(tmp_path, width=80, height=24) as walk:
        for line in shell_lines("In plain chat"):
            walk.enter(line)
        for step in steps("In plain chat"):
            walk.take(step)
