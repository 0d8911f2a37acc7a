"""The desk where approvals of this process wait for a person: published when they come, withdrawn when they go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from wisp_tui.approval import Answer, ApprovalRequest
from wisp_tui.events import ApprovalWaiting, ApprovalWithdrawn, Bus
from wisp_tui.text.ids import SessionId
from wisp_tui.text.json import JsonObject


@dataclass(slots=True)
class ApprovalDesk:
    """One conversation's asker: a face answers through ``answer``; no answer in time is a refusal."""

    session: SessionId
    bus: Bus
    timeout: float
    """Seconds a request waits."""
    asking: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a request waits."""
    _waiting: dict[str, asyncio.Future[Answer]] = field(default_factory=dict[str, "asyncio.Future[Answer]"])
    _requests: dict[str, ApprovalRequest] = field(default_factory=dict[str, ApprovalRequest])

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        """Publish the request and wait for its answer."""
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answered
        self._requests[request.id] = request
        try:
            with self.asking():
                self.bus.publish(ApprovalWaiting(self.session, request.id, described(request)))
                async with asyncio.timeout(self.timeout):
                    return await answered, "the person"
        except TimeoutError:
            return Answer.NO, f"no answer in {self.timeout:.0f} s"
        finally:
            del self._waiting[request.id], self._requests[request.id]
            self.bus.publish(ApprovalWithdrawn(self.session, request.id))

    @property
    def waiting(self) -> Mapping[str, ApprovalRequest]:
        """What waits, by id, the oldest first."""
        return dict(self._requests)

    def answer(self, request: str, answer: Answer) -> bool:
        """Answer a request; False when it no longer waits or does not offer that answer."""
        waiting = self._waiting.get(request)
        if waiting is None or waiting.done() or answer not in self._requests[request].answers:
            return False
        waiting.set_result(answer)
        return True


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """An asker that always answers the same: ``--yes``, or a face that cannot ask."""

    answer: Answer
    by: str

    async def ask(self, request: ApprovalRequest) -> tuple[Answer, str]:
        """Answer at once."""
        return self.answer, self.by


def described(request: ApprovalRequest) -> JsonObject:
    """Write a request as the faces and ``chat --json`` carry it."""
    return {
        "id": request.id,
        "command": request.command,
        "line": request.line,
        "pattern": request.pattern,
        "directory": request.directory,
        "level": request.level.value,
        "reasons": list(request.reasons),
        "answers": [answer.value for answer in request.answers],
        **({"diff": request.diff} if request.diff else {}),
    }
