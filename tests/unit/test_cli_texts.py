"""What commands print of texts that are not ours: no control sequence, nothing that reorders a line or poses as one."""

from __future__ import annotations

import pytest

from wisp_tui.cli import tables
from wisp_tui.cli.faults import tell

HOSTILE = "a\x1b]52;c;SGk=\x07\x1b[2J\u202eb\u009b31m\u2066c\r\n\tFAKE"


def test_no_line_on_either_stream_is_reordered_or_controls_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_rows([(HOSTILE, "one"), ("b", "two")])
    tables.print_line(HOSTILE)
    tables.print_json({"text": "\x9b31m\x7f"})
    tell(HOSTILE)
    printed = capsys.readouterr()
    assert printed.out.split("\n") == [
        "a\ufffdb\ufffdc FAKE\tone",
        "b\ttwo",
        "a\ufffdb\ufffdc FAKE",
        '{"text":"\\u009b31m\\u007f"}',
        "",
    ]
    assert printed.err == "a\ufffdb\ufffdc\n\tFAKE\n"


def test_on_a_terminal_what_waits_goes_on_indented_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "on_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    tables.print_broken(["a1b2c3d4  moderate", f"    $ touch a {' ' * 40}a1b2c3d4  safe"])
    rows = capsys.readouterr().out.rstrip("\n").split("\n")
    assert all(len(row) < 40 for row in rows)
    assert [row for row in rows[1:] if not row.startswith("    ")] == []
