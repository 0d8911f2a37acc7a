"""Facts and the running summary: what was said outlives the turns that said it (spec "Facts", "The running summary").

Pure: no file, no clock, no model call. Records and numbers come in, new values come out. May be imported by
``pending``, ``keeping``, ``tools`` and everything above; imports ``context`` (entries, blocks), ``models`` (a request
as a value), ``events`` and ``text``.

How a session drives it
-----------------------
A conversation holds a ``FactBook`` (its own ``thread`` ledger; the ``session`` ledger is the process's, the
``permanent`` one comes from ``keeping.PermanentFacts``) and ``Summaries``. Every act is a function that returns
``Changed(book, changes)``: keep ``changed.book``, write ``audited(change)`` of each change that has one, publish
``FactsChanged``, and keep ``new_facts(changed.changes)`` for the turn's end (``note`` for the person, ``brief`` as
JSON).

- **Start**: ``kinds = read_kinds(shipped_json, settings.facts.kinds)`` (``KindsError`` is a config error);
  ``extractor = Extractor(kinds, Place(directory, home, git_root), test_commands)``;
  ``record(book, extractor.starting(directory, branch), moment)``; again after ``/new``.
- **blocks()**: ``blocks_of(book, summaries.current, active_entry_ids, caps_for(window, share, summary_share))``; at a
  condensation's ``Squeeze`` the same with ``caps.squeezed`` for that turn.
- **After a turn**: one ``ToolUse`` a call, in order, then ``record(book, extractor.facts(uses), moment)``.
- **DistilAndDrop**: with a model that holds schemas, ``calls = calls_for(len(leaving), len(waiting), ...)`` where
  ``waiting = summaries.waiting(record)`` before the drop. Read turns with ``read_turn`` (``calls=True`` for the summary
  and for one call that does both; ``replies=False`` for the kept turns). Send ``DistilJob(...).request()`` and/or
  ``SummaryJob(...).request()``, each in a conversation of its own, and ``read`` the answers: ``Unusable`` changes
  nothing but the audit; ``record(book, distilled.assertions, moment)``; ``summaries.updated(text, batch, ...)``. Then
  drop the turns, whatever came of the calls, and audit ``retention(texts_that_left, texts_still_there)``.
- **The person**: ``read_statement`` then ``state(act, ...)``; ``delete(act, ...)``; ``move_by_person(act, ...)``. An
  act that changes the permanent ledger runs inside ``PermanentFacts.change``. A caller's ``move`` never can.
- **Saving**: ``write_ledger(book.thread)`` and ``write_summaries`` go to the ``.store`` sidecar; ``read_ledger`` and
  ``read_summaries`` bring them back.
"""

from wisp_tui.facts.acts import (
    AlreadyThere,
    EmptyValue,
    PersonOnly,
    admit,
    adopted,
    delete,
    move,
    move_by_person,
    record,
    state,
    would_supersede,
)
from wisp_tui.facts.audited import audited
from wisp_tui.facts.blocks import Caps, blocks_of, caps_for
from wisp_tui.facts.book import Changed, FactBook, NotCurrent, UnknownFact
from wisp_tui.facts.changes import (
    Change,
    ConflictRaised,
    ConflictResolved,
    Deleted,
    NothingNew,
    Recorded,
    ScopeChanged,
    Superseded,
)
from wisp_tui.facts.distil import DistilJob, Distilled, SummaryJob, Unusable
from wisp_tui.facts.editing import Moment
from wisp_tui.facts.extract import TEST_COMMANDS, Extractor, ToolUse
from wisp_tui.facts.fact import Assertion, Fact, FactState, Statement
from wisp_tui.facts.identity import (
    CALLER,
    INFERRED,
    NOTED,
    PERSON,
    FactId,
    Identity,
    Method,
    Scope,
    Source,
    SourceKind,
    Speaker,
    TemporalClass,
    Topic,
)
from wisp_tui.facts.kinds import Kinds, KindsError, SubjectKind, UnknownSubject, read_kinds
from wisp_tui.facts.ledger import FactLedger
from wisp_tui.facts.normalisers import FactNameNormaliser, Place
from wisp_tui.facts.person import PersonAct, Via
from wisp_tui.facts.retention import Retention, retention
from wisp_tui.facts.statement import NotAStatement, read_statement
from wisp_tui.facts.stored import BadStored, read_ledger, read_summaries, write_ledger, write_summaries
from wisp_tui.facts.summary import Calls, RunningSummary, Summaries, calls_for, fitted
from wisp_tui.facts.turns import TurnText, read_turn
from wisp_tui.facts.view import FactRow, KindRows, rows_by_kind
from wisp_tui.facts.words import brief, full, history, new_facts, note, summary_words, table

__all__ = [
    "CALLER",
    "INFERRED",
    "NOTED",
    "PERSON",
    "TEST_COMMANDS",
    "AlreadyThere",
    "Assertion",
    "BadStored",
    "Calls",
    "Caps",
    "Change",
    "Changed",
    "ConflictRaised",
    "ConflictResolved",
    "Deleted",
    "DistilJob",
    "Distilled",
    "EmptyValue",
    "Extractor",
    "Fact",
    "FactBook",
    "FactId",
    "FactLedger",
    "FactNameNormaliser",
    "FactRow",
    "FactState",
    "Identity",
    "KindRows",
    "Kinds",
    "KindsError",
    "Method",
    "Moment",
    "NotAStatement",
    "NotCurrent",
    "NothingNew",
    "PersonAct",
    "PersonOnly",
    "Place",
    "Recorded",
    "Retention",
    "RunningSummary",
    "Scope",
    "ScopeChanged",
    "Source",
    "SourceKind",
    "Speaker",
    "Statement",
    "SubjectKind",
    "Summaries",
    "SummaryJob",
    "Superseded",
    "TemporalClass",
    "ToolUse",
    "Topic",
    "TurnText",
    "UnknownFact",
    "UnknownSubject",
    "Unusable",
    "Via",
    "admit",
    "adopted",
    "audited",
    "blocks_of",
    "brief",
    "calls_for",
    "caps_for",
    "delete",
    "fitted",
    "full",
    "history",
    "move",
    "move_by_person",
    "new_facts",
    "note",
    "read_kinds",
    "read_ledger",
    "read_statement",
    "read_summaries",
    "read_turn",
    "record",
    "retention",
    "rows_by_kind",
    "state",
    "summary_words",
    "table",
    "would_supersede",
    "write_ledger",
    "write_summaries",
]
