"""Pictures of the facts panel: the facts, the summary, what waits, and what each says while it is empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.fakes.condensing import harbour_model
from tests.fakes.facts import TOOL, said
from tests.fakes.pictures import Compare, Size, Step, after, press
from tests.fakes.screen import StillApp, Tick, prompt, talk_screen, until
from tests.fakes.session import MOMENT, session_with
from tests.fakes.waiting import ask_in, command_request, fact_request
from wisp_tui.app.kept.saying import Listing
from wisp_tui.config import Settings
from wisp_tui.context.record import Entry, EntryKind, Origin
from wisp_tui.facts import Moment, Source, Speaker, record
from wisp_tui.session import ThreadOptions
from wisp_tui.text.ids import EntryId, EventId, ModelId, TurnNumber

PLACE = Path("/usr/local")
DARK, LIGHT = "wisp-dark", "wisp-light"
WIDE, NARROW = (120, 40), (80, 24)


def looks(*pairs: tuple[str, Size]) -> pytest.MarkDecorator:
    """Draw in these themes and sizes."""
    named = [pytest.param(theme, size, id=f"{theme}-{size[0]}x{size[1]}") for theme, size in pairs]
    return pytest.mark.parametrize(("theme", "size"), named)


def harbour(tmp_path: Path, theme: str = DARK) -> StillApp:
    """Make the app, without tools: a picture of facts is the same whatever tools there are."""
    settings = Settings.model_validate({"display": {"theme": theme}})
    session = session_with(tmp_path, harbour_model(), settings=settings, directory=PLACE)
    return StillApp.over(session, session.new_thread(ThreadOptions(tools=())), clock=Tick())


def command(line: str) -> Step:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        prompt(app).write(line)
        await pilot.press("enter")
        await until(pilot, lambda: not [worker for worker in app.workers if worker.group == "commands"])
        await pilot.pause()

    return step


async def facts(pilot: Pilot[int], app: StillApp) -> None:
    """Have facts of every kind of source, in conflict, proposed, kept and with a history."""
    held = app.thread.conversation
    keeper = held.facts
    assert keeper is not None
    distilled = Source.distilled(Speaker.PERSON)
    for said_now in (
        [said("tests pytest -q = failed (exit status 1)", TOOL, turn=2, entry=9)],
        [said("entity journal = journal.db, in /var/lib/harbour", distilled, turns=(1, 4))],
        [said("decision cargo = each cargo is kept with its port", distilled, turns=(1, 4))],
        [said("tests pytest -q = passed (exit status 0)", TOOL, turn=5, entry=21)],
        [said("branch = main", Source.of_tool("run_command"), turn=5, entry=23)],
    ):
        keeper.take(held, record(keeper.current(held), said_now, Moment(MOMENT, TurnNumber(5))))
    for line in (
        "/fact preference editor = vim",
        "/fact entity journal = moved to /srv/harbour",
        "/fact preference editor = helix",
        "/task add a --dry-run flag to harbour sync",
    ):
        await command(line)(pilot, app)


async def summarised(pilot: Pilot[int], app: StillApp) -> None:
    """Have a summary of two versions."""
    del pilot
    keeper = app.thread.conversation.facts
    assert keeper is not None
    began = "The person asked to add a --dry-run flag to harbour sync. "
    for number, text in enumerate(
        (
            began + "The assistant read docs/overview.md, which says that it copies files between two folders.",
            began + "The assistant read docs/overview.md. It ran the tests, which fail in test_journal.py line 42.",
        )
    ):
        turns = [_turn(number * 3 + place + 1) for place in range(3)]
        keeper.summaries = keeper.summaries.updated(
            text, turns, recorded=MOMENT, turn=TurnNumber(9 + number), model=ModelId("ollama:granite4.1:8b")
        )


def _turn(number: int) -> list[Entry]:
    kinds = (EntryKind.PROMPT, EntryKind.REPLY)
    turn = TurnNumber(number)
    return [
        Entry(EntryId(number * 2 + place), kind, Origin.TURN, turn, "text", MOMENT, (EventId("0" * 16),))
        for place, kind in enumerate(kinds)
    ]


async def asked(pilot: Pilot[int], app: StillApp) -> None:
    """Have two facts and a command wait, one fact beside what is kept already."""
    await command("/fact entity release codename = RED KITE")(pilot, app)
    source = Source.of_tool("read_file")
    preference = fact_request("preference maria's reviews = prefers early returns", source, minutes=190)
    waits = ask_in(app.session.home, fact_request(), preference, command_request())
    await until(pilot, lambda: len(talk_screen(app).kept.waits) == len(waits))
    await pilot.pause()


def shows(listing: Listing) -> Step:
    async def step(pilot: Pilot[int], app: StillApp) -> None:
        panel = talk_screen(app).facts_panel
        await until(pilot, lambda: panel.display and panel.model.listing is listing and panel.ledger.has_focus)

    return step


@looks((DARK, WIDE), (DARK, NARROW), (LIGHT, NARROW))
def test_facts(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(facts, press("f5"), shows(Listing.FACTS), press(*["down"] * 4, "h"))
    assert snap_compare(harbour(tmp_path, theme), terminal_size=size, run_before=steps)


@looks((DARK, WIDE), (DARK, NARROW), (LIGHT, WIDE))
def test_pending(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(asked, press("f8"), shows(Listing.PENDING), press("down"))
    assert snap_compare(harbour(tmp_path, theme), terminal_size=size, run_before=steps)


@looks((DARK, WIDE), (LIGHT, NARROW))
def test_summary(snap_compare: Compare, tmp_path: Path, theme: str, size: Size) -> None:
    steps = after(summarised, press("f7"), shows(Listing.SUMMARY))
    assert snap_compare(harbour(tmp_path, theme), terminal_size=size, run_before=steps)


@pytest.mark.parametrize("key", ["f5", "f7", "f8"])
def test_nothing_yet(snap_compare: Compare, tmp_path: Path, key: str) -> None:
    assert snap_compare(harbour(tmp_path), terminal_size=NARROW, run_before=after(press(key)))


def test_small(snap_compare: Compare, tmp_path: Path) -> None:
    steps = after(asked, press("f8"), shows(Listing.PENDING))
    assert snap_compare(harbour(tmp_path), terminal_size=(40, 12), run_before=steps)


def test_stating(snap_compare: Compare, tmp_path: Path) -> None:
    steps = after(facts, press("f5"), shows(Listing.FACTS), press("down", "down", "r"))
    assert snap_compare(harbour(tmp_path), terminal_size=NARROW, run_before=steps)
