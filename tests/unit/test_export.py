"""A conversation written for elsewhere: a page that nothing in it can break, a context that any server takes."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from tests.fakes.chat_server import DONE, FakeChatServer, said
from tests.fakes.model import Answer, ScriptedModel, calls, says
from tests.fakes.session import session_with
from wisp_tui import entry
from wisp_tui.config import Home, Settings
from wisp_tui.events import Kind
from wisp_tui.models.chat_wire import chat_body
from wisp_tui.session import Thread, ThreadOptions
from wisp_tui.session.commands import run_command_line
from wisp_tui.session.export import Form, NotExported, Wanted, export, written
from wisp_tui.session.export.html import OUTPUT_BYTES
from wisp_tui.session.looking import open_saved
from wisp_tui.text.ids import EntryId, EventId

HOSTILE = (
    "<script>alert(1)</script>",
    "</pre></details></style></title></main><img src=x onerror=alert(1)>",
    '"><svg/onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- <style>*{display:none}</style>",
    "&lt;b&gt; &#60;script&#62; &amp;",
    "![x](http://evil.example/x.png) ![y](data:image/svg+xml;base64,AA==)",
    "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](file:///etc/passwd) [d](//evil.example)",
    '<javascript:alert(1)> <https://evil.example/"x>',
    '[e](https://example.org/"onmouseover="alert(1)) [![f](http://evil.example/f.png)](data:text/html,x)',
    '```x" onload="alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "<base href=//evil.example><meta http-equiv=refresh content='0;url=//evil.example'><iframe srcdoc=x>",
    "A\x1b]52;c;SGk=\x1b\\B\x1b[2J\x9b31m\x00\u2028\ud800",
    "> " * 400 + "deep",
    "user\u202etxt.exe \u2066gpj.sh\u2069",
    "user&#x202e;txt.exe &#8294;gpj.sh &#x2028; [x](https://e.example/&#x202e;y)",
)
ALLOWED = re.compile(
    "html|head|meta|title|style|body|header|main|nav|h[1-6]|p|a|ol|ul|li|div|details|summary|figure|figcaption|pre|code|"
    "bdi|span|table|thead|tbody|tr|th|td|strong|em|s|blockquote|hr|br"
)
ATTRIBUTES = frozenset(
    {"lang", "charset", "http-equiv", "content", "name", "class", "id", "value", "href", "rel", "start"}
)


class Reader(HTMLParser):
    """Reads a page as a browser does: its tags with their attributes, and what it shows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def assert_safe(page: str) -> Reader:
    read = Reader(page)
    for tag, attributes in read.tags:
        assert ALLOWED.fullmatch(tag), tag
        allowed = ATTRIBUTES | {"style"} if tag in {"th", "td"} else ATTRIBUTES
        assert set(attributes) <= allowed, (tag, attributes)
        link = attributes.get("href")
        assert link is None or link.startswith(("#", "http://", "https://", "mailto:")), link
        assert tag == "a" or link is None
    assert not any(ord(char) < 32 and char not in "\n\t" for char in page)
    assert not re.search("[\x9b\u202a-\u202e\u2066-\u2069]", page)
    return read


async def talked(tmp_path: Path, model: ScriptedModel, *prompts: str, settings: Settings | None = None) -> Thread:
    thread = session_with(tmp_path, model, settings=settings).new_thread(ThreadOptions())
    for prompt in prompts:
        await thread.submit(prompt)
    return thread


async def test_no_text_breaks_out_of_the_page_wherever_it_stands(tmp_path: Path) -> None:
    answers: list[Answer] = [
        answer
        for text in HOSTILE
        for answer in (calls((text, {"path": text, text: [text]}), ("read_file", {"path": text})), says(text))
    ]
    thread = await talked(tmp_path, ScriptedModel(answers), *HOSTILE)
    held = thread.conversation
    for text in HOSTILE:
        held.name = text
        await run_command_line(thread, f"/fact entity {text[:40]} = {text}")
        await thread.run_typed(f"echo '{text.splitlines()[0].replace(chr(0), '')}'")
    page = written(held, Wanted(Form.HTML)).decode()
    read = assert_safe(page)
    for text in ("<script>alert(1)</script>", "' onmouseover='alert(1)", "&#60;script&#62;", "<iframe srcdoc=x>"):
        assert read.text.count(text) > 3
    policy = next(attributes for _, attributes in read.tags if attributes.get("http-equiv"))
    assert "default-src 'none'" in (policy["content"] or "")
    hrefs = {attributes["href"] for tag, attributes in read.tags if tag == "a" and "href" in attributes}
    assert "http://evil.example/x.png" in hrefs, "an image is a link: the person may look, the page does not"


async def test_a_page_has_what_was_kept_whole_and_names_what_is_longer(tmp_path: Path) -> None:
    lines = "\n".join(f"row {number} of many" for number in range(60_000))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "long.txt").write_text(lines)
    run = calls(("run_command", {"command": "cat long.txt"}))
    thread = await talked(tmp_path, ScriptedModel([run, says("**Many**.")]), "How many?", "And now?")
    held = thread.conversation
    stored = next(entry for entry in held.record if entry.output is not None)
    assert stored.output is not None
    page = written(held, Wanted(Form.HTML)).decode()
    assert "row 9000 of many" in page
    assert f"the first 256 KiB, /show {stored.output.call} shows all of it" in page
    assert len(page.encode()) < OUTPUT_BYTES + 64 * 1024
    assert "<strong>Many</strong>" in page

    left = [EntryId(number) for number in range(stored.id - 2, stored.id + 1)]
    held.record.drop(left, by=EventId("0123456789abcdef"), turn=held.turn)
    page = written(held, Wanted(Form.HTML)).decode()
    assert '<a class="left" href="#c1">left the context</a>' in page
    assert "in turn 2, 1 turn left the context: entries 2 to 4" in page


async def test_a_context_that_was_sent_is_a_body_that_a_server_takes(tmp_path: Path) -> None:
    model = ScriptedModel([calls(("current_date", {})), says("Monday."), says("Bye.")])
    thread = await talked(tmp_path, model, "What day is it?", "Thanks.")
    held = thread.conversation
    for wanted, request in (("1", model.requests[0]), ("2", model.requests[2]), ("", model.requests[-1])):
        body = json.loads(written(held, Wanted(Form.CONTEXT, request=wanted)))
        assert body == json.loads(json.dumps(chat_body(request, "scripted")))
    following = json.loads(written(held, Wanted(Form.CONTEXT, request="next")))
    assert following["messages"][-1]["content"] == "Bye."

    async with FakeChatServer([said("Again."), DONE]) as server, httpx.AsyncClient() as client:
        answer = await client.post(f"{server.address}/v1/chat/completions", content=json.dumps(body | {"stream": True}))
        assert "Again." in answer.text
    for word in ("9", "first"):
        with pytest.raises(NotExported, match="turn"):
            written(held, Wanted(Form.CONTEXT, request=word))


async def test_each_form_is_written_new_private_and_where_it_is_told(tmp_path: Path) -> None:
    thread = await talked(tmp_path, ScriptedModel([says("Yes.")]), "Well?")
    work = tmp_path / "work"
    for line, name, begins in (
        ("/export html", "wisp-2026-03-01-140512.html", b"<!doctype html>"),
        ("/export html a b.html", "a b.html", b"<!doctype html>"),
        ("/export talk.html", "talk.html", b"<!doctype html>"),
        ("/export markdown html", "html", b"# "),
        ("/export context", "wisp-2026-03-01-140512.json", b'{"model":'),
        ("/export context next n.json", "n.json", b'{"model":'),
        ("/export context 1 one.json", "one.json", b'{"model":'),
        ("/export c.json", "c.json", b'{"model":'),
    ):
        answer = await run_command_line(thread, line)
        assert answer.lines == (f"exported: {work / name}",)
        assert (work / name).stat().st_mode & 0o777 == 0o600
        assert (work / name).read_bytes().startswith(begins)
    (work / "link.html").symlink_to(work / "elsewhere")
    for path, reason in (
        ("talk.html", "is there already"),
        ("link.html", "is there already"),
        ("none/talk.html", "No such file"),
        (".", "is there already"),
        ("~nobody-at-all/x", "cannot be written"),
        ("a\0b", "cannot be written"),
    ):
        with pytest.raises(NotExported, match=reason):
            export(thread.conversation, Wanted(Form.HTML, path))
    assert not (work / "elsewhere").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
async def test_a_page_that_cannot_be_written_whole_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thread = await talked(tmp_path, ScriptedModel([says("Yes.")]), "Well?")
    really = os.open

    def full(path: Path, flags: int, mode: int) -> int:
        os.close(really(path, flags, mode))
        return really("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(NotExported, match="No space left"):
        export(thread.conversation, Wanted(Form.HTML, "x.html"))
    monkeypatch.undo()
    assert not (tmp_path / "work" / "x.html").exists()


def files(home: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_a_saved_conversation_is_exported_and_nothing_of_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def save() -> None:
        thread = await talked(tmp_path, ScriptedModel([says("**Yes**.")]), "Well?")
        await run_command_line(thread, "/save harbour")
        await run_command_line(thread, "/fact entity boat = BLUE HERON")
        await run_command_line(thread, "/save harbour")

    asyncio.run(save())
    home = tmp_path / "home"
    waiting = home / "transcripts" / ".harbour.store.new"
    (home / "transcripts" / "harbour.store").rename(waiting)  # a save that was cut off: it is for a resume to finish
    before = files(home)
    monkeypatch.setenv("WISP_HOME", str(home))
    monkeypatch.chdir(tmp_path / "work")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["wisp", "export", *arguments])
        code = entry.wisp()
        out, err = capsys.readouterr()
        return code, out, err

    assert run("harbour") == (0, f"{tmp_path / 'work' / 'harbour.md'}\n", "")
    assert run("harbour", "t.html")[0] == 0
    page = Path("t.html").read_text("utf-8")
    assert_safe(page)
    for part in ("<h1>harbour</h1>", "Well?", "<strong>Yes</strong>", "BLUE HERON"):
        assert part in page
    code, out, _ = run("harbour", "-", "--as", "context")
    assert (code, json.loads(out)["messages"][-1]) == (0, {"role": "assistant", "content": "**Yes**."})
    code, _, err = run("harbour")
    assert (code, "is there already" in err) == (64, True)
    assert run("nothing")[0] == 64
    assert files(home) == before

    (home / "transcripts" / "harbour.json").write_text("{")
    assert run("harbour", "d.html")[0] == 64
    assert not Path("d.html").exists()


async def test_a_saved_conversation_opened_to_be_looked_at_records_nothing(tmp_path: Path) -> None:
    thread = await talked(tmp_path, ScriptedModel([says("Yes.")]), "Well?")
    await run_command_line(thread, "/save harbour")
    log = tmp_path / "home" / "logs" / "audit.jsonl"
    before = log.read_bytes()
    held = open_saved(Home(tmp_path / "home"), Settings(), {}, tmp_path, "harbour")
    assert [entry.text for entry in held.record][1:] == ["Well?", "Yes."]
    held.write(Kind.PROMPT, {"text": "never"})
    assert log.read_bytes() == before
