"""Trying what a model can do, and turning models off: told, recorded, and never used against the person's word."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.fakes.model import Answer, Hang, ScriptedModel, calls, says
from tests.fakes.ollama import FakeModel, FakeOllama
from tests.fakes.wisp_process import replay
from wisp_tui import entry
from wisp_tui.audit import read_events
from wisp_tui.config import Home, Settings
from wisp_tui.events import Kind
from wisp_tui.models import Capability, ModelError, ModelUnavailable
from wisp_tui.models.catalogue import list_models
from wisp_tui.models.checking import Outcome, Trial, trials
from wisp_tui.models.choose import choose

BOTH = frozenset({Capability.TOOLS, Capability.SCHEMA})
RIGHT: list[Answer] = [says(" hello\x1b[2J\n"), calls(("add", {"a": 17, "b": 25})), says('{"colour":"red"}')]


async def tried(*answers: Answer, capabilities: frozenset[Capability] = BOTH, seconds: float = 5.0) -> list[Trial]:
    model = ScriptedModel(list(answers), capabilities=capabilities)
    return [trial async for trial in trials(model, await model.resolve(), seconds)]


async def test_a_model_that_does_all_three_passes() -> None:
    found = await tried(*RIGHT)
    assert [(trial.name, trial.outcome) for trial in found] == [
        ("reply", Outcome.OK),
        ("tool call", Outcome.OK),
        ("schema", Outcome.OK),
    ]
    assert [trial.said for trial in found] == ["hello", 'add {"a":17,"b":25}', '{"colour":"red"}']


async def test_what_the_runtime_says_it_cannot_do_is_not_asked_of_it() -> None:
    model = ScriptedModel([says("hello")], capabilities=frozenset())
    found = [trial async for trial in trials(model, await model.resolve())]
    assert [trial.outcome for trial in found] == [Outcome.OK, Outcome.SKIPPED, Outcome.SKIPPED]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("place", "answer", "said"),
    [
        (0, says("  "), "the reply was empty"),
        (0, [ModelError("it broke")], "it broke"),
        (1, says("It is 42."), "it made no call, and said: It is 42."),
        (1, calls(("subtract", {"a": 1, "b": 2})), "it called subtract"),
        (1, calls(("add", {"a": 1})), 'it called add {"a":1}'),
        (2, says("red"), "the reply does not hold it: red"),
        (2, says('{"color":"red"}'), "the reply does not hold it"),
    ],
)
async def test_what_does_not_come_as_asked_fails_and_the_others_are_tried(
    place: int, answer: Answer, said: str
) -> None:
    answers = [*RIGHT[:place], answer, *RIGHT[place + 1 :]]
    found = await tried(*answers)
    assert [trial.outcome is Outcome.FAILED for trial in found] == [at == place for at in range(3)]
    assert found[place].said.startswith(said)


async def test_each_has_a_time_limit() -> None:
    found = await tried([Hang(asyncio.Event())], *RIGHT[1:], seconds=0.05)
    assert (found[0].outcome, found[0].said) == (Outcome.FAILED, "nothing whole came in 0.05 s")
    assert found[2].outcome is Outcome.OK


def off(*names: str, model: str = "auto") -> Settings:
    return Settings.model_validate({"model": model, "models": {"disabled": names}})


async def test_a_disabled_model_is_refused_by_name_passed_over_by_auto_and_listed_as_that(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.prepare()
    (home.models / "mine.gguf").write_bytes(b"GGUF")
    async with FakeOllama(FakeModel("big:8b"), FakeModel("old:1b", modified="2025-01-01T00:00:00Z")) as server:
        for named, settings in (("ollama:big:8b", off("ollama:big:8b")), (None, off("ollama", model="ollama:big:8b"))):
            with pytest.raises(ModelUnavailable, match=r"is disabled \(models\.disabled\); `wisp models enable ollama"):
                await choose(home, settings, server.environment, named)
        assert (await choose(home, off("ollama:big:8b"), server.environment)).model.id == "ollama:old:1b"
        assert (await choose(home, off("ollama"), server.environment)).model.id == "embedded:mine"
        with pytest.raises(ModelUnavailable, match=r"every GGUF file in .*: disabled"):
            await choose(home, off("ollama", "embedded:mine"), server.environment)
        listed = {str(one.name): one for one in await list_models(home, off("ollama:big:8b"), server.environment)}
    assert (listed["ollama:big:8b"].fault, listed["ollama:big:8b"].remedy) == (
        "disabled (models.disabled)",
        "`wisp models enable ollama:big:8b`",
    )
    assert listed["ollama:old:1b"].usable


def wisp(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["wisp", "models", *arguments])
    return entry.wisp()


def test_from_a_shell(
    wisp_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = replay(
        tmp_path / "r.jsonl",
        {"reply": "hello"},
        {"reply": "42"},
        {"schema_reply": {"colour": "red"}},
        capabilities=["tools", "schema"],
        window=4096,
    )
    assert wisp(monkeypatch, "check", name) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{name}, window 4,096 tokens (")
    assert [line.split()[0] for line in lines[1:]] == ["ok", "failed", "ok"]
    assert wisp(monkeypatch, "check", "--json", name) == 1
    written = json.loads(capsys.readouterr().out)
    recorded = [event.details for event in read_events(wisp_home / "logs") if event.kind == Kind.MODEL_CHECKED]
    assert [detail["model"] for detail in recorded] == [name, name]
    assert [trial["outcome"] for trial in written["trials"]] == ["ok", "failed", "ok"]

    assert wisp(monkeypatch, "disable", "replay") == 0
    assert wisp(monkeypatch, "disable", "replay") == 64
    assert wisp(monkeypatch, "check", name) == 69
    assert "`wisp models enable replay`" in capsys.readouterr().err
    assert wisp(monkeypatch, "enable", "replay") == 0
    assert wisp(monkeypatch, "enable", "replay") == 64
    assert wisp(monkeypatch, "disable", "foo:x") == 64
    assert json.loads((wisp_home / "config.json").read_text("utf-8")) == {"models": {"disabled": []}}
