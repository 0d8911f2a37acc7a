"""Apple's on-device model, against a stand-in for its SDK: what only a Mac can show is not shown here."""

from __future__ import annotations

import asyncio
import platform
import sys
import threading
from contextlib import aclosing
from dataclasses import replace

import pytest

from tests.fakes import apple_fm_sdk as fm
from tests.fakes.asking import chunks, text, until_fault
from wisp_tui.models.apple import AppleModel
from wisp_tui.models.base import (
    Capability,
    ContextOverflow,
    EmptyReply,
    Finished,
    Message,
    ModelError,
    ModelUnavailable,
    Options,
    Request,
    Role,
    TextDelta,
    ToolCall,
    ToolDefinition,
    ToolsUnsupported,
)
from wisp_tui.text.json import JsonObject

ASK = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hello?")))
Reason = fm.SystemLanguageModelUnavailableReason


@pytest.fixture(name="plan")
def installed_plan(monkeypatch: pytest.MonkeyPatch) -> fm.Plan:
    plan = fm.install(monkeypatch)
    plan.gate.set()
    return plan


# Whether it can be used


async def test_the_window_is_what_macos_says(plan: fm.Plan) -> None:
    plan.context_size = 8192
    found = await AppleModel().resolve()
    assert (found.id, found.window, found.window_source) == ("system", 8192, "as macOS says")


async def test_it_refuses_overflow_holds_schemas_counts_and_takes_no_tools(plan: fm.Plan) -> None:
    found = await AppleModel().resolve()
    assert found.capabilities == {Capability.SCHEMA, Capability.REFUSES_OVERFLOW, Capability.COUNTS}
    assert found.remark is not None
    assert "takes no tools" in found.remark


async def test_an_older_sdk_says_neither_window_nor_count(plan: fm.Plan) -> None:
    plan.context_size, plan.counts = None, False
    asked = AppleModel()
    found = await asked.resolve()
    assert found.window is None
    assert Capability.COUNTS not in found.capabilities
    assert await asked.count(ASK) is None


@pytest.mark.parametrize(
    ("reason", "words", "remedy"),
    [
        (Reason.APPLE_INTELLIGENCE_NOT_ENABLED, "turned off", "System Settings"),
        (Reason.DEVICE_NOT_ELIGIBLE, "this Mac cannot run", "another model"),
        (Reason.MODEL_NOT_READY, "still fetching it", "try again"),
        (Reason.UNKNOWN, "does not say why", "another model"),
    ],
)
async def test_each_reason_of_the_system_is_said_with_what_to_do(
    plan: fm.Plan, reason: fm.SystemLanguageModelUnavailableReason, words: str, remedy: str
) -> None:
    plan.reason = reason
    with pytest.raises(ModelUnavailable) as caught:
        await AppleModel().resolve()
    assert words in caught.value.reason
    assert remedy in caught.value.remedy


async def test_it_can_be_used_once_it_became_available(plan: fm.Plan) -> None:
    plan.reason = Reason.MODEL_NOT_READY
    asked = AppleModel()
    with pytest.raises(ModelUnavailable):
        await asked.resolve()
    plan.reason = None
    assert text(await chunks(asked, ASK)) == "Hello there."


async def test_on_another_system_the_sdk_is_not_even_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    fm.install(monkeypatch)
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    with pytest.raises(ModelUnavailable, match="not available on Linux"):
        await AppleModel().resolve()


async def test_a_mac_without_the_sdk_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    monkeypatch.delitem(sys.modules, "apple_fm_sdk", raising=False)
    with pytest.raises(ModelUnavailable) as caught:
        await AppleModel().resolve()
    assert "pip install 'wisp-tui[apple]'" in caught.value.remedy


# What is sent


async def test_history_is_a_transcript_and_the_last_message_the_prompt(plan: fm.Plan) -> None:
    talk = (*ASK.messages, Message(Role.ASSISTANT, "Hi."), Message(Role.USER, "And?"), Message(Role.USER, "Well?"))
    await chunks(AppleModel(), Request(talk))
    assert fm.texts(plan.transcripts[0]) == [("instructions", "Be brief."), ("user", "Hello?"), ("response", "Hi.")]
    assert plan.prompts == ["And?\n\nWell?"]


async def test_calls_and_results_of_another_model_are_told_in_words(plan: fm.Plan) -> None:
    call = ToolCall("a", "read_file", '{"path":"x"}')
    talk = (
        Message(Role.USER, "Read x."),
        Message(Role.ASSISTANT, "", (call,)),
        Message(Role.TOOL, "one line", answers="a", tool_name="read_file"),
        Message(Role.ASSISTANT, "It has one line."),
        Message(Role.USER, "Thanks."),
    )
    await chunks(AppleModel(), Request(talk))
    assert fm.texts(plan.transcripts[0])[1:3] == [
        ("response", '[called read_file with {"path":"x"}]'),
        ("user", "[read_file gave:]\none line"),
    ]


async def test_greedy_and_a_limit_are_sent_as_the_sdk_names_them(plan: fm.Plan) -> None:
    await chunks(AppleModel(), replace(ASK, options=Options(max_tokens=300, greedy=True)))
    assert plan.options == [fm.GenerationOptions(sampling="greedy", maximum_response_tokens=300)]


async def test_a_schema_is_written_in_the_dialect_of_the_framework(plan: fm.Plan) -> None:
    fact: JsonObject = {"type": "object", "properties": {"name": {"type": "string"}, "value": {"type": "string"}}}
    schema: JsonObject = {
        "type": "object",
        "properties": {"facts": {"type": "array", "items": fact}, "summary": {"type": "string"}},
        "required": ["facts"],
    }
    plan.generated = {"facts": [], "summary": "Nothing."}
    found = await chunks(AppleModel(), replace(ASK, options=Options(schema=schema)))
    assert found == [TextDelta('{"facts":[],"summary":"Nothing."}'), Finished("stop")]
    assert plan.schemas[0]["x-order"] == ["facts", "summary"]
    assert plan.schemas[0]["required"] == ["facts"]


async def test_a_lone_surrogate_does_not_reach_the_framework(plan: fm.Plan) -> None:
    assert text(await chunks(AppleModel(), Request((Message(Role.USER, "a\ud800b"),)))) == "Hello there."


async def test_tools_are_refused_and_not_dropped(plan: fm.Plan) -> None:
    tool = ToolDefinition("read_file", "Read.", {"type": "object"})
    _, error = await until_fault(AppleModel(), replace(ASK, tools=(tool,)))
    assert isinstance(error, ToolsUnsupported)
    assert not plan.prompts


async def test_it_counts_every_message(plan: fm.Plan) -> None:
    assert await AppleModel().count(ASK) == len("Be brief.Hello?") // 4


async def test_a_count_that_fails_is_none(plan: fm.Plan) -> None:
    plan.error = fm.DecodingFailureError("no")
    assert await AppleModel().count(ASK) is None


# What comes


async def test_snapshots_become_what_each_added(plan: fm.Plan) -> None:
    plan.snapshots = ("He", "He", "Hello", "Hello there.")
    found = await chunks(AppleModel(), ASK)
    assert found == [TextDelta("He"), TextDelta("llo"), TextDelta(" there."), Finished("stop")]


async def test_the_loop_of_the_program_is_never_blocked(plan: fm.Plan) -> None:
    plan.gate.clear()
    async with aclosing(AppleModel().stream(ASK)) as stream:
        assert await anext(stream) == TextDelta("Hello")
        plan.gate.set()  # were it this loop that waits for the gate, it would never come here
        assert text([chunk async for chunk in stream]) == " there."
    assert plan.threads == {"apple-model"}


async def test_leaving_a_reply_ends_the_generation(plan: fm.Plan) -> None:
    plan.snapshots = ["word " * length for length in range(1, 1000)]
    plan.gate.clear()
    async with aclosing(AppleModel().stream(ASK)) as stream:
        await anext(stream)
    plan.gate.set()
    assert await asyncio.to_thread(plan.left.wait, 5)
    assert plan.given == 2


async def test_a_cancelled_turn_does_not_wait_for_the_framework(plan: fm.Plan) -> None:
    plan.gate.clear()
    first = asyncio.Event()

    async def ask() -> None:
        async with aclosing(AppleModel().stream(ASK)) as stream:
            async for _ in stream:
                first.set()

    task = asyncio.create_task(ask())
    async with asyncio.timeout(5):
        await first.wait()
        task.cancel()
        await asyncio.wait([task])
    assert task.cancelled()
    plan.gate.set()


async def test_an_empty_reply_is_a_fault(plan: fm.Plan) -> None:
    plan.snapshots = ("", " ")
    _, error = await until_fault(AppleModel(), ASK)
    assert isinstance(error, EmptyReply)


# What goes wrong


@pytest.mark.parametrize(
    ("error", "limit", "count"),
    [
        (fm.ExceededContextWindowSizeError("Context window size exceeded: too long"), 4096, None),
        (fm.ExceededContextWindowSizeError("Provided 8,913 tokens, but the maximum allowed is 8,192."), 8192, 8913),
        (
            fm.GenerationError("Unknown (status: 255): Provided 8,913 tokens, but the maximum allowed is 8,192"),
            8192,
            8913,
        ),
        (
            fm.GenerationError(
                "Content contains 4,200 tokens, which exceeds the maximum allowed context size of 4,096."
            ),
            4096,
            4200,
        ),
    ],
)
async def test_an_overflow_is_recognised_in_both_its_forms(
    plan: fm.Plan, error: Exception, limit: int, count: int | None
) -> None:
    plan.snapshots, plan.error = (), error
    _, found = await until_fault(AppleModel(), ASK)
    assert isinstance(found, ContextOverflow)
    assert (found.limit, found.count) == (limit, count)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (fm.GuardrailViolationError("unsafe"), "Apple's guardrails stopped this request (unsafe)"),
        (fm.RefusalError("no"), "Apple's model refused to answer (no)"),
        (fm.RateLimitedError(""), "wait a little, then ask again (RateLimitedError)"),
        (fm.FoundationModelsError("a\x1b[2Jb"), "Apple's model failed (ab)"),
    ],
)
async def test_a_fault_is_said_in_words_after_what_came(plan: fm.Plan, error: Exception, words: str) -> None:
    plan.error = error
    found, fault = await until_fault(AppleModel(), ASK)
    assert text(found) == "Hello there."
    assert type(fault) is ModelError
    assert words in str(fault)


async def test_a_model_that_is_gone_is_unavailable(plan: fm.Plan) -> None:
    plan.error = fm.AssetsUnavailableError("gone")
    _, fault = await until_fault(AppleModel(), ASK)
    assert isinstance(fault, ModelUnavailable)


async def test_what_is_no_fault_of_the_sdk_is_not_hidden(plan: fm.Plan) -> None:
    plan.error = ZeroDivisionError("a defect")
    with pytest.raises(ZeroDivisionError):
        await chunks(AppleModel(), ASK)


async def test_no_thread_of_it_keeps_the_program_alive(plan: fm.Plan) -> None:
    plan.gate.clear()
    async with aclosing(AppleModel().stream(ASK)) as stream:
        await anext(stream)
        assert all(thread.daemon for thread in threading.enumerate() if thread.name == "apple-model")
    plan.gate.set()
