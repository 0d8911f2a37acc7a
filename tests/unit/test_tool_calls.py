"""How streamed fragments become calls, whatever a server leaves out or repeats."""

from __future__ import annotations

import pytest

from wisp_tui.models.base import ToolCall
from wisp_tui.models.tool_calls import CUT_OFF, NAMELESS, NOT_AN_OBJECT, ToolCallAssembler
from wisp_tui.text.json import Json, JsonObject

NONE = "none"


def fragment(index: int | None, call: str | None, name: str | None, arguments: Json = NONE) -> JsonObject:
    made: dict[str, Json] = {} if index is None else {"index": index}
    if call is not None:
        made["id"] = call
    function: dict[str, Json] = {} if name is None else {"name": name}
    if arguments != NONE:
        function["arguments"] = arguments
    return {**made, "function": function}


def assembled(*fragments: JsonObject, cut_off: bool = False) -> list[tuple[str, str, str | None]]:
    assembler = ToolCallAssembler()
    for piece in fragments:
        assembler.add(piece)
    return [(call.name, call.arguments, call.fault) for call in assembler.finish(cut_off=cut_off)]


ONE_EACH = [("f", '{"x":1}', None), ("g", '{"y":2}', None)]


@pytest.mark.parametrize(
    "fragments",
    [
        # all under index 0, told apart by ids
        (fragment(0, "a", "f", '{"x":'), fragment(0, "a", None, "1}"), fragment(0, "b", "g", '{"y":2}')),
        # the same, continued without ids
        (
            fragment(0, "a", "f", '{"x"'), fragment(0, None, None, ":1}"),
            fragment(0, "b", "g"), fragment(0, None, None, '{"y":2}'),
        ),
        # each at its own index, interleaved
        (
            fragment(0, "a", "f", '{"x"'), fragment(1, "b", "g", '{"y"'),
            fragment(0, None, None, ":1}"), fragment(1, None, None, ":2}"),
        ),
        # no index at all
        (fragment(None, "a", "f", '{"x":1'), fragment(None, None, None, "}"), fragment(None, "b", "g", '{"y":2}')),
        # no ids, no indexes
        (fragment(None, None, "f", '{"x":1}'), fragment(None, None, "g", '{"y":2}')),
        # empty ids under one index
        (fragment(0, "", "f", '{"x":1}'), fragment(0, "", "g", '{"y":2}')),
        # one id for two calls at two indexes
        (fragment(0, "a", "f", '{"x":1}'), fragment(1, "a", "g", '{"y":2}')),
        # the name before the id, the name after it, the name said again with each fragment
        (
            fragment(0, None, "f"), fragment(0, None, "f", '{"x":1}'),
            fragment(1, "b", None), fragment(1, None, "g", '{"y":2}'),
        ),
        # arguments as an object, and null before they come
        (fragment(0, "a", "f", None), fragment(0, "a", None, {"x": 1}), fragment(1, "b", "g", {"y": 2})),
    ],
)  # fmt: skip
def test_two_calls_are_told_apart(fragments: tuple[JsonObject, ...]) -> None:
    assert assembled(*fragments) == ONE_EACH


def test_ids_are_kept_and_made_different_where_they_are_not() -> None:
    assembler = ToolCallAssembler()
    for piece in (fragment(0, "a", "f", "{}"), fragment(1, "a", "g", "{}"), fragment(2, None, "h", "{}")):
        assembler.add(piece)
    ids = [call.id for call in assembler.finish(cut_off=False)]
    assert ids[0] == "a"
    assert len(set(ids)) == 3
    assert all(ids)


def test_a_name_in_pieces_is_put_together() -> None:
    assert assembled(fragment(0, "a", "read_"), fragment(0, None, "file"), fragment(0, None, None, "{}")) == [
        ("read_file", "{}", None)
    ]


@pytest.mark.parametrize("arguments", [NONE, "", " ", None])
def test_a_call_without_arguments_is_of_a_tool_that_takes_none_unless_it_was_cut_off(arguments: Json) -> None:
    assert assembled(fragment(0, "a", "f", arguments)) == [("f", "{}", None)]
    ((_, _, fault),) = assembled(fragment(0, "a", "f", arguments), cut_off=True)
    assert fault == CUT_OFF


def test_a_call_that_names_no_tool_is_a_fault() -> None:
    assert assembled(fragment(0, "a", None, "{}"))[0][2] == NAMELESS
    assert assembled(fragment(0, "a", None, "{}"), cut_off=True)[0][2] == CUT_OFF


@pytest.mark.parametrize("cut_off", [True, False])
def test_whole_arguments_are_no_fault_however_the_reply_ended(*, cut_off: bool) -> None:
    assert assembled(fragment(0, "a", "f", ' {"x": "}{"} '), cut_off=cut_off) == [("f", ' {"x": "}{"} ', None)]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ('{"text":"if x {}', CUT_OFF),
        ('{"a":{"b":1}', CUT_OFF),
        ('{"text":"a\\', CUT_OFF),
        ('{"text":"\\u00', CUT_OFF),
        ('{"a":1}}', NOT_AN_OBJECT),
        ('{"a":"line\nbreak"}', NOT_AN_OBJECT),
        ('{"a":NaN}', NOT_AN_OBJECT),
        ("[1,2]", NOT_AN_OBJECT),
        ("\ufeff{}", NOT_AN_OBJECT),
    ],
)
def test_arguments_are_read_strictly_and_never_repaired(arguments: str, fault: str) -> None:
    assert assembled(fragment(0, "a", "f", arguments)) == [("f", arguments, fault)]


@pytest.mark.parametrize(
    "odd", [{}, {"function": None}, {"index": "0", "id": 7}, {"index": -1, "function": {"name": 3}}]
)
def test_a_fragment_that_says_nothing_breaks_nothing(odd: JsonObject) -> None:
    assembler = ToolCallAssembler()
    assembler.add(fragment(0, "a", "f", '{"x":'))
    assembler.add({"index": 0, "function": {"arguments": "1}"}})
    first = ToolCall("a", "f", '{"x":1}')
    assembler.add(odd)
    assert assembler.finish(cut_off=False)[0] == first
