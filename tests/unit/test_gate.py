"""The gate: what passes unasked, what an answer covers and for how long, what is refused; each step is audited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.fakes.judging import HARBOUR, judge
from tests.fakes.tools import CALL, Answers, Ear
from wisp_tui.approval.base import Answer, ApprovalRequest, Level, Permit
from wisp_tui.approval.gate import Act, Gate, GateRules
from wisp_tui.approval.policy import CommandPolicy
from wisp_tui.approval.store import ApprovalStore
from wisp_tui.config import Home
from wisp_tui.events import Kind
from wisp_tui.text.ids import TurnNumber

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Door:
    """A gate with a person who answers as they are told, and what both did."""

    home: Path
    clock: Clock = field(default_factory=Clock)
    person: Answers = field(default_factory=Answers)
    ear: Ear = field(default_factory=Ear)
    turn: int = 1

    def open(
        self,
        *,
        threshold: Level = Level.MODERATE,
        deny: Sequence[str] = (),
        allow: Sequence[str] = (),
        sandboxed: bool = True,
        kept: bool = True,
    ) -> Door:
        store = ApprovalStore(Home(self.home), now=self.clock) if kept else None
        policy = CommandPolicy.read(deny, allow)
        self.gate = Gate(self.person, self.ear, GateRules(judge(), threshold, policy, store, sandboxed))
        return self

    async def permit(self, line: str, directory: Path = HARBOUR) -> Permit:
        return await self.gate.permit(line, str(directory), turn=TurnNumber(self.turn), call=CALL)

    async def asks(self, line: str, answer: Answer = Answer.NO, directory: Path = HARBOUR) -> list[str]:
        """The commands that were put before the person."""
        self.person.answer = answer
        before = len(self.person.asked)
        await self.permit(line, directory)
        return [request.command for request in self.person.asked[before:]]


@pytest.fixture
def door(wisp_home: Path) -> Door:
    return Door(wisp_home).open()


async def test_what_is_below_the_threshold_runs_unasked(door: Door) -> None:
    permit = await door.permit("git status && ls | wc -l")
    assert (permit.allowed, door.person.asked) == (True, [])


@pytest.mark.parametrize(("threshold", "asked"), [(Level.SAFE, 3), (Level.MODERATE, 2), (Level.DANGEROUS, 1)], ids=str)
async def test_the_threshold_says_what_asks(door: Door, threshold: Level, asked: int) -> None:
    door.open(threshold=threshold)
    assert len(await door.asks("ls; touch p; rm -rf src", Answer.ONCE)) == asked


async def test_without_a_sandbox_everything_above_safe_asks_at_any_threshold(door: Door) -> None:
    door.open(threshold=Level.DANGEROUS, sandboxed=False)
    assert await door.asks("ls; touch p") == ["touch p"]


async def test_each_simple_command_is_put_before_the_person_with_the_whole_line(door: Door) -> None:
    line = "git status && make build; touch p"
    assert await door.asks(line, Answer.ONCE) == ["make build", "touch p"]
    assert {request.line for request in door.person.asked} == {line}


async def test_a_request_says_what_is_asked(door: Door) -> None:
    await door.asks("make build")
    [request] = door.person.asked
    assert (request.command, request.directory, request.level) == ("make build", str(HARBOUR), Level.MODERATE)
    assert request.pattern == "make build *"
    assert request.reasons


async def test_the_first_refusal_ends_the_line(door: Door) -> None:
    assert await door.asks("make; touch p; rm -rf src", Answer.NO) == ["make"]
    assert (await door.permit("make")).allowed is False


async def test_the_same_command_twice_in_a_line_asks_once(door: Door) -> None:
    assert await door.asks("make; make", Answer.ONCE) == ["make"]


async def test_once_is_the_rest_of_the_turn_in_this_directory(door: Door) -> None:
    assert await door.asks("make build", Answer.ONCE) == ["make build"]
    assert await door.asks("make build") == []
    assert await door.asks("make build", directory=HARBOUR / "src") == ["make build"]
    door.turn = 2
    assert await door.asks("make build") == ["make build"]


async def test_once_covers_the_exact_command_alone(door: Door) -> None:
    await door.asks("git push origin main", Answer.ONCE)
    assert await door.asks("git push origin next") == ["git push origin next"]


async def test_the_session_covers_the_pattern_that_was_shown(door: Door) -> None:
    await door.asks("git push origin main", Answer.SESSION)
    door.turn = 9
    assert door.person.asked[0].pattern == "git push *"
    assert await door.asks("git push origin next", directory=HARBOUR / "src") == []
    assert await door.asks("git pull") == ["git pull"]
    assert await door.asks("git push > log") == ["git push > log"]
    assert await door.asks("X=1 git push") == ["X=1 git push"]
    assert await door.asks("git -C src push") == ["git -C src push"]


async def test_the_session_of_what_runs_the_directorys_own_programs_is_that_directory(door: Door) -> None:
    await door.asks("make build", Answer.SESSION)
    assert await door.asks("make build fast") == []
    assert await door.asks("make build", directory=HARBOUR / "evil") == ["make build"]
    assert await door.asks("cd evil && make build") == ["make build"]


async def test_an_answer_for_a_safe_command_is_none_for_another_of_its_verbs(door: Door) -> None:
    door.open(threshold=Level.SAFE)
    await door.asks("git status", Answer.ALWAYS)
    assert await door.asks("git status --short") == []
    assert await door.asks("git push") == ["git push"]
    assert await door.asks("git log") == ["git log"]


@pytest.mark.parametrize("answer", [Answer.SESSION, Answer.PROJECT, Answer.ALWAYS])
async def test_a_dangerous_command_is_kept_for_the_session_at_most_and_exactly(door: Door, answer: Answer) -> None:
    assert await door.asks("rm -rf build", answer) == ["rm -rf build"]
    assert await door.asks("rm -rf build") == []
    assert await door.asks("rm -rf build src") == ["rm -rf build src"]
    assert await door.asks("rm -rf build", directory=HARBOUR / "src") == ["rm -rf build"]
    assert await door.open().asks("rm -rf build") == ["rm -rf build"]
    decided = door.ear.of(Kind.APPROVAL_DECIDED)[0]
    assert decided["decision"] == "session"
    assert decided.get("downgraded", False) is (answer is not Answer.SESSION)


async def test_a_pattern_never_covers_a_command_that_is_dangerous(door: Door) -> None:
    await door.asks("git push origin main", Answer.ALWAYS)
    assert await door.asks("git push --force origin main") == ["git push --force origin main"]
    assert await door.open().asks("git push origin +main") == ["git push origin +main"]


async def test_project_holds_for_thirty_days_in_this_directory(door: Door) -> None:
    await door.asks("make build", Answer.PROJECT)
    assert await door.open().asks("make build fast") == []
    assert await door.open().asks("make build", directory=HARBOUR / "src") == ["make build"]
    door.clock.now = START + timedelta(days=29, hours=23)
    assert await door.open().asks("make build") == []
    door.clock.now = START + timedelta(days=30)
    assert await door.open().asks("make build") == ["make build"]


async def test_always_holds_for_thirty_days_anywhere(door: Door) -> None:
    await door.asks("git push origin main", Answer.ALWAYS)
    assert await door.open().asks("git push", directory=Path("/elsewhere")) == []
    door.clock.now = START + timedelta(days=30)
    assert await door.open().asks("git push") == ["git push"]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("rm -rf build", "once session no"),
        ("make > log", "once session no"),
        ("make build", "once session project no"),
        ("git push", "once session project always no"),
        ("./run.sh", "once session project no"),
        ("ls 'open", "once session no"),
    ],
)
async def test_the_answers_offered_depend_on_the_command(door: Door, line: str, answers: str) -> None:
    await door.asks(line)
    assert " ".join(answer.value for answer in door.person.asked[0].answers) == answers


async def test_without_a_store_nothing_is_offered_past_the_session(door: Door) -> None:
    door.open(kept=False)
    await door.asks("git push", Answer.ALWAYS)
    assert door.person.asked[0].answers == (Answer.ONCE, Answer.SESSION, Answer.NO)
    assert await door.asks("git push") == []
    assert await door.open(kept=False).asks("git push") == ["git push"]


async def test_an_approval_that_cannot_be_kept_holds_for_the_session(door: Door) -> None:
    door.home.mkdir()
    (door.home / "approvals.json").mkdir()
    await door.asks("git push", Answer.ALWAYS)
    assert await door.asks("git push") == []
    assert door.ear.of(Kind.APPROVAL_DECIDED)[0]["downgraded"] is True


async def test_what_a_command_is_fed_is_part_of_what_was_approved(door: Door) -> None:
    await door.asks("echo one | sh", Answer.SESSION)
    assert await door.asks("echo one | sh") == []
    assert await door.asks("echo two | sh") == ["sh"]
    await door.asks("echo one | bash -c bash", Answer.SESSION)
    assert await door.asks("echo two | bash -c bash") == ["bash -c bash"]


async def test_what_a_variable_holds_is_part_of_what_was_approved(door: Door) -> None:
    await door.asks('X=a; rm "$X/b" $Y', Answer.SESSION)
    assert await door.asks('X=/; rm "$X/b" $Y') == ['rm "$X/b" $Y']


async def test_a_line_that_cannot_be_read_asks_whole_and_is_not_kept(door: Door) -> None:
    assert await door.asks("ls 'open", Answer.ALWAYS) == ["ls 'open"]
    assert await door.open().asks("ls 'open") == ["ls 'open"]
    assert door.person.asked[0].level is Level.DANGEROUS


# Policy ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "git push origin main",
        "ls && git push",
        "echo $(git push)",
        "env git push",
        "timeout 5 git push",
        "git -C src push",
        "/usr/bin/git push",
        "sh -c 'git push'",
        "xargs git push < x",
        "find . -exec git push {} +",
        "'git' \"push\"",
    ],
)
async def test_what_the_policy_denies_is_refused_unasked_however_it_is_put(door: Door, line: str) -> None:
    permit = await door.open(deny=["git push *"], allow=["git push *"]).permit(line)
    assert (permit.allowed, door.person.asked) == (False, [])
    assert "git push *" in permit.why


async def test_a_denial_reaches_what_begins_as_it_does_and_nothing_else(door: Door) -> None:
    door.open(deny=["curl", "git push"])
    assert (await door.permit("curl -s x")).allowed is False
    assert (await door.permit("git status")).allowed is True
    assert await door.asks("git pushy") == ["git pushy"]


async def test_what_the_policy_allows_runs_unasked_unless_it_is_dangerous_or_more_than_its_words(door: Door) -> None:
    door.open(allow=["git push *", "make", "rm *"])
    assert await door.asks("git push origin main; make") == []
    assert await door.asks("git push --force") == ["git push --force"]
    assert await door.asks("rm -rf src") == ["rm -rf src"]
    assert await door.asks("make build") == ["make build"]
    assert await door.asks("make > log") == ["make > log"]


async def test_a_typed_command_is_held_against_the_denials_alone(door: Door) -> None:
    door.open(deny=["git push"])
    assert await door.gate.denied("rm -rf src", str(HARBOUR)) is None
    assert await door.gate.denied("git push", str(HARBOUR)) is not None
    assert door.person.asked == []


# The audit ---------------------------------------------------------------------------------------------------------


def kinds(ear: Ear) -> list[str]:
    return [kind for kind, _ in ear.events]


async def test_a_line_that_runs_unasked_is_audited_with_its_verdict(door: Door) -> None:
    await door.permit("ls | wc")
    assert kinds(door.ear) == [Kind.CLASSIFIER_VERDICT, Kind.POLICY_DECISION]
    [verdict] = door.ear.of(Kind.CLASSIFIER_VERDICT)
    assert (verdict["line"], verdict["level"]) == ("ls | wc", "safe")


async def test_every_step_of_asking_is_audited_in_order(door: Door) -> None:
    await door.asks("make build", Answer.PROJECT)
    assert kinds(door.ear) == [
        Kind.CLASSIFIER_VERDICT,
        Kind.POLICY_DECISION,
        Kind.APPROVAL_REQUESTED,
        Kind.APPROVAL_ANSWERED,
        Kind.APPROVAL_SETTLED,
        Kind.APPROVAL_DECIDED,
    ]
    ident = door.person.asked[0].id
    assert [door.ear.of(kind)[0]["id"] for kind in kinds(door.ear)[2:]] == [ident] * 4
    assert door.ear.of(Kind.APPROVAL_DECIDED)[0]["decision"] == "project"


async def test_an_answer_that_covers_is_audited_with_its_scope(door: Door) -> None:
    await door.asks("git push", Answer.ALWAYS)
    door.open().ear.events.clear()
    await door.permit("git push")
    assert kinds(door.ear) == [Kind.CLASSIFIER_VERDICT, Kind.POLICY_DECISION, Kind.APPROVAL_DECIDED]
    assert door.ear.of(Kind.POLICY_DECISION)[0]["rule"] == "always"
    assert "until 2026-03-31" in str(door.ear.of(Kind.APPROVAL_DECIDED)[0]["by"])


async def test_a_denial_is_audited_with_the_pattern(door: Door) -> None:
    await door.open(deny=["rm"]).permit("rm x")
    assert door.ear.of(Kind.POLICY_DECISION) == [
        {"decision": "deny", "rule": "commandPolicy", "pattern": "rm", "command": "rm x"}
    ]


class Nobody:
    """An asker whose answer never comes."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        del request
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_cancellation_while_it_asks_settles_the_request(door: Door) -> None:
    nobody = Nobody()
    gate = Gate(nobody, door.ear, GateRules(judge()))
    asking = asyncio.create_task(gate.permit("make", str(HARBOUR), turn=TurnNumber(1), call=CALL))
    await nobody.asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [details["outcome"] for details in door.ear.of(Kind.APPROVAL_SETTLED)] == ["withdrawn"]
    assert door.ear.of(Kind.APPROVAL_DECIDED) == []


# What is no command ------------------------------------------------------------------------------------------------


async def test_an_act_asks_as_a_command_does_and_its_answer_covers_it_alone(door: Door) -> None:
    act = Act("read_file .env", Level.DANGEROUS, "it may hold secrets of the project")
    other = Act("read_file .env.local", Level.DANGEROUS, "it may hold secrets of the project")

    async def asked(one: Act) -> int:
        before = len(door.person.asked)
        await door.gate.permit_act(one, str(HARBOUR), turn=TurnNumber(door.turn), call=CALL)
        return len(door.person.asked) - before

    door.person.answer = Answer.SESSION
    assert await asked(act) == 1
    assert await asked(act) == 0
    assert await asked(other) == 1
    assert door.person.asked[0].reasons == ("it may hold secrets of the project",)
    assert await asked(Act("edit_file x", Level.SAFE, "reads")) == 0


async def test_a_gate_without_a_judge_asks_for_every_line(door: Door) -> None:
    gate = Gate(door.person, door.ear)
    await gate.permit("ls", str(HARBOUR), turn=TurnNumber(1), call=CALL)
    assert [request.command for request in door.person.asked] == ["ls"]
