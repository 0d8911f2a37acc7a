"""``config.json`` as the person changes it: one setting at a time, under a lock, recorded before it is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from wisp_tui.config import ConfigError, Home
from wisp_tui.config.editing import Edited
from wisp_tui.config.settings import read_config
from wisp_tui.facts import PersonAct
from wisp_tui.keeping.locking import Busy, locked
from wisp_tui.text.json import JsonObject
from wisp_tui.text.reasons import reason

WAIT_SECONDS = 1.0
"""How long a change waits for another one: each takes milliseconds."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The settings of one home. Several processes may change them: each change is made on what is there then."""

    home: Home

    def read(self) -> JsonObject:
        """Read what the file holds. Raises ConfigError when it is no JSON object or cannot be read."""
        return read_config(self.home.config)

    def change(
        self, act: PersonAct, edit: Callable[[JsonObject], Edited], record: Callable[[Edited], object]
    ) -> Edited:
        """Change the file as ``edit`` says; ``record`` is called before it is written, and not where nothing changes.

        Blocks for milliseconds, at most a second while another process writes. Raises ConfigError when the file cannot
        be read or written, and what ``edit`` and ``record`` raise; then nothing is changed.
        """
        del act
        try:
            with locked(self.home.root / ".config.lock", wait=WAIT_SECONDS):
                before = self.read()
                edited = edit(before)
                if edited.config != before:
                    record(edited)
                    path = self.home.config.resolve()  # where it is a link, what it leads to is the file
                    self.home.write(path, written(edited.config))
        except (OSError, Busy) as error:
            raise ConfigError(f"not changed: {self.home.config} cannot be written: {reason(error)}") from error
        return edited


def written(config: JsonObject) -> bytes:
    """Write the file's content as a person reads it."""
    return json.dumps(config, ensure_ascii=False, indent=2).encode("utf-8", "replace") + b"\n"
