"""What the model can call, one module a tool, behind one protocol.

Imports the core (``outputs``, ``approval``, …) and what lies below it; ``session`` runs the tools.
"""

from wisp_tui.tools.base import Arguments, BadArguments, Tool, ToolContext, ToolOutput, ToolSpec

__all__ = ["Arguments", "BadArguments", "Tool", "ToolContext", "ToolOutput", "ToolSpec"]
