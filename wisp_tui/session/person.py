"""Whether what is typed in a conversation is the person's: not where the conversation runs inside a model's command."""

from __future__ import annotations

from wisp_tui.facts import PersonAct, Via
from wisp_tui.tools.processes import inside_a_command


class NotThePerson(Exception):
    """Something only the person may do was asked for inside a command of a model; the message says so."""


def typed_act(what: str, via: Via = Via.CHAT) -> PersonAct:
    """Give the act of the person who typed a command or pressed a key here; ``what`` they do, as in ``keeps a fact``.

    A model's command may hold a conversation of its own over pipes: what it writes there is nobody's act. Raises
    NotThePerson.
    """
    if inside_a_command():
        raise NotThePerson(f"only a person {what}; this conversation runs inside a command of a model")
    return PersonAct(via)
