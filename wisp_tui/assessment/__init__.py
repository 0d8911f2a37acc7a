"""The assessment per request: what a request needs of tools, task and facts, decided before it is sent (spec).

Pure: no file, no clock, no model call. ``rules`` settles what a request's ``wording`` says by itself, ``call`` is the
one question that is put to the model for the rest, ``relevance`` ranks facts, ``blocks`` writes what a request then
carries. Used by ``session``; imports ``context``, ``facts``, ``models`` (a request as a value) and ``text``.
"""

from wisp_tui.assessment.blocks import Offered, assessed, catalogue
from wisp_tui.assessment.call import Answer, AssessmentJob
from wisp_tui.assessment.history import previous_tools, tools_since
from wisp_tui.assessment.relevance import Ranked, ranked, repeated
from wisp_tui.assessment.rules import Ruling, Situation, Task, TaskSetter, in_order, rule, standing
from wisp_tui.assessment.wording import Wording

__all__ = [
    "Answer",
    "AssessmentJob",
    "Offered",
    "Ranked",
    "Ruling",
    "Situation",
    "Task",
    "TaskSetter",
    "Wording",
    "assessed",
    "catalogue",
    "in_order",
    "previous_tools",
    "ranked",
    "repeated",
    "rule",
    "standing",
    "tools_since",
]
