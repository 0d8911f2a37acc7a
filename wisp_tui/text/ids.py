"""The ids this program gives to things, as types, so that one is never passed for another."""

from __future__ import annotations

from typing import NewType

EntryId = NewType("EntryId", int)
"""An entry's place in its conversation's record: 1 is the instructions. Shown to the person and to the model."""

TurnNumber = NewType("TurnNumber", int)
"""A turn of one session, from 1; 0 stands for what was there before the first."""

EventId = NewType("EventId", str)
"""An audit event's id: 16 hexadecimal digits."""

CallId = NewType("CallId", str)
"""A tool call's audit id: 8 hexadecimal digits. Its stored output has the same id."""

SessionId = NewType("SessionId", str)
"""An audit session: one conversation opened by one process."""

ThreadId = NewType("ThreadId", str)
"""A conversation's name within its process."""

ModelId = NewType("ModelId", str)
"""A model as a person writes it: its runtime, a colon, the runtime's own name for it (``ollama:granite4.1:8b``)."""
