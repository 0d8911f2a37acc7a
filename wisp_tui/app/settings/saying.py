"""The form's own words: how a setting is drawn, in a line and whole, and the keys that work on it."""

from __future__ import annotations

from wisp_tui.app.panel.drawn import Drawn, padded
from wisp_tui.app.panel.saying import Keys
from wisp_tui.app.rows import Piece, Role, Row, Span, drawable
from wisp_tui.config.fields import Setting
from wisp_tui.session.settings import SettingState, holds_when

NO_PART = "What every conversation begins with."
CHANGED, FAULTY = "●", "✕"
NAME = 24
"""Cells of a name in the list, where there is room."""
ROOMY = 60
"""Cells of a line from which a setting's name has all its room."""
MARGIN = 2
"""Cells of the mark before a name."""
VALUES = range(10, 33)
"""Cells a value can have."""
LABEL = 9
"""Cells before what a label is about."""

_BACK = (("leave_settings", "back"),)
_UNSET = (("unset", "default"),)
LIST_KEYS: Keys = (*_BACK, ("search_back", "search"))
SWITCH_KEYS: Keys = (*_BACK, ("change", "on or off"))
CHOICE_KEYS: Keys = (*_BACK, ("take('before')|take('after')", "choose"))
WRITE_KEYS: Keys = (*_BACK, ("change", "write"))
WRITING_KEYS: Keys = (("leave_settings", "leaves it"), ("change", "sets it"))
QUESTION_KEYS: Keys = (("answer('yes')", "changes it"), ("answer('no')", "leaves it as it is"))

LINES = "it has several lines, and a line is written here: `/config set {name} …` takes them (ctrl-j begins one)"


def matches(setting: Setting, wanted: str) -> bool:
    """Whether a setting's name or description contains each of some words, whatever their case."""
    said = f"{setting.name} {setting.description}".casefold()
    return all(word in said for word in wanted.casefold().split())


def distance(setting: Setting, wanted: str) -> int:
    """Say how far a setting's name is from what is looked for: 0 it is that, 3 it does not contain it."""
    name, wanted = setting.name.casefold(), wanted.casefold().strip()
    if name == wanted:
        return 0
    if wanted not in name:
        return 3
    return 1 if name.startswith(wanted) or name.rpartition(".")[2].startswith(wanted) else 2


def widths(width: int) -> tuple[int, int]:
    """Say how many cells of a line its name and its value have."""
    name = NAME if width >= ROOMY else max(width // 2 - MARGIN, 1)
    return name, max(VALUES[0], min((width - name - MARGIN) // 3, VALUES[-1]))


def draw(state: SettingState, width: int) -> Drawn:
    """Draw a setting for a width in cells: its name, its value, what it does."""
    setting = state.setting
    name, value = widths(width)
    mark = Piece(FAULTY, Role.ERROR) if state.fault else Piece(CHANGED if state.changed else " ", Role.ACCENT)
    shown = drawable(setting.text(state.value))
    return Drawn(
        (
            mark,
            Piece(" "),
            Piece(padded(setting.path[-1], name - 1), Role.STRONG if state.changed else Role.MUTED),
            Piece(" "),
            Piece(padded(shown, value - 1), _role(state)),
            Piece(" "),
            Piece(setting.description, Role.FAINT),
        )
    )


def _role(state: SettingState) -> Role:
    match state.value:
        case None:
            return Role.FAINT
        case bool():
            return Role.GOOD if state.value else Role.MUTED
        case int() | float():
            return Role.NUMBER
        case _:
            return Role.NAME


def setting_rows(state: SettingState) -> list[Row]:
    """Write a setting whole: what it does, its value, its default, what it takes, when a change of it holds."""
    setting = state.setting
    head = f"{setting.name}  {setting.description}"
    rows = [Row(head, (Span(0, len(setting.name), Role.SUBHEADING),), Role.MUTED)]
    where = "  in config.json" if state.is_set else ""
    value = drawable(setting.text(state.value))
    rows.append(_labelled("value", f"{value}{where}", (Span(0, len(value), Role.STRONG),)))
    rows.append(_labelled("default", drawable(setting.text(setting.default))))
    rows.append(_takes(state))
    rows.append(_labelled("holds", _when(state)))
    if state.fault:
        rows.append(_labelled(FAULTY, drawable(state.fault), role=Role.ERROR))
    return rows


def _takes(state: SettingState) -> Row:
    """Say what a setting takes, the choice that is taken marked."""
    choices = state.setting.several
    if not choices:
        return _labelled("takes", state.setting.allowed)
    text, spans = "", tuple[Span, ...]()
    taken = state.setting.text(state.value)
    for choice in choices:
        text += " · " if text else ""
        spans = (Span(len(text), len(text) + len(choice), Role.ACCENT),) if choice == taken else spans
        text += choice
    return _labelled("takes", text, spans)


def _when(state: SettingState) -> str:
    when = holds_when(state.setting).removeprefix("it holds ")
    if state.value == state.in_force:
        return when
    return f"{when}; this conversation goes on with {drawable(state.setting.text(state.in_force))}"


def _labelled(label: str, text: str, spans: tuple[Span, ...] = (), role: Role = Role.MUTED) -> Row:
    return Row(text, spans, role, f"{label:{LABEL}}", " " * LABEL, Role.FAINT)


def keys_for(state: SettingState | None) -> Keys:
    """The keys that matter on a setting; None for a heading."""
    if state is None:
        return LIST_KEYS
    setting = state.setting
    keys = SWITCH_KEYS if setting.switch else CHOICE_KEYS if setting.several else WRITE_KEYS
    return (*keys, *(_UNSET if state.is_set else ()), ("search_back", "search"))
