"""The instructions a conversation begins with: ours, the operator's extension, the caller's (spec, layer 1)."""

from __future__ import annotations

from wisp_tui.config import Settings, shipped


def instructions(settings: Settings, caller: str | None, *, tools: bool, memory: bool) -> str:
    """Join the parts in order, each a paragraph. Nothing of the conversation is ever among them (promise 8)."""
    parts = [_shipped("system-prompt.md")]
    if tools:
        parts.append(_shipped("system-prompt-tools.md"))
    if memory:
        parts.append(_shipped("system-prompt-memory.md"))
    parts += [text.strip() for text in (settings.instructions, caller) if text and text.strip()]
    return "\n\n".join(parts)


def _shipped(name: str) -> str:
    return shipped("resources", name).read_text("utf-8").strip()
