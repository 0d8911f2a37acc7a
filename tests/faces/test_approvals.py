"""The approval dialog: what it shows, when it takes keys, how it goes away."""

from __future__ import annotations

from pathlib import Path

from textual import events
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.screen import StillApp, Tick, app_with, bar, prompt, said, send, talk_screen, until, write
from wisp_tui.app.widgets.approval import request_rows
from wisp_tui.approval import Answer, ApprovalRequest, ApprovalStore, Level


def _asking(tmp_path: Path, clock: Tick, *commands: str) -> StillApp:
    made = [calls(("run_command", {"command": command})) for command in commands]
    return app_with(tmp_path, ScriptedModel([*made, says("it is over")]), clock=clock)


async def _asked(pilot: Pilot[int], app: StillApp) -> None:
    await send(pilot, "do it")
    await until(pilot, lambda: (panel := talk_screen(app).approval) is not None and panel.seen)


async def test_it_takes_no_key_before_the_keyboard_was_quiet_and_that_key_is_not_lost(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        await pilot.press("y")
        assert app.thread.desk.waiting
        await until(pilot, lambda: prompt(app).text == "y")


async def test_y_runs_it_once_the_keyboard_was_quiet(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        await pilot.press("y")
        await until(pilot, lambda: "it is over" in said(app))
        assert (tmp_path / "work" / "made").exists()
        assert talk_screen(app).approval is None


async def test_a_word_that_is_typed_at_the_dialog_answers_nothing(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        await pilot.press("h", "e", "y")
        assert app.thread.desk.waiting


async def test_n_refuses_and_the_model_is_told(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        await pilot.press("n")
        await until(pilot, lambda: "ran: run_command (denied)" in said(app))
        assert not (tmp_path / "work" / "made").exists()


async def test_ctrl_c_refuses_at_once(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "ran: run_command (denied)" in said(app))


async def test_session_covers_the_same_command_again(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made", "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        await pilot.press("s")
        await until(pilot, lambda: "it is over" in said(app))
        assert "run_command ×2" in said(app)


async def test_always_is_kept_in_the_home_and_covers_what_it_showed(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made", "touch more")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        panel = talk_screen(app).approval
        assert panel is not None
        assert "s p a remember  touch *" in [f"{row.prefix}{row.text}" for row in request_rows(panel.request, 1)]
        clock.move(0.6)
        await pilot.press("a")
        await until(pilot, lambda: "it is over" in said(app))
        assert {path.name for path in (tmp_path / "work").iterdir()} == {"made", "more"}
    [standing] = ApprovalStore(app.session.home).list().approvals
    assert (str(standing.coverage.pattern), standing.anywhere) == ("touch *", True)


async def test_an_answer_that_is_not_offered_is_not_taken(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "rm -rf made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        await pilot.press("a")
        assert app.thread.desk.waiting


async def test_stopping_the_turn_takes_the_dialog_away(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        await until(pilot, lambda: "waiting for your answer" in bar(app, "activity"))
        await pilot.press("escape")
        await until(pilot, lambda: talk_screen(app).approval is None)
        await until(pilot, lambda: prompt(app).has_focus)


async def test_a_message_can_be_written_while_it_waits_and_tab_goes_back_to_it(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        await write(pilot, "no")
        await until(pilot, lambda: prompt(app).text == "no")
        clock.move(0.6)
        await pilot.press("tab")
        await until(pilot, lambda: talk_screen(app).approval is not None and app.focused is talk_screen(app).approval)
        assert app.thread.desk.waiting


async def test_nothing_that_is_notified_lies_over_it(tmp_path: Path) -> None:
    clock = Tick()
    body = "$ git status, safe · only reads " + "word " * 50
    made = [calls(*[("notify", {"title": "safe", "body": f"{number} {body}"}) for number in range(3)])]
    made.append(calls(("run_command", {"command": "rm -rf build"})))
    app = app_with(tmp_path, ScriptedModel([*made, says("it is over")]), clock=clock)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = talk_screen(app)
        await _asked(pilot, app)
        app.announce("a title", "asks: something", seen=False)
        await pilot.pause()
        assert len(screen.query(Toast)) == 4
        assert not any(toast.visible for toast in screen.query(Toast))
        screen.refuse()
        await until(pilot, lambda: "it is over" in said(app))
        assert all(toast.visible for toast in screen.query(Toast))


async def test_a_key_counts_from_when_it_was_pressed_and_a_dialog_from_when_it_was_in_sight(tmp_path: Path) -> None:
    clock = Tick()
    app = _asking(tmp_path, clock, "touch made")
    async with app.run_test() as pilot:
        await _asked(pilot, app)
        clock.move(0.6)
        early = events.Key("y", "y")
        early.time -= 0.3  # the screen was busy with drawing the dialog
        app.post_message(early)
        await pilot.pause()
        assert app.thread.desk.waiting
        clock.move(0.6)
        await pilot.press("f1")
        await pilot.pause()
        clock.move(0.6)
        app.pop_screen()  # as by the mouse: no key was pressed
        await pilot.pause()
        clock.move(0.3)
        await pilot.press("y")
        assert app.thread.desk.waiting
        clock.move(0.6)
        await pilot.press("n")
        await until(pilot, lambda: "it is over" in said(app))


def test_the_command_is_shown_whole_with_what_is_invisible_made_visible() -> None:
    request = ApprovalRequest(
        id="1",
        command="echo \u202egpj.exe; rm -rf x\n\x1b[2Jtwo",
        line="true && echo it",
        directory="/somewhere",
        level=Level.DANGEROUS,
        reasons=("[/] removes files", "hides \u202ewhat it does"),
        pattern="echo \u202e*",
        answers=(Answer.ONCE, Answer.SESSION, Answer.PROJECT, Answer.NO),
    )
    rows = request_rows(request, 3)
    text = "\n".join(f"{row.prefix}{row.text}" for row in rows)
    assert "s p remember  echo <U+202E>*" in text
    assert "· hides <U+202E>what it does" in text
    assert "echo <U+202E>gpj.exe; rm -rf x" in text
    assert "<U+001B>[2Jtwo" in text
    assert "true && echo it" in text
    assert "1 of 3" in text
    assert "[/] removes files" in text
