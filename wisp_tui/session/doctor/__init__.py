"""Whether wisp can work here: its home, its settings, its log, its models, the machine. Looks, and changes nothing.

Each check is a value that says how things stand and what to do. ``examine`` makes them all; faces show them.
"""

from wisp_tui.session.doctor.checks import Check, State
from wisp_tui.session.doctor.examine import examine

__all__ = ["Check", "State", "examine"]
