"""How a conversation's model has its tools: by itself, through guided replies, or not at all; and what is said."""

from __future__ import annotations

from dataclasses import dataclass

from wisp_tui.context.messages import definition
from wisp_tui.models import Capability, Model, Resolved, ToolDefinition
from wisp_tui.models.guided import GuidedModel, can_be_guided, guided
from wisp_tui.session.conversation import Conversation

MOST_OF_THE_WINDOW = 0.25
"""The share of the window that telling a guided model its tools may take; past it, plain chat is the better use."""


@dataclass(frozen=True, slots=True)
class Equipped:
    """The model as the conversation has it, and what the person is told: a note, or a warning; None for nothing."""

    model: Model
    resolved: Resolved
    note: str | None = None
    warning: str | None = None


def equipped(conversation: Conversation, model: Model, resolved: Resolved) -> Equipped:
    """Give a model the conversation's tools in the way there is."""
    if not conversation.tools or Capability.TOOLS in resolved.capabilities:
        return Equipped(model, resolved)
    name = resolved.id
    if not can_be_guided(resolved):
        return Equipped(model, resolved, warning=f"{name} takes no tools: this is plain chat; /model chooses another")
    specs = (tool.spec for tool in conversation.tools.values())
    definitions = (ToolDefinition(spec.name, spec.description, spec.parameters) for spec in specs)
    cost = sum(conversation.composer.estimate(definition(tool)) for tool in definitions)
    if resolved.window is not None and cost > resolved.window * MOST_OF_THE_WINDOW:
        why = f"its window of {resolved.window:,} tokens is too small for {cost:,} of tools"
        return Equipped(model, resolved, warning=f"{name}: {why}: this is plain chat; --tool gives it only some")
    how = "uses tools through guided replies: its runtime takes none, but holds to a schema"
    return Equipped(GuidedModel(model), guided(resolved), note=f"{name} {how}")
