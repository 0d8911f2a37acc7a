"""What the tools' structured answers look like, as a client is told and may hold them to (MCP.md, "respond").

All that is said here is always there, but what may be left out; more may be added one day. The makers of what is
described are ``shapes`` and ``respond``.
"""

from __future__ import annotations

from wisp_tui.facts import Scope, SourceKind
from wisp_tui.mcp.threads import ThreadState
from wisp_tui.text.json import Json

Schema = dict[str, Json]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_WHOLE: Schema = {"type": "integer"}
_SECONDS: Schema = {"type": "number"}
_YES: Schema = {"type": "boolean"}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(*names: str) -> Schema:
    return {"type": "string", "enum": list(names)}


def _object(fields: dict[str, Schema], *optional: str) -> Schema:
    required: list[Json] = [name for name in fields if name not in optional]
    return {"type": "object", "properties": dict(fields), "required": required}


_FACT = _object(
    {
        "id": _TEXT,
        "scope": _one_of(*(scope.value for scope in Scope)),
        "subject": _TEXT,
        "name": _TEXT,
        "value": _TEXT,
        "source": _one_of(*(kind.value for kind in SourceKind)),
        "proposed": _YES,
        "uri": _TEXT,
    }
)
_CALL = _object(
    {
        "id": _or_null(_TEXT),
        "tool": _TEXT,
        "arguments": _TEXT,
        "command": _or_null(_TEXT),
        "exitStatus": _or_null(_WHOLE),
        "bytes": _COUNT,
        "output": _TEXT,
        "outputURI": _TEXT,
        "error": _or_null(_TEXT),
    },
    "output",
    "outputURI",
)
_RECEIPT = _object(
    {
        "turn": _COUNT,
        "tools": _list(
            _object(
                {
                    "name": _TEXT,
                    "arguments": _TEXT,
                    "bytes": _COUNT,
                    "seconds": _SECONDS,
                    "error": _or_null(_TEXT),
                }
            )
        ),
        "commands": _list(
            _object(
                {
                    "command": _TEXT,
                    "exitStatus": _or_null(_WHOLE),
                    "timedOut": _YES,
                    "truncated": _YES,
                    "seconds": _SECONDS,
                }
            )
        ),
        "files": _list(_object({"path": _TEXT, "mode": _TEXT, "created": _YES, "bytes": _COUNT})),
        "denials": _COUNT,
        "approvals": _COUNT,
        "errors": _COUNT,
        "condensed": _YES,
        "seconds": _or_null(_SECONDS),
        "usage": _object({name: _or_null(_COUNT) for name in ("input", "output", "cached", "reasoning")}),
    }
)
_NOTIFICATION = _object(
    {
        "title": _or_null(_TEXT),
        "body": _or_null(_TEXT),
        "source": _TEXT,
        "outcome": _TEXT,
        "route": _or_null(_TEXT),
        "reason": _or_null(_TEXT),
        "time": _or_null(_TEXT),
    }
)

RESPOND = _object(
    {
        "thread_id": _TEXT,
        "created": _YES,
        "text": _TEXT,
        "condensed": _YES,
        "contextNote": _or_null(_TEXT),
        "calls": _list(_CALL),
        "ran": _or_null(_TEXT),
        "unknownEntries": _list(_COUNT),
        "cited": _or_null(_TEXT),
        "facts": _list(_FACT),
        "factsProposed": _object({"count": _COUNT, "thread": _COUNT, "uri": _TEXT}),
        "refusals": _list(_object({"command": _TEXT, "reason": _TEXT})),
        "notifications": _list(_NOTIFICATION),
        "output": {"type": ["object", "null"]},
        "receipt": _RECEIPT,
    }
)
SET_FACT_SCOPE = _object(
    {
        "thread_id": _TEXT,
        "from": _TEXT,
        "fact": _FACT,
        "state": _one_of("pending"),
        "request": _TEXT,
        "uri": _TEXT,
    },
    "state",
    "request",
    "uri",
)
CLOSE_THREAD = _object({"thread_id": _TEXT, "state": _one_of(ThreadState.CLOSED.value), "turns": _COUNT})
