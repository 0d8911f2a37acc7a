"""Whether something may be done on the person's machine: what is asked, who answers, what an answer covers.

Imports ``audit``, ``events``, ``config`` and ``text``. Tools ask the gate; faces answer through an ``Asker``. The
judge, its rules and its grammar are loaded when the first thing is judged: importing this package costs none of them.
"""

from wisp_tui.approval.base import Answer, ApprovalRequest, Asker, Level, Permit
from wisp_tui.approval.gate import Act, Gate, GateRules
from wisp_tui.approval.setup import gate_rules
from wisp_tui.approval.store import ApprovalStore

__all__ = [
    "Act",
    "Answer",
    "ApprovalRequest",
    "ApprovalStore",
    "Asker",
    "Gate",
    "GateRules",
    "Level",
    "Permit",
    "gate_rules",
]
