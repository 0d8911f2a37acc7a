"""How wide the terminal and its font draw what the app draws, measured by asking where the cursor is afterwards."""

from __future__ import annotations

import os
import re
import select
import termios
import time
import tty
from collections.abc import Mapping

from rich.cells import cell_len

from wisp_tui.session.doctor.checks import Check, State
from wisp_tui.text.json import Json

SAMPLES: Mapping[str, str] = {
    "the app's own signs": "❯⚙↳⚑✎◂∴▏…─",
    "an accent of its own": "e\u0301",
    "a Chinese character": "漢",
    "an emoji": "🙂",
    "an emoji made of several": "👩‍👩‍👧",
    "a sign drawn as an emoji": "❤️",
    "a flag": "🇫🇷",
}
"""What is measured, by what it is."""
SECONDS = 0.5
"""How long the terminal may take to answer each time; one that does not answer is asked nothing more."""
_ASK = b"\x1b[6n"
_ANSWER = re.compile(rb"\x1b\[(\d+);(\d+)R")


def measure(source: int = 0, sink: int = 1) -> Mapping[str, int] | None:
    """Measure the samples in cells, on a line that is cleared again. None where there is no terminal, or no answer."""
    if not (os.isatty(source) and os.isatty(sink)):
        return None
    try:
        before = termios.tcgetattr(source)
        tty.setcbreak(source, termios.TCSADRAIN)
    except termios.error:
        return None
    measured: dict[str, int] = {}
    try:
        for text in SAMPLES.values():
            os.write(sink, b"\r" + text.encode() + _ASK)
            column = _column(source)
            if column is None:
                break
            measured[text] = column - 1
    finally:
        os.write(sink, b"\r\x1b[K")
        termios.tcsetattr(source, termios.TCSADRAIN, before)
    return measured or None


def _column(source: int) -> int | None:
    """Read the cursor's column from the terminal's answer, counted from 1; None when none comes."""
    said, until = b"", time.monotonic() + SECONDS
    while (left := until - time.monotonic()) > 0 and select.select([source], [], [], left)[0]:
        said += os.read(source, 64)
        if (answer := _ANSWER.search(said)) is not None:
            return int(answer[2])
    return None


def widths_check(measured: Mapping[str, int] | None) -> Check:
    """Compare what was measured with what the app counts on."""
    if measured is None:
        return Check("widths", State.NOTE, "how wide signs are drawn was not measured: no terminal answers here")
    other = {
        what: (measured[text], cell_len(text))
        for what, text in SAMPLES.items()
        if text in measured and measured[text] != cell_len(text)
    }
    sizes: dict[str, Json] = {**measured}
    if not other:
        return Check("widths", State.OK, "signs are drawn as wide as the app counts them", details={"cells": sizes})
    lines = tuple(
        f"{what}, {SAMPLES[what]}, takes {found} and is counted as {counted}"
        for what, (found, counted) in other.items()
    )
    said = "some signs are not drawn as wide as the app counts them: lines with them may be out of place"
    remedy = "set the terminal to draw ambiguous characters narrow, and a font with emoji"
    return Check("widths", State.NOTE, said, remedy, lines, {"cells": sizes})
