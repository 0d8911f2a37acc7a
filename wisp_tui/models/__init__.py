"""The runtimes: one protocol, one module each. A request goes in; deltas, thinking, tool calls and usage come out.

Imports ``config`` and ``text``, and nothing above. Runtimes are imported lazily: the libraries they need cost start-up.
"""

from wisp_tui.models.base import (
    Capability,
    Chunk,
    ContextOverflow,
    EmptyReply,
    Finished,
    Message,
    Model,
    ModelError,
    ModelUnavailable,
    Options,
    PromptProgress,
    Request,
    Resolved,
    Role,
    TextDelta,
    ThinkingOut,
    ToolCall,
    ToolDefinition,
    ToolsUnsupported,
    Usage,
)

__all__ = [
    "Capability",
    "Chunk",
    "ContextOverflow",
    "EmptyReply",
    "Finished",
    "Message",
    "Model",
    "ModelError",
    "ModelUnavailable",
    "Options",
    "PromptProgress",
    "Request",
    "Resolved",
    "Role",
    "TextDelta",
    "ThinkingOut",
    "ToolCall",
    "ToolDefinition",
    "ToolsUnsupported",
    "Usage",
]
