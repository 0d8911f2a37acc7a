"""One request of a turn: composed, checked for fit, audited, streamed, its reply audited and recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wisp_tui.context.composer import Composition
from wisp_tui.context.record import Entry, EntryKind
from wisp_tui.events import ContextFill, Kind
from wisp_tui.models import Capability, ContextOverflow, EmptyReply, Model, Options, Request, ToolsUnsupported, Usage
from wisp_tui.session.activity import ActivityBoard
from wisp_tui.session.condenser import Condenser
from wisp_tui.session.conversation import Composed, Conversation
from wisp_tui.session.guiding import equipped
from wisp_tui.session.streaming import Reply, Streamer
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.json import JsonObject

SURE_TOKENS = 1024
"""Below this estimate a low report proves nothing."""


@dataclass(slots=True)
class Requests:
    """The requests of one turn. ``prompt`` is the entry that the turn answers."""

    conversation: Conversation
    turn: TurnNumber
    prompt: Entry
    activity: ActivityBoard
    options: Options
    number: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    last: Reply | None = None
    _overflowed: bool = False

    async def send(self, model: Model) -> Reply:
        """Make the turn's next request and record its reply. Raises ModelError, AuditUnavailable."""
        condenser = Condenser(self.conversation, self.turn, self.prompt, model, await model.resolve(), self.activity)
        composition = await condenser.fitting(midway=self.number > 0)
        try:
            reply = await self._stream(model, composition)
        except ContextOverflow as overflow:
            if self._overflowed:
                raise
            self._overflowed = True
            self._give_up()
            composition = await condenser.after(overflow, composition)
            reply = await self._stream(model, composition)
        except ToolsUnsupported:
            return await self._without_tools(model)
        if self._unregistered(composition, reply):
            return await self.send(model)
        if not reply.text and not reply.calls:
            raise EmptyReply(thinking=bool(reply.thinking))
        self.keep(composition, stopped=_cut_off(reply))
        return reply

    async def _stream(self, model: Model, composition: Composition) -> Reply:
        self._sent(composition)
        self.activity.doing("waiting for the model")
        held = self.conversation
        streamer = Streamer(held.bus, held.session, self.turn, self.activity, held.live.said)
        self.last = streamer.reply
        return await streamer.run(model, self._request(composition))

    def _request(self, composition: Composition) -> Request:
        return Request(composition.messages, composition.tools, self.options, self.conversation.named)

    def _unregistered(self, composition: Composition, reply: Reply) -> bool:
        """Give up a reply that calls a tool its request did not register, and register all: say whether it does so."""
        assessor = self.conversation.assessor
        missing = assessor.missed(composition, reply) if assessor is not None else ()
        if assessor is None or not missing:
            return False
        self.last = None
        self._note_thinking(reply)
        self._note_usage(composition, reply.usage or Usage())
        self._give_up()
        assessor.widen(missing, reply)
        return True

    def _give_up(self) -> None:
        """Mark the request sent last as one whose place another takes."""
        sent = self.conversation.composed
        sent[-1] = replace(sent[-1], refused=True)

    def _note_thinking(self, reply: Reply) -> None:
        if reply.thinking:
            details: JsonObject = {"text": reply.thinking, "seconds": round(reply.thinking_seconds, 3)}
            self.conversation.write(Kind.MODEL_REASONING, details, turn=self.turn)

    async def _without_tools(self, model: Model) -> Reply:
        """Go on once the model refuses tools: by guided replies, else plainly; said, remembered, and tried once."""
        held = self.conversation
        resolved = held.resolved
        if held.tools_refused or not held.offered or resolved is None or Capability.GUIDED in resolved.capabilities:
            raise ToolsUnsupported(model.id)
        made = equipped(held, model, replace(resolved, capabilities=resolved.capabilities - {Capability.TOOLS}))
        held.model, held.resolved = made.model, made.resolved
        held.tools_refused = made.note is None
        held.note(made.note or made.warning or "", "note" if made.note else "warning")
        return await self.send(made.model)

    def keep(self, composition: Composition | None, stopped: str | None) -> None:
        """Audit and record what the last request gave, whole or broken off."""
        reply = self.last
        self.last = None
        if reply is None:
            return
        held = self.conversation
        self._note_thinking(reply)
        usage = reply.usage or Usage()
        if reply.text or reply.calls:
            event = held.write(
                Kind.RESPONSE,
                {
                    "text": reply.text,
                    "model": held.model.id if held.model else None,
                    "request": self.number,
                    "calls": len(reply.calls),
                    "finish": reply.finished.reason if reply.finished else None,
                    "stopped": stopped,
                    "estimate": self.conversation.meter.estimate(composition) if composition else None,
                    "usage": {
                        "input": usage.input,
                        "output": usage.output,
                        "cached": usage.cached,
                        "reasoning": usage.reasoning,
                    },
                },
                turn=self.turn,
            )
            if reply.text:
                held.record.add(
                    EntryKind.REPLY,
                    reply.text,
                    turn=self.turn,
                    time=held.clock.now(),
                    sources=(event.id,),
                    stopped=stopped,
                )
        if composition is not None:
            self._note_usage(composition, usage)

    def _sent(self, composition: Composition) -> None:
        """Audit and remember a request about to be sent."""
        held = self.conversation
        plan = held.plan(self.prompt.id)
        self.number += 1
        estimate = held.meter.estimate(composition)
        held.composed.append(
            Composed(
                turn=self.turn,
                number=self.number,
                revision=held.record.revision,
                request=self.prompt.id,
                tools=plan.tools,
                blocks=plan.blocks,
                memory=plan.memory,
                sha256=composition.sha256,
                tokens=estimate,
            )
        )
        held.write(
            Kind.CONTEXT_COMPOSED,
            {
                "request": self.number,
                "revision": held.record.revision,
                "bytes": {layer.value: size for layer, size in composition.bytes_by_layer().items()},
                "tokens": {layer.value: size for layer, size in composition.by_layer().items()},
                "sha256": composition.sha256,
            },
            turn=self.turn,
        )
        self._publish_fill(composition, estimate, exact=False)

    def _publish_fill(self, composition: Composition, used: int, *, exact: bool) -> None:
        held = self.conversation
        layers = tuple((layer.value, size) for layer, size in composition.by_layer().items())
        held.bus.publish(ContextFill(held.session, layers, held.headroom(self.prompt.id), used, held.window, exact))

    def _note_usage(self, composition: Composition, usage: Usage) -> None:
        held = self.conversation
        if usage.output is not None:
            self.output_tokens = (self.output_tokens or 0) + usage.output
        if usage.input is None:
            return
        self.input_tokens = usage.input
        self._publish_fill(composition, usage.input + (usage.output or 0), exact=True)
        refuses = held.resolved is not None and Capability.REFUSES_OVERFLOW in held.resolved.capabilities
        estimate = held.meter.estimate(composition)
        if refuses or estimate < SURE_TOKENS or usage.input >= held.meter.estimator.least(composition):
            held.meter.learn(composition, usage.input)
            held.composed[-1] = replace(held.composed[-1], tokens=usage.input)
            return
        held.adopt_window(max(usage.input, 1))
        held.note(
            f"the server read {usage.input:,} of about {estimate:,} tokens: it cut the context, so this "
            f"reply may have missed its start; the window in use is {held.window:,} from here on",
            "warning",
        )


def _cut_off(reply: Reply) -> str | None:
    if reply.finished is None or not reply.finished.cut_off or reply.calls:
        return None
    return "the reply was cut off: it reached its limit or the end of the window"
