"""What can complete the word at a cursor, as every face shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Completion:
    """Candidates for the text from ``start`` up to the cursor.

    ``ready``: there is one candidate only, a command that can be run with nothing after it.
    """

    start: int
    candidates: tuple[str, ...]
    ready: bool = False


NOTHING = Completion(0, ())
