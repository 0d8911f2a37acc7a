"""The app over a model with a small window, talked to until its context is condensed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from textual.pilot import Pilot

from tests.fakes.model import Hang, ScriptedModel, says
from tests.fakes.screen import StillApp, app_over, prompt, talk_screen, until
from tests.fakes.session import MOMENT, session_with
from wisp_tui.config import Settings
from wisp_tui.models import Chunk, ModelError, Request
from wisp_tui.session.condensations import (
    Audited,
    Condensation,
    Distillation,
    FactWritten,
    Retained,
    StepTaken,
    SummaryWritten,
)
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import dump

WINDOW = 2048
FACTS = [
    {"subject": "entity", "name": "journal", "value": "journal.db, in /var/lib/harbour", "said_by": "model"},
    {"subject": "decision", "name": "cargo", "value": "each cargo is kept with its port", "said_by": "person"},
]
SUMMARY = "The person asks about one boat after another; the journal holds each one's name, cargo and port."
REPLY = "It is in /var/lib/harbour/journal.db, line 42: its name, its cargo, and the port that it left. "


def harbour_model(*, window: int = WINDOW, distilling: asyncio.Event | None = None) -> ScriptedModel:
    """Make a model that answers at some length, and distils; with ``distilling`` it sets that and never ends."""

    def answer(request: Request) -> Sequence[Chunk | ModelError | Hang]:
        schema = request.options.schema
        if distilling is not None and (schema is not None or not request.tools):
            return [Hang(distilling)]
        if schema is None:
            return says(REPLY * 4 if request.tools else SUMMARY)
        wanted = schema.get("properties")
        summary = {"summary": SUMMARY} if isinstance(wanted, dict) and "summary" in wanted else {}
        return says(dump({"facts": FACTS, **summary}).decode())

    return ScriptedModel([answer] * 400, window=window, name="ollama:granite4.1:8b")


def harbour(
    tmp_path: Path,
    *,
    window: int = WINDOW,
    distilling: asyncio.Event | None = None,
    theme: str = "wisp-dark",
    no_color: bool = False,
    directory: Path | None = None,
) -> StillApp:
    """Make the app over such a model. ``directory`` is the working directory, whose name the facts carry."""
    settings = Settings.model_validate({"display": {"theme": theme}})
    model = harbour_model(window=window, distilling=distilling)
    session = session_with(tmp_path, model, settings=settings, directory=directory)
    if no_color:
        session.environment = {**session.environment, "NO_COLOR": "1"}
    return app_over(session)


async def ask(pilot: Pilot[int], app: StillApp, text: str, done: Callable[[], bool] | None = None) -> None:
    """Send a message, and wait until its turn has ended and is shown, or until what is waited for has come."""
    turn = app.thread.conversation.turn
    ended = done or (lambda: False)
    await until(pilot, lambda: app.thread.resolved is not None)
    prompt(app).write(text)
    prompt(app).action_send()

    def over() -> bool:
        shown = talk_screen(app)
        fills = shown.transcript.condensations.fills
        return app.thread.conversation.turn > turn and not app.talk.busy and shown.idle and turn + 1 in fills

    await until(pilot, lambda: ended() or over())


async def ask_of_boats(pilot: Pilot[int], app: StillApp, turns: int) -> None:
    """Ask so many times."""
    for boat in range(1, turns + 1):
        await ask(pilot, app, question(boat))


async def ask_until_condensed(pilot: Pilot[int], app: StillApp) -> int:
    """Ask until a condensation is over and its strip has gone; return how many turns that took."""
    gathered = talk_screen(app).transcript.condensations
    boat = 0
    while not gathered.all:
        boat += 1
        await ask(pilot, app, question(boat))
    talk_screen(app).strip.settle()
    await pilot.pause()
    return boat


async def ask_until_distilling(pilot: Pilot[int], app: StillApp, distilling: asyncio.Event) -> None:
    """Ask until the model is asked to distil, and the strip says so."""
    boat = 0
    while not distilling.is_set():
        boat += 1
        await ask(pilot, app, question(boat), distilling.is_set)
    strip = talk_screen(app).strip
    await until(pilot, lambda: strip.display and strip.condensation is not None and strip.condensation.distilling)


def question(boat: int) -> str:
    """Ask of a boat, at some length."""
    return f"and what of boat {boat} " + "and its long cargo " * 6


def told() -> Condensation:
    """Make a condensation that is over, with all there is to tell of it."""
    return Condensation(
        turn=TurnNumber(12),
        reason="budget",
        before=6913,
        goal=4915,
        window=8192,
        fill=4870,
        steps=[StepTaken("referenced", 3, 6913, 6102, 0.0), StepTaken("dropped", 7, 6102, 4870, 3.5)],
        facts=[FactWritten("c7", "branch", "main")],
        summaries=[SummaryWritten(2, "What was said.", 7, 1.5, None)],
        distillations=[Distillation(7, 2.0, 1, None)],
        over=True,
        audited=Audited(MOMENT, 412, 9, 2, "/home/b.md", "/home/a.md", Retained(0.75, 8, ("a.py", "42"))),
    )
