"""The walls around a command: it reads what the person may read, and writes only where it was let.

``find_sandbox`` tells which the machine has, by running it; ``Reach`` is what a command may do inside; ``Walls`` holds
both for a conversation and puts an ``Enclosure`` around each command; ``explain`` tells whether a failure was the
sandbox's doing. Imports only ``config`` and ``text``; what runs commands uses it.
"""

from wisp_tui.sandbox.base import Changes, NoSandbox, Reach, Sandbox, Wrapped
from wisp_tui.sandbox.bubblewrap import Bubblewrap
from wisp_tui.sandbox.choose import Found, find_sandbox
from wisp_tui.sandbox.reach import reach_of
from wisp_tui.sandbox.refusal import Explanation, Refusal, explain
from wisp_tui.sandbox.seatbelt import Seatbelt
from wisp_tui.sandbox.walls import Enclosure, Find, SharedSandbox, Walls

__all__ = [
    "Bubblewrap",
    "Changes",
    "Enclosure",
    "Explanation",
    "Find",
    "Found",
    "NoSandbox",
    "Reach",
    "Refusal",
    "Sandbox",
    "Seatbelt",
    "SharedSandbox",
    "Walls",
    "Wrapped",
    "explain",
    "find_sandbox",
    "reach_of",
]
