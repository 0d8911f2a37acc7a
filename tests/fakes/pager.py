"""An app that is a pager and nothing else, and stored outputs to show in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from textual.notifications import SeverityLevel
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from tests.fakes.screen import until
from wisp_tui.app.base import BaseApp
from wisp_tui.app.pager.finding import Outcome
from wisp_tui.app.pager.paged import Paged
from wisp_tui.app.pager.source import Source
from wisp_tui.app.pager.view import MARGIN, NUMBERED
from wisp_tui.app.screens.pager import PagerScreen
from wisp_tui.app.widgets.bar import Bar
from wisp_tui.outputs import OutputStore, StoredOutput
from wisp_tui.outputs.spill import Spill
from wisp_tui.session.outputs import ShownOutput
from wisp_tui.text.ids import CallId, EntryId, SessionId

CALL = CallId("1a2b3c4d")
SESSION = SessionId("s1")


class BytesSource(Source):
    """Bytes in memory; ``reads`` is how many pages were read from them."""

    def __init__(self, data: bytes) -> None:
        super().__init__(len(data))
        self._data = data
        self.reads = 0

    def _read(self, offset: int, size: int) -> bytes:
        self.reads += 1
        return self._data[offset : offset + size]


class PagerApp(BaseApp):
    """Shows one thing in the pager, and ends when the pager is closed."""

    def __init__(
        self,
        paged: Paged,
        *,
        theme: str = "wisp-dark",
        directory: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(environment or {"PATH": "/usr/bin:/bin"}, theme)
        self.pager = PagerScreen(paged, directory)
        self.copies: list[str] = []
        self.told: list[str] = []

    def get_default_screen(self) -> Screen[None]:
        return Screen()

    def on_mount(self) -> None:
        self.push_screen(self.pager, lambda _: self.exit(0))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Keep what is told in passing, and tell it."""
        self.told.append(message)
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=markup)

    def copy_to_clipboard(self, text: str) -> None:
        """Keep what is copied, and leave the machine's clipboard alone."""
        self.copies.append(text)

    @property
    def shown(self) -> list[str]:
        """The rows of the output on the screen, as text, without the margin."""
        view = self.pager.view
        margin = MARGIN if view.size.width > NUMBERED else 0
        return [_text(view.render_line(y))[margin:] for y in range(view.size.height)]

    def bar(self, name: str) -> str:
        """What a bar says: ``title``, ``section``, ``status``, ``keys``."""
        return self.pager.query_one(f"#pager-{name}", Bar).text


def _text(strip: Strip) -> str:
    return "".join(segment.text for segment in strip).rstrip()


def stored(tmp_path: Path, *parts: bytes, limit: int | None = None) -> StoredOutput:
    """Store an output: of one part, or of stdout and stderr; ``limit`` is where it is cut."""
    store = OutputStore(tmp_path / "output", SESSION)
    spill = store.spill(CALL) if limit is None else Spill(tmp_path / "output" / SESSION, SESSION, CALL, limit)
    for name, data in zip(("stdout", "stderr"), parts, strict=False):
        spill.part(name).write(data)
    kept = spill.commit()
    assert kept is not None
    return kept


def output(tmp_path: Path, *parts: bytes, limit: int | None = None, title: str = "run_command make test") -> Paged:
    """Show an output that is in the store."""
    return Paged.of_output(shown_output(stored(tmp_path, *parts, limit=limit)), title)


def shown_output(kept: StoredOutput | None, text: str = "", remark: str = "", *, lost: bool = False) -> ShownOutput:
    """Make an output as the session gives it."""
    return ShownOutput(EntryId(15), CALL, "run_command", text, kept, remark, lost)


async def settled(pilot: Pilot[int], app: PagerApp) -> None:
    """Wait until all lines are counted and nothing is looked for any more."""
    await until(pilot, lambda: app.screen is app.pager and app.pager.view.index.whole)
    finder = app.pager.finder
    await until(pilot, lambda: finder.found.outcome is Outcome.NONE or (finder.found.whole and not finder.looking))
    await pilot.pause()
