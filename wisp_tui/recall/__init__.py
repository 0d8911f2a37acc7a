"""What the model's ``memory`` tool gives back of a conversation (spec "Memory: recall and note"; docs/memory.md).

Pure but for the output store, which it reads: ``asked`` reads what is asked for, ``documents`` finds it and numbers its
lines, ``pages`` chooses those that are shown, ``search`` finds words in all of it, ``summaries`` reads what builds and
logs say, ``points`` and ``condensing`` have the model read, ``notes`` takes what the model notes. Imports ``context``,
``facts``, ``models`` (a request as a value), ``outputs`` and ``text``; ``tools`` and ``session`` use it.
"""

from wisp_tui.recall.asked import BadRequest, Condense, Note, Recall, Task, read_request
from wisp_tui.recall.condensing import Ask, condensed
from wisp_tui.recall.documents import Document, NothingThere, Past, output_document
from wisp_tui.recall.finding import document
from wisp_tui.recall.notes import Notebook, NotNoted
from wisp_tui.recall.pages import Recalled, recalled
from wisp_tui.recall.points import Told, told
from wisp_tui.recall.search import Index
from wisp_tui.recall.summaries import Summary

__all__ = [
    "Ask",
    "BadRequest",
    "Condense",
    "Document",
    "Index",
    "NotNoted",
    "Note",
    "Notebook",
    "NothingThere",
    "Past",
    "Recall",
    "Recalled",
    "Summary",
    "Task",
    "Told",
    "condensed",
    "document",
    "output_document",
    "read_request",
    "recalled",
    "told",
]
