"""How the fragments of a streamed reply become tool calls, strictly: a call that came in part is never run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from wisp_tui.models.base import ToolCall
from wisp_tui.models.fields import obj, text, whole
from wisp_tui.text.json import JsonObject, dump, load_object

CUT_OFF = "its arguments were cut off before they were whole"
NOT_AN_OBJECT = "its arguments are not a JSON object"
NAMELESS = "it names no tool"


@dataclass(slots=True)
class _Open:
    """A call while its fragments come. ``id`` is the server's, empty when it gave none."""

    id: str
    index: int | None
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    def whole(self) -> bool:
        return _is_object("".join(self.arguments))


class ToolCallAssembler:
    """Assembles calls from fragments (spec of chat completions: ``delta.tool_calls``), whatever the server leaves out.

    A new id opens a new call, also at an index that is taken. A fragment without an id belongs to the call of its
    index, one without an index to the call opened last. Where no ids come at all, a name after whole arguments opens a
    new call.
    """

    def __init__(self) -> None:
        self._calls: list[_Open] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, fragment: JsonObject) -> None:
        """Take one fragment."""
        function = obj(fragment.get("function"))
        name = text(function.get("name"))
        call = self._call_for(text(fragment.get("id")), whole(fragment.get("index")), name)
        if name and name != call.name:
            call.name += name
        match function.get("arguments"):
            case str(part):
                call.arguments.append(part)
            case Mapping() as whole_object:  # some servers send the object itself, once
                call.arguments.append(dump(whole_object).decode())
            case _:
                pass

    def finish(self, *, cut_off: bool) -> tuple[ToolCall, ...]:
        """Close every call, in the order they were opened.

        ``cut_off`` says that the reply ended for want of room or with the connection: a call without arguments was then
        cut off too, where otherwise it is a call of a tool that takes none.
        """
        used: set[str] = set()
        return tuple(_closed(call, number, used, cut_off=cut_off) for number, call in enumerate(self._calls))

    def _call_for(self, call_id: str, index: int | None, name: str) -> _Open:
        found = self._by_id(call_id, index) if call_id else self._by_place(index, name)
        if found is not None:
            return found
        opened = _Open(call_id, index)
        self._calls.append(opened)
        return opened

    def _by_id(self, call_id: str, index: int | None) -> _Open | None:
        """Find the call a fragment with an id belongs to; one opened without an id takes the id that comes later."""
        for call in reversed(self._calls):
            if call.id == call_id and (index is None or call.index is None or call.index == index):
                return call
        last = self._at(index)
        if last is not None and not last.id and not last.name:
            last.id = call_id
            return last
        return None

    def _by_place(self, index: int | None, name: str) -> _Open | None:
        last = self._at(index)
        return None if last is not None and name and last.whole() else last

    def _at(self, index: int | None) -> _Open | None:
        return next((call for call in reversed(self._calls) if index is None or call.index == index), None)


def sendable(call: ToolCall) -> tuple[str, str]:
    """Answer a call's name and arguments as they can be sent back to a server.

    Servers parse the arguments of earlier calls too, and refuse the whole request when they are no JSON object, as
    those of a call that was cut off: such text goes under a name of its own.
    """
    if _is_object(call.arguments):
        return call.name or "unnamed", call.arguments
    unreadable: JsonObject = {"unreadable": call.arguments} if call.arguments.strip() else {}
    return call.name or "unnamed", dump(unreadable).decode()


def _closed(call: _Open, number: int, used: set[str], *, cut_off: bool) -> ToolCall:
    """Close a call: its id made the only one of its kind in the reply, its fault found."""
    call_id = call.id if call.id and call.id not in used else f"{call.id or 'call'}_{number}"
    while call_id in used:
        call_id += "_"
    used.add(call_id)
    arguments = "".join(call.arguments)
    if not arguments.strip() and not cut_off:
        arguments = "{}"
    closed = ToolCall(call_id, call.name, arguments)
    if not call.name:
        return replace(closed, fault=CUT_OFF if cut_off else NAMELESS)
    return closed if _is_object(arguments) else replace(closed, fault=_fault(arguments, cut_off=cut_off))


def _fault(arguments: str, *, cut_off: bool) -> str:
    return CUT_OFF if cut_off or _ends_early(arguments) else NOT_AN_OBJECT


def _is_object(arguments: str) -> bool:
    try:
        load_object(arguments)
    except ValueError:
        return False
    return True


def _ends_early(arguments: str) -> bool:
    """Whether the text is the start of a JSON object: the fault is that it ends."""
    if not arguments.rstrip().endswith("}"):
        return arguments.lstrip().startswith("{")
    try:
        json.loads(arguments)
    except json.JSONDecodeError as error:
        return error.pos >= len(arguments.rstrip()) or error.msg.startswith("Unterminated string")
    return False
