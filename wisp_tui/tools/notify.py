"""The tool that shows the person a notification: short, and seldom."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from wisp_tui.events import Kind
from wisp_tui.text.clean import clean_line
from wisp_tui.text.json import JsonObject
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec

TITLE = 80
BODY = 300
"""Characters of it that are shown."""
MOST = 3
"""How many are shown within ``WITHIN`` seconds."""
WITHIN = 60.0
BY = "the model: "
"""What stands before a title: nothing that is notified poses as wisp's own words."""
DEFAULT_TITLE = "wisp"


@dataclass(frozen=True, slots=True)
class Notify:
    """``notify``, of one conversation. ``clock`` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    _shown: deque[float] = field(default_factory=lambda: deque[float](maxlen=MOST))
    """When the latest were shown."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="notify",
            description="Show the person a short notification, as when long work is done.",
            parameters={
                "type": "object",
                "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
                "required": ["body"],
            },
            reads_only=False,
            clause="show the person a notification",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Show it, unless too many were shown of late. Raises BadArguments, AuditUnavailable."""
        body = shorten(clean_line(arguments.text("body")), BODY)
        title = shorten(clean_line(arguments.text("title", "")) or DEFAULT_TITLE, TITLE)
        if not body:
            raise BadArguments("body must not be empty")
        now = self.clock()
        if len(self._shown) == MOST and now - self._shown[0] < WITHIN:
            return _result(f"error: not shown: {MOST} were shown within {WITHIN:.0f} s; say it in your reply", ok=False)
        self._shown.append(now)
        by = await context.notifier.show(f"{BY}{title}", body)
        details: JsonObject = {"title": title, "body": body, "shownBy": by}
        context.record(Kind.NOTIFICATION, details, turn=context.turn, call=context.call)
        if by is None:
            return _result("error: not shown: nothing here shows notifications; say it in your reply", ok=False)
        return _result(f"shown by {by}: {title}: {body}")


def _result(text: str, *, ok: bool = True) -> ToolOutput:
    return ToolOutput(text, ok=ok, lines=1, bytes=len(text.encode()))
