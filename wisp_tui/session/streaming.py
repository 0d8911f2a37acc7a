"""One request to the model as it streams: its text and thinking cleaned, its calls and usage gathered."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from wisp_tui.events import Bus, ReplyDelta, ReplyEnded, ThinkingDelta
from wisp_tui.models import (
    Finished,
    Model,
    PromptProgress,
    Request,
    TextDelta,
    ThinkingOut,
    ToolCall,
    Usage,
)
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.text.clean import StreamCleaner
from wisp_tui.text.ids import SessionId, TurnNumber


@dataclass(slots=True)
class Reply:
    """What one request has given so far; whole once ``finished`` is there."""

    text: str = ""
    thinking: str = ""
    thinking_seconds: float = 0.0
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    usage: Usage | None = None
    finished: Finished | None = None


@dataclass(slots=True)
class Streamer:
    """Runs one request and publishes it as it comes. ``reply`` holds what came, also when the stream breaks off."""

    bus: Bus
    session: SessionId
    turn: TurnNumber
    activity: ActivityBoard
    heard: Callable[[str], None]
    """Is told each fragment of the reply's text."""
    reply: Reply = field(default_factory=Reply)
    _text: StreamCleaner = field(default_factory=StreamCleaner)
    _thinking: StreamCleaner = field(default_factory=StreamCleaner)

    async def run(self, model: Model, request: Request) -> Reply:
        """Stream to the end. Raises ModelError; a cancellation closes the stream and goes on."""
        try:
            async with aclosing(model.stream(request)) as chunks:
                async for chunk in chunks:
                    match chunk:
                        case TextDelta(text):
                            self._said(self._text.feed(text))
                        case ThinkingOut(text):
                            self._thought(self._thinking.feed(text))
                        case ToolCall():
                            self.reply.calls.append(chunk)
                        case Usage():
                            self.reply.usage = chunk
                        case PromptProgress(done, total):
                            self.activity.doing(f"reading the context, {done:,} of {total:,} tokens")
                        case Finished():
                            self.reply.finished = chunk
        finally:
            self._thought(self._thinking.end())
            self._said(self._text.end())
            if self.reply.text:
                self.bus.publish(ReplyEnded(self.session, self.turn))
        return self.reply

    def _said(self, text: str) -> None:
        if not text:
            return
        self.activity.doing("replying")
        self.reply.text += text
        self.heard(text)
        self.bus.publish(ReplyDelta(self.session, self.turn, text))

    def _thought(self, text: str) -> None:
        if not text:
            return
        self.reply.thinking_seconds = self.activity.thinking()
        self.reply.thinking += text
        self.bus.publish(ThinkingDelta(self.session, self.turn, text))
