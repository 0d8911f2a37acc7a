"""A conversation on the screen: sent, streamed, stopped, queued."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.fakes.model import Hang, ScriptedModel, calls, says
from tests.fakes.screen import app_with, bar, prompt, said, send, talk_screen, until, write
from wisp_tui.events import ReplyDelta
from wisp_tui.models import ModelUnavailable, Resolved, TextDelta
from wisp_tui.text.ids import TurnNumber


async def test_a_message_is_answered_and_the_prompt_is_empty_again(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("It copies **files**.")]))
    async with app.run_test() as pilot:
        await send(pilot, "what does it do")
        await until(pilot, lambda: "It copies files." in said(app))
        assert "❯ what does it do" in said(app)
        assert prompt(app).text == ""


async def test_letters_and_the_enter_after_them_stay_in_order(tmp_path: Path) -> None:
    model = ScriptedModel([says("yes")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        for key in "quick":
            app.simulate_key(key)
        app.simulate_key("enter")
        await until(pilot, lambda: model.requests)
        assert model.requests[0].messages[-1].content == "quick"


async def test_what_is_sent_before_the_model_is_there_waits_for_it(tmp_path: Path) -> None:
    resolved = asyncio.Event()

    class Slow(ScriptedModel):
        async def resolve(self) -> Resolved:
            await resolved.wait()
            return await super().resolve()

    app = app_with(tmp_path, Slow([says("here I am")]))
    async with app.run_test() as pilot:
        await send(pilot, "early")
        await until(pilot, lambda: "❯ early" in said(app))
        assert "here I am" not in said(app)
        resolved.set()
        await until(pilot, lambda: "here I am" in said(app))


async def test_escape_stops_the_turn_and_keeps_what_there_is(tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = app_with(tmp_path, ScriptedModel([[TextDelta("half an answer"), Hang(reached)]]))
    async with app.run_test() as pilot:
        await send(pilot, "go on")
        await until(pilot, reached.is_set)
        await pilot.press("escape")
        await until(pilot, lambda: "stopped" in said(app))
        assert "half an answer" in said(app)
        assert not app.thread.running


async def test_messages_sent_during_a_turn_are_queued_shown_and_sent_in_order(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[TextDelta("first"), Hang(reached)], says("second"), says("third")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, reached.is_set)
        await send(pilot, "two")
        await send(pilot, "three")
        await until(pilot, lambda: len(app.talk.outbox.texts) == 2)
        assert app.talk.outbox.texts == ("two", "three")
        assert len(model.requests) == 1


async def test_up_in_an_empty_prompt_takes_the_last_queued_message_back(tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = app_with(tmp_path, ScriptedModel([[Hang(reached)]]))
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, reached.is_set)
        await send(pilot, "two")
        await until(pilot, lambda: app.talk.outbox.texts)
        await pilot.press("up")
        await until(pilot, lambda: prompt(app).text == "two")
        assert app.talk.outbox.texts == ()


async def test_queued_messages_are_held_when_the_turn_was_stopped_and_enter_sends_them(tmp_path: Path) -> None:
    reached = asyncio.Event()
    model = ScriptedModel([[Hang(reached)], says("done")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, reached.is_set)
        await send(pilot, "two")
        await until(pilot, lambda: app.talk.outbox.texts)
        await pilot.press("escape")
        await until(pilot, lambda: "stopped" in said(app) and not app.talk.busy)
        assert app.talk.outbox.texts == ("two",)
        assert len(model.requests) == 1
        await pilot.press("enter")
        await until(pilot, lambda: "done" in said(app))
        assert model.requests[1].messages[-1].content == "two"


async def test_a_failed_turn_says_what_to_do_and_the_app_goes_on(tmp_path: Path) -> None:
    broken = ModelUnavailable("the server went away", "start it again")
    app = app_with(tmp_path, ScriptedModel([[TextDelta("half"), broken], says("back again")]))
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, lambda: "start it again" in said(app))
        assert "half" in said(app)
        await send(pilot, "two")
        await until(pilot, lambda: "back again" in said(app))


async def test_a_model_that_is_not_there_is_said_and_the_next_message_tries_again(tmp_path: Path) -> None:
    class Late(ScriptedModel):
        tries = 0

        async def resolve(self) -> Resolved:
            self.tries += 1
            if self.tries == 1:
                raise ModelUnavailable("nothing answers at its address", "start the server")
            return await super().resolve()

    app = app_with(tmp_path, Late([says("hello")]))
    async with app.run_test(size=(120, 32)) as pilot:
        await until(pilot, lambda: "start the server" in said(app))
        await until(pilot, lambda: "no model" in bar(app, "status"))
        await send(pilot, "hi")
        await until(pilot, lambda: "hello" in said(app))
        await until(pilot, lambda: "no model" not in bar(app, "status"))


async def test_a_tool_call_shows_its_line_its_result_and_its_output_folded(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 120)))
    app = app_with(tmp_path, ScriptedModel([calls(("read_file", {"path": "long.txt"})), says("read")]))
    async with app.run_test() as pilot:
        await send(pilot, "read it")
        await until(pilot, lambda: "ran: read_file" in said(app))
        shown = said(app)
        assert "⚙ read_file long.txt" in shown
        assert "line 18" in shown
        assert "line 60" not in shown
        assert "more lines" in shown
        assert "ctrl-o" in shown


async def test_a_slash_command_is_answered_and_never_sent(tmp_path: Path) -> None:
    model = ScriptedModel([says("no")])
    app = app_with(tmp_path, model)
    async with app.run_test() as pilot:
        await send(pilot, "/tokens")
        await until(pilot, lambda: "the next request carries" in said(app))
        await send(pilot, "/nothing")
        await until(pilot, lambda: "there is no command /nothing" in said(app))
        assert model.requests == []


async def test_a_new_conversation_is_empty_again(tmp_path: Path) -> None:
    app = app_with(tmp_path, ScriptedModel([says("old words")]))
    async with app.run_test() as pilot:
        await send(pilot, "one")
        await until(pilot, lambda: "old words" in said(app))
        await send(pilot, "/new")
        await until(pilot, lambda: "old words" not in said(app))


async def test_the_view_stays_where_the_person_scrolled_and_says_that_there_is_more(tmp_path: Path) -> None:
    reached = asyncio.Event()
    long = "\n\n".join(f"paragraph {number}" for number in range(80))
    app = app_with(tmp_path, ScriptedModel([says(long), [TextDelta("fresh words"), Hang(reached)]]))
    async with app.run_test() as pilot:
        conversation = talk_screen(app).conversation
        await send(pilot, "one")
        await until(pilot, lambda: "paragraph 79" in said(app) and conversation.max_scroll_y > 0)
        await until(pilot, lambda: conversation.scroll_y >= conversation.max_scroll_y)
        await write(pilot, "two")
        await pilot.press("enter")
        await until(pilot, reached.is_set)
        await pilot.press("pageup", "pageup")
        await until(pilot, lambda: not conversation.following)
        place = conversation.scroll_y
        app.session.bus.publish(ReplyDelta(app.thread.conversation.session, TurnNumber(2), "\n\nmore\n\nand more"))
        await until(pilot, lambda: "and more" in said(app))
        assert conversation.scroll_y == place
        await until(pilot, lambda: "new below" in bar(app, "activity"))
        await pilot.press("ctrl+end")
        await until(pilot, lambda: conversation.scroll_y >= conversation.max_scroll_y)
        await until(pilot, lambda: "new below" not in bar(app, "activity"))
