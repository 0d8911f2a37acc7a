"""The rules, which come before the model: the tools any request has, and when nothing is left to ask (spec, TABLES)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from wisp_tui.assessment.wording import Wording

ALWAYS = ("run_command", "memory")
"""The general fallback, and how earlier material comes back."""
_READ, _EDIT, _RUN = "read_file", "edit_file", "run_command"


class TaskSetter(StrEnum):
    """Who set the task, as far as that says whether it may change."""

    PERSON = "the person"
    CALLER = "the caller"
    MODEL = "the model"


@dataclass(frozen=True, slots=True)
class Task:
    """The conversation's task as it stands."""

    text: str
    setter: TaskSetter

    @property
    def fixed(self) -> bool:
        """Whether only the person, or a caller, may change it."""
        return self.setter is not TaskSetter.MODEL


@dataclass(frozen=True, slots=True)
class Situation:
    """What the rules go by. ``offered`` are the names of all allowed tools, in the conversation's order."""

    request: Wording
    offered: tuple[str, ...]
    task: Task | None = None
    keeps_facts: bool = True
    """Whether the conversation keeps facts, among them a task."""
    task_tools: AbstractSet[str] = frozenset()
    """The tools called since the task last changed; empty without a task."""
    previous: tuple[str, ...] = ()
    """The tools that the turn before called."""
    restated_only: bool = True
    """Whether a task the model inferred changes only when a request states one (``assessment.taskChanges``)."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rules give: the tools that they add up to, and by what each of the two things is settled, if it is."""

    tools: tuple[str, ...]
    tools_settled: str | None
    task_settled: str | None
    task_fixed: bool
    """Whether the model, if it is asked, may not say another task."""

    @property
    def settled(self) -> bool:
        """Whether nothing is left to ask the model."""
        return self.tools_settled is not None and self.task_settled is not None


def rule(of: Situation) -> Ruling:
    """Apply the rules to a request."""
    named = _named(of)
    wanted = standing(of.offered, of.task_tools) | named
    if of.request.follows or of.request.short:
        wanted |= frozenset(of.previous)
    tools = in_order(of.offered, wanted)
    settled = _task(of)
    return Ruling(tools, _tools(of, tools), settled, task_fixed=not _may_change(of))


def standing(offered: tuple[str, ...], task_tools: AbstractSet[str]) -> frozenset[str]:
    """Return the tools that any request has, whatever its words: the fallback, memory, and those of the task."""
    return frozenset(ALWAYS) & frozenset(offered) | task_tools


def in_order(offered: tuple[str, ...], wanted: AbstractSet[str]) -> tuple[str, ...]:
    """Put tools in the conversation's order, those that are not allowed left out; what edits a file reads it too."""
    chosen = wanted | {_READ} if _EDIT in wanted else wanted
    return tuple(name for name in offered if name in chosen)


def _named(of: Situation) -> frozenset[str]:
    """Say which tools the request's words call for."""
    named = of.request.names(of.offered)
    if of.request.paths:
        named |= {_READ, _EDIT} if of.request.edits else {_READ}
    if of.request.runs:
        named |= {_RUN}
    return named & frozenset(of.offered)


def _tools(of: Situation, tools: tuple[str, ...]) -> str | None:
    """Say by what the tools are settled, None when they are not: the first of the rules that holds."""
    offered = frozenset(of.offered)
    rules = (
        ("there are none", not offered),
        ("all are registered", tools == of.offered),
        ("names a path", bool(of.request.paths) and not offered.isdisjoint((_READ, _EDIT, _RUN))),
        ("names a command", of.request.runs and _RUN in offered),
        ("names a tool", bool(of.request.names(of.offered))),
        ("follows a turn that used tools", of.request.follows and not offered.isdisjoint(of.previous)),
        ("the task's tools are known", not offered.isdisjoint(of.task_tools)),
    )
    return next((words for words, holds in rules if holds), None)


def _task(of: Situation) -> str | None:
    if not of.keeps_facts:
        return "no facts are kept"
    if of.task is None:
        return None
    if of.task.fixed:
        return f"set by {of.task.setter}"
    return None if of.request.restates_task else "the request states no new one"


def _may_change(of: Situation) -> bool:
    """Say whether the model may give a task: the first from any request, another by ``assessment.taskChanges``."""
    if not of.keeps_facts or (of.task is not None and of.task.fixed):
        return False
    return of.task is None or not of.restated_only or of.request.restates_task
