"""What is kept beyond a conversation: the shared store of permanent facts, and how a directory is watched.

Reads and writes files of the home. May be imported by ``pending`` and everything above ``tools``; imports ``facts``,
``config`` and ``text``. Nothing here is written without the person's act (promise 9).
"""

from wisp_tui.keeping.locking import Busy
from wisp_tui.keeping.permanent import PermanentFacts, StoreError
from wisp_tui.keeping.watching import ticks

__all__ = ["Busy", "PermanentFacts", "StoreError", "ticks"]
