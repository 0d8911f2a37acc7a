"""Tool output: the budget that bounds what the model is shown, and the store that keeps the whole of it.

``budget`` says how much is shown, ``captured`` takes an output as it arrives, ``held_back`` chooses the lines,
``spill`` writes the rest to the ``store`` with its ``record``, ``sweep`` removes what is old. Imports ``text`` only.
"""

from wisp_tui.outputs.budget import Cost, ToolBudget
from wisp_tui.outputs.record import MAX_BYTES, Section, StoredOutput
from wisp_tui.outputs.store import NoSuchOutput, OutputStore, Page, StoredLine

__all__ = [
    "MAX_BYTES",
    "Cost",
    "NoSuchOutput",
    "OutputStore",
    "Page",
    "Section",
    "StoredLine",
    "StoredOutput",
    "ToolBudget",
]
