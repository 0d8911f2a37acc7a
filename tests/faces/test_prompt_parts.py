"""The prompt's parts without a screen: history, pastes, queue, completion, the quiet keyboard, the clipboard."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.model import ScriptedModel
from tests.fakes.screen import Tick
from tests.fakes.session import session_with
from wisp_tui.app.keyboard import QUIET_SECONDS, Keyboard
from wisp_tui.app.outbox import Outbox
from wisp_tui.app.pastes import HELD_FROM, Pastes
from wisp_tui.config import Home
from wisp_tui.session import ThreadOptions
from wisp_tui.session.clipboard import clipboard_command, copied
from wisp_tui.session.completing import complete
from wisp_tui.session.history import KEPT, LARGEST, PromptHistory, history_file
from wisp_tui.text.completion import NOTHING


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.prepare()
    return made


def test_the_history_goes_back_and_on_and_keeps_the_draft(home: Home) -> None:
    history = PromptHistory.read(home)
    for text in ("one", "two"):
        history.add(text)
    assert [history.back("draft"), history.back("draft"), history.back("draft")] == ["two", "one", None]
    assert [history.on(), history.on(), history.on()] == ["two", "draft", None]


def test_the_same_message_twice_in_a_row_is_kept_once(home: Home) -> None:
    history = PromptHistory.read(home)
    history.add("one")
    history.add("one")
    assert PromptHistory.read(home).texts == ["one"]


def test_any_message_survives_a_restart_in_a_private_file(home: Home) -> None:
    text = "two\nlines \u2028 \ud800 \x00 [/x] \U0001f600"
    PromptHistory.read(home).add(text)
    assert PromptHistory.read(home).texts == [text.replace("\ud800", "\ufffd")]
    assert stat.S_IMODE(history_file(home).stat().st_mode) == 0o600


def test_a_torn_or_foreign_line_is_passed_over(home: Home) -> None:
    history_file(home).write_bytes(b'"one"\n{"a":1}\n"to')
    assert PromptHistory.read(home).texts == ["one"]


def test_a_message_after_a_torn_line_is_not_lost(home: Home) -> None:
    history_file(home).write_bytes(b'"to')
    PromptHistory.read(home).add("whole")
    assert PromptHistory.read(home).texts == ["whole"]


def test_a_very_long_message_is_remembered_in_its_session_only(home: Home) -> None:
    history = PromptHistory.read(home)
    history.add("x" * LARGEST)
    assert history.back("") == "x" * LARGEST
    assert PromptHistory.read(home).texts == []


def test_the_history_is_shortened_once_it_is_twice_too_long(home: Home) -> None:
    history_file(home).write_text("".join(f'"m{number}"\n' for number in range(2 * KEPT + 1)))
    assert len(PromptHistory.read(home).texts) == KEPT
    assert history_file(home).read_text().count("\n") == KEPT


@settings(deadline=None)
@given(st.lists(st.text(max_size=40), max_size=5), st.text("ab [#]\x1b", max_size=20))
def test_what_was_pasted_is_sent_exactly(texts: list[str], between: str) -> None:
    pastes = Pastes()
    large = [text * (HELD_FROM // len(text.encode("utf-8", "surrogatepass")) + 1) for text in texts if text]
    large = [text.replace("\r", "") for text in large]
    large = [text for text in large if len(text.encode("utf-8", "surrogatepass")) >= HELD_FROM]
    placeholders = [pastes.take(text) for text in large]
    assert pastes.expand(between.join(placeholders)) == between.join(large)


def test_a_placeholder_that_was_typed_stays_as_it_is() -> None:
    assert Pastes().expand("[pasted 10 bytes #1]") == "[pasted 10 bytes #1]"


def test_a_pasted_placeholder_is_not_taken_for_another_paste() -> None:
    pastes = Pastes()
    first = pastes.take("x" * HELD_FROM)
    second = pastes.take(first + "\n" * HELD_FROM)
    assert pastes.expand(second) == first + "\n" * HELD_FROM


def test_the_outbox_gives_in_order_and_holds() -> None:
    outbox = Outbox()
    for text in ("one", "two", "three"):
        outbox.add(text)
    assert outbox.next() == "one"
    outbox.hold()
    assert outbox.next() is None
    assert outbox.take_back() == "three"
    outbox.release()
    assert (outbox.next(), outbox.next()) == ("two", None)


def test_a_key_counts_only_after_a_pause() -> None:
    clock = Tick()
    keyboard = Keyboard(clock)
    shown = clock.now
    clock.move(0.375)
    keyboard.press()
    assert not keyboard.rested(shown)
    clock.move(0.5)
    keyboard.press()
    assert keyboard.rested(shown)
    clock.move(0.125)
    keyboard.press()
    assert not keyboard.rested(shown)
    assert keyboard.quiet_in(shown) == QUIET_SECONDS


def test_paths_complete_inside_the_directory_hidden_ones_only_when_asked_for(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    for name in ("setup.py", ".secret", "two words.txt", "evil\x1b[2J.txt"):
        (work / name).write_text("")
    thread = session_with(tmp_path, ScriptedModel([]), directory=work).new_thread(ThreadOptions())
    assert complete(thread, "see @").candidates == ("@src/", "@setup.py")
    assert complete(thread, "see @s").candidates == ("@src/", "@setup.py")
    assert complete(thread, "@.s").candidates == ("@.secret",)
    assert complete(thread, "mail me@s") == NOTHING
    assert complete(thread, "@nothing/") == NOTHING


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_the_platforms_own_program_copies_first(tmp_path: Path) -> None:
    for name in ("pbcopy", "wl-copy", "xclip"):
        _program(tmp_path / name, "exit 0")
    environment = {"PATH": str(tmp_path), "WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}
    assert clipboard_command(environment, "darwin") == ("pbcopy",)
    assert clipboard_command(environment, "linux") == ("wl-copy",)
    assert clipboard_command({"PATH": str(tmp_path), "DISPLAY": ":0"}, "linux") == ("xclip", "-selection", "clipboard")
    assert clipboard_command({"PATH": str(tmp_path)}, "linux") is None


def test_copying_is_claimed_only_when_the_program_says_it_worked(tmp_path: Path) -> None:
    environment = {"PATH": f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin", "DISPLAY": ":0"}
    _program(tmp_path / "xclip", f"cat > {tmp_path}/copied")
    assert copied("text ü", environment)
    assert (tmp_path / "copied").read_text() == "text ü"
    _program(tmp_path / "xclip", "exit 1")
    assert not copied("text", environment)
    assert not copied("text", {"PATH": str(tmp_path)})
