"""What any app of ours is: its themes, how it copies, how it tells the person something in passing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from textual.app import App
from textual.notifications import SeverityLevel

from wisp_tui.app.themes import DARK, THEMES, read_palette, theme_named, theme_of
from wisp_tui.config import shipped


class BaseApp(App[int]):
    """An app with our themes. ``unknown_theme`` is the one that was wanted and is none."""

    TITLE = "wisp"
    PAUSE_GC_ON_SCROLL = True
    CLOSE_TIMEOUT = 1.0

    def __init__(self, environment: Mapping[str, str], theme: str) -> None:
        self._no_color = no_color = "NO_COLOR" in environment
        self.environment = dict(environment)
        """A copy: Textual takes NO_COLOR out of the process's own, and the commands we run should see it."""
        self._palette = read_palette(shipped("styles", "tokens.tcss"))
        super().__init__(
            css_path=[shipped("styles", f"{name}.tcss") for name in ("talk", "context", "condensation", "facts")],
            ansi_color=True if no_color else None,  # else Textual makes greys of the terminal's own colours
        )
        for name in THEMES:
            self.register_theme(theme_of(name, self._palette.themes[name]))
        chosen = theme_named(theme, no_color=no_color)
        self.unknown_theme = theme if chosen is None else None
        self.theme = chosen or DARK

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give the tokens that themes of other makers lack."""
        return {**self._palette.shared, **self._palette.themes[DARK]}

    def use_theme(self, wanted: str) -> None:
        """Use a theme from now on; where there is none of the name, the one in use stays."""
        self.theme = theme_named(wanted, no_color=self._no_color) or self.theme

    def action_theme(self) -> None:
        """Go on to the next theme."""
        self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)]

    def leave(self, code: int = 0) -> None:
        """End the app with a code."""
        self.exit(code, return_code=code)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy by the system's own program, else ask the terminal to; claim no more than is known."""
        super().copy_to_clipboard(text)
        self.run_worker(self._copy(text), group="clipboard", exclusive=True)

    async def _copy(self, text: str) -> None:
        from wisp_tui.session.clipboard import copied

        if await asyncio.to_thread(copied, text, self.environment):
            self.notify("copied")
        else:
            self.notify("sent to the terminal's clipboard; not every terminal takes it (OSC 52)")

    def announce(self, title: str, text: str, *, seen: bool) -> None:
        """Tell the person something that waits for them; ``seen`` where the screen shows it already.

        While the terminal has not the keyboard it rings too, and shows it. Both texts are clean.
        """
        if not seen:
            self.notify(text, title=title, timeout=8)
        if not self.app_focus:
            self.bell()
            self.tell_terminal(f"{title}: {text}")

    def tell_terminal(self, text: str) -> None:
        """Have the terminal show a notification (OSC 9), where it knows how; the text is clean."""
        if self._driver is not None:
            self._driver.write(f"\x1b]9;{text}\x07")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Tell the person something in passing; never read as markup."""
        del markup
        super().notify(message, title=title, severity=severity, timeout=timeout, markup=False)
