"""Keys: the ladder of ctrl-c, the history, pastes, completion, and the registry they are all in."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest
from textual import events

from tests.fakes.model import Hang, ScriptedModel, says
from tests.fakes.screen import Tick, app_with, prompt, said, send, talk_screen, until, write
from wisp_tui.app.actions import ACTIONS, Place, action_for, keys_of
from wisp_tui.app.app import WispApp
from wisp_tui.app.screens.condensation import CondensationScreen
from wisp_tui.app.screens.help import HelpScreen, help_rows
from wisp_tui.app.screens.pager import PagerScreen
from wisp_tui.app.widgets.approval import ApprovalPanel
from wisp_tui.app.widgets.completions import CompletionList
from wisp_tui.app.widgets.condensation import CondensationView
from wisp_tui.app.widgets.contextpanel import ContextPanel
from wisp_tui.app.widgets.promptbox import PromptBox
from wisp_tui.models import TextDelta
from wisp_tui.session.commands import commands


async def test_ctrl_c_copies_a_selection_and_leaves_the_turn_alone(tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = app_with(tmp_path, ScriptedModel([[TextDelta("words to copy"), Hang(reached)]]))
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, lambda: "words to copy" in said(app))
        talk_screen(app).text_select_all()
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "words to copy" in app.clipboard)
        assert app.thread.running


async def test_ctrl_c_copies_what_is_selected_in_the_prompt(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await write(pilot, "abc")
        prompt(app).select_all()
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.clipboard == "abc")
        assert prompt(app).text == "abc"


async def test_ctrl_c_clears_the_prompt_then_stops_the_turn_then_leaves_on_the_second_press(tmp_path: Path) -> None:
    reached = asyncio.Event()
    clock = Tick()
    app = app_with(tmp_path, ScriptedModel([[TextDelta("half"), Hang(reached)]]), clock=clock)
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, reached.is_set)
        await write(pilot, "draft")
        await pilot.press("ctrl+c")
        assert prompt(app).text == ""
        assert app.thread.running
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.thread.running)
        clock.move(10)
        await pilot.press("ctrl+c")
        clock.move(5)
        await pilot.press("ctrl+c")
        assert app.is_running
        clock.move(1)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_ctrl_j_begins_a_new_line_and_enter_sends_both(tmp_path: Path) -> None:
    model = ScriptedModel([says("yes")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await write(pilot, "one")
        await pilot.press("ctrl+j")
        await send(pilot, "two")
        await until(pilot, lambda: model.requests)
        assert model.requests[0].messages[-1].content == "one\ntwo"


async def test_printable_keys_go_to_the_prompt_wherever_the_focus_is(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        app.screen.set_focus(None)
        await write(pilot, "typed")
        await until(pilot, lambda: prompt(app).text == "typed")


async def test_a_paste_of_a_million_bytes_is_held_behind_a_placeholder_and_sent_exactly(tmp_path: Path) -> None:
    model = ScriptedModel([says("long")], window=None)
    app = app_with(tmp_path, model)
    pasted = "".join(f"{number:07d}\t[/x]\r\n" for number in range(74_899))[: 1024 * 1024]
    async with app.run_test() as pilot:
        await write(pilot, "look ")
        app.post_message(events.Paste(pasted))
        await until(pilot, lambda: "#1]" in prompt(app).text)
        assert prompt(app).text == "look [pasted 1,048,576 bytes #1]"
        await pilot.press("enter")
        await until(pilot, lambda: model.requests)
        assert model.requests[0].messages[-1].content == f"look {pasted}"


async def test_a_small_paste_is_put_in_as_it_is(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        app.post_message(events.Paste("two\rlines"))
        await until(pilot, lambda: prompt(app).text == "two\nlines")


async def test_a_paste_with_control_characters_is_held_and_sent_as_it_came(tmp_path: Path) -> None:
    model = ScriptedModel([says("x")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        app.post_message(events.Paste("a\x1b[2Jb"))
        await until(pilot, lambda: prompt(app).text == "[pasted 6 bytes #1]")
        await pilot.press("enter")
        await until(pilot, lambda: model.requests)
        assert model.requests[0].messages[-1].content == "a\x1b[2Jb"


async def test_what_was_sent_comes_back_with_up_also_in_the_next_session(tmp_path: Path) -> None:
    for text, before in (("first", None), ("second", "first")):
        app = app_with(tmp_path, ScriptedModel([says("x")]))
        async with app.run_test() as pilot:
            if before is not None:
                await pilot.press("up")
                await until(pilot, lambda wanted=before, at=app: prompt(at).text == wanted)
                await pilot.press("down")
                await until(pilot, lambda at=app: prompt(at).text == "")
            await send(pilot, text)
            await until(pilot, lambda wanted=text, at=app: f"❯ {wanted}" in said(at))
    kept = tmp_path / "home" / "history.jsonl"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_text() == '"first"\n"second"\n'


async def test_up_keeps_what_was_being_written(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await send(pilot, "sent")
        await until(pilot, lambda: "❯ sent" in said(app))
        await write(pilot, "draft")
        await pilot.press("up")
        await until(pilot, lambda: prompt(app).text == "sent")
        await pilot.press("down")
        await until(pilot, lambda: prompt(app).text == "draft")


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_what_is_told_in_passing_never_lies_over_the_prompt(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("ctrl+c", "f6", "ctrl+o")
        await until(pilot, lambda: len(app.screen.query("Toast")) == 3)
        below = talk_screen(app).query_one("#below").region
        await until(pilot, lambda: all(toast.region.height for toast in app.screen.query("Toast")))
        assert not any(toast.region.overlaps(below) for toast in app.screen.query("Toast"))


async def test_tab_completes_a_command_and_the_list_shows_them(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await write(pilot, "/to")
        listed = talk_screen(app).query_one(CompletionList)
        await until(pilot, lambda: listed.display)
        assert [row.text.split()[0] for row in listed.rows] == [name for name in commands() if name.startswith("/to")]
        await pilot.press("tab")
        await until(pilot, lambda: prompt(app).text.startswith("/to") and prompt(app).text.endswith(" "))
        await until(pilot, lambda: not listed.display)


async def test_enter_runs_a_command_that_no_other_begins_like_and_completes_the_rest(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await send(pilot, "/tok")
        await until(pilot, lambda: "the next request carries" in said(app))
        assert "❯ /tokens" in said(app).splitlines()
        assert prompt(app).text == ""

        await send(pilot, "/t")  # several begin so: the first is taken, and the second enter runs it
        await until(pilot, lambda: prompt(app).text == "/tools ")
        assert "their definitions take" not in said(app)
        await pilot.press("enter")
        await until(pilot, lambda: "their definitions take" in said(app))

        await send(pilot, "/insp")  # it needs more after it
        await until(pilot, lambda: prompt(app).text == "/inspect ")
        await write(pilot, "context turns")
        await pilot.press("enter")
        await until(pilot, lambda: talk_screen(app).panel.display)


async def test_what_is_typed_faster_than_it_is_completed_is_sent_as_it_is_written(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await send(pilot, "hello")
        await write(pilot, "/sav")
        await until(pilot, lambda: prompt(app).completion.candidates == ("/save",))
        prompt(app).insert("e boats")
        prompt(app).action_send()
        await until(pilot, lambda: "saved as boats" in said(app))
        prompt(app).insert("/hist")
        prompt(app).action_send()
        await until(pilot, lambda: "/show N shows entry N whole" in said(app))


async def test_a_path_after_an_at_sign_is_completed(tmp_path: Path) -> None:
    (tmp_path / "work" / "docs").mkdir(parents=True)
    (tmp_path / "work" / "docs" / "overview.md").write_text("x")
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test() as pilot:
        await write(pilot, "read @do")
        await until(pilot, lambda: prompt(app).completion.candidates)
        await pilot.press("tab")
        await until(pilot, lambda: prompt(app).text == "read @docs/")
        await until(pilot, lambda: prompt(app).completion.candidates == ("@docs/overview.md",))
        await pilot.press("tab")
        await until(pilot, lambda: prompt(app).text == "read @docs/overview.md ")


async def test_panels_open_and_close_with_their_keys(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("x")]))
    async with app.run_test(size=(120, 32)) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, HelpScreen))
        panel = talk_screen(app).query_one(ContextPanel)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: panel.display)
        await pilot.press("f2")
        await until(pilot, lambda: not panel.display)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: type(app.screen).__name__ == "CommandPalette")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is talk_screen(app))


async def test_thinking_unfolds_and_folds(tmp_path: Path) -> None:
    from wisp_tui.models import Finished, ThinkingOut

    app = app_with(tmp_path, ScriptedModel([[ThinkingOut("deep reasons"), TextDelta("so"), Finished("stop")]]))
    async with app.run_test() as pilot:
        await send(pilot, "why")
        await until(pilot, lambda: "thought" in said(app))
        assert "deep reasons" not in said(app)
        await pilot.press("f4")
        await until(pilot, lambda: "deep reasons" in said(app))
        await pilot.press("f4")
        await until(pilot, lambda: "deep reasons" not in said(app))


def test_every_action_is_bound_once_in_its_place_and_can_be_run() -> None:
    owners: dict[Place, type] = {
        Place.ANYWHERE: WispApp,
        Place.PROMPT: PromptBox,
        Place.APPROVAL: ApprovalPanel,
        Place.PAGER: PagerScreen,
        Place.PANEL: ContextPanel,
        Place.CONDENSED_LINE: CondensationView,
        Place.STORY: CondensationScreen,
    }
    for place, owner in owners.items():
        keys = [key for action in ACTIONS if action.place is place for key in action.keys]
        assert len(keys) == len(set(keys))
        for action in (action for action in ACTIONS if action.place is place):
            assert hasattr(owner, f"action_{action.name.partition('(')[0]}"), action.name


def test_help_lists_every_key_and_command() -> None:
    text = "\n".join(row.text for row in help_rows())
    for action in ACTIONS:
        assert keys_of(action.name) in text
        assert action.help in text
    for command in commands().values():
        assert command.usage in text


@pytest.mark.parametrize("key", ["enter", "ctrl+j", "tab", "up", "down"])
def test_the_prompts_keys_are_its_own(key: str) -> None:
    assert action_for(Place.PROMPT, key) is not None
    assert action_for(Place.ANYWHERE, key) is None
