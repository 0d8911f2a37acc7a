"""The assessment with an Ollama server: its call holds to a format, and the chats carry what it chose."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.ollama import FakeOllama, call, called, done, said
from tests.fakes.session import session_with
from wisp_tui.audit import read_events
from wisp_tui.config.settings import Settings
from wisp_tui.events import Kind
from wisp_tui.models.fields import obj, objects
from wisp_tui.models.ollama import OllamaModel
from wisp_tui.session import ThreadOptions
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import JsonObject, dump


def names(body: JsonObject) -> list[str]:
    return [str(obj(tool.get("function")).get("name")) for tool in objects(body.get("tools"))]


async def test_the_call_is_formed_and_bounded_and_a_tool_that_was_missed_comes_with_the_retry(tmp_path: Path) -> None:
    settings = Settings.model_validate({"ollama": {"contextLength": 8192}, "assessment": {"enabled": True}})
    decision: JsonObject = {"intent": "the date", "tools": [], "task": "plan the week", "objective": ""}
    scripts = [
        [said("Let me see."), called(call("current_date", {})), done()],
        [called(call("current_date", {})), done()],
    ]
    async with FakeOllama(
        scripts=[*scripts, [said("It is Sunday."), done()]], formed=[said(dump(decision).decode()), done()]
    ) as fake:
        model = OllamaModel(ModelId("ollama:granite4.1:8b"), settings, fake.environment)
        session = session_with(tmp_path, model, settings=settings)
        ended = await session.new_thread(ThreadOptions()).submit("Tell me about the week that lies ahead of us all")
        await session.close()
        asked, first, retried, last = fake.chats
    assert (ended.outcome, ended.ran) == ("ok", "ran: current_date")
    assert obj(asked["options"])["num_predict"] == 256
    assert obj(asked["options"])["temperature"] == 0
    assert set(obj(obj(asked["format"])["properties"])) == {"intent", "tools", "task", "objective", "facts"}
    assert names(asked) == []
    assert names(first) == ["run_command"]
    assert names(retried) == names(last)
    assert len(names(retried)) == 8
    system, *others = objects(retried["messages"])
    assert "- current_date: the date and time now" in str(system["content"])
    assert [message["role"] for message in others] == ["user"], "nothing of the reply given up is sent again"
    assert "- task: plan the week — from model, inferred, turn 1" in str(others[0]["content"])
    methods = [e.details["method"] for e in read_events(session.home.logs) if e.kind == Kind.CONTEXT_ASSESSMENT]
    assert methods == ["model", "retry"]
