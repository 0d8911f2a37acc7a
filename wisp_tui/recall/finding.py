"""Finding what is asked for, wherever a conversation keeps it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wisp_tui.recall.asked import Recall, What
from wisp_tui.recall.documents import (
    Document,
    Past,
    entry_document,
    fact_document,
    output_document,
    summary_document,
    task_document,
    turn_document,
)
from wisp_tui.recall.search import Index
from wisp_tui.recall.summaries import Summary, summarised

_FINDERS: Mapping[What, Callable[[str, Past], Document]] = {
    What.ENTRY: lambda which, past: entry_document(int(which), past),
    What.TURN: lambda which, past: turn_document(int(which), past),
    What.TASK: lambda _, past: task_document(past),
    What.SUMMARY: lambda _, past: summary_document(past),
    What.FACT: fact_document,
    What.OUTPUT: output_document,
}


def document(asked: Recall, past: Past, index: Index) -> Document | Summary:
    """Find what is asked for; ``index`` is the conversation's own. Raises NothingThere, NoSuchOutput.

    A summary is given as it is made without a model: it says what that leaves unknown.
    """
    match asked.what:
        case What.MATCHING:
            return index.find(asked.which, past)
        case What.NOTABLE | What.OVERVIEW:
            return summarised(output_document(asked.which, past), overview=asked.what is What.OVERVIEW)
        case _:
            return _FINDERS[asked.what](asked.which, past)
