"""What comes of a reply that an Ollama server streams, in all the ways it really does."""

from __future__ import annotations

import pytest

from tests.fakes.asking import calls, chunks, text
from tests.fakes.ollama import (
    FakeOllama,
    Hang,
    Raw,
    Script,
    call,
    called,
    done,
    said,
    thought,
)
from wisp_tui.config.settings import OllamaSettings, Settings
from wisp_tui.models.base import (
    Chunk,
    Finished,
    Message,
    Request,
    Role,
    TextDelta,
    ThinkingOut,
    Usage,
)
from wisp_tui.models.ollama import OllamaModel
from wisp_tui.models.tool_calls import CUT_OFF, NAMELESS, NOT_AN_OBJECT
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject

ASK = Request((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Hello?")))


def model(fake: FakeOllama, *, context_length: int | None = None) -> OllamaModel:
    settings = Settings(ollama=OllamaSettings(context_length=context_length))
    return OllamaModel(ModelId("ollama:granite4.1:8b"), settings, fake.environment)


async def reply(*script: Script, split: int | None = None) -> list[Chunk]:
    async with FakeOllama(scripts=script, split=split) as fake:
        return await chunks(model(fake), ASK)


async def test_text_usage_and_the_end_come_in_order() -> None:
    found = await reply([said("Hel"), said("lo"), done(prompt_eval_count=26, eval_count=2)])
    assert found == [TextDelta("Hel"), TextDelta("lo"), Usage(26, 2), Finished("stop")]


@pytest.mark.parametrize("split", [1, 2, 3, 7, 64, None])
async def test_lines_may_come_in_pieces_of_any_size(split: int | None) -> None:
    words = "Grüße, 世界 🌍\nnext"
    found = await reply([thought("hm…"), said(words), called(call("f", {"ü": "é"})), done()], split=split)
    assert text(found) == words
    assert [made.arguments for made in calls(found)] == ['{"ü":"é"}']


async def test_line_separators_inside_a_string_do_not_end_a_line() -> None:
    line = '{"message":{"content":"a\u2028b\u2029c\u0085d\u000be"},"done":false}'.replace("\u000b", "\\u000b")
    found = await reply([Raw(line.encode() + b"\n"), done()])
    assert text(found) == "a\u2028b\u2029c\u0085d\u000be"


async def test_blank_lines_carriage_returns_and_a_last_line_without_its_end_are_read() -> None:
    found = await reply([Raw(b'\n\r\n{"message":{"content":"x"},"done":false}\r\n'), Raw(b'{"done":true}')])
    assert found == [TextDelta("x"), Usage(), Finished(None)]


async def test_a_missing_count_is_unknown_and_never_nought() -> None:
    missing = await reply([said("x"), done(prompt_eval_count=None, eval_count=None)])
    nought = await reply([said("x"), done(prompt_eval_count=0, eval_count=0)])
    assert Usage(None, None) in missing
    assert Usage(None, None) in nought


async def test_a_prompt_that_the_server_cut_is_reported_with_the_count_it_kept() -> None:
    async with FakeOllama() as fake:
        long = tuple(Message(Role.USER if turn % 2 else Role.ASSISTANT, "word " * 400) for turn in range(41))
        found = await chunks(model(fake, context_length=2048), Request(long))
        (usage,) = [chunk for chunk in found if isinstance(chunk, Usage)]
        assert usage.input is not None
        assert usage.input <= 2048
        assert fake.kept[0] < len(long)


async def test_a_reply_that_ended_at_its_limit_is_marked_as_cut_off() -> None:
    assert (await reply([said("Once upon"), done("length")]))[-1] == Finished("length", cut_off=True)


async def test_nothing_is_waited_for_after_the_last_line() -> None:
    found = await reply([said("x"), done(), said("y"), Hang()])
    assert found[-1] == Finished("stop")
    assert text(found) == "x"


async def test_thinking_comes_as_thinking_and_the_answer_after_it() -> None:
    found = await reply([thought("Let me "), thought("see."), said("Yes."), done()])
    assert found[:3] == [ThinkingOut("Let me "), ThinkingOut("see."), TextDelta("Yes.")]


async def test_calls_run_because_they_are_there_whatever_the_reason_says() -> None:
    found = await reply([called(call("read_file", {"path": "a"})), done("stop")])
    (made,) = calls(found)
    assert (made.name, made.arguments, made.fault) == ("read_file", '{"path":"a"}', None)
    assert found[-1] == Finished("stop")


async def test_several_calls_in_one_line_and_in_several_each_have_an_id_of_their_own() -> None:
    found = await reply([
        called(call("a", {}), call("a", {}), call("b", {}, id="given")),
        called(call("a", {}, id="given")),
        done(),
    ])  # fmt: skip
    ids = [made.id for made in calls(found)]
    assert ids[2] == "given"
    assert len(set(ids)) == 4
    assert all(ids)


async def test_ids_made_for_one_reply_are_not_made_again_for_the_next() -> None:
    async with FakeOllama(scripts=[[called(call("a", {})), done()]]) as fake:
        asked = model(fake)
        first, second = calls(await chunks(asked, ASK)), calls(await chunks(asked, ASK))
        assert first[0].id != second[0].id


@pytest.mark.parametrize(
    ("arguments", "text_given"),
    [({}, "{}"), (None, "{}"), ("", "{}"), ("  ", "{}"), ('{"path":"a"}', '{"path":"a"}'), ({"n": 1.5}, '{"n":1.5}')],
)
async def test_arguments_come_as_an_object_as_text_or_not_at_all(arguments: Json, text_given: str) -> None:
    (made,) = calls(await reply([called(call("f", arguments)), done()]))
    assert (made.arguments, made.fault) == (text_given, None)


async def test_a_call_without_arguments_or_without_an_id_is_whole() -> None:
    (made,) = calls(await reply([called({"function": {"name": "current_date"}}), done()]))
    assert (made.arguments, made.fault) == ("{}", None)


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (call("f", '{"path":"a","text":"ab'), NOT_AN_OBJECT),
        (call("f", [1, 2]), NOT_AN_OBJECT),
        (call("f", "7"), NOT_AN_OBJECT),
        (call("", {}), NAMELESS),
        ({"id": "x"}, NAMELESS),
    ],
)
async def test_a_call_that_cannot_be_run_says_why(made: JsonObject, fault: str) -> None:
    found = await reply([called(made), done()])
    assert [found_call.fault for found_call in calls(found)] == [fault]


async def test_a_call_on_the_line_that_ends_at_the_limit_was_cut_off() -> None:
    last = {**done("length"), **called(call("f", '{"path":"a","te')), "done": True}
    (made,) = calls(await reply([last]))
    assert made.fault == CUT_OFF


async def test_lines_of_unknown_fields_and_odd_kinds_are_skipped() -> None:
    odd: list[JsonObject] = [
        {"status": "loading"},
        {"message": None},
        {"message": {"content": None, "tool_calls": None}},
        {"message": 3},
    ]
    assert text(await reply([*odd, said("x"), done()])) == "x"
