"""notify: short, seldom, by whoever can show it; what it says is data wherever it goes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.fakes.tools import Bench
from wisp_tui.app.notifying import terminal_notifies
from wisp_tui.events import Kind
from wisp_tui.tools import Arguments, BadArguments
from wisp_tui.tools.notify import BODY, BY, MOST, TITLE, WITHIN, Notify
from wisp_tui.tools.notifying import SystemNotifier


@dataclass
class Board:
    """Shows notifications by remembering them."""

    shown: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def show(self, title: str, body: str) -> str | None:
        self.shown.append((title, body))
        return "a board"


async def test_it_is_short_clean_and_recorded(tmp_path: Path) -> None:
    bench, board = Bench(tmp_path), Board()
    context = replace(bench.context(), notifier=board)
    output = await Notify().run(
        Arguments({"title": "x" * 200, "body": "done\x1b]9;evil\x07\nnow" + "y" * 500}), context
    )
    ((title, body),) = board.shown
    assert title.startswith(BY)
    title = title.removeprefix(BY)
    assert (len(title), len(body), body[:9]) == (TITLE, BODY, "done nowy")
    assert output.text == f"shown by a board: {title}: {body}"
    assert bench.ear.of(Kind.NOTIFICATION) == [{"title": title, "body": body, "shownBy": "a board"}]
    with pytest.raises(BadArguments):
        await Notify().run(Arguments({"body": " \x07"}), context)


async def test_it_is_seldom(tmp_path: Path) -> None:
    now, board = [0.0], Board()
    tool = Notify(clock=lambda: now[0])
    context = replace(Bench(tmp_path).context(), notifier=board)

    async def shown() -> bool:
        return (await tool.run(Arguments({"body": "done"}), context)).ok

    assert [await shown() for _ in range(MOST + 1)] == [True] * MOST + [False]
    now[0] = WITHIN
    assert await shown()
    assert board.shown == [("the model: wisp", "done")] * (MOST + 1)


async def test_where_nothing_shows_it_the_model_is_told(tmp_path: Path) -> None:
    output = await Bench(tmp_path).call(Notify(), body="done")
    assert (output.ok, output.text) == (
        False,
        "error: not shown: nothing here shows notifications; say it in your reply",
    )


async def test_the_system_is_given_the_words_as_data(tmp_path: Path) -> None:
    title, body = '-e "x" & do shell script', '<b>"; touch made'
    assert SystemNotifier({}, "darwin").command(title, body)[-3:] == ("--", title, body)
    program = tmp_path / "notify-send"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >"$OUT"\n')
    program.chmod(0o755)
    notifier = SystemNotifier({"PATH": str(tmp_path), "OUT": str(tmp_path / "out")}, "linux")
    assert await notifier.show(title, body) == "the system"
    assert (tmp_path / "out").read_text().split("\n")[1:4] == ["--", title, '&lt;b&gt;"; touch made']
    program.write_text("#!/bin/sh\nexit 1\n")
    assert await notifier.show(title, body) is None
    assert await SystemNotifier({"PATH": "/nowhere"}, "linux").show(title, body) is None


@pytest.mark.parametrize(
    ("environment", "own"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "foot-extra"}, True),
        ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"}, False),
        ({"TERM_PROGRAM": "Apple_Terminal", "TERM": "xterm-256color"}, False),
    ],
)
def test_a_terminals_own_notifications_are_known_by_its_name(environment: dict[str, str], *, own: bool) -> None:
    assert terminal_notifies(environment) is own
