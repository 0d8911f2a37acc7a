"""Opening: the first frame before anything is loaded, what is written meanwhile taken over, faults told afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from textual import events

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import until, write
from tests.fakes.session import session_with
from wisp_tui.app import main as main_module
from wisp_tui.app.app import WispApp
from wisp_tui.app.main import run_app
from wisp_tui.app.screens.door import DoorScreen
from wisp_tui.app.screens.talk import TalkScreen
from wisp_tui.app.themes import ANSI, DARK, LIGHT, theme_named, wanted_theme
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.config import ConfigError
from wisp_tui.session import Session, Thread, ThreadOptions

HEAVY = (
    "wisp_tui.session",
    "wisp_tui.models",
    "wisp_tui.context",
    "wisp_tui.events",
    "pydantic",
    "httpx",
    "markdown_it",
)


def test_the_first_frame_loads_nothing_of_a_conversation() -> None:
    code = f"import sys, wisp_tui.app.main; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Held:
    """Opens a session once it is let."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.let = threading.Event()

    def __call__(self) -> tuple[Session, Thread]:
        assert self.let.wait(20)
        return self.session, self.session.new_thread(ThreadOptions())


def _opening(tmp_path: Path, model: ScriptedModel) -> tuple[WispApp, Held]:
    held = Held(session_with(tmp_path, model))
    return WispApp(held, {}, DARK), held


async def test_what_is_written_before_the_session_is_open_is_taken_over(tmp_path: Path) -> None:
    app, held = _opening(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        assert isinstance(app.screen, DoorScreen)
        await write(pilot, "dra")
        await pilot.press("ctrl+j")
        app.post_message(events.Paste("x" * 5000))
        await until(pilot, lambda: "#1]" in app.screen.query_one(PromptBox).text)
        held.let.set()
        await until(pilot, lambda: isinstance(app.screen, TalkScreen))
        await until(pilot, lambda: app.main.prompt.text == "dra\n[pasted 5,000 bytes #1]")
        assert app.main.prompt.pastes.expand(app.main.prompt.text) == f"dra\n{'x' * 5000}"
        await write(pilot, "ft")
        await until(pilot, lambda: app.main.prompt.text.endswith("ft"))


async def test_what_is_sent_before_the_session_is_open_is_sent_in_order(tmp_path: Path) -> None:
    model = ScriptedModel([says("one"), says("two")])
    app, held = _opening(tmp_path, model)
    async with app.run_test() as pilot:
        for text in ("first", "second"):
            await write(pilot, text)
            await pilot.press("enter")
        held.let.set()
        await until(pilot, lambda: len(model.requests) == 2)
        assert [request.messages[-1].content for request in model.requests] == ["first", "second"]


async def test_keys_that_come_while_one_screen_takes_the_others_place_are_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel([says("one")])
    app, held = _opening(tmp_path, model)
    push = app.push_screen

    async def typing(screen: TalkScreen) -> None:
        for key in ("f", "t", "enter"):
            app.post_message(events.Key(key, key if len(key) == 1 else "\r"))
        await push(screen)

    async with app.run_test() as pilot:
        await write(pilot, "dra")
        monkeypatch.setattr(app, "push_screen", typing)
        held.let.set()
        await until(pilot, lambda: len(model.requests) == 1)
        assert model.requests[0].messages[-1].content == "draft"
        assert not app.main.prompt.text


async def test_keys_that_need_a_conversation_do_nothing_before_there_is_one(tmp_path: Path) -> None:
    app, held = _opening(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await pilot.press("f1", "ctrl+t", "ctrl+o", "f4", "pageup", "escape", "up", "ctrl+p")
        assert isinstance(app.screen, DoorScreen)
        held.let.set()
        await until(pilot, lambda: isinstance(app.screen, TalkScreen))


async def test_it_can_be_left_before_the_session_is_open(tmp_path: Path) -> None:
    app, held = _opening(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
        held.let.set()
    assert app.return_code == 0


def _headless(monkeypatch: pytest.MonkeyPatch) -> None:
    run_async = WispApp.run_async

    async def without_a_terminal(app: WispApp) -> int | None:
        return await run_async(app, headless=True)

    monkeypatch.setattr(WispApp, "run_async", without_a_terminal)


def test_what_cannot_be_opened_is_raised_once_the_screen_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    _headless(monkeypatch)

    def begin() -> tuple[Session, ThreadOptions]:
        raise ConfigError("config.json: display is 7")

    with pytest.raises(ConfigError, match="display is 7"):
        run_app(begin, os.environ)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_process_ends_the_app_as_leaving_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    _headless(monkeypatch)
    session = session_with(tmp_path, ScriptedModel([says("x")]))

    def begin() -> tuple[Session, ThreadOptions]:
        os.kill(os.getpid(), number)
        return session, ThreadOptions()

    assert run_app(begin, os.environ) == 128 + number


def test_the_signals_that_end_the_process_are_all_handled() -> None:
    assert {signal.SIGTERM, signal.SIGHUP, signal.SIGINT} == set(main_module.SIGNALS)


@pytest.mark.parametrize(
    ("config", "theme"),
    [
        ('{"display":{"theme":"wisp-light"}}', LIGHT),
        ('{"display":{}}', DARK),
        ('{"display":7}', DARK),
        ("[1]", DARK),
        ("not json", DARK),
        (None, DARK),
    ],
)
def test_the_theme_is_known_before_the_settings_are_read(tmp_path: Path, config: str | None, theme: str) -> None:
    path = tmp_path / "config.json"
    if config is not None:
        path.write_text(config)
    assert wanted_theme(path) == theme


@pytest.mark.parametrize(
    ("wanted", "environment", "theme"),
    [
        ("wisp-dark", {}, DARK),
        ("light", {}, LIGHT),
        ("ansi", {}, ANSI),
        ("wisp-dark", {"NO_COLOR": "1"}, ANSI),
        ("x", {}, None),
    ],
)
def test_a_theme_is_found_by_its_name_and_none_is_coloured_where_none_is_wanted(
    wanted: str, environment: Mapping[str, str], theme: str | None
) -> None:
    assert theme_named(wanted, no_color="NO_COLOR" in environment) == theme
