"""The form as a value that changes: the settings by part, those that are looked for, how each line is drawn.

The screen draws what this says and tells it what the person does; it knows nothing of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from wisp_tui.app.panel.drawn import Drawn
from wisp_tui.app.rows import Piece, Role, Row, drawable
from wisp_tui.app.settings import saying
from wisp_tui.config.fields import part_description
from wisp_tui.session import Thread
from wisp_tui.session.settings import SettingState, SettingStates, look_at_settings
from wisp_tui.session.status import short_path


@dataclass(frozen=True, slots=True)
class PartHeading:
    """The line above a part's settings. ``name`` is empty for those that are in none."""

    name: str
    description: str
    changed: int
    """How many of the part are not what they are by default."""


SettingsLine: TypeAlias = PartHeading | SettingState


@dataclass(slots=True)
class SettingsModel:
    """What the form shows of one conversation's settings. ``home`` is the person's own directory, written ``~``."""

    thread: Thread
    home: Path
    wanted: str = ""
    """The words that a setting must contain."""
    states: SettingStates = field(default_factory=lambda: SettingStates(()))
    lines: Sequence[SettingsLine] = ()

    # What it lists ------------------------------------------------------------------------------------------------

    def gather(self) -> None:
        """List anew what there is now."""
        self.states = look_at_settings(self.thread)
        self.lines = tuple(self._lines())

    def _lines(self) -> Iterator[SettingsLine]:
        shown = [state for state in self.states.settings if saying.matches(state.setting, self.wanted)]
        for part, of_part in groupby(shown, key=lambda state: state.setting.part):
            states = tuple(of_part)
            description = part_description(part) or saying.NO_PART
            yield PartHeading(part, description, sum(state.changed for state in states))
            yield from states

    def narrow(self, wanted: str, before: str | None) -> int:
        """List those settings alone that contain some words.

        Return the line to go to: of the setting whose name is the nearest to them; without words, of the one before.
        """
        self.wanted = wanted
        self.lines = tuple(self._lines())
        found = [line.setting for line in self.lines if isinstance(line, SettingState)]
        nearest = min(found, key=lambda setting: saying.distance(setting, wanted)).name if found and wanted else before
        return self.line_of(nearest)

    # Lines --------------------------------------------------------------------------------------------------------

    def at(self, line: int) -> SettingState | None:
        """Return the setting on a line; None for a heading, and where there is no line."""
        found = self.lines[line] if 0 <= line < len(self.lines) else None
        return found if isinstance(found, SettingState) else None

    def line_of(self, name: str | None) -> int:
        """Find the line of a setting by its name, else the first setting's."""
        places = {line.setting.name: place for place, line in enumerate(self.lines) if isinstance(line, SettingState)}
        return places.get(name or "", min(places.values(), default=0))

    def drawn(self, line: int, width: int) -> Drawn:
        """Draw a line for a width in cells."""
        match self.lines[line]:
            case PartHeading(name=name, description=description, changed=changed):
                right = (Piece(f"{changed} changed", Role.ACCENT),) if changed else ()
                named = (Piece(name, Role.HEADING), Piece("  ")) if name else ()
                return Drawn((*named, Piece(description, Role.FAINT)), right)
            case SettingState() as state:
                return saying.draw(state, width)

    def whole(self, line: int) -> list[Row]:
        """Write the setting on a line whole, as it stands below the list."""
        state = self.at(line)
        return [] if state is None else saying.setting_rows(state)

    # What it says -------------------------------------------------------------------------------------------------

    def title(self) -> tuple[list[Piece], list[Piece]]:
        """Name the form and its file, and how many settings are changed."""
        changed = sum(state.changed for state in self.states.settings)
        path = short_path(self.thread.shelf.home.config, self.home)
        return (
            [Piece("settings", Role.STRONG), Piece(f"  {drawable(path)}", Role.FAINT)],
            [Piece(f"{changed} changed" if changed else "every one has its default", Role.FAINT)],
        )

    def remark(self) -> list[Piece]:
        """Say what is looked for, and what is wrong with the file."""
        if self.states.fault:
            return [Piece(drawable(self.states.fault), Role.ERROR)]
        if self.wanted:
            return [Piece("/ ", Role.KEY), Piece(drawable(self.wanted), Role.ACCENT), Piece("▏", Role.ACCENT)]
        if self.states.unknown:
            named = drawable(", ".join(self.states.unknown))
            return [Piece(f"type to search · kept in the file, and not used: {named}", Role.FAINT)]
        return [Piece("type to search", Role.FAINT)]

    def empty(self) -> str:
        """Say why nothing is listed; empty where something is."""
        return "" if self.lines else f"no setting contains {drawable(self.wanted)}; esc shows all"

    def keys(self, line: int) -> saying.Keys:
        """The keys that matter on a line."""
        return saying.keys_for(self.at(line))
