"""The lines of ``wisp chat --json``, read and written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.cli.json_wire import Cancel, Complete, GivenAnswer, Hello, Incoming, Message, read_line, write_line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"type":"hello","effects":["approve","notify"],"client":"x"}', Hello(frozenset({"approve", "notify"}), "x")),
        (b'{"type":"hello"}', Hello(frozenset())),
        (b'{"type":"hello","effects":"approve"}', Hello(frozenset())),
        (b'{"type":"message","text":"hi\\nyou"}', Message("hi\nyou")),
        (b'{"type":"message","text":7}', Message("")),
        (b'{"type":"answer","id":"a","decision":"once"}', GivenAnswer("a", "once")),
        (b'{"type":"answer"}', GivenAnswer("", "")),
        (b'{"type":"complete","id":3,"text":"/to","cursor":2}', Complete(3, "/to", 2)),
        (b'{"type":"complete","id":"x","text":"/to"}', Complete("x", "/to", 3)),
        (b'{"type":"cancel"}', Cancel()),
        (b'  {"type":"cancel"}  ', Cancel()),
        (b'{"type":"message","text":"half \\ud83d"}', Message("half \ufffd")),
    ],
)
def test_each_type_is_read_and_a_missing_field_is_empty(line: bytes, said: Incoming) -> None:
    assert read_line(line) == said


@pytest.mark.parametrize("line", ["What is here?", "/quit", "[1, 2]", "{broken", '"text"', "  indented", "7", "null"])
def test_a_line_that_is_no_json_object_is_a_message(line: str) -> None:
    assert read_line(line.encode()) == Message(line)


@pytest.mark.parametrize(
    "line", [b"", b"   ", b'{"type":"later"}', b'{"a":1}', b'{"type":null}', b'{"type":["message"]}']
)
def test_blank_lines_and_unknown_types_mean_nothing(line: bytes) -> None:
    assert read_line(line) is None


def test_bytes_that_are_no_utf8_are_read_all_the_same() -> None:
    assert read_line(b"caf\xe9") == Message("caf\ufffd")


@given(st.dictionaries(st.text(), st.text()))
def test_what_is_written_is_one_line_to_any_reader_and_acts_on_no_terminal(fields: dict[str, str]) -> None:
    line = write_line(fields)
    text = line.decode()
    assert len(text.splitlines()) == 1
    assert text.endswith("\n")
    assert not any(char < " " or "\x7f" <= char < "\xa0" for char in text[:-1])
    assert json.loads(line) == fields


@pytest.mark.parametrize("char", ["\x7f", "\x85", "\x9b", "\u2028", "\u2029", "é", "漢", "😀", "\x1b", "\n"])
def test_every_character_comes_back_as_it_was(char: str) -> None:
    assert json.loads(write_line({"text": f"a{char}b"})) == {"text": f"a{char}b"}
