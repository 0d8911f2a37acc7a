"""Which models the person turned off (``models.disabled``): never chosen, and refused by name with what to do."""

from __future__ import annotations

from wisp_tui.config.settings import Settings
from wisp_tui.models.base import ModelUnavailable

WHY = "disabled (models.disabled)"


def is_disabled(model: str, settings: Settings) -> bool:
    """Say whether a model (``ollama:granite4.1:8b``), or its whole runtime (``ollama``), is turned off."""
    off = settings.models.disabled
    return model in off or model.partition(":")[0] in off


def remedy(model: str, settings: Settings) -> str:
    """Say what turns it on again: the model, or its runtime where that is what is off."""
    runtime = model.partition(":")[0]
    return f"`wisp models enable {runtime if runtime in settings.models.disabled else model}`"


def refuse_disabled(model: str, settings: Settings) -> None:
    """Raise ModelUnavailable for a model that is turned off."""
    if is_disabled(model, settings):
        raise ModelUnavailable(f"{model} is {WHY}", remedy(model, settings))
