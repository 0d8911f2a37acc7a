"""The one registry of what keys do: bindings, help, the palette and docs/keys.md are all made from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from textual.binding import Binding

from wisp_tui.text.answers import ANSWER_WORDS


class Place(Enum):
    """Where a key works."""

    ANYWHERE = "Anywhere"
    PROMPT = "In the prompt"
    APPROVAL = "When a command asks"
    PAGER = "In the pager"
    FIND = "In a search of the conversation"
    PANEL = "In the context panel"
    FACTS = "In the facts panel"
    FACTS_LINE = "On the line of a turn's facts"
    CONDENSED_LINE = "On a condensation's line"
    STORY = "In a condensation's story"
    SETTINGS = "In the settings"
    WEAKENING = "When a setting would weaken something"
    SESSIONS = "Among the saved conversations"
    SESSION_ASKED = "When a saved conversation is asked about"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a key does. ``name`` is the action's name in Textual; ``slash`` the command that does the same."""

    name: str
    keys: tuple[str, ...]
    title: str
    help: str
    place: Place = Place.ANYWHERE
    slash: str | None = None
    in_palette: bool = False


ACTIONS: tuple[Action, ...] = (
    Action("stop", ("escape",), "Stop the turn", "end the running turn; what it has so far is kept"),
    Action(
        "interrupt",
        ("ctrl+c",),
        "Copy, clear, stop, leave",
        "copy what is selected; else clear the prompt; else stop the turn; else, pressed twice, leave",
    ),
    Action("help", ("f1",), "Help", "list the keys and commands", slash="/help", in_palette=True),
    Action("command_palette", ("ctrl+p",), "Commands", "search everything the app can do"),
    Action(
        "context",
        ("ctrl+t", "f2"),
        "Context",
        "show or hide what the next request carries",
        slash="/inspect context next",
        in_palette=True,
    ),
    Action(
        "pager",
        ("ctrl+o", "f3"),
        "Last output",
        "show the whole of the last tool's output",
        slash="/show",
        in_palette=True,
    ),
    Action(
        "facts('facts')",
        ("f5",),
        "Facts",
        "show or hide the facts, kind by kind",
        slash="/inspect facts",
        in_palette=True,
    ),
    Action(
        "facts('summary')",
        ("f7",),
        "Summary",
        "show or hide the running summary's versions",
        slash="/inspect summary",
        in_palette=True,
    ),
    Action(
        "facts('pending')",
        ("f8",),
        "Pending",
        "show or hide what waits for you: facts to keep, commands, questions",
        slash="/pending",
        in_palette=True,
    ),
    Action(
        "sessions",
        ("ctrl+r",),
        "Conversations",
        "show or hide the saved conversations: search, look into, resume, rename, delete",
        slash="/sessions",
        in_palette=True,
    ),
    Action("find", ("ctrl+f", "f12"), "Find", "find words in the whole conversation", in_palette=True),
    Action("thinking", ("f4",), "Thinking", "unfold or fold the model's thinking", in_palette=True),
    Action("copy_reply", ("f6",), "Copy the last reply", "copy the last reply as it was written", in_palette=True),
    Action(
        "settings",
        ("ctrl+g", "f10"),
        "Settings",
        "show the settings, and change them",
        slash="/config",
        in_palette=True,
    ),
    Action("theme", ("f9",), "Next theme", "change between dark, light and the terminal's colours", in_palette=True),
    Action("scroll('page_up')", ("pageup",), "Back a page", "scroll the conversation back a page"),
    Action("scroll('page_down')", ("pagedown",), "On a page", "scroll the conversation on a page"),
    Action("scroll('home')", ("ctrl+home",), "To the start", "scroll to the start of the conversation"),
    Action("scroll('end')", ("ctrl+end",), "To the end", "scroll to the end and follow it"),
    Action("leave", ("ctrl+q",), "Leave", "end the conversation and the app", slash="/quit", in_palette=True),
    Action(
        "send",
        ("enter",),
        "Send",
        "send the message, or queue it while a turn runs; what is listed above it is taken first",
        Place.PROMPT,
    ),
    Action(
        "newline",
        ("ctrl+j", "shift+enter", "alt+enter"),
        "New line",
        "begin a new line; ctrl-j arrives from every terminal",
        Place.PROMPT,
    ),
    Action("complete", ("tab",), "Complete", "complete a command or an @path", Place.PROMPT),
    Action(
        "back",
        ("up",),
        "Back",
        "on the first line: the message before; in an empty prompt: the last queued message",
        Place.PROMPT,
    ),
    Action("on", ("down",), "On", "on the last line: the message after", Place.PROMPT),
    *(
        Action(f"answer('{answer}')", (words.key,), words.title, words.help, Place.APPROVAL)
        for answer, words in ANSWER_WORDS.items()
    ),
    Action("look('down')", ("down",), "Down", "a line of a long command down", Place.APPROVAL),
    Action("look('up')", ("up",), "Up", "a line of a long command up", Place.APPROVAL),
    Action("look('page_down')", ("pagedown",), "Page down", "a page of a long command down", Place.APPROVAL),
    Action("look('page_up')", ("pageup",), "Page up", "a page of a long command up", Place.APPROVAL),
    Action("leave_pager", ("escape", "q"), "Close", "end the search, or go back to the conversation", Place.PAGER),
    Action("move('line_up')", ("up", "k"), "Up", "a line up", Place.PAGER),
    Action("move('line_down')", ("down", "j"), "Down", "a line down", Place.PAGER),
    Action("move('page_up')", ("pageup", "b"), "Page up", "a page up", Place.PAGER),
    Action("move('page_down')", ("pagedown", "space", "f"), "Page down", "a page down", Place.PAGER),
    Action("move('half_up')", ("ctrl+u", "u"), "Half up", "half a page up", Place.PAGER),
    Action("move('half_down')", ("ctrl+d", "d"), "Half down", "half a page down", Place.PAGER),
    Action("move('start')", ("home", "g"), "Start", "to the start", Place.PAGER),
    Action("move('end')", ("end", "G"), "End", "to the end", Place.PAGER),
    Action("move('left')", ("left", "h"), "Left", "half a screen to the left", Place.PAGER),
    Action("move('right')", ("right", "l"), "Right", "half a screen to the right, along long lines", Place.PAGER),
    Action("move('left_edge')", ("0",), "Left edge", "to the start of the lines", Place.PAGER),
    Action("section('next')", ("]",), "Next section", "to the next section: from stdout to stderr", Place.PAGER),
    Action("section('last')", ("[",), "Section before", "to the section before", Place.PAGER),
    Action("find('forward')", ("/",), "Search", "search forward, as you type; a capital matters", Place.PAGER),
    Action("find('backward')", ("?",), "Search back", "search backward", Place.PAGER),
    Action("again('on')", ("n",), "Next match", "the next match in the direction of the search", Place.PAGER),
    Action("again('back')", ("N",), "Match before", "the next match in the other direction", Place.PAGER),
    Action("go_to_line", (":",), "Line", "go to a line, or a share as 50%; typing its number does too", Place.PAGER),
    Action("wrap", ("w",), "Wrap", "wrap lines, or cut them at the edge", Place.PAGER),
    Action("copy('line')", ("y",), "Copy", "copy what is marked, else the line that was gone to", Place.PAGER),
    Action("copy('screen')", ("Y",), "Copy the screen", "copy the lines on the screen", Place.PAGER),
    Action("save", ("s",), "Save", "save all of it to a file", Place.PAGER),
    Action("open_outside", ("o",), "Open", "open it in $PAGER, or in less", Place.PAGER),
    Action("behind", ("e",), "Audit event", "show the audit event that recorded it", Place.PAGER),
    Action("other('older')", ("enter", "up"), "Older", "the match before, further up", Place.FIND),
    Action("other('newer')", ("down", "shift+enter"), "Newer", "the match after, further down", Place.FIND),
    Action("leave_find('back')", ("escape",), "Back", "end the search, and go back to where you were", Place.FIND),
    Action(
        "find_everywhere",
        ("ctrl+r",),
        "Everywhere",
        "end the search, and look for the words in all saved conversations",
        Place.FIND,
    ),
    Action("leave_find('here')", ("ctrl+f", "f12", "tab"), "Stay", "end the search, and stay at the match", Place.FIND),
    Action("leave_panel", ("escape",), "Back", "end the filter or the list, then go back to the prompt", Place.PANEL),
    Action("go('up')", ("up", "k"), "Up", "a line up", Place.PANEL),
    Action("go('down')", ("down", "j"), "Down", "a line down", Place.PANEL),
    Action("go('page_up')", ("pageup",), "Page up", "a page up", Place.PANEL),
    Action("go('page_down')", ("pagedown",), "Page down", "a page down", Place.PANEL),
    Action("go('start')", ("home", "g"), "Start", "to the first line", Place.PANEL),
    Action("go('end')", ("end", "G"), "End", "to the last line", Place.PANEL),
    Action(
        "step('before')", ("left", "h"), "Turn before", "what the turn before carried, and what changed", Place.PANEL
    ),
    Action("step('after')", ("right", "l"), "Turn after", "what the turn after carried; last, the next", Place.PANEL),
    Action("open", ("enter",), "Open", "show an entry whole; go to a turn; fold or unfold a layer", Place.PANEL),
    Action("open_sent", ("s",), "As sent", "show what is sent of an entry: cut, or its reference", Place.PANEL),
    Action("fold", ("space",), "Fold", "fold or unfold the layer", Place.PANEL),
    Action("filter", ("/",), "Filter", "show only the entries that contain some words", Place.PANEL),
    Action("list_turns", ("t",), "Turns", "list the turns, to go to one", Place.PANEL),
    Action("list_condensed", ("c",), "Condensations", "list the condensations, and chart the turns", Place.PANEL),
    Action("sizes", ("b",), "Bytes", "show or hide the sizes in bytes", Place.PANEL),
    Action("leave_facts", ("escape",), "Back", "end what is written, then go back to the prompt", Place.FACTS),
    Action("go('up')", ("up",), "Up", "a line up", Place.FACTS),
    Action("go('down')", ("down",), "Down", "a line down", Place.FACTS),
    Action("go('page_up')", ("pageup",), "Page up", "a page up", Place.FACTS),
    Action("go('page_down')", ("pagedown",), "Page down", "a page down", Place.FACTS),
    Action("go('start')", ("home",), "Start", "to the first line", Place.FACTS),
    Action("go('end')", ("end",), "End", "to the last line", Place.FACTS),
    Action("look('on')", ("]",), "On", "a page on in what stands whole below the list", Place.FACTS),
    Action("look('back')", ("[",), "Back", "a page back in it", Place.FACTS),
    Action("other('before')", ("left",), "List before", "facts, summary, pending: the list before", Place.FACTS),
    Action("other('after')", ("right",), "List after", "facts, summary, pending: the list after", Place.FACTS),
    Action(
        "open", ("enter",), "Open", "show the entry a fact came from, or the turns a summary stands for", Place.FACTS
    ),
    Action(
        "keep",
        ("k", "p"),
        "Keep",
        "keep the fact for every conversation; run the command that waits, once",
        Place.FACTS,
        "/fact ID permanent",
    ),
    Action(
        "drop",
        ("d",),
        "Drop",
        "drop what waits, refuse a command; pressed twice, delete the fact",
        Place.FACTS,
        "/fact delete ID",
    ),
    Action("move('thread')", ("t",), "Thread", "the fact is this conversation's own", Place.FACTS, "/fact ID thread"),
    Action("move('session')", ("s",), "Session", "the fact is this process's", Place.FACTS, "/fact ID session"),
    Action("state('new')", ("n",), "New", "state a fact", Place.FACTS, "/fact KIND [NAME] = VALUE"),
    Action("state('again')", ("r",), "Restate", "state the fact anew, with another value", Place.FACTS),
    Action("everything", ("h",), "History", "list what holds no longer too, or not", Place.FACTS, "/inspect facts all"),
    Action("fold", ("space",), "Fold", "fold or unfold the kind", Place.FACTS),
    Action("filter", ("/",), "Filter", "show only the facts that contain some words", Place.FACTS),
    Action("other('before')", ("left",), "Fact before", "the fact before on the line", Place.FACTS_LINE),
    Action("other('after')", ("right",), "Fact after", "the fact after on the line", Place.FACTS_LINE),
    Action(
        "move('permanent')",
        ("k", "p"),
        "Keep",
        "keep the fact for every conversation",
        Place.FACTS_LINE,
        "/fact ID permanent",
    ),
    Action(
        "move('thread')",
        ("t",),
        "Thread",
        "the fact is this conversation's own",
        Place.FACTS_LINE,
        "/fact ID thread",
    ),
    Action("move('session')", ("s",), "Session", "the fact is this process's", Place.FACTS_LINE, "/fact ID session"),
    Action("drop", ("d",), "Delete", "pressed twice, delete the fact", Place.FACTS_LINE, "/fact delete ID"),
    Action("open", ("enter",), "Facts", "show it among the facts", Place.FACTS_LINE, "/inspect facts"),
    Action("leave_line", ("escape",), "Back", "go back to the prompt", Place.FACTS_LINE),
    Action("tell", ("enter",), "Story", "tell the whole story of the condensation", Place.CONDENSED_LINE),
    Action("leave_line", ("escape",), "Back", "go back to the prompt", Place.CONDENSED_LINE),
    Action("leave_story", ("escape", "q"), "Close", "go back", Place.STORY),
    Action("tell_other('before')", ("left", "h"), "Before", "the condensation before", Place.STORY),
    Action("tell_other('after')", ("right", "l"), "After", "the condensation after", Place.STORY),
    Action("saved('before')", ("b",), "Context before", "show the context as it was before it", Place.STORY),
    Action("saved('after')", ("a",), "Context after", "show the context as it was after it", Place.STORY),
    Action(
        "leave_settings",
        ("escape",),
        "Back",
        "leave what is written, else end the search, else go back to the conversation",
        Place.SETTINGS,
    ),
    Action("go('up')", ("up",), "Up", "a line up", Place.SETTINGS),
    Action("go('down')", ("down",), "Down", "a line down", Place.SETTINGS),
    Action("go('page_up')", ("pageup",), "Page up", "a page up", Place.SETTINGS),
    Action("go('page_down')", ("pagedown",), "Page down", "a page down", Place.SETTINGS),
    Action("go('start')", ("home",), "Start", "to the first line", Place.SETTINGS),
    Action("go('end')", ("end",), "End", "to the last line", Place.SETTINGS),
    Action(
        "change",
        ("enter",),
        "Change",
        "turn the setting on or off, take its next choice, or write its value; then set what is written",
        Place.SETTINGS,
        "/config set NAME VALUE",
    ),
    Action("take('before')", ("left",), "Choice before", "take the choice before", Place.SETTINGS),
    Action("take('after')", ("right",), "Next choice", "take the next choice", Place.SETTINGS),
    Action(
        "unset",
        ("ctrl+r", "delete"),
        "Default",
        "take the setting out of the file: its default holds again",
        Place.SETTINGS,
        "/config unset NAME",
    ),
    Action(
        "search_back",
        ("backspace",),
        "Search",
        "letters search in names and descriptions; this takes one back",
        Place.SETTINGS,
    ),
    Action("answer('yes')", ("y",), "Change it", "change the setting all the same", Place.WEAKENING),
    Action("answer('no')", ("n", "escape"), "Leave it", "leave the setting as it is", Place.WEAKENING),
    Action("leave_sessions", ("escape",), "Back", "end what is written, the search, then go back", Place.SESSIONS),
    Action("go('up')", ("up",), "Up", "a line up, also while words are written", Place.SESSIONS),
    Action("go('down')", ("down",), "Down", "a line down, also while words are written", Place.SESSIONS),
    Action("go('page_up')", ("pageup",), "Page up", "a page up", Place.SESSIONS),
    Action("go('page_down')", ("pagedown",), "Page down", "a page down", Place.SESSIONS),
    Action("go('start')", ("home",), "Start", "to the first line", Place.SESSIONS),
    Action("go('end')", ("end",), "End", "to the last line", Place.SESSIONS),
    Action("look('on')", ("]",), "On", "a page on in what is shown of the conversation", Place.SESSIONS),
    Action("look('back')", ("[",), "Back", "a page back in it", Place.SESSIONS),
    Action(
        "open",
        ("enter",),
        "Resume",
        "go on with the conversation; the one before is saved, or asked about",
        Place.SESSIONS,
        "/sessions resume NAME",
    ),
    Action("search", ("/", "tab"), "Search", "search what was said in all of them, or go to the list", Place.SESSIONS),
    Action("rename", ("r",), "Rename", "give it another name", Place.SESSIONS, "/sessions rename OLD NEW"),
    Action(
        "delete", ("d",), "Delete", "delete it, once asked; says what goes", Place.SESSIONS, "/sessions delete NAME"
    ),
    Action("sort", ("s",), "Sort", "by last use, name, turns, size: the next of these", Place.SESSIONS),
    Action("answer('yes')", ("y",), "Yes", "do it", Place.SESSION_ASKED),
    Action("answer('save')", ("s",), "Save", "save the conversation you are in first", Place.SESSION_ASKED),
    Action("answer('no')", ("n", "escape"), "No", "leave all as it is", Place.SESSION_ASKED),
)


def actions_of(place: Place) -> tuple[Action, ...]:
    """Return the actions of a place, in order."""
    return tuple(action for action in ACTIONS if action.place is place)


def bindings(place: Place) -> list[Binding]:
    """Make the bindings of a place."""
    return [Binding(",".join(action.keys), action.name, action.title, show=False) for action in actions_of(place)]


def action_for(place: Place, key: str) -> Action | None:
    """Find what a key does in a place."""
    return next((action for action in actions_of(place) if key in action.keys), None)


def key_name(key: str) -> str:
    """Write a key as it is shown: ``ctrl-o``, ``page up``, ``F1``."""
    names = {"pageup": "page up", "pagedown": "page down", "escape": "esc"}
    if key.startswith("f") and key[1:].isdigit():
        return key.upper()
    *modifiers, last = key.split("+")
    return "-".join([*modifiers, names.get(last, last)])


def keys_of(name: str) -> str:
    """Write the keys of an action: ``ctrl-o, F3``."""
    return next(", ".join(map(key_name, action.keys)) for action in ACTIONS if action.name == name)
