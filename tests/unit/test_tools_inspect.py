"""inspect: wisp's settings, state, approvals and audit as the model reads them, no secret among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import session_with
from tests.fakes.tools import TURN, Bench
from wisp_tui.approval import Answer
from wisp_tui.config import Home, Settings
from wisp_tui.config.shown import setting_lines
from wisp_tui.context.record import EntryKind
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.desk import StandingAnswer
from wisp_tui.text.json import JsonObject
from wisp_tui.tools import BadArguments
from wisp_tui.tools.inspect import Inspect


async def shown(tmp_path: Path, *asked: JsonObject, settings: Settings | None = None) -> tuple[list[str], Thread]:
    """Run a conversation whose one turn calls these, after two other calls; return what each showed."""
    model = ScriptedModel(
        [
            calls(("read_file", {"path": "notes"}), ("run_command", {"command": "rm notes"})),
            *(calls(("inspect", arguments)) for arguments in asked),
            says("Done."),
        ]
    )
    options = ThreadOptions(asker=StandingAnswer(Answer.NO, "nobody"))
    thread = session_with(tmp_path, model, settings=settings).new_thread(options)
    (tmp_path / "work" / "notes").write_text("a\nb\n")
    await thread.submit("Look at yourself.")
    outputs = [entry.text for entry in thread.conversation.record.active if entry.kind is EntryKind.OUTPUT]
    return outputs[2:], thread


async def test_a_turns_calls_are_listed_with_their_outcomes(tmp_path: Path) -> None:
    (text,), _ = await shown(tmp_path, {"what": "calls"})
    assert text.split("\n") == [
        "turn 1: 3 calls",
        '1. read_file {"path":"notes"} → ok, 3 lines, 21 bytes',
        '2. run_command {"command":"rm notes"} → not allowed, not run',
        '3. inspect {"what":"calls"} → no result yet',
    ]


async def test_the_audit_is_filtered_by_kind_turn_session_and_number(tmp_path: Path) -> None:
    asked: tuple[JsonObject, ...] = (
        {"what": "audit", "kind": "tool.call", "last": 2},
        {"what": "audit", "turn": 7},
        {"what": "audit", "session": "0000"},
        {"what": "audit", "kind": "prompt", "session": "all"},
    )
    (latest, of_turn, of_session, everywhere), _ = await shown(tmp_path, *asked)
    lines = latest.split("\n")
    assert lines[0] == "the last 2 of 3 events"
    assert [line.split()[1] for line in lines[1:]] == ["tool.call", "tool.call"]
    assert '"command' in lines[1]
    assert of_turn == of_session == "no event is like that"
    assert "Look at yourself." in everywhere


async def test_status_and_approvals_say_how_the_conversation_stands(tmp_path: Path) -> None:
    (status, approvals), thread = await shown(tmp_path, {"what": "status"}, {"what": "approvals"})
    said = dict(line.split(": ", 1) for line in status.split("\n"))
    assert said["directory"] == str(thread.conversation.directory)
    assert said["approval"] == "asks nothing (nobody)"
    assert said["audit"] == f"kept, session {thread.conversation.session}"
    assert approvals.split("\n") == ["no approval stands", "asked from level moderate on"]


def test_the_settings_are_shown_without_secrets() -> None:
    settings = Settings.model_validate(
        {
            "model": "ollama:x",
            "openai": {"key": "sk-secret", "host": "https://ada:hunter2@example.org/v1"},
            "mine": {"token": "secret"},
        }
    )
    text = "\n".join(setting_lines(settings))
    assert 'model = "ollama:x"  (set in config.json)' in text
    assert 'approval.threshold = "moderate"\n' in text
    assert "openai.key = set, not shown  (set in config.json)" in text
    assert 'openai.host = "https://example.org/v1"' in text
    assert "lmstudio.key = null" in text
    assert not [secret for secret in ("sk-secret", "hunter2", "token", "ada") if secret in text]


async def test_what_there_is_nothing_of_is_said(tmp_path: Path) -> None:
    bench, home = Bench(tmp_path), Home(tmp_path / "home")
    off = await bench.call(Inspect(Settings.model_validate({"audit": {"enabled": False}}), home), what="audit")
    assert (off.ok, off.text) == (False, "error: the audit log is off: nothing is recorded")
    none = await bench.call(Inspect(Settings(), home), what="calls")
    assert none.text == f"turn {TURN}: 0 calls"
    for wrong in ({"what": "secrets"}, {"what": "audit", "session": "../x"}):
        with pytest.raises(BadArguments):
            await bench.call(Inspect(Settings(), home), **wrong)
