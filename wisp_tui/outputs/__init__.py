"""Tool output: the budget that bounds what the model is shown, and the store that keeps the whole of it.

Imports ``audit``, ``events``, ``config`` and ``text``.
"""

from wisp_tui.outputs.budget import ToolBudget
from wisp_tui.outputs.store import OutputStore, StoredOutput

__all__ = ["OutputStore", "StoredOutput", "ToolBudget"]
