"""One setting changed: what it may be, what the file keeps, what is said of it, in a shell as in a conversation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from wisp_tui import entry
from wisp_tui.audit import read_events
from wisp_tui.config import Home, Settings
from wisp_tui.config.editing import BadChange, faults_of, unknown_in, usable, with_value, without
from wisp_tui.config.fields import UnknownSetting, setting_named, settings_by_name, settings_under
from wisp_tui.config.weakening import weakened
from wisp_tui.events import Kind
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import completions, run_command_line
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.tools.processes import MARK

SECRET = "sk-do-not-show"


def put(config: JsonObject, name: str, *words: str) -> JsonObject:
    return with_value(config, setting_named(name), words).config


@pytest.mark.parametrize(
    ("name", "words", "value"),
    [
        ("context.budget", ["0.7"], 0.7),
        ("audit.keep", ["3"], 3),
        ("audit.enabled", ["off"], False),
        ("ollama.think", ["high"], "high"),
        ("ollama.think", ["true"], True),
        ("ollama.keepAlive", ["-1"], "-1"),
        ("instructions", ["be", "brief"], "be brief"),
        ("ollama.contextLength", ["null"], None),
        ("tools.disabled", ["run_command", "edit_file"], ["run_command", "edit_file"]),
        ("tools.disabled", ['["a b"]'], ["a b"]),
        ("facts.kinds", ['{"bug":{"class":"dynamic"}}'], {"bug": {"class": "dynamic"}}),
    ],
)
def test_a_value_is_read_as_the_setting_takes_it(name: str, words: Sequence[str], value: Json) -> None:
    assert setting_named(name).value(usable(put({}, name, *words))) == value


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("context.budget", "7", "context.budget cannot be 7: it takes a number from 0.3 to 0.95"),
        ("context.budget", "much", 'context.budget cannot be "much": it takes a number from'),
        ("audit.keep", "true", "it takes a whole number from 1 to 100"),
        ("approval.threshold", "never", "it takes safe, moderate or dangerous"),
        ("facts.enabled", "perhaps", "it takes true or false"),
        ("facts.kinds", "bug", "it takes a JSON object"),
        ("facts.kinds", '{"bug":{"class":[1]}}', "bug.class.str: input should be a valid string"),
        ("tools.custom", '{"x":{"comand":"echo"}}', "x.command: field required"),
    ],
)
def test_a_refused_value_is_named_with_what_is_allowed(name: str, word: str, said: str) -> None:
    with pytest.raises(BadChange) as raised:
        put({}, name, word)
    assert said in str(raised.value)
    assert settings_by_name()[name].description in str(raised.value)


def test_every_setting_can_be_set_to_what_it_is() -> None:
    for setting in settings_by_name().values():
        if setting.default is not None:
            words = setting.default if isinstance(setting.default, str) else setting.shown(setting.default)
            assert setting.value(usable(put({}, setting.name, words))) == setting.default


def test_an_unknown_name_is_answered_with_the_nearest_and_a_part_with_what_it_holds() -> None:
    with pytest.raises(UnknownSetting, match=r"did you mean context\.budget\?"):
        setting_named("contxt.budget")
    with pytest.raises(UnknownSetting, match=r"context holds settings: context\.budget, "):
        setting_named("context")
    assert [setting.name for setting in settings_under("audit")] == ["audit.enabled", "audit.maxBytes", "audit.keep"]


def test_everything_else_in_the_file_stays_where_it_was() -> None:
    config: JsonObject = {"later": [1], "context": {"new": 1, "budget": 0.5, "headroom_turns": 4}, "model": "auto"}
    changed = put(config, "context.budget", "0.7")
    assert list(changed) == ["later", "context", "model"]
    assert changed["context"] == {"new": 1, "budget": 0.7, "headroom_turns": 4}
    assert put(changed, "context.headroomTurns", "5")["context"] == {"new": 1, "budget": 0.7, "headroomTurns": 5}
    assert unknown_in(config) == ("later", "context.new")
    gone = without(without(changed, setting_named("context.budget")).config, setting_named("context.headroomTurns"))
    assert gone.config == {"later": [1], "context": {"new": 1}, "model": "auto"}
    assert without({"context": {"budget": 0.5}}, setting_named("context.budget")).config == {}


def test_a_file_that_cannot_be_used_can_be_put_right_setting_by_setting() -> None:
    broken: JsonObject = {"context": {"budget": 7, "target": "x"}, "audit": {"keep": 2}}
    assert len(faults_of(broken)) == 2
    edited = with_value(broken, setting_named("context.budget"), ["0.7"])
    assert edited.faults == ("context.target is 'x'; it takes a number from 0.0 to 0.95",)
    assert faults_of(without(edited.config, setting_named("context.target")).config) == ()
    assert usable(broken).audit.keep == 2
    with pytest.raises(BadChange, match="context is 5 in the file"):
        put({"context": 5}, "context.budget", "0.7")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({}, {"approval": {"threshold": "dangerous"}}, "the gate: safe and moderate commands run unasked"),
        ({"commandPolicy": {"deny": ["rm *"]}}, {}, "the gate: no longer denied: rm *"),
        ({}, {"commandPolicy": {"allow": ["git push"]}}, "the gate: runs unasked: git push"),
        ({}, {"sandbox": {"enabled": False}}, "the sandbox: commands run without walls"),
        ({"sandbox": {"network": False}}, {}, "the sandbox: commands in it use the network"),
        ({}, {"sandbox": {"writablePaths": ["/srv"]}}, "the sandbox: commands may write below /srv"),
        ({}, {"audit": {"enabled": False}}, "the audit: nothing is recorded"),
        ({}, {"audit": {"keep": 2}}, "the audit: 20 MiB of it are kept, and were 50 MiB"),
        ({}, {"context": {"outputDays": 5}}, "the audit: whole outputs are kept 5 days, and were 30 days"),
        ({"context": {"outputDays": 0}}, {}, "the audit: whole outputs are kept 30 days, and were for ever"),
    ],
)
def test_what_weakens_the_gate_the_sandbox_or_the_audit_says_so_and_its_opposite_does_not(
    before: JsonObject, after: JsonObject, said: str
) -> None:
    old, new = Settings.model_validate(before), Settings.model_validate(after)
    (sentence,) = weakened(old, new)
    assert sentence.startswith("this weakens " + said)
    assert list(weakened(new, old)) == []


def wisp(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["wisp", "config", *arguments])
    return entry.wisp()


def changes(home: Path) -> list[JsonObject]:
    return [event.details for event in read_events(home / "logs") if event.kind == Kind.CONFIG_CHANGE]


def test_from_a_shell(wisp_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert wisp(monkeypatch) == 0
    assert "sets nothing" in capsys.readouterr().err
    assert wisp(monkeypatch, "set", "context.budget", "0.7") == 0
    said = capsys.readouterr()
    assert said.out == "context.budget is 0.7; it was 0.85\n"
    assert said.err.startswith("a condensation brings the window down to 0.50")
    assert wisp(monkeypatch, "set", "audit.enabled", "false") == 0
    assert capsys.readouterr().err.startswith("this weakens the audit: ")
    assert wisp(monkeypatch, "set", "audit.enabled", "true") == 0
    assert wisp(monkeypatch, "set", "openai.key", SECRET) == 0
    assert wisp(monkeypatch, "get", "context.budget") == 0
    assert wisp(monkeypatch, "unset", "context.budget") == 0
    assert wisp(monkeypatch) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-2:] == ["audit.enabled\ttrue", "openai.key\tset, not shown"]
    assert wisp(monkeypatch, "choices", "approval.threshold") == 0
    assert capsys.readouterr().out.split() == ["safe", "moderate", "dangerous"]
    assert wisp(monkeypatch, "list", "--json") == 0
    assert wisp(monkeypatch, "show", "--json") == 0
    listed, shown = map(json.loads, capsys.readouterr().out.splitlines())
    assert [item["name"] for item in listed] == list(settings_by_name())
    assert shown == {"audit.enabled": True, "openai.key": "set, not shown"}

    changed = [detail["setting"] for detail in changes(wisp_home)]
    assert changed == ["context.budget", "audit.enabled", "audit.enabled", "openai.key", "context.budget"]
    assert SECRET not in (wisp_home / "logs" / "audit.jsonl").read_text("utf-8")
    assert (wisp_home / "config.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["set", "contxt.budget", "1"], "did you mean context.budget?"),
        (["set", "context.budget", "7"], "it takes a number from 0.3 to 0.95"),
        (["set", "model", "foo:x"], "RUNTIME:NAME with one of system, ollama"),
        (["set", "commandPolicy.deny", "*"], "commandPolicy.deny cannot be that"),
        (["set", "tools.custom", '{"read_file":{"command":"cat","description":"x"}}'], "read_file is a tool already"),
        (["set", "facts.kinds", '{"x":{"class":"eternal"}}'], "facts.kinds cannot be that"),
        (["set", "context.budget"], "issing argument"),
        (["get", "nothing.like.it"], "there is no setting"),
        (["list", "nothing"], "there is no setting"),
    ],
)
def test_what_is_refused_exits_64_and_changes_nothing(
    wisp_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    assert wisp(monkeypatch, *arguments) == 64
    assert said in capsys.readouterr().err
    assert not (wisp_home / "config.json").exists()


def test_a_command_of_a_model_changes_no_setting(wisp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, "1")
    assert wisp(monkeypatch, "set", "sandbox.enabled", "false") == 64
    assert not (wisp_home / "config.json").exists()


def test_a_file_behind_a_link_stays_there_and_one_that_is_no_json_is_left_as_it_is(
    wisp_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Home(wisp_home).prepare()
    kept = tmp_path / "dotfiles.json"
    kept.write_text('{"mine": 1}')
    (wisp_home / "config.json").symlink_to(kept)
    assert wisp(monkeypatch, "set", "audit.keep", "6") == 0
    assert json.loads(kept.read_text("utf-8")) == {"mine": 1, "audit": {"keep": 6}}
    assert (wisp_home / "config.json").is_symlink()
    kept.write_text("{oops")
    assert wisp(monkeypatch, "set", "audit.keep", "6") == 64
    assert kept.read_text("utf-8") == "{oops"


def opened(tmp_path: Path) -> Thread:
    return session_with(tmp_path, ScriptedModel([says("Yes.")])).new_thread(ThreadOptions())


async def test_in_a_conversation(tmp_path: Path) -> None:
    thread = opened(tmp_path)
    answer = await run_command_line(thread, "/config set commandPolicy.allow 'git push *' ls")
    assert answer.lines[0] == 'commandPolicy.allow is ["git push *","ls"]; it was []'
    assert answer.lines[1:] == (
        "this weakens the gate: runs unasked: git push *, ls",
        "it holds from the next start of wisp",
    )
    answer = await run_command_line(thread, "/config set instructions it's two")
    assert answer.lines[0].startswith('instructions is "it\'s two"')
    assert (await run_command_line(thread, "/config")).lines[1].startswith("commandPolicy.allow = ")
    assert (await run_command_line(thread, "/config unset instructions")).lines[0].startswith("instructions is unset")
    assert (await run_command_line(thread, "/config set display.shownOutputLines 3")).lines[1] == "it holds from now on"
    assert thread.conversation.settings.display.shown_output_lines == 3
    refused = await run_command_line(thread, "/config set audit.keep 0")
    assert (refused.failed, refused.lines[0][:44]) == (True, "audit.keep cannot be 0: it takes a whole num")
    assert (await run_command_line(thread, "/config choices facts.summary")).lines == ("true", "false")
    assert (await run_command_line(thread, "/config get audit.keep")).lines[0].startswith("audit.keep = 5 (a whole")
    listed = (await run_command_line(thread, "/config list context")).lines
    assert [line.partition(" ")[0] for line in listed] == [setting.name for setting in settings_under("context")]
    assert (await run_command_line(thread, "/config do")).failed
    assert completions(thread, "/config set facts.summary f")[1] == ("set facts.summary false",)
    assert "unset audit.keep" in completions(thread, "/config unset a")[1]
    assert [detail["via"] for detail in changes(tmp_path / "home")] == ["chat"] * 4
