"""``wisp models pull`` as it runs: asks, shows how far it is, and keeps what came when it is stopped."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import click

from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault, tell
from wisp_tui.cli.signals import stop_signals
from wisp_tui.cli.tables import print_rows
from wisp_tui.config import Home, load_settings
from wisp_tui.models.hub import HubPlan, SeveralFiles, plan_of
from wisp_tui.models.hub_address import LOGIN_VARIABLE, hub_address, is_wish, read_wish
from wisp_tui.models.hub_pull import pull_file
from wisp_tui.models.ollama_address import shown_address
from wisp_tui.models.pull import Pulled, PullError, PullPlan, PullProgress, PullStep, plan_pull, pull
from wisp_tui.models.pullable import Told
from wisp_tui.text.clean import clean
from wisp_tui.text.sizes import human_bytes

TENTHS = 10
"""In how many lines a step is told where no bar can be drawn."""

_Ended = TypeVar("_Ended")
Telling = Callable[[PullProgress], None]


def pull_model(name: str, environment: Mapping[str, str], *, yes: bool) -> int:
    """Pull a model into the home and return the exit code. Raises UsageFault, HomeError, ConfigError."""
    home = Home.find(environment)
    found = asyncio.run(_watched(_plan(name, home, environment))) if is_wish(name) else _own_plan(name)
    if isinstance(found, int):
        return found
    if not yes and not _agreed(found, home):
        return Exit.FAILED
    for repaired in home.prepare():
        tell(repaired)
    return asyncio.run(_pull(found, home))


def _own_plan(name: str) -> PullPlan:
    try:
        return plan_pull(name)
    except PullError as error:
        raise UsageFault(str(error)) from error


async def _plan(name: str, home: Home, environment: Mapping[str, str]) -> HubPlan | int:
    """Ask the hub what a name comes to; where that is several files, list them and return the exit code."""
    hub = hub_address(load_settings(home.config).models.hub, environment)
    try:
        wish = read_wish(name, hub)
        tell(f"asking {shown_address(wish.hub or wish.asked)}", dim=True)
        return await plan_of(wish, environment.get(LOGIN_VARIABLE, "") if hub and wish.hub == hub else "")
    except SeveralFiles as several:
        print_rows((several.asked(file), human_bytes(file.size)) for file in several.files)
        tell(f"wisp: {several}")
        return Exit.USAGE
    except PullError as error:
        tell(f"wisp: {error}")
        return Exit.FAILED


def _agreed(plan: Told, home: Home) -> bool:
    """Say what would be fetched and ask. Raises UsageFault where nobody can answer."""
    proof = "\n  checksum  none is announced: only its size and its kind are checked" if _unproven(plan) else ""
    tell(
        f"{plan.what}\n"
        f"  licence   {plan.licence}\n"
        f"  download  {human_bytes(plan.download_size)}\n"
        f"  on disk   {human_bytes(plan.size)}, {home.models / plan.file}{proof}"
    )
    if not os.isatty(0):
        raise UsageFault("nobody can be asked here whether to fetch it; --yes fetches it without asking")
    return click.confirm("Fetch it?", err=True)


def _unproven(plan: Told) -> bool:
    return isinstance(plan, HubPlan) and not plan.sha256


async def _pull(plan: HubPlan | PullPlan, home: Home) -> int:
    with _progress() as telling:
        work = pull_file(plan, home, telling) if isinstance(plan, HubPlan) else pull(plan, home, telling)
        kept = f"what came is kept: `wisp models pull {plan.asked}` goes on from there"
        ended = await _watched(_pulled(work), kept)
    if isinstance(ended, Pulled):
        click.echo(clean(_done(plan, ended)))
        return Exit.DONE
    return ended


async def _pulled(work: Awaitable[Pulled]) -> Pulled | int:
    try:
        return await work
    except PullError as error:
        tell(f"wisp: {error}")
        return Exit.FAILED


async def _watched(work: Coroutine[object, object, _Ended], kept: str = "nothing was fetched") -> _Ended | int:
    """Run until it is done or a signal stops it; then say what is kept, and return the signal's exit code."""
    with stop_signals() as stopped:
        task = asyncio.create_task(work)
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
        if stopped.done() and not stopped.cancelled():
            tell(f"stopped; {kept}")
            return stopped.result()
        return task.result()


def _done(plan: HubPlan | PullPlan, pulled: Pulled) -> str:
    proof = "its size and its kind are right; no checksum was announced" if _unproven(plan) else "its checksum is right"
    there = " was there already" if pulled.was_there else ""
    return f"{pulled.path}{there}: {proof}\n`wisp-tui -m embedded:{plan.name}` talks to it"


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
