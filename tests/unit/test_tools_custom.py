"""Tools of the person's own: whatever the model gives as an argument is one word of their command, and nothing more."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.tools import Bench
from wisp_tui.approval import Answer
from wisp_tui.config import ConfigError, Home, Settings, load_settings
from wisp_tui.config.custom_tools import BadTemplate, filled, parsed
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.tools import BadArguments, Tool
from wisp_tui.tools.registry import available

HOSTILE = [
    "",
    "a b",
    "$(touch made)",
    "`touch made`",
    "'; touch made; '",
    '"; touch made; "',
    "a\nb # c",
    "~/x",
    "*",
    "{a,b}",
    "\\",
    "!!",
    "\u00e9\u4e2d",
    "<(touch made)",
    "&& touch made",
]


def tools(**custom: JsonObject) -> dict[str, Tool]:
    return dict(available(Settings.model_validate({"tools": {"custom": custom}}), Home(Path("/nobody/.wisp"))))


def shows(**more: Json) -> JsonObject:
    return {"description": "Show it.", "command": "printf '<%s>' {what}", "arguments": {"what": "what"}, **more}


@pytest.mark.parametrize(
    ("template", "becomes"),
    [
        ("printf '%s\\0' {x}", "{}"),
        ("printf '%s\\0' a={x}; true # over", "a={}"),
        ("printf '%s\\0' 'it'\\''s '{x}\"q\"", "it's {}q"),
        ("echo \"it's\" >/dev/null; printf '%s\\0' {x}", "{}"),
        ("# it's a comment\nprintf '%s\\0' a#{x}", "a#{}"),
        ("test -n \"$HOME\" && (printf '%s\\0' {x})", "{}"),
    ],
)
def test_an_argument_is_one_word_whatever_it_holds(tmp_path: Path, template: str, becomes: str) -> None:
    lines = [filled(parsed(template, ["x"]), {"x": value}) for value in HOSTILE]
    done = subprocess.run(["/bin/bash", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == [becomes.replace("{}", value) for value in HOSTILE]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("echo '{x}'", "{x} is in quotes"),
        ('echo "a {x}"', "{x} is in quotes"),
        ("echo \"it's\" 'a {x}'", "{x} is in quotes"),
        ("echo # {x}", "{x} is in a comment"),
        ('echo "$(echo "a {x}")"', 'a command within "…"'),
        ("echo `cat {x}`", "backticks"),
        ("echo $'a\\'' {x}", "$'…'"),
        ("echo $(( {x} ))", "arithmetic"),
        ("[[ {x} -eq 1 ]]", "[[…]]"),
        ("cat <<END\n{x}\nEND", "here-document"),
        ("echo ${HOME:{x}}", "${…}"),
        ("echo ${x}", "no place for {x}"),
        ("echo \\{x}", "no place for {x}"),
        ("echo", "no place for {x}"),
    ],
)
def test_a_place_where_an_argument_is_not_surely_one_word_is_refused(template: str, said: str) -> None:
    with pytest.raises(BadTemplate) as fault:
        parsed(template, ["x"])
    assert said in str(fault.value)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="'\"\\ #$(){};&|\n=a", max_size=14), st.text(alphabet="'\"\\ #$();\n", max_size=6))
def test_no_template_that_is_allowed_runs_what_an_argument_holds(tmp_path: Path, before: str, after: str) -> None:
    try:
        pieces = parsed(f"echo {before}{{x}}{after}", ["x"])
    except BadTemplate:
        return
    for value in (
        "'; touch made; '",
        '"; touch made; "',
        "$(touch made)",
        "`touch made`",
        "\ntouch made\n",
        "; touch made #",
    ):
        subprocess.run(
            ["/bin/bash", "-c", filled(pieces, {"x": value})], cwd=tmp_path, capture_output=True, check=False
        )
    assert not (tmp_path / "made").exists()


async def test_it_asks_with_the_very_line_that_runs(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    tool = tools(show=shows())["show"]
    output = await bench.call(tool, what="$(id)")
    assert bench.person.asked[0].command == "printf '<%s>' '$(id)'"
    assert output.text == "exit status: 0\nstdout:\n<$(id)>"
    bench.person.answer = Answer.NO
    assert (await bench.call(tool, what="x")).text.startswith("error: the person did not allow this command")


async def test_arguments_are_read_strictly(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    tool = tools(
        show={
            "description": "List. And more.",
            "command": "echo {a} --b={b}",
            "arguments": {"a": "first", "b": ""},
            "optional": ["b"],
        }
    )["show"]
    assert tool.spec.parameters == {
        "type": "object",
        "properties": {"a": {"type": "string", "description": "first"}, "b": {"type": "string"}},
        "required": ["a"],
    }
    assert (tool.spec.clause, tool.spec.asks) == ("List", True)
    assert (await bench.call(tool, a=7, b="-x")).text.endswith("\n7 --b=-x")
    assert (await bench.call(tool, a="y", b="")).text.endswith("\ny --b=")
    wrongs: list[JsonObject] = [{}, {"a": True}, {"a": "-rf"}, {"a": "a\0b"}, {"a": "x", "b": []}]
    for wrong in wrongs:
        with pytest.raises(BadArguments):
            await bench.call(tool, **wrong)


def test_a_tool_that_cannot_be_made_is_an_error_of_the_config(tmp_path: Path) -> None:
    for name in ("read_file", "Show", "a-b", "x" * 41):
        with pytest.raises(ConfigError, match=r"tools\.custom"):
            tools(**{name: shows()})
    config = tmp_path / "config.json"
    config.write_text(
        '{"tools": {"custom": {"show": {"description": "x", "command": "echo \'{x}\'", "arguments": {"x": ""}}}}}'
    )
    with pytest.raises(ConfigError, match="in quotes"):
        load_settings(config)
    assert list(tools(show=shows()))[-1] == "show"
