"""Pictures of the pager's states, kept in snapshots/ and compared."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from textual.pilot import Pilot

from tests.fakes.pager import PagerApp, output, settled, shown_output
from wisp_tui.app.pager.paged import Paged

Compare: TypeAlias = "Callable[..., bool]"

LEVELS = (b"\x1b[32mINFO \x1b[0m", b"\x1b[33mWARN \x1b[0m", b"\x1b[1;31mERROR\x1b[0m")
SYNC = b"".join(
    b"\x1b[2m14:%02d:%02d\x1b[0m %s worker[%d] copied \x1b[36mharbour/berth-%d.csv\x1b[0m in %d ms\n"
    % (
        number // 60 % 60,
        number % 60,
        LEVELS[0 if number % 7 else 1 if number % 5 else 2],
        number % 8,
        number,
        number * 37 % 900,
    )
    for number in range(1, 3_000)
)
WARNINGS = b"warning: 3 berths were busy\nerror: berth 17 is closed\n"

PROSE = b"".join(
    b"%d. The harbour keeps a journal of what each boat carried in and out, by berth and by tide, and nothing in it is "
    b"ever removed: what turns out to be wrong is struck and stands.\n\n\tberth\ttide\tcargo\n\t%d\thigh\t\xe9\xb1\xbc "
    b"and salt\n" % (number, number)
    for number in range(1, 60)
)

COLOURS = (
    b"".join(
        b"\x1b[%dm%-10s\x1b[0m \x1b[1;%dmbold\x1b[0m \x1b[2;%dmdim\x1b[0m \x1b[3;%dmitalic\x1b[0m "
        b"\x1b[4;%dmunder\x1b[0m "
        b"\x1b[7;%dmreverse\x1b[0m \x1b[%dm on it \x1b[0m\n"
        % (code, name.encode(), code, code, code, code, code, code + 10)
        for first, bright in ((30, ""), (90, "+"))
        for code, name in enumerate(
            [name + bright for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")], first
        )
    )
    + b"\x1b[38;5;208mof 256\x1b[0m \x1b[38;2;120;160;255mand of all\x1b[0m \x1b[48;5;236m on grey \x1b[0m\n"
)

LOST = "what the tool returned: there is no stored output 1a2b3c4d"


def _picture(compare: Compare, paged: Paged, theme: str, size: tuple[int, int], *keys: str) -> bool:
    app = PagerApp(paged, theme=theme)

    async def before(pilot: Pilot[int]) -> None:
        await settled(pilot, app)
        await pilot.press(*keys)
        await settled(pilot, app)

    run: Callable[[Pilot[int]], Awaitable[None]] = before
    return compare(app, terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("theme", ["wisp-dark", "wisp-light"])
class TestPager:
    """Each state, dark and light, large and small."""

    def test_open(self, snap_compare: Compare, tmp_path: Path, theme: str, size: tuple[int, int]) -> None:
        assert _picture(snap_compare, output(tmp_path, SYNC, WARNINGS), theme, size)

    def test_search(self, snap_compare: Compare, tmp_path: Path, theme: str, size: tuple[int, int]) -> None:
        keys = ["slash", *"berth-17", "enter", "n", "n"]
        assert _picture(snap_compare, output(tmp_path, SYNC), theme, size, *keys)

    def test_wrap(self, snap_compare: Compare, tmp_path: Path, theme: str, size: tuple[int, int]) -> None:
        assert _picture(snap_compare, output(tmp_path, PROSE, title="read_file journal.md"), theme, size, "w", "j")

    def test_end_of_a_cut_output(
        self, snap_compare: Compare, tmp_path: Path, theme: str, size: tuple[int, int]
    ) -> None:
        assert _picture(snap_compare, output(tmp_path, SYNC * 80), theme, size, "G")

    def test_nothing_stored(self, snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
        text = "berth 1 ok\nberth 2 ok\n… 2,994 lines held back\nberth 2999 ok\n"
        assert _picture(
            snap_compare,
            Paged.of_output(shown_output(None, text, LOST, lost=True), "run_command make test"),
            theme,
            size,
        )

    def test_colours(self, snap_compare: Compare, tmp_path: Path, theme: str, size: tuple[int, int]) -> None:
        assert _picture(snap_compare, output(tmp_path, COLOURS), theme, size)


@pytest.mark.parametrize("size", [(40, 12), (20, 6)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pager_small(snap_compare: Compare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert _picture(snap_compare, output(tmp_path, SYNC, WARNINGS), "wisp-dark", size)


def test_pager_typing_a_search(snap_compare: Compare, tmp_path: Path) -> None:
    assert _picture(snap_compare, output(tmp_path, SYNC), "wisp-dark", (80, 24), "slash", *"error")


def test_pager_long_line(snap_compare: Compare, tmp_path: Path) -> None:
    line = b"{" + b",".join(b'"key%d": "value %d"' % (number, number) for number in range(4_000)) + b"}"
    data = b"before\n" + line + b"\nafter\n"
    assert _picture(snap_compare, output(tmp_path, data), "wisp-dark", (80, 24), "slash", *"key3999", "enter")


def test_pager_empty(snap_compare: Compare) -> None:
    paged = Paged.of_output(shown_output(None, ""), "run_command true")
    assert _picture(snap_compare, paged, "wisp-dark", (80, 24))


def test_pager_ansi(snap_compare: Compare, tmp_path: Path) -> None:
    assert _picture(snap_compare, output(tmp_path, COLOURS), "wisp-ansi", (80, 24))
