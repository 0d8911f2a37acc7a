"""The rules: what settles a request without a model call, row by row of the tables, each with its near misses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wisp_tui.assessment import Situation, Task, TaskSetter, Wording, rule

OFFERED = ("read_file", "edit_file", "run_command", "current_date", "system_info", "inspect", "memory")
INFERRED = Task("add a --dry-run flag", TaskSetter.MODEL)
AT_WORK = Situation(Wording("What is the release codename of the whole thing, and why?"), OFFERED, INFERRED)
"""A request that says nothing of tools, in a conversation with a task and no tool used yet."""


def asked(request: str, of: Situation = AT_WORK) -> Situation:
    return replace(of, request=Wording(request))


@pytest.mark.parametrize(
    ("situation", "settled_by"),
    [
        (asked("Say what docs/overview.md is about, in a line"), "names a path"),
        (asked("Say what is in the overview of the documents, in a line"), None),
        (asked("Tell me what git status says in this place"), "names a command"),
        (asked("Tell me what git is good for, in this place"), None),
        (asked("Say what time is it in this place, please"), "names a tool"),
        (asked("Say what time is to a philosopher, please now"), None),
        (replace(asked("And the other one of the two that we had"), previous=("read_file",)), "follows"),
        (asked("And the other one of the two that we had"), None),
        (replace(asked("The other one of the two that we had, I mean"), previous=("read_file",)), None),
        (replace(asked("And the other one of the two that we had"), previous=("not_allowed",)), None),
        (replace(AT_WORK, task_tools=frozenset({"read_file"})), "the task's tools are known"),
        (replace(AT_WORK, task_tools=frozenset({"not_allowed"})), None),
        (replace(AT_WORK, offered=("run_command", "memory")), "all are registered"),
        (replace(AT_WORK, offered=()), "there are none"),
        (replace(asked("Say what docs/overview.md is about"), offered=("current_date", "notify")), None),
        (replace(asked("Tell me what git status says"), offered=("current_date", "notify")), None),
    ],
)
def test_the_tools_are_settled(situation: Situation, settled_by: str | None) -> None:
    ruling = rule(situation)
    assert (ruling.tools_settled or "").startswith(settled_by or "")
    assert (ruling.tools_settled is None) == (settled_by is None)
    assert ruling.settled == (settled_by is not None), "with a task that the request keeps, the tools decide"


@pytest.mark.parametrize(
    ("situation", "settled_by"),
    [
        (AT_WORK, "the request states no new one"),
        (asked("New task: read docs/overview.md"), None),
        (asked("What is the new task: docs/overview.md?"), "the request states no new one"),
        (replace(AT_WORK, task=None), None),
        (replace(AT_WORK, task=None, keeps_facts=False), "no facts are kept"),
        (replace(asked("New task: the parser"), task=Task("sync", TaskSetter.PERSON)), "set by the person"),
        (replace(asked("New task: the parser"), task=Task("sync", TaskSetter.CALLER)), "set by the caller"),
    ],
)
def test_the_task_is_settled(situation: Situation, settled_by: str | None) -> None:
    ruling = rule(replace(situation, task_tools=frozenset({"read_file"})))
    assert ruling.task_settled == settled_by
    assert ruling.settled == (settled_by is not None), "with tools that are known, the task decides"


@pytest.mark.parametrize(
    ("situation", "fixed"),
    [
        (AT_WORK, True),
        (asked("From now on, the parser."), False),
        (replace(AT_WORK, restated_only=False), False),
        (replace(AT_WORK, task=None), False),
        (replace(AT_WORK, task=None, keeps_facts=False), True),
        (replace(asked("New task: x"), restated_only=False, task=Task("sync", TaskSetter.PERSON)), True),
        (replace(asked("New task: x"), restated_only=False, task=Task("sync", TaskSetter.CALLER)), True),
    ],
)
def test_the_model_may_say_another_task_only_where_the_setting_and_whoever_set_it_let_it(
    situation: Situation, *, fixed: bool
) -> None:
    assert rule(situation).task_fixed is fixed


@pytest.mark.parametrize(
    ("situation", "tools"),
    [
        (AT_WORK, ("run_command", "memory")),
        (replace(AT_WORK, offered=("inspect", "memory")), ("memory",)),
        (asked("Say what docs/overview.md is about, in a line"), ("read_file", "run_command", "memory")),
        (asked("Fix the heading of docs/overview.md, in a line"), ("read_file", "edit_file", "run_command", "memory")),
        (replace(AT_WORK, task_tools=frozenset({"edit_file"})), ("read_file", "edit_file", "run_command", "memory")),
        (replace(asked("And the date?"), previous=("inspect", "gone")), ("run_command", "inspect", "memory")),
        (replace(asked("The second?"), previous=("inspect",)), ("run_command", "inspect", "memory")),
        (replace(AT_WORK, previous=("inspect",)), ("run_command", "memory")),
        (replace(asked("write docs/a.md please"), offered=("edit_file", "run_command")), ("edit_file", "run_command")),
    ],
)
def test_the_tools_of_the_rules_add_up_in_the_conversations_order(situation: Situation, tools: tuple[str, ...]) -> None:
    assert rule(situation).tools == tools
