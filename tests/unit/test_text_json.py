"""Reading and writing JSON values of any kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.text.json import DEEPEST, Json, dump, load, load_object

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_can_be_written_and_read_again(value: Json) -> None:
    assert json.loads(dump(value)) == load(dump(load(dump(value))))


def test_what_json_cannot_hold_is_replaced() -> None:
    written = dump({"a": "x\ud800", "b": float("nan"), "c": 10**30})
    assert written.decode() == '{"a":"x\ufffd","b":null,"c":1' + "0" * 30 + "}"


@pytest.mark.parametrize("levels", [DEEPEST, 300, 900])
def test_what_is_nested_too_deep_is_written_as_null(levels: int) -> None:
    value = load("[" * levels + "]" * levels)
    assert load(dump(value)) is not None


def test_keys_are_sorted_where_wanted() -> None:
    assert dump({"b": 1, "a": 2}, sort=True) == b'{"a":2,"b":1}'
    assert dump({"b": 10**30, "a": "\ud800"}, sort=True).startswith(b'{"a"')


@pytest.mark.parametrize("line", ['{"path":"\\ud83d"}', '{"path":"\\ud83d\\ud83d"}', b'{"path":"\\udE00"}'])
def test_an_escaped_lone_surrogate_is_read_as_a_replacement_and_refuses_nothing(line: bytes | str) -> None:
    assert set(str(load_object(line)["path"])) == {"\ufffd"}


def test_a_surrogate_pair_is_the_character_it_stands_for() -> None:
    assert load('"\\ud83d\\ude00"') == "😀"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nan",
        '{"a":NaN,"b":"\\ud800"}',
        '{"a":"\\ud800"',
        "[" * 5000 + '"\\ud800"' + "]" * 5000,
        b"\xff",
        "{'a':1}",
    ],
)
def test_what_is_no_json_is_a_value_error(text: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        load(text)


@pytest.mark.parametrize("text", ["[1]", "1", '"x"', "null"])
def test_a_value_that_is_no_object_is_refused_where_one_is_wanted(text: str) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        load_object(text)
