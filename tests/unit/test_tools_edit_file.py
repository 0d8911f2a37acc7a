"""edit_file: confined, shown before it is approved, whole or not at all, and never over a version nobody read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.fakes.tools import Answers, Bench
from wisp_tui.approval import Answer, ApprovalRequest, Level
from wisp_tui.events import Kind
from wisp_tui.text.json import Json
from wisp_tui.tools import Arguments, BadArguments, ToolOutput
from wisp_tui.tools.edit_file import EditFile
from wisp_tui.tools.file_writing import SeenFiles
from wisp_tui.tools.read_file import ReadFile


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    work = tmp_path.resolve() / "ws"
    work.mkdir()
    return Bench(work)


async def edit(bench: Bench, path: str, action: str = "write", text: str = "new\n", **arguments: Json) -> ToolOutput:
    return await bench.call(EditFile(own=bench.directory / "home"), path=path, action=action, text=text, **arguments)


async def test_a_new_file_is_written_with_its_directories_and_shown_back(bench: Bench) -> None:
    output = await edit(bench, "docs/a b/new.md", text="one\ntwo")
    path = bench.directory / "docs/a b/new.md"
    assert path.read_bytes() == b"one\ntwo"
    assert output.text == f"wrote 2 lines to {path} (7 bytes, a new file)\n1\tone\n2\ttwo"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~current_umask()
    asked = bench.person.asked[0]
    assert (asked.command, asked.level, asked.reasons) == (
        "edit_file docs/a b/new.md",
        Level.MODERATE,
        ("writes docs/a b/new.md, a new file",),
    )
    assert asked.diff.split("\n")[:3] == ["@@ -0,0 +1,2 @@", "+one", "+two"]
    (written,) = bench.ear.of(Kind.FILE_WRITE)
    assert (written["bytesBefore"], written["bytesAfter"], written["linesAdded"]) == (None, 7, 2)


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


async def test_an_edit_keeps_other_bytes_and_permissions_and_follows_links(bench: Bench) -> None:
    path = bench.directory / "run.sh"
    path.write_bytes(b"caf\xe9\r\nold\r\nend")
    path.chmod(0o750)
    (bench.directory / "link").symlink_to("run.sh")
    output = await edit(bench, "link", "replace", "new", line=2)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"caf\xe9\r\nnew\r\nend", 0o750)
    assert (bench.directory / "link").is_symlink()
    assert output.text == f"replaced line 2 of {path}\n2\tnew"
    assert (await edit(bench, "run.sh", "replace", "fin", find="end")).ok
    assert (await edit(bench, "run.sh", "append", "x\n")).ok
    assert path.read_bytes() == b"caf\xe9\r\nnew\r\nfin\r\nx\r\n"
    assert {found.name for found in bench.directory.iterdir()} == {"link", "run.sh"}


async def test_a_long_edit_is_shown_back_by_its_ends(bench: Bench) -> None:
    output = await edit(bench, "long", text="".join(f"line {number}\n" for number in range(1, 301)))
    assert output.text.split("\n")[1:] == [
        *(f"{number}\tline {number}" for number in range(1, 5)),
        "… 292 more lines of the edit",
        *(f"{number}\tline {number}" for number in range(297, 301)),
    ]


@pytest.mark.parametrize("path", ["../ws-evil/x", "link/new", "link/deep/new", "/etc/wisp-test", "sub/../../x"])
async def test_nothing_outside_is_written_and_nothing_asked(bench: Bench, path: str) -> None:
    outside = bench.directory.parent / "outside"
    outside.mkdir()
    (bench.directory.parent / "ws-evil").mkdir()
    (bench.directory / "link").symlink_to(outside)
    output = await edit(bench, path)
    assert not output.ok
    assert "outside of what may be edited" in output.text
    assert not bench.person.asked
    assert not list(outside.iterdir())


async def test_a_place_of_the_settings_may_be_edited_and_asks_as_dangerous(bench: Bench) -> None:
    outside = bench.directory.parent / "shared"
    outside.mkdir()
    output = await bench.call(EditFile(places=("../shared",)), path="../shared/x", action="write", text="a")
    assert output.ok
    assert bench.person.asked[0].level is Level.DANGEROUS


async def test_the_tilde_is_the_home(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(bench.directory))
    output = await edit(bench, "~/a b/x")
    assert str(bench.directory / "a b" / "x") in output.text
    assert (bench.directory / "a b" / "x").read_text() == "new\n"


async def test_wisps_own_files_are_the_persons(bench: Bench) -> None:
    (bench.directory / "home").mkdir()
    output = await edit(bench, "home/facts.json")
    assert "one of wisp's own files" in output.text
    assert not bench.person.asked
    assert not (bench.directory / "home" / "facts.json").exists()


async def test_what_starts_programs_asks_as_dangerous(bench: Bench) -> None:
    (bench.directory / ".git" / "hooks").mkdir(parents=True)
    await edit(bench, ".git/hooks/pre-commit")
    assert bench.person.asked[0].level is Level.DANGEROUS
    assert bench.person.asked[0].pattern is None


async def test_a_file_that_changed_since_it_was_read_is_to_be_read_again(bench: Bench) -> None:
    seen = SeenFiles()
    read, change = ReadFile(seen), EditFile(seen)
    path = bench.directory / "f"
    path.write_text("a\nb\n")
    await bench.call(read, path="f")
    assert (await bench.call(change, path="f", action="replace", line=1, text="x")).ok
    assert (await bench.call(change, path="f", action="replace", line=2, text="y")).ok
    path.write_text("somebody else's\n")
    output = await bench.call(change, path="f", action="replace", line=1, text="z")
    assert output.text == f"error: {path}: it changed since you read it; read it again, then edit what is there now"
    assert path.read_text() == "somebody else's\n"
    await bench.call(read, path="f")
    assert (await bench.call(change, path="f", action="replace", line=1, text="z")).ok


async def test_a_file_that_changes_while_the_person_reads_the_diff_is_left(bench: Bench) -> None:
    path = bench.directory / "f"
    path.write_text("a\n")

    class Slow(Answers):
        async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
            path.write_text("changed\n")
            return await Answers.ask(self, request)

    bench.person = Slow()
    output = await edit(bench, "f", "append")
    assert "changed while the person was asked" in output.text
    assert path.read_text() == "changed\n"


async def test_a_refusal_writes_nothing_and_says_so(bench: Bench) -> None:
    bench.person.answer = Answer.NO
    output = await edit(bench, "f")
    assert output.text.startswith("error: the person did not allow this edit (a test);")
    assert (output.details or {})["denied"] is True
    assert not (bench.directory / "f").exists()


async def test_an_answer_for_the_session_covers_the_file_and_one_for_the_turn_this_very_edit(bench: Bench) -> None:
    tool, context = EditFile(), bench.context()

    async def write(path: str, text: str) -> int:
        await tool.run(Arguments({"path": path, "action": "write", "text": text}), context)
        return len(bench.person.asked)

    assert [await write("f", "a"), await write("f", "b")] == [1, 2]
    bench.person.answer = Answer.SESSION
    assert [await write("f", "c"), await write("f", "d"), await write("g", "d")] == [3, 3, 4]
    assert bench.person.asked[-1].pattern == "every edit of g"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"action": "replace", "find": "a", "text": "x"}, "occurs 2 times, in lines 1, 2"),
        ({"action": "replace", "find": "", "text": "x"}, "find is empty"),
        ({"action": "replace", "line": 9, "text": "x"}, "past the end"),
        ({"path": "gone", "action": "replace", "line": 1, "text": "x"}, "no such file; write makes it"),
        ({"path": ".", "action": "write", "text": "x"}, "it is a directory"),
        ({"path": "binary", "action": "append", "text": "x"}, "a binary file"),
        ({"path": "pipe", "action": "write", "text": "x"}, "not a regular file"),
        ({"path": "f/below", "action": "write", "text": "x"}, "cannot be written: Not a directory"),
    ],
)
async def test_what_cannot_be_edited_says_why(bench: Bench, arguments: dict[str, Json], said: str) -> None:
    (bench.directory / "f").write_text("a\na\n")
    (bench.directory / "binary").write_bytes(b"\0")
    os.mkfifo(bench.directory / "pipe")
    output = await bench.call(EditFile(), **({"path": "f"} | arguments))
    assert output.text.startswith("error: ")
    assert said in output.text
    assert not bench.person.asked


async def test_an_edit_that_changes_nothing_is_named_and_asks_nothing(bench: Bench) -> None:
    (bench.directory / "f").write_text("a\n")
    output = await edit(bench, "f", "replace", "a", find="a")
    assert output.text == f"no change: {bench.directory / 'f'} holds this already"
    assert not bench.person.asked


async def test_arguments_that_do_not_fit_are_named(bench: Bench) -> None:
    with pytest.raises(BadArguments, match="action must be one of write, append, replace"):
        await edit(bench, "f", "delete")
    (bench.directory / "f").write_text("a\n")
    with pytest.raises(BadArguments, match="replace needs find"):
        await edit(bench, "f", "replace")
    with pytest.raises(BadArguments, match="NUL"):
        await edit(bench, "f", text="a\0b")


async def test_control_sequences_do_not_come_back_in_what_is_shown(bench: Bench) -> None:
    output = await edit(bench, "f", text="A\x1b]52;c;SGk=\x1b\\B\x1b[2J\n")
    assert "\x1b" not in output.text
    assert (bench.directory / "f").read_text() == "A\x1b]52;c;SGk=\x1b\\B\x1b[2J\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "replace", "find": "TOKEN=guess", "text": "x"},
        {"action": "replace", "find": "T", "text": "x"},
        {"action": "replace", "line": 9, "text": "x"},
        {"action": "replace", "find": "TOKEN=abcT", "text": "TOKEN=abcT"},
        {"action": "write", "text": "TOKEN=abcT\n"},
    ],
)
async def test_what_a_file_of_credentials_holds_is_told_only_once_it_is_allowed(
    bench: Bench, arguments: dict[str, Json]
) -> None:
    (bench.directory / ".env").write_text("TOKEN=abcT\n")
    (bench.directory / "link").symlink_to(".env")
    bench.person.answer = Answer.NO
    told = {(await bench.call(EditFile(), path=path, **arguments)).text for path in (".env", "link")}
    assert len(told) == 1
    assert told.pop().startswith("error: the person did not allow this edit")
    assert [(asked.level, asked.command.split(" ")[:2]) for asked in bench.person.asked] == [
        (Level.DANGEROUS, ["edit_file", ".env"])
    ] * 2
    assert str(arguments["text"]).strip() in bench.person.asked[0].command
    bench.person.answer = Answer.ONCE
    output = await bench.call(EditFile(), path=".env", **arguments)
    assert "did not allow" not in output.text


async def test_an_edit_of_credentials_that_was_allowed_shows_nothing_of_them(bench: Bench) -> None:
    path = bench.directory / ".env"
    path.write_text("TOKEN=secret\n")
    output = await edit(bench, ".env", "replace", "KEY=", find="TOKEN=")
    assert path.read_text() == "KEY=secret\n"
    assert output.text == f"replaced the text in line 1 of {path}"
    missing = await edit(bench, "other/.env", "replace", "KEY=", find="TOKEN=")
    assert "no such file" in missing.text
    assert len(bench.person.asked) == 1
    assert "1\tKEY=new" in (await edit(bench, "other/.env", text="KEY=new")).text
