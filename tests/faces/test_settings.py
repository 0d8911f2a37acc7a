"""The form of the settings: found by typing, changed by keys, and what it asks and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.model import ScriptedModel, says
from tests.fakes.screen import StillApp, app_with, prompt, said, until, write
from wisp_tui.app.screens.settings import SettingsScreen
from wisp_tui.app.screens.talk import TalkScreen
from wisp_tui.app.themes import DARK, LIGHT
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.config import Home
from wisp_tui.session.settings import SettingState
from wisp_tui.tools.processes import MARK


def form(app: StillApp) -> SettingsScreen:
    assert isinstance(app.screen, SettingsScreen)
    return app.screen


def under(app: StillApp) -> SettingState:
    state = form(app).state
    assert state is not None
    return state


def file(tmp_path: Path) -> dict[str, object]:
    return json.loads(Home(tmp_path / "home").config.read_bytes())


def bar_of(app: StillApp, name: str) -> str:
    return form(app).query_one(f"#{name}", Bar).text


async def look_for(pilot: Pilot[int], app: StillApp, name: str) -> None:
    """Search for a setting by its whole name."""
    if form(app).model.wanted:
        await pilot.press("escape")
    await write(pilot, name)
    assert under(app).setting.name == name


async def test_settings_are_found_by_typing_and_changed_where_they_stand(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        prompt(app).write("/config")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))

        await look_for(pilot, app, "facts.summaryWithFacts")
        await pilot.press("enter")
        assert file(tmp_path) == {"facts": {"summaryWithFacts": False}}
        assert form(app).told == ("facts.summaryWithFacts is false; it was true\nit holds from the next start of wisp")
        await pilot.press("ctrl+r")
        assert file(tmp_path) == {}

        await look_for(pilot, app, "ollama.think")
        await pilot.press("left")
        await pilot.press("left")
        assert file(tmp_path) == {"ollama": {"think": "high"}}

        await look_for(pilot, app, "context.budget")
        await pilot.press("enter", "end", *["backspace"] * 4, *"7", "enter")
        assert form(app).told.startswith("context.budget cannot be 7: it takes a number from 0.3 to 0.95")
        await pilot.press("backspace", *"0.7", "enter")
        assert under(app).value == 0.7
        assert under(app).in_force == 0.85

        await look_for(pilot, app, "tools.disabled")
        await pilot.press("enter", *"memory", "space", "apostrophe", *"a", "space", "b", "apostrophe", "enter")
        assert under(app).value == ["memory", "a b"]

        await pilot.press("escape", "escape")
        assert isinstance(app.screen, TalkScreen)
        prompt(app).write("/config get context.budget")
        await pilot.press("enter")
        await until(pilot, lambda: "context.budget = 0.85" in said(app))


async def test_what_weakens_something_is_asked_about_and_only_y_changes_it(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("ctrl+g")
        for name, key, sentence in (
            ("approval.threshold", "right", "this weakens the gate: safe and moderate commands run unasked"),
            ("sandbox.enabled", "enter", "this weakens the sandbox: commands run without walls"),
            ("audit.enabled", "enter", "this weakens the audit: nothing is recorded"),
        ):
            await look_for(pilot, app, name)
            await pilot.press(key)
            question = form(app).question
            assert app.focused is question
            assert question.rows[0].text.startswith(sentence)
            await pilot.press("enter", "right", "ctrl+r", "down", "x")
            assert app.focused is question
            await pilot.press("n")
            assert form(app).told == "left as it is"
            assert not Home(tmp_path / "home").config.exists()
        await pilot.press("enter", "escape")
        assert form(app).told == "left as it is"
        await pilot.press("enter", "y")
        assert file(tmp_path) == {"audit": {"enabled": False}}
        assert "this weakens the audit" in form(app).told
        await pilot.press("enter")  # what strengthens asks nothing
        assert file(tmp_path) == {"audit": {"enabled": True}}


async def test_a_form_inside_a_command_of_a_model_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, "1")
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("f10")
        await look_for(pilot, app, "sandbox.enabled")
        await pilot.press("enter")
        assert "only a person changes the settings" in form(app).told
        assert not Home(tmp_path / "home").config.exists()


async def test_a_change_under_the_form_is_said_and_kept(tmp_path: Path) -> None:
    config = Home(tmp_path / "home").config
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("f10")
        await look_for(pilot, app, "audit.keep")
        config.write_text('{"audit": {"keep": 9}, "later": [1]}')
        await pilot.press("enter", "backspace", *"12", "enter")
        assert form(app).told.startswith("not changed: audit.keep is 9 in the file since")
        assert (file(tmp_path), under(app).value) == ({"audit": {"keep": 9}, "later": [1]}, 9)
        await pilot.press("enter")  # what was written stands there still, and is set on what is seen now
        assert (file(tmp_path), under(app).value) == ({"audit": {"keep": 12}, "later": [1]}, 12)


async def test_a_file_that_cannot_be_used_is_said_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Home(tmp_path / "home").config
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        config.write_text("{oops")
        await pilot.press("f10")
        assert "config.json is not a JSON object" in bar_of(app, "settings-remark")
        await look_for(pilot, app, "facts.enabled")
        await pilot.press("enter")
        assert "config.json is not a JSON object" in form(app).told
        assert config.read_text() == "{oops"

        config.write_text('{"context": {"budget": 7, "new": 1}}')
        await look_for(pilot, app, "context.budget")
        await pilot.press("escape", "down", "up", "f10", "f10")
        await look_for(pilot, app, "context.budget")
        assert under(app).fault == "context.budget is 7; it takes a number from 0.3 to 0.95"
        assert "context.new" in bar_of(app, "settings-remark") or form(app).model.wanted
        await pilot.press("ctrl+r")
        assert file(tmp_path) == {"context": {"new": 1}}

        def refuse(home: Home, path: Path, data: bytes) -> None:
            del home, path, data
            raise OSError(30, "Read-only file system")

        monkeypatch.setattr(Home, "write", refuse)
        await look_for(pilot, app, "facts.enabled")
        await pilot.press("enter")
        assert form(app).told.endswith("config.json cannot be written: Read-only file system")
        assert under(app).value is True


async def test_what_is_shown_changes_at_once_and_a_key_is_never_shown(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("f10")
        await look_for(pilot, app, "display.theme")
        await pilot.press("right")
        assert form(app).told.endswith("it holds from now on")
        await until(pilot, lambda: app.theme == LIGHT)
        assert under(app).in_force == LIGHT

        await look_for(pilot, app, "openai.key")
        await pilot.press("enter")
        assert form(app).input.password
        await pilot.press(*"sk-1x", "enter")
        assert file(tmp_path)["openai"] == {"key": "sk-1x"}
        shown = [row.text for row in form(app).model.whole(form(app).ledger.cursor)]
        assert not [text for text in (form(app).told, *shown) if "sk-1x" in text]
        await pilot.press("enter")
        assert form(app).input.value == ""

        await pilot.press("escape", "escape", "escape")
        prompt(app).write("/config set display.theme wisp-dark")
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == DARK)
        assert "it holds from now on" in said(app)
