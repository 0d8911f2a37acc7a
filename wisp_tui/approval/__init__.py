"""Whether something may be done on the person's machine: what is asked, who answers, what an answer covers.

Imports ``audit``, ``events``, ``config`` and ``text``. Tools ask the gate; faces answer through an ``Asker``.
"""

from wisp_tui.approval.base import Answer, ApprovalRequest, Asker, Level, Permit
from wisp_tui.approval.gate import Gate

__all__ = ["Answer", "ApprovalRequest", "Asker", "Gate", "Level", "Permit"]
