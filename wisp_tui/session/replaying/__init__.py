"""A saved conversation replayed through another model, turn by turn, and compared with what was recorded.

``recording`` reads what was said and what the audit log knows of it; ``tape`` answers tool calls from it, running
nothing; ``replay`` sends the prompts; ``comparing`` says what is the same. May import what ``session`` may.
"""

from wisp_tui.session.replaying.comparing import CallCompared, CallState, Compared, Context, Side
from wisp_tui.session.replaying.recording import NothingToReplay, Recording, read_recording
from wisp_tui.session.replaying.replay import Replay, Span

__all__ = [
    "CallCompared",
    "CallState",
    "Compared",
    "Context",
    "NothingToReplay",
    "Recording",
    "Replay",
    "Side",
    "Span",
    "read_recording",
]
