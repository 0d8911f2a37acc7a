"""The check of the models: which one answers, what else there is, how large each window is and how that is known."""

from __future__ import annotations

from collections.abc import Mapping

from wisp_tui.config import Home, Settings
from wisp_tui.models import ModelError, ModelUnavailable
from wisp_tui.models.catalogue import Listed, list_models
from wisp_tui.models.choose import choose
from wisp_tui.session.doctor.checks import Check, State
from wisp_tui.text.json import JsonObject


async def models_check(home: Home, settings: Settings, environment: Mapping[str, str]) -> Check:
    """Check that a model can answer: the one a conversation would begin with."""
    listed = await list_models(home, settings, environment)
    lines = tuple(_line(one) for one in listed)
    usable = sum(one.usable for one in listed)
    details: JsonObject = {"models": [_fields(one) for one in listed], "chosen": None}
    try:
        choice = await choose(home, settings, environment)
        try:
            resolved = await choice.model.resolve()
        finally:
            await choice.model.close()
    except ModelError as error:
        reason, remedy = (error.reason, error.remedy) if isinstance(error, ModelUnavailable) else (str(error), "")
        return Check("models", State.FAULT, f"no model answers: {reason}", remedy, lines, details)
    window = f"window {resolved.window:,} tokens ({resolved.window_source})" if resolved.window else "window unknown"
    details = {**details, "chosen": resolved.id, "window": resolved.window, "windowSource": resolved.window_source}
    said = f"{resolved.id} answers, {window}: {choice.why}; {usable} of {len(listed)} listed can be used"
    state, remedy = (State.OK, "") if resolved.window else (State.WARNING, _unknown_window(resolved.id))
    return Check("models", state, said, remedy, lines, details)


def _unknown_window(model: str) -> str:
    runtime = model.partition(":")[0]
    return f"nothing is condensed before an overflow; `wisp config set {runtime}.contextLength TOKENS` says what it is"


def _line(listed: Listed) -> str:
    if listed.fault is not None:
        return f"{listed.name}  cannot be used: {listed.fault}" + (f"; {listed.remedy}" if listed.remedy else "")
    window = f"{listed.window:,} tokens" if listed.window is not None else "window unknown"
    return f"{listed.name}  {window}" + (f" ({listed.window_source})" if listed.window_source else "")


def _fields(listed: Listed) -> JsonObject:
    return {
        "name": listed.name,
        "usable": listed.usable,
        "window": listed.window,
        "windowSource": listed.window_source,
        "fault": listed.fault,
    }
