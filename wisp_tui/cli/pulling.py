"""``wisp models pull`` as it runs: asks, shows how far it is, and keeps what came when it is stopped."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.signals import stop_signals
from wisp_tui.config import Home
from wisp_tui.models.pull import Pulled, PullError, PullPlan, PullProgress, PullStep, plan_pull, pull
from wisp_tui.text.sizes import human_bytes

TENTHS = 10
"""In how many lines a step is told where no bar can be drawn."""

Telling = Callable[[PullProgress], None]


def pull_model(name: str, environment: Mapping[str, str], *, yes: bool) -> int:
    """Pull a model into the home and return the exit code. Raises UsageFault, HomeError."""
    try:
        plan = plan_pull(name)
    except PullError as error:
        raise UsageFault(str(error)) from error
    home = Home.find(environment)
    if not yes and not _agreed(plan, home):
        return Exit.FAILED
    for repaired in home.prepare():
        tell(repaired)
    return asyncio.run(_pull(plan, home))


def _agreed(plan: PullPlan, home: Home) -> bool:
    """Say what would be fetched and ask. Raises UsageFault where nobody can answer."""
    tell(
        f"{plan.what}\n"
        f"  licence   {plan.licence}\n"
        f"  download  {human_bytes(plan.download_size)}\n"
        f"  on disk   {human_bytes(plan.size)}, {home.models / plan.file}"
    )
    if not os.isatty(0):
        raise UsageFault("nobody can be asked here whether to fetch it; --yes fetches it without asking")
    return click.confirm("Fetch it?", err=True)


async def _pull(plan: PullPlan, home: Home) -> int:
    with stop_signals() as stopped, _progress() as telling:
        work = asyncio.create_task(pull(plan, home, telling))
        await asyncio.wait({work, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
    if stopped.done() and not stopped.cancelled():
        tell(f"stopped; what came is kept: `wisp models pull {plan.name}` goes on from there")
        return stopped.result()
    try:
        pulled = work.result()
    except PullError as error:
        tell(f"wisp: {error}")
        return Exit.FAILED
    click.echo(_done(plan, pulled))
    return Exit.DONE


def _done(plan: PullPlan, pulled: Pulled) -> str:
    where = f"{plan.name} was there already, and is whole: {pulled.path}" if pulled.was_there else str(pulled.path)
    return f"{where}\n`wisp-tui -m embedded:{plan.name}` talks to it"


@contextmanager
def _progress() -> Generator[Telling]:
    """Give what is told of the progress: a bar on a terminal, a line for each tenth elsewhere."""
    if not os.isatty(2) or os.environ.get("TERM", "") in {"", "dumb"}:
        yield _lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:10}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task("", total=None)

        def draw(progress: PullProgress) -> None:
            bars.update(bar, description=progress.step.value, completed=progress.done, total=progress.total or None)

        yield draw


def _lines() -> Telling:
    """Tell each step once, and each tenth of one that knows how long it is."""
    said: tuple[PullStep, int] | None = None

    def say(progress: PullProgress) -> None:
        nonlocal said
        tenth = progress.done * TENTHS // progress.total if progress.total else 0
        if said == (progress.step, tenth):
            return
        said = (progress.step, tenth)
        part = f" {human_bytes(progress.done)} of {human_bytes(progress.total)}" if progress.total else ""
        tell(progress.step.value + part)

    return say
