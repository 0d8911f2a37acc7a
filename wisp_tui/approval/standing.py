"""What answers already given cover: those of this turn and session, held here; the stored ones, asked of the store."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from wisp_tui.approval.base import Answer, Level
from wisp_tui.approval.store import ApprovalStore, Coverage
from wisp_tui.approval.verdict import Part
from wisp_tui.text.ids import TurnNumber

_Exact = tuple[str, str, str]
_ACT = "\0act"
"""The context of what is no command, which no command can have."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Which answer covers a command, and in what words."""

    scope: Answer
    why: str


@dataclass(slots=True)
class GivenAnswers:
    """The answers of one conversation. ``store``: where those that outlive it are kept; None when nowhere."""

    store: ApprovalStore | None = None
    _this_turn: set[tuple[TurnNumber, _Exact]] = field(default_factory=set["tuple[TurnNumber, _Exact]"])
    _this_session: set[_Exact] = field(default_factory=set[_Exact])
    _patterns: list[Coverage] = field(default_factory=list[Coverage])

    def covering(self, part: Part, turn: TurnNumber) -> Covered | None:
        """Find the answer that covers a command: this session's first, then this turn's, then a stored one.

        A dangerous command is covered by nothing but an answer to exactly that command, in this session.
        """
        exact = _exact(part)
        if _for_this_session(part) in self._this_session or any(coverage.covers(part) for coverage in self._patterns):
            return Covered(Answer.SESSION, "approved for this session")
        if (turn, exact) in self._this_turn:
            return Covered(Answer.ONCE, "approved for this turn")
        if part.level is Level.DANGEROUS or part.pattern is None or self.store is None:
            return None
        standing = self.store.covering(part)
        if standing is None:
            return None
        scope = Answer.ALWAYS if standing.anywhere else Answer.PROJECT
        return Covered(scope, f"approved as {standing.coverage.pattern}, until {standing.expires:%Y-%m-%d}")

    def offered(self, part: Part) -> tuple[Answer, ...]:
        """The answers a person is offered: what is dangerous, or more than its words, is not kept past the session."""
        if part.level is Level.DANGEROUS or part.pattern is None or self.store is None:
            return (Answer.ONCE, Answer.SESSION, Answer.NO)
        lasting = (Answer.PROJECT,) if part.local else (Answer.PROJECT, Answer.ALWAYS)
        return (Answer.ONCE, Answer.SESSION, *lasting, Answer.NO)

    @property
    def for_session(self) -> tuple[tuple[str, str], ...]:
        """What is covered for this session, and where."""
        patterns = ((str(coverage.pattern), coverage.directory or "anywhere") for coverage in self._patterns)
        exact = ((command, directory) for command, directory, _ in self._this_session)
        return (*dict.fromkeys(patterns), *sorted(exact))

    def forget(self) -> int:
        """Take back the answers of this session and of this turn; return how many there were of the session."""
        number = len(self.for_session)
        self._this_turn.clear()
        self._this_session.clear()
        self._patterns.clear()
        return number

    def remember(self, part: Part, answer: Answer, turn: TurnNumber) -> Answer:
        """Keep an answer, and return how far it reaches.

        One that was not offered, or that the store cannot keep, reaches no further than the session.
        """
        if answer in {Answer.PROJECT, Answer.ALWAYS} and answer not in self.offered(part):
            answer = Answer.SESSION
        match answer:
            case Answer.NO:
                pass
            case Answer.ONCE:
                self._this_turn.add((turn, _exact(part)))
            case Answer.SESSION:
                self._for_session(part)
            case Answer.PROJECT | Answer.ALWAYS:
                return self._stored(part, answer)
        return answer

    def _stored(self, part: Part, answer: Answer) -> Answer:
        if self.store is not None:
            with suppress(OSError):
                self.store.grant(part, answer)
                return answer
        self._for_session(part)
        return Answer.SESSION

    def _for_session(self, part: Part) -> None:
        if part.level is Level.DANGEROUS or part.pattern is None:
            self._this_session.add(_for_this_session(part))
        else:
            self._patterns.append(Coverage(part.pattern, part.directory if part.local else None))


def _exact(part: Part) -> _Exact:
    """A command, where it runs, and what else decides what it does."""
    return (part.command, part.directory, part.context)


def covered_for_the_session(part: Part) -> str | None:
    """What an answer for the session covers, in words; None for exactly that. A dangerous one never covers more."""
    return part.session if part.session and part.level is not Level.DANGEROUS else None


def _for_this_session(part: Part) -> _Exact:
    more = covered_for_the_session(part)
    return (more, part.directory, _ACT) if more is not None else _exact(part)
