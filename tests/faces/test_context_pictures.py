"""Pictures of the context panel and of condensations, in every state, kept in snapshots/ and compared."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.condensing import ask, ask_of_boats, ask_until_condensed, ask_until_distilling, told
from tests.fakes.condensing import harbour as harbour_in
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.pictures import Compare, Size, Step, after, press
from tests.fakes.screen import StillApp, app_with, talk_screen, until, write
from wisp_tui.app.screens.condensation import CondensationScreen
from wisp_tui.config import Settings
from wisp_tui.session.condensations import Condensation
from wisp_tui.text.ids import TurnNumber

PLACE = Path("/usr/local")
"""A directory that is there everywhere: its name is among the facts, and counts among their tokens."""
EVERY = [
    pytest.param(theme, size, id=f"{theme}-{size[0]}x{size[1]}")
    for theme in ("wisp-dark", "wisp-light")
    for size in ((120, 40), (80, 24))
]
every = pytest.mark.parametrize(("theme", "size"), EVERY)


def harbour(
    tmp_path: Path, *, theme: str = "wisp-dark", no_color: bool = False, distilling: asyncio.Event | None = None
) -> StillApp:
    """Make the app over the model of the small window, in the one directory."""
    return harbour_in(tmp_path, theme=theme, no_color=no_color, distilling=distilling, directory=PLACE)


def boats(turns: int) -> Step:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        await ask_of_boats(pilot, app, turns)

    return step


def reading(tmp_path: Path, theme: str) -> StillApp:
    """An app in which an output was read, became a reference, and was copied by a reply that was cut."""
    work = tmp_path / "work"
    work.mkdir()
    text = "".join(f"Point {number} of the overview says what the sync does.\n" for number in range(1, 30))
    (work / "overview.md").write_text(f"# harbour sync: overview\n\n{text}")
    model = ScriptedModel(
        [
            calls(("read_file", {"path": "overview.md"})),
            says(f"It copies files between two folders:\n\n```\n{text}```\n\nThat is all."),
            says("The journal is in journal.db."),
        ],
        name="ollama:granite4.1:8b",
    )
    settings = Settings.model_validate({"display": {"theme": theme}, "facts": {"enabled": False}})
    return app_with(tmp_path, model, settings=settings)


async def read_and_ask(pilot: Pilot[int], app: StillApp) -> None:
    await ask(pilot, app, "read overview.md and say what it does")
    await ask(pilot, app, "and where is the journal")


@every
def test_next_request(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    app = reading(tmp_path, theme)
    assert snap_compare(app, terminal_size=size, run_before=after(read_and_ask, press("ctrl+t", *["down"] * 7)))


@every
def test_turn_that_condensed(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(ask_until_condensed, press("ctrl+t", "left"), press(*["down"] * 6, "space"))
    assert snap_compare(harbour(tmp_path, theme=theme), terminal_size=size, run_before=steps)


@every
def test_turns(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(ask_until_condensed, press("ctrl+t", "t", "up"))
    assert snap_compare(harbour(tmp_path, theme=theme), terminal_size=size, run_before=steps)


@every
def test_condensations(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(ask_until_condensed, press("ctrl+t", "c"))
    assert snap_compare(harbour(tmp_path, theme=theme), terminal_size=size, run_before=steps)


@every
def test_condensing(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    distilling = asyncio.Event()

    async def distil(pilot: Pilot[int], app: StillApp) -> None:
        await ask_until_distilling(pilot, app, distilling)

    app = harbour(tmp_path, theme=theme, distilling=distilling)
    assert snap_compare(app, terminal_size=size, run_before=after(distil))


@every
def test_story(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    async def tell(pilot: Pilot[int], app: StillApp) -> None:
        other = told()
        other.turn = TurnNumber(5)
        listed: list[Condensation] = [other, told()]
        app.push_screen(CondensationScreen(listed, listed[1]))
        await until(pilot, lambda: isinstance(app.screen, CondensationScreen) and app.screen.text)

    steps = after(boats(1), press("ctrl+t"), tell)
    assert snap_compare(harbour(tmp_path, theme=theme), terminal_size=size, run_before=steps)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_filter(snap_compare: Compare, tmp_path: Path, size: Size) -> None:
    async def filtered(pilot: Pilot[int], app: StillApp) -> None:
        await pilot.press("ctrl+t", "/")
        await write(pilot, "read file")
        await until(pilot, lambda: talk_screen(app).panel.model.wanted == "read file")

    assert snap_compare(reading(tmp_path, "wisp-dark"), terminal_size=size, run_before=after(read_and_ask, filtered))


@pytest.mark.parametrize("key", ["t", "c"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_yet(snap_compare: Compare, tmp_path: Path, size: Size, key: str) -> None:
    assert snap_compare(harbour(tmp_path), terminal_size=size, run_before=after(press("ctrl+t", key)))


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_small(snap_compare: Compare, tmp_path: Path, size: Size) -> None:
    app = reading(tmp_path, "wisp-dark")
    assert snap_compare(app, terminal_size=size, run_before=after(read_and_ask, press("ctrl+t")))


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_small_condensations(snap_compare: Compare, tmp_path: Path, size: Size) -> None:
    steps = after(ask_until_condensed, press("ctrl+t", "c"))
    assert snap_compare(harbour(tmp_path), terminal_size=size, run_before=steps)


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_small_condensing(snap_compare: Compare, tmp_path: Path, size: Size) -> None:
    distilling = asyncio.Event()

    async def distil(pilot: Pilot[int], app: StillApp) -> None:
        await ask_until_distilling(pilot, app, distilling)

    assert snap_compare(harbour(tmp_path, distilling=distilling), terminal_size=size, run_before=after(distil))


def test_over_the_budget(snap_compare: Compare, tmp_path: Path) -> None:
    async def shrink(pilot: Pilot[int], app: StillApp) -> None:
        await ask_of_boats(pilot, app, 5)
        app.thread.conversation.adopt_window(1100)
        talk_screen(app).measure()
        await pilot.press("ctrl+t")

    assert snap_compare(harbour(tmp_path), terminal_size=(120, 40), run_before=after(shrink))


@pytest.mark.parametrize("no_color", [False, True], ids=["ansi", "no-color"])
def test_terminal_colours(snap_compare: Compare, tmp_path: Path, *, no_color: bool) -> None:
    app = harbour(tmp_path, theme="wisp-ansi", no_color=no_color)
    steps = after(ask_until_condensed, press("ctrl+t", "left"))
    assert snap_compare(app, terminal_size=(120, 40), run_before=steps)
