"""The parts of ``wisp respond``: the prompt it is given, the schema its reply must hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from wisp_tui.cli import respond
from wisp_tui.cli.answering import schema_fault
from wisp_tui.cli.faults import UsageFault
from wisp_tui.cli.respond import read_schema, whole_prompt
from wisp_tui.text.json import JsonObject

Stdin = Callable[[int], None]


@pytest.fixture
def stdin() -> Generator[Stdin]:
    """Put a descriptor in the place of standard input, for the length of the test."""
    kept = os.dup(0)

    def put(file: int) -> None:
        os.dup2(file, 0)
        os.close(file)

    yield put
    os.dup2(kept, 0)
    os.close(kept)


def piped(data: bytes, *, ended: bool = True) -> int:
    reading, writing = os.pipe()
    os.write(writing, data)
    if ended:
        os.close(writing)
    return reading


@pytest.mark.parametrize(
    ("words", "data", "prompt"),
    [
        (("why?",), b"", "why?"),
        (("two", "words"), b"", "two words"),
        ((), b"from a pipe\n", "from a pipe"),
        (("-",), b"from a pipe", "from a pipe"),
        (("explain",), b"the material\n", "explain\n\nthe material"),
        (("explain", "-"), b"the material", "explain\n\nthe material"),
        (("explain",), b"\n\n", "explain"),
        ((), b"caf\xe9", "caf\ufffd"),
        ((), b"\r\n  indented\r\n", "  indented"),
    ],
)
def test_the_prompt_is_the_words_and_then_what_is_piped_in(
    stdin: Stdin, words: tuple[str, ...], data: bytes, prompt: str
) -> None:
    stdin(piped(data))
    assert whole_prompt(words) == prompt


def test_a_file_is_read_as_a_pipe_is(stdin: Stdin, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("material")
    stdin(os.open(tmp_path / "notes", os.O_RDONLY))
    assert whole_prompt(("sum it up",)) == "sum it up\n\nmaterial"


def test_nothing_is_read_where_there_is_nothing(stdin: Stdin) -> None:
    stdin(os.open(os.devnull, os.O_RDONLY))
    assert whole_prompt(("why?",)) == "why?"
    with pytest.raises(UsageFault, match="there is no prompt"):
        whole_prompt(())


def test_no_prompt_on_a_terminal_is_a_fault_at_once_and_a_prompt_reads_nothing(stdin: Stdin) -> None:
    ours, theirs = os.openpty()
    stdin(theirs)
    assert whole_prompt(("why?",)) == "why?"
    for words in ((), ("-",)):
        with pytest.raises(UsageFault, match="there is no prompt"):
            whole_prompt(words)
    os.close(ours)


def test_a_pipe_that_carries_nothing_and_never_ends_is_left_alone(
    stdin: Stdin, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(respond, "PATIENCE", 0.01)
    stdin(piped(b"", ended=False))
    assert whole_prompt(("why?",)) == "why?"
    assert "nothing came on standard input" in capsys.readouterr().err


def test_material_that_takes_its_time_is_waited_for_where_it_is_asked_for(
    stdin: Stdin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(respond, "_something_comes", lambda: False)
    stdin(piped(b"late\n"))
    assert whole_prompt(("explain", "-")) == "explain\n\nlate"


SCHEMA: JsonObject = {"type": "object", "required": ["name", "size"]}


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ('{"name":"x","size":1,"more":2}', None),
        ('{"name":null,"size":1}', None),
        ("Sure! {}", "the reply is not JSON"),
        ("", "the reply is not JSON"),
        ('{"name":"x"', "the reply is not JSON"),
        ("[1]", "the reply is not a JSON object"),
        ('{"size":1}', "the reply lacks name, which the schema requires"),
        ("{}", "the reply lacks name, size, which the schema requires"),
    ],
)
def test_a_reply_must_be_json_with_every_required_key(reply: str, fault: str | None) -> None:
    assert schema_fault(reply, SCHEMA) == fault


@pytest.mark.parametrize("schema", [{}, {"type": "array"}, {"required": "name"}, {"required": [1]}])
def test_a_schema_that_requires_no_key_takes_any_json(schema: JsonObject) -> None:
    assert schema_fault("[1]", schema) is None


def test_a_schema_is_read_from_a_file_and_its_faults_are_told(tmp_path: Path) -> None:
    (tmp_path / "good").write_text('{"type":"object"}')
    (tmp_path / "bad").write_text("{")
    assert read_schema(tmp_path / "good") == {"type": "object"}
    with pytest.raises(UsageFault, match="is not a JSON object"):
        read_schema(tmp_path / "bad")
    with pytest.raises(UsageFault, match="cannot be read: No such file"):
        read_schema(tmp_path / "missing")
