"""Pictures of the form of the settings: the list, a value being written and refused, the question, a small screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, says
from tests.fakes.pictures import Compare, Size, Step, after, press
from tests.fakes.screen import StillApp, app_with, write
from wisp_tui.config import Home, Settings
from wisp_tui.config.fields import setting_named

NAMES = (
    *("model", "instructions", "audit.enabled", "audit.maxBytes", "audit.keep"),
    *("context.budget", "context.target", "context.headroomTurns", "context.outputDays"),
    *("facts.enabled", "facts.share", "facts.distil", "facts.summary", "facts.kinds", "facts.testCommands"),
    *("approval.threshold", "approval.timeoutSeconds", "commandPolicy.deny", "commandPolicy.allow"),
    *("sandbox.enabled", "sandbox.network", "sandbox.writablePaths", "tools.commandMaxOutputBytes"),
    *("display.shownOutputLines", "display.theme", "ollama.host", "ollama.contextLength", "ollama.think"),
    *("openai.host", "openai.key", "embedded.contextLength", "embedded.threads"),
)

FILE = (
    '{"later": 1, "context": {"budget": 0.7}, "commandPolicy": {"deny": ["rm *", "shutdown"]}, "audit": {"keep": 500}}'
)


@pytest.fixture(autouse=True)
def same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """List these settings and no others: one that is added elsewhere changes no picture."""
    known = {name: setting_named(name) for name in NAMES}
    monkeypatch.setattr("wisp_tui.session.settings.settings_by_name", lambda: known)


def opened(tmp_path: Path, theme: str, *, no_color: bool = False) -> StillApp:
    """Make the app over a home whose settings were changed since the conversation began."""
    settings = Settings.model_validate({"display": {"theme": theme}})
    app = app_with(tmp_path, ScriptedModel([says("x")]), settings=settings, no_color=no_color)
    Home(tmp_path / "home").config.write_text(FILE)
    return app


def typed(text: str) -> Step:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        del app
        await write(pilot, text)
        await pilot.pause()

    return step


@pytest.mark.parametrize(("theme", "size"), [("wisp-dark", (120, 40)), ("wisp-light", (80, 24))], ids=["dark", "light"])
def test_form(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(press("f10"), press(*["down"] * 4))
    assert snap_compare(opened(tmp_path, theme), terminal_size=size, run_before=steps)


def test_refused(snap_compare: Compare, tmp_path: Path) -> None:
    steps = after(press("f10"), typed("budg"), press("enter", "backspace", "9", "9", "enter"))
    assert snap_compare(opened(tmp_path, "wisp-dark"), terminal_size=(80, 24), run_before=steps)


@pytest.mark.parametrize("no_color", [False, True], ids=["colours", "no-color"])
def test_weakening(snap_compare: Compare, tmp_path: Path, no_color: bool) -> None:
    steps = after(press("f10"), typed("sandbox.enabled"), press("enter"))
    app = opened(tmp_path, "wisp-dark", no_color=no_color)
    assert snap_compare(app, terminal_size=(80, 24), run_before=steps)


def test_small(snap_compare: Compare, tmp_path: Path) -> None:
    steps = after(press("f10"), typed("deny"), press("enter"))
    assert snap_compare(opened(tmp_path, "wisp-dark"), terminal_size=(40, 12), run_before=steps)
