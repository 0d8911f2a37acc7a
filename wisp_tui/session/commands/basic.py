"""The commands about the conversation itself: tools, tokens, new, save, quit."""

from __future__ import annotations

from wisp_tui.context.messages import definition
from wisp_tui.context.record import EntryKind
from wisp_tui.session.commands.base import Answered, Command, Effect
from wisp_tui.session.contexts import next_view
from wisp_tui.session.saving import BadName, default_name
from wisp_tui.session.thread import Thread
from wisp_tui.text.reasons import reason
from wisp_tui.text.sizes import count


async def _tools(thread: Thread, argument: str) -> Answered:
    del argument
    held = thread.conversation
    if not held.tools:
        return Answered(("this conversation has no tools",))
    if not held.offered and held.resolved is not None:
        return Answered((f"{held.resolved.id} takes no tools; /model chooses another",))
    width = max(len(name) for name in held.tools)
    lines = [
        f"{name:{width}}  {tool.spec.clause}{' · asks' if tool.spec.asks else ''}" for name, tool in held.tools.items()
    ]
    if off := held.settings.tools.disabled:
        lines.append(f"off (tools.disabled): {', '.join(off)}")
    cost = sum(held.composer.estimate(definition(tool)) for tool in held.offered)
    some = held.assessor is not None and held.settings.assessment.tools != "all"
    which = "; a request registers those it needs (assessment.tools)" if some else " of each request"
    return Answered((*lines, f"their definitions take about {cost:,} tokens{which}"))


async def _tokens(thread: Thread, argument: str) -> Answered:
    del argument
    held = thread.conversation
    view = next_view(held)
    window = f" of {held.window:,}" if held.window else ", of a window nobody knows"
    turns = len({entry.turn for entry in held.record.active if entry.kind is EntryKind.PROMPT})
    layers = " · ".join(f"{total.layer.value} {total.tokens:,}" for total in view.layers if total.tokens)
    carries = f"the next request carries about {view.tokens:,}{window} tokens, {count(turns, 'turn')} whole"
    return Answered((carries, layers))


async def _new(thread: Thread, argument: str) -> Answered:
    del argument
    if thread.running:
        return Answered(("a turn is running; stop it first (Esc), or wait for its end",), failed=True)
    name = thread.conversation.name
    if name is not None:
        try:
            name, _ = thread.shelf.keep(thread.conversation, name)
        except (BadName, OSError) as error:
            return Answered(
                (f"not begun: the conversation could not be saved as {name}: {reason(error)}",), failed=True
            )
    thread.start_afresh()
    before = f"saved as {name}" if name is not None else "in the audit log"
    return Answered((f"a new conversation, not saved yet; the one before is {before}",), effect=Effect.CLEARED)


async def _save(thread: Thread, argument: str) -> Answered:
    held = thread.conversation
    name = argument or held.name or default_name(held.clock.now())
    try:
        path = thread.shelf.save(held, name)
    except (BadName, OSError) as error:
        return Answered((f"not saved: {reason(error)}",), failed=True)
    held.name = name
    return Answered((f"saved as {name}: {path}", f"wisp chat --resume {name} goes on from here"))


async def _quit(thread: Thread, argument: str) -> Answered:
    del thread, argument
    return Answered(effect=Effect.QUIT)


BASIC = (
    Command("/tools", "/tools", "list the tools the model can call here", _tools),
    Command("/tokens", "/tokens", "say how much of the window the next request takes", _tokens),
    Command("/new", "/new", "start a new conversation", _new),
    Command("/save", "/save [NAME]", "save the conversation; it is saved again when it ends", _save),
    Command("/quit", "/quit", "leave", _quit),
)
