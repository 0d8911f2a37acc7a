"""How a stream of server-sent events is read from bytes, as servers really write it. Pure: bytes in, events out."""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
MOST_BYTES = 32 * 1024 * 1024
"""Bytes one event may hold: more is a fault of the server, not an answer, and must not fill the memory."""


class EventTooLarge(Exception):
    """A single event is over ``MOST_BYTES``."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name, empty for most, and its data with the lines joined."""

    name: str
    data: str


class EventReader:
    """Splits bytes into events: any line ends, comments skipped, characters and lines split anywhere.

    A body that is no event stream but starts with ``{`` (a server that answers a streamed request in plain JSON) is one
    event, given by ``finish``. Lines of any other form are skipped; ``odd`` is the first of them.
    """

    def __init__(self) -> None:
        self.odd = ""
        self._pieces: list[bytes] = []
        self._held = 0
        self._name = ""
        self._data: list[str] = []
        self._body: list[str] | None = None
        self._started = False

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes; answer the events they complete. Raises EventTooLarge."""
        self._held += len(data)
        if self._held > MOST_BYTES:
            raise EventTooLarge
        self._pieces.append(data)
        if b"\n" not in data and b"\r" not in data:
            return []
        *lines, rest = _split(b"".join(self._pieces))
        self._pieces = [rest]
        if self._body is None:
            self._held = len(rest) + sum(map(len, self._data))
        return [event for line in lines if (event := self._line(line)) is not None]

    def finish(self) -> list[Event]:
        """Answer what the end of the stream completes: an event without its blank line, or a plain JSON body."""
        events: list[Event] = []
        rest = b"".join(self._pieces).removesuffix(b"\r")
        self._pieces = []
        if rest and (event := self._line(rest)) is not None:
            events.append(event)
        if self._body is not None:
            events.append(Event("", "\n".join(self._body)))
            self._body = None
        elif (event := self._line(b"")) is not None:
            events.append(event)
        return events

    def _line(self, raw: bytes) -> Event | None:
        if not self._started:
            raw = raw.removeprefix(_BOM)
        line = raw.decode("utf-8", "replace")
        if self._body is not None:
            self._body.append(line)
            return None
        if not line:
            return self._dispatch()
        if not self._started and line.lstrip().startswith("{"):
            self._body = [line]
        else:
            self._field(line)
        self._started = True
        return None

    def _field(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "data":
                self._data.append(value)
            case "event":
                self._name = value.strip()
            case "error":  # older llama.cpp servers name the field itself after the fault
                self._name = "error"
                self._data.append(value)
            case "" | "id" | "retry":
                pass
            case _:
                self.odd = self.odd or line

    def _dispatch(self) -> Event | None:
        name, data = self._name, self._data
        self._name, self._data = "", []
        return Event(name, "\n".join(data)) if data else None


def _split(data: bytes) -> list[bytes]:
    """Split at every line end. A carriage return at the very end waits for what follows: it may be half of one."""
    if not data.endswith(b"\r"):
        return _LINE_END.split(data)
    *lines, rest = _LINE_END.split(data[:-1])
    return [*lines, rest + b"\r"]
