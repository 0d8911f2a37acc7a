"""One conversation, for any face: the session of a process, its threads, the agent that runs a turn, the commands.

Faces import this package and draw what it gives them; it does the effects the pure core below only decides.
"""

from wisp_tui.session.session import Session
from wisp_tui.session.thread import Thread, ThreadOptions

__all__ = ["Session", "Thread", "ThreadOptions"]
