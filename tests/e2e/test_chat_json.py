"""``wisp chat --json`` as a process: a whole session, each runtime, and how it ends when it must."""

from __future__ import annotations

import re
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.chat_server import DONE, PROPS, FakeChatServer, ended, said, used
from tests.fakes.ollama import FakeModel, FakeOllama
from tests.fakes.wisp_process import ROOT, WISP_TUI, Process, chatting, replay, run_wisp
from wisp_tui import __version__
from wisp_tui.audit import LogReading, read_events
from wisp_tui.config import Home
from wisp_tui.text.json import JsonObject, dump

DATA = Path(__file__).parent / "data"

DATED: JsonObject = {"calls": [{"name": "current_date"}]}
"""A turn that calls a tool which asks nothing."""


@pytest.fixture
def home(wisp_home: Path) -> Path:
    return wisp_home


@pytest.fixture
def place() -> Generator[Path]:
    """A directory whose path is short enough to be shown whole in any line."""
    with tempfile.TemporaryDirectory(prefix="w") as name:
        yield Path(name).resolve()


def joined(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Join what a reader's pace may join: neighbouring fragments are one, of neighbouring states the last stays."""
    left: list[JsonObject] = []
    for line in lines:
        before = left[-1] if left else {}
        match before.get("type"), line["type"]:
            case "delta", "delta":
                left[-1] = {**before, "text": f"{before['text']}{line['text']}"}
            case "activity", "activity":
                left[-1] = line
            case _:
                left.append(line)
    return left


def masked(lines: Sequence[JsonObject], place: Path) -> str:
    """Write lines without what differs from run to run: times and ids, and the place they ran in."""
    text = b"\n".join(dump(line) for line in joined(lines)).decode() + "\n"
    text = re.sub(r'"(seconds|turnSeconds)":[\d.]+', r'"\1":0', text.replace(str(place), "/place"))
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)", "TIME", text)
    text = re.sub(r'(?<="sha256":")[0-9a-f]{64}', "SHA", text)  # a context holds the ids of its calls
    ids: dict[str, str] = {}
    return re.sub(
        r'(?<=")[0-9a-f]{8}(?:[0-9a-f]{8})?(?=")', lambda found: ids.setdefault(found[0], f"ID-{len(ids) + 1}"), text
    )


def contract(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Leave what the contract is about: of an event's details their names, of counts of tokens that there are some."""
    left: list[JsonObject] = []
    for line in lines:
        details = line.get("details")
        counts = {name: "N" for name in ("contextUsed", "inputTokens") if isinstance(line.get(name), int)}
        left.append({**line, **counts, **({"details": list(details)} if isinstance(details, Mapping) else {})})
    return left


async def recorded(home: Path, model: str) -> list[JsonObject]:
    """Hold one long conversation: replies, thinking, tools, approvals, a failure, completions, a command.

    Without a sandbox, which not every machine has.
    """
    async with configured(home, {"sandbox": {"enabled": False}}, "-m", model) as chat:
        chat.send("hello", effects=["approve"], client="golden", version="1")
        await chat.until("status")
        for text in ("hello", "What is in notes.txt?"):
            chat.send("message", text=text)
            await chat.until("status")
        for decision in ("once", "no"):
            chat.send("message", text=f"run it: {decision}")
            chat.send("answer", id=(await chat.until("approval"))["id"], decision=decision)
            await chat.until("status")
        chat.send("message", text="and fail")
        await chat.until("status")
        chat.send("complete", id=7, text="/tok", cursor=4)
        await chat.until("completions")
        for line in ("/frob", "!cat made; touch typed"):
            chat.type(line)
            await chat.until("status")
        chat.type("/quit")
        assert await chat.ended() == 0
    return chat.lines


async def test_a_recorded_session_replays_byte_for_byte_but_for_times_and_ids(place: Path) -> None:
    (place / "notes.txt").write_text("one\ntwo\n")
    model = replay(
        place / "r.jsonl",
        {"reply": "Hello! I am a replay."},
        {"thinking": "A file.", "calls": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]},
        {"reply": "It holds **two** lines."},
        {"calls": [{"name": "run_command", "arguments": {"command": "echo ran | tee made"}}]},
        {"reply": "It ran."},
        {"calls": [{"name": "run_command", "arguments": {"command": "rm notes.txt"}}]},
        {"reply": "As you wish; see entry 99."},
        {"error": "the replayed server broke"},
        window=8192,
        usage="estimate",
    )
    first = await recorded(place / "home", model)
    assert (place / "notes.txt").exists()
    shutil.rmtree(place / "home")
    assert masked(await recorded(place / "home", model), place) == masked(first, place)
    golden = DATA / "session.jsonl"
    found = masked(contract(first), place).replace(f"wisp {__version__}", "wisp VERSION")
    if not golden.exists():
        golden.write_text(found)
        pytest.fail(f"{golden.name} was not there; it holds this run now: look at it, and keep it")
    assert found == golden.read_text(), "what goes out has changed: delete the file, run again, look at the difference"


async def test_nothing_but_json_is_ever_on_standard_output(home: Path, tmp_path: Path) -> None:
    noise = 'print("noise", flush=True); import os; os.write(1, b"raw")'
    model = replay(
        tmp_path / "r.jsonl",
        {"calls": [{"name": "run_command", "arguments": {"command": f"python3 -c '{noise}'; echo x >/dev/stderr"}}]},
        {"reply": "A\x9b31m\u2028B"},
    )
    async with chatting(home, "-m", model, "--yes") as chat:
        chat.type("go")
        chat.end_input()
        assert await chat.ended() == 0
    assert all(line.startswith(b'{"type":"') and b"\xe2\x80\xa8" not in line for line in chat.raw)


async def conversed(chat: Process) -> list[JsonObject]:
    """Say hello and leave, as ``printf 'hello\\n/quit\\n'`` does."""
    chat.type("hello")
    chat.type("/quit")
    chat.end_input()
    assert await chat.ended() == 0
    [end] = chat.of("turn", phase="end")
    assert end["outcome"] == "ok", chat.lines
    assert chat.types[-1] == "exit"
    assert chat.of("status")[-1]["model"] is not None
    return chat.lines


@asynccontextmanager
async def configured(home: Path, settings: JsonObject, *arguments: str) -> AsyncGenerator[Process]:
    """Start a conversation under some settings."""
    Home(home).prepare()
    Home(home).write(Home(home).config, dump(settings))
    async with chatting(home, *arguments) as chat:
        yield chat


async def test_two_lines_from_printf_are_a_conversation_with_a_replay(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello."})
    done = run_wisp(home, "chat", "--json", "-m", model, stdin=b"hello\n/quit\n")
    assert done.code == 0
    assert '{"type":"delta","text":"Hello."}' in done.out
    assert done.out.endswith('{"type":"exit"}\n')
    assert done.err == ""


async def test_a_conversation_with_ollama(home: Path) -> None:
    async with (
        FakeOllama() as server,
        configured(home, {"model": f"ollama:{FakeModel().name}", "ollama": {"host": server.address}}) as chat,
    ):
        await conversed(chat)
    assert chat.of("delta")


async def test_auto_takes_the_ollama_model_that_calls_tools_and_says_so(home: Path) -> None:
    async with FakeOllama() as server, configured(home, {"ollama": {"host": server.address}}) as chat:
        await conversed(chat)
    assert chat.of("status")[0]["model"] == f"ollama:{FakeModel().name}"
    assert any("calls tools" in str(line["text"]) for line in chat.of("note"))


@pytest.mark.parametrize("runtime", ["llamacpp", "lmstudio", "openai"])
async def test_a_conversation_with_a_chat_completions_server(home: Path, runtime: str) -> None:
    script = [said("Hel"), said("lo."), ended(), used(20, 2), DONE]
    listing: JsonObject = {"object": "list", "data": [{"id": "m", "object": "model"}]}
    async with (
        FakeChatServer(script, answers={"/v1/models": listing, "/props": PROPS}) as server,
        configured(home, {runtime: {"host": server.address}}, "-m", f"{runtime}:m") as chat,
    ):
        await conversed(chat)
    assert "".join(str(line["text"]) for line in chat.of("delta")) == "Hello."
    assert chat.of("turn", phase="end")[0]["inputTokens"] == 20


@pytest.mark.embedded
async def test_a_conversation_with_the_embedded_model(home: Path, small_model: Path) -> None:
    Home(home).prepare()
    (home / "models" / "tiny.gguf").symlink_to(small_model)
    settings: JsonObject = {"embedded": {"contextLength": 512, "threads": 1}}
    async with configured(home, settings, "-m", "embedded:tiny", "--no-tools") as chat:
        chat.type("Say hello.")
        await chat.until("delta")
        chat.send("cancel")
        assert (await chat.until("turn", phase="end"))["outcome"] in {"ok", "cancelled"}
        chat.type("/quit")
        assert await chat.ended() == 0
    assert chat.of("status")[0]["window"] == 512


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
async def test_a_signal_ends_it_with_its_last_line(
    home: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "So far ", "hang": True})
    async with chatting(home, "-m", model) as chat:
        chat.type("go")
        await chat.until("delta")
        chat.running.send_signal(number)
        assert await chat.ended() == code
    assert chat.of("turn", phase="end")[0]["outcome"] == "cancelled"
    assert chat.types[-1] == "exit"
    assert [event.kind for event in read_events(home / "logs")][-1] == "session.end"


async def test_a_signal_ends_it_though_nobody_reads(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "x" * 1_000_000, "hang": True})
    async with chatting(home, "-m", model) as chat:
        chat.type("go")
        await chat.until("turn", phase="start")
        await chat.until("activity")
        chat.running.send_signal(signal.SIGTERM)
        assert chat.running.wait(20) == 143


async def test_a_process_that_is_killed_in_mid_turn_loses_no_event_that_was_shown(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", *[DATED] * 60, {"reply": "x", "hang": True})
    async with chatting(home, "-m", model) as chat:
        chat.type("go")
        for _ in range(25):
            await chat.until("event", kind="tool.result")
        chat.running.kill()
        assert await chat.ended() == -signal.SIGKILL
    reading = LogReading()
    logged = list(read_events(home / "logs", reading))
    shown = [(line["kind"], line["turn"], line["call"], line["details"]) for line in chat.of("event")]
    assert [(event.kind, event.turn, event.call, event.details) for event in logged[: len(shown)]] == shown
    assert len(shown) > 75
    assert reading.torn == 0
    again = run_wisp(home, "-m", replay(tmp_path / "again", {"reply": "Back."}), "hello")
    assert (again.code, again.out) == (0, "Back.\n")
    assert [event.kind for event in read_events(home / "logs")][: len(logged)] == [event.kind for event in logged]


async def test_two_processes_in_one_home_lose_and_mix_nothing(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", *[DATED] * 40, {"reply": "Done."})
    async with chatting(home, "-m", model) as one, chatting(home, "-m", model) as two:
        for chat in (one, two):
            chat.type("go")
            chat.end_input()
        assert [await one.ended(), await two.ended()] == [0, 0]
    reading = LogReading()
    logged = list(read_events(home / "logs", reading))
    assert reading.torn == 0
    for chat in (one, two):
        pid = chat.running.pid
        mine = [(event.kind, event.details) for event in logged if event.pid == pid]
        assert mine == [(line["kind"], line["details"]) for line in chat.of("event")]
    assert len(logged) == len(one.of("event")) + len(two.of("event"))


LIMITED = (
    "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000)); from wisp_tui.entry import wisp; sys.exit(wisp())"
)


async def test_a_log_that_is_full_is_told_at_once_and_no_tool_runs(home: Path, tmp_path: Path) -> None:
    calls = [
        {"calls": [{"name": "run_command", "arguments": {"command": f"touch made-{number}"}}]} for number in range(40)
    ]
    model = replay(tmp_path / "r.jsonl", *calls, {"reply": "Done."})
    limited = (WISP_TUI[0], "-c", LIMITED)
    async with chatting(home, "-m", model, "--yes", command=limited) as chat:
        chat.type("go")
        assert (await chat.until("turn", phase="end"))["outcome"] == "error"
        chat.type("/quit")
        await chat.ended()
    told = [str(line["text"]) for line in chat.of("note") if "cannot be written" in str(line["text"])]
    assert told
    assert "File too large" in told[0]
    ran = {path.name for path in tmp_path.glob("made-*")}
    assert ran == {
        str(line["text"]).removeprefix("⚙ run_command touch ") for line in chat.of("event", kind="tool.call")
    }
    assert 0 < len(ran) < 40


def test_a_torn_line_unknown_kinds_and_a_later_schema_are_no_fault(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello.", "repeat": True})
    run_wisp(home, "-m", model, "hello")
    log = home / "logs" / "audit.jsonl"
    with log.open("ab") as file:
        file.write(b'{"schema":9,"id":"00000000000000ff","kind":"dream.recorded","details":7,"new":1}\n{"n":2,"t":"ab')
    assert run_wisp(home, "-m", model, "again").code == 0
    reading = LogReading()
    events = list(read_events(home / "logs", reading))
    assert reading.torn == 1
    assert [event.kind for event in events].count("prompt") == 2
    [later] = [event for event in events if event.kind == "dream.recorded"]
    assert (later.schema, later.details, later.extra) == (9, {"value": 7}, {"new": 1})


def test_a_home_is_private_from_creation_under_an_ordinary_umask(home: Path, tmp_path: Path) -> None:
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello.", "repeat": True})
    assert run_wisp(home, "-m", model, "hello").code == 0
    modes = {path: path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
    assert all(mode == (0o700 if path.is_dir() else 0o600) for path, mode in modes.items()), modes


def test_a_home_that_others_could_read_is_repaired_and_that_is_said(home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    model = replay(tmp_path / "r.jsonl", {"reply": "Hello.", "repeat": True})
    done = run_wisp(home, "chat", "--json", "-m", model, stdin=b"/quit\n")
    assert f"{home} was readable by others (0755); it is 0700 now" in done.out
    assert home.stat().st_mode & 0o777 == 0o700
    assert "readable by others" not in run_wisp(home, "chat", "--json", "-m", model, stdin=b"/quit\n").out


@pytest.mark.parametrize("variables", [{}, {"TERM": "dumb"}, {"TERM": ""}])
@pytest.mark.parametrize("program", [None, WISP_TUI])
def test_without_a_terminal_the_app_says_what_to_use_and_never_waits(
    home: Path, program: tuple[str, ...] | None, variables: dict[str, str]
) -> None:
    done = (
        run_wisp(home, variables=variables, program=program) if program else run_wisp(home, "chat", variables=variables)
    )
    assert (done.code, done.out) == (64, "")
    assert "`wisp chat --json`" in done.err
    assert done.err.count("\n") == 1
    assert not home.exists()


def test_the_package_runs_from_anywhere(home: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    assert run_wisp(home, "--version", directory=elsewhere).out == f"wisp {__version__}\n"
    assert ROOT not in elsewhere.parents
