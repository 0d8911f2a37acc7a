"""Pictures of the app's states, kept in snapshots/ and compared."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.fakes.model import Answer, Hang, ScriptedModel, calls, says
from tests.fakes.pictures import Compare, Size, Step, after, press
from tests.fakes.saved import home_with
from tests.fakes.screen import StillApp, Tick, app_with, prompt, said, send, talk_screen, until, write
from wisp_tui.app.screens.sessions import SessionsScreen
from wisp_tui.config import Settings
from wisp_tui.facts import Assertion, Extractor
from wisp_tui.models import Finished, ModelUnavailable, TextDelta, ThinkingOut, Usage

REPLY = """\
# What it does

It copies files between **two folders**, and keeps a journal of what it did in `journal.db`:

- it never deletes on the *first* pass
- what it could not copy it reports
  - with the reason
- nothing runs twice

```python
def sync(source: Path, target: Path) -> Report:
    \"\"\"Copy what is new.\"\"\"
    return Report(copied=12)  # the rest was there
```

| folder | files | bytes |
|---|--:|--:|
| harbour | 12 | 3,612 |
| archive | 1,204 | 88,120 |

> Nothing is lost: what leaves is in the journal.

See [the overview](https://harbour.example/overview) for more.
"""


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every conversation say that it is in one directory: the length of a test's own would be in the picture."""
    starting = Extractor.starting

    def standing(extractor: Extractor, directory: str, branch: str | None) -> tuple[Assertion, ...]:
        del directory
        return starting(extractor, "/home/ada/work", branch)

    monkeypatch.setattr(Extractor, "starting", standing)


def _picture(tmp_path: Path, *answers: Answer | str, theme: str = "wisp-dark", no_color: bool = False) -> StillApp:
    settings = Settings.model_validate({"display": {"theme": theme}})
    usage = Usage(1204, 210)
    made = [says(answer, usage=usage) if isinstance(answer, str) else answer for answer in answers]
    return app_with(tmp_path, ScriptedModel(made, name="ollama:granite4.1:8b"), settings=settings, no_color=no_color)


def _say(text: str, shown: str) -> Callable[[Pilot[int], StillApp], Awaitable[None]]:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        await send(pilot, text)
        await until(pilot, lambda: shown in said(app))
        await until(pilot, lambda: not app.thread.running or shown != "ran:")

    return step


def _ended(text: str, shown: str) -> Callable[[Pilot[int], StillApp], Awaitable[None]]:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        await send(pilot, text)
        await until(pilot, lambda: shown in said(app) and not app.talk.busy)
        await until(pilot, lambda: talk_screen(app).idle)

    return step


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12), (20, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_empty(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(_picture(tmp_path, "x"), terminal_size=size, run_before=after())


@pytest.mark.parametrize("theme", ["wisp-dark", "wisp-light", "wisp-ansi"])
def test_reply(snap_compare: Compare, tmp_path: Path, theme: str) -> None:
    app = _picture(tmp_path, REPLY, theme=theme)
    assert snap_compare(app, terminal_size=(120, 40), run_before=after(_ended("what does it do", "overview")))


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_reply_narrow(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = _picture(tmp_path, REPLY)
    assert snap_compare(app, terminal_size=size, run_before=after(_ended("what does it do", "overview")))


def _reading(tmp_path: Path) -> StillApp:
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", work], check=True)
    lines = ["# harbour sync: overview", "", *(f"Point {number} of the overview." for number in range(3, 100))]
    (work / "overview.md").write_text("\n".join(lines))
    thinks: Answer = [ThinkingOut("Short is best."), *calls(("read_file", {"path": "overview.md"}))]
    return _picture(tmp_path, thinks, "It copies files between two folders.")


def test_tool_call_and_thinking_folded(snap_compare: Compare, tmp_path: Path) -> None:
    app = _reading(tmp_path)
    assert snap_compare(app, terminal_size=(100, 40), run_before=after(_ended("read overview.md", "ran: read_file")))


def test_thinking_unfolded(snap_compare: Compare, tmp_path: Path) -> None:
    app = _reading(tmp_path)
    steps = after(_ended("read overview.md", "ran: read_file"), press("f4"))
    assert snap_compare(app, terminal_size=(100, 40), run_before=steps)


@pytest.mark.parametrize("size", [(120, 32), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_context_panel(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    app = _reading(tmp_path)
    steps = after(_ended("read overview.md", "ran: read_file"), press("ctrl+t"))
    assert snap_compare(app, terminal_size=size, run_before=steps)


HIDDEN = "python3 - <<'EOF'\nimport shutil \u202e# gpj\n" + 'shutil.rmtree("build/" + name)  # ' * 9 + "\nEOF"
"""A script with a character that turns the text around, and a line longer than the screen."""


@pytest.mark.parametrize(
    ("command", "theme"),
    [
        ("git status --short && rm -rf build/", "wisp-dark"),
        ("git status --short && rm -rf build/", "wisp-light"),
        ("git add -A && make build -j4", "wisp-dark"),
        (HIDDEN, "wisp-light"),
    ],
    ids=["dark", "light", "kept", "hidden"],
)
def test_approval(snap_compare: Compare, tmp_path: Path, command: str, theme: str) -> None:
    app = _picture(tmp_path, calls(("run_command", {"command": command}), text="I will clean up."), theme=theme)
    clock = app.keyboard.clock
    assert isinstance(clock, Tick)

    async def asked(pilot: Pilot[int], app: StillApp) -> None:
        await send(pilot, "clean up")
        await until(pilot, lambda: talk_screen(app).approval is not None)
        clock.move(1)
        await until(pilot, lambda: talk_screen(app).approval is app.focused)

    assert snap_compare(app, terminal_size=(100, 28), run_before=after(asked))


def test_error(snap_compare: Compare, tmp_path: Path) -> None:
    fault = ModelUnavailable("the server at http://127.0.0.1:11434 went away", "start it with `ollama serve`")
    app = _picture(tmp_path, [TextDelta("It copies files between"), fault])
    assert snap_compare(app, terminal_size=(100, 24), run_before=after(_ended("what does it do", "ollama serve")))


def test_queued(snap_compare: Compare, tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = _picture(tmp_path, [TextDelta("It copies files between **two"), Hang(reached)])

    async def queued(pilot: Pilot[int], app: StillApp) -> None:
        await send(pilot, "what does it do")
        await until(pilot, lambda: reached.is_set() and "two" in said(app))
        await send(pilot, "and where is the journal")
        await send(pilot, "show me its first lines")
        await write(pilot, "then")
        await until(pilot, lambda: len(app.talk.outbox.texts) == 2 and prompt(app).text == "then")

    assert snap_compare(app, terminal_size=(100, 24), run_before=after(queued))


def test_completion(snap_compare: Compare, tmp_path: Path) -> None:
    async def begun(pilot: Pilot[int], app: StillApp) -> None:
        await write(pilot, "/t")
        await until(pilot, lambda: prompt(app).completion.candidates)

    assert snap_compare(_picture(tmp_path, "x"), terminal_size=(100, 24), run_before=after(begun))


def test_several_lines_in_the_prompt(snap_compare: Compare, tmp_path: Path) -> None:
    async def begun(pilot: Pilot[int], app: StillApp) -> None:
        prompt(app).write("one line\nand another\n[pasted 1,048,576 bytes #1]")
        await pilot.pause()

    assert snap_compare(_picture(tmp_path, "x"), terminal_size=(100, 24), run_before=after(begun))


def test_help(snap_compare: Compare, tmp_path: Path) -> None:
    assert snap_compare(_picture(tmp_path, "x"), terminal_size=(110, 50), run_before=after(press("f1")))


def test_palette(snap_compare: Compare, tmp_path: Path) -> None:
    async def opened(pilot: Pilot[int], app: StillApp) -> None:
        await pilot.press("ctrl+p")
        await write(pilot, "con")
        await until(pilot, lambda: app.screen.query("CommandList") and app.screen.query_one("CommandList").display)
        app.screen.query_one("CommandInput", Input).cursor_blink = False

    assert snap_compare(_picture(tmp_path, "x"), terminal_size=(100, 30), run_before=after(opened))


@pytest.mark.parametrize("theme", ["wisp-dark", "wisp-light"])
def test_find(snap_compare: Compare, tmp_path: Path, theme: str) -> None:
    async def found(pilot: Pilot[int], app: StillApp) -> None:
        find, conversation = talk_screen(app).find, talk_screen(app).conversation
        await until(pilot, lambda: 0 < conversation.max_scroll_y <= conversation.scroll_y)
        await pilot.press("ctrl+f", *"it")
        find.input.cursor_blink = False
        await until(pilot, lambda: find.finding.whole and find.finding.total)
        await pilot.press("enter")

    steps = after(_ended("what does it do", "overview"), found)
    assert snap_compare(_picture(tmp_path, REPLY, theme=theme), terminal_size=(80, 24), run_before=steps)


async def _searched(pilot: Pilot[int], app: StillApp) -> None:
    await home_with(app.session.home.root.parent, directory=Path("/usr/local"), model="ollama:granite4.1:8b")
    await pilot.press("ctrl+r")
    await until(pilot, lambda: isinstance(app.screen, SessionsScreen) and app.screen.model.loaded)
    screen = app.screen
    assert isinstance(screen, SessionsScreen)
    await pilot.press("slash")
    await write(pilot, "journal")
    await until(pilot, lambda: screen.model.hits and not screen.model.searching and screen.glimpse.read)
    await pilot.press("enter")
    await until(pilot, lambda: screen.ledger.has_focus)


async def _listed(pilot: Pilot[int], app: StillApp) -> None:
    await _searched(pilot, app)
    screen = app.screen
    assert isinstance(screen, SessionsScreen)
    await pilot.press("escape", "down")
    await until(pilot, lambda: len(screen.model.lines) == 3 and screen.glimpse.read)


@pytest.mark.parametrize(
    ("theme", "size", "step"),
    [("wisp-dark", (120, 32), _searched), ("wisp-light", (80, 24), _listed), ("wisp-dark", (40, 12), _listed)],
    ids=["120x32", "80x24", "40x12"],
)
def test_sessions(snap_compare: Compare, tmp_path: Path, theme: str, size: Size, step: Step) -> None:
    assert snap_compare(_picture(tmp_path, "x", theme=theme), terminal_size=size, run_before=after(step))


def test_no_color(snap_compare: Compare, tmp_path: Path) -> None:
    app = _picture(tmp_path, REPLY, no_color=True)
    assert snap_compare(app, terminal_size=(100, 40), run_before=after(_ended("what does it do", "overview")))


def test_thinking_while_it_lasts(snap_compare: Compare, tmp_path: Path) -> None:
    reached = asyncio.Event()
    app = _picture(tmp_path, [ThinkingOut("Let me see"), Hang(reached), Finished("stop")])
    assert snap_compare(app, terminal_size=(100, 20), run_before=after(_say("why", "thinking")))
