"""``wisp facts``: what waits is listed, kept or dropped by a person at a terminal, and by nothing else."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.fakes.pty import at_a_terminal
from wisp_tui.config import Home
from wisp_tui.facts import Assertion, FactBook, Moment, Source, TemporalClass, Topic, record
from wisp_tui.keeping import PermanentFacts
from wisp_tui.pending import FactRequest, Pending, this_process
from wisp_tui.text.ids import SessionId, ThreadId
from wisp_tui.tools.processes import MARK

MOMENT = datetime(2026, 3, 1, 14, 5, 12, tzinfo=UTC)
WISP = [sys.executable, "-c", "import sys; from wisp_tui.entry import wisp; sys.exit(wisp())", "facts"]


def waiting(home: Path) -> FactRequest:
    made = Home(home)
    made.prepare()
    said = Assertion(Topic("entity", "codename"), "BLUE HERON", TemporalClass.PERMANENT, Source.of_tool("read_file"))
    (fact,) = record(FactBook(), [said], Moment(MOMENT)).book.thread.current.values()
    asked = Pending(made).ask(FactRequest("", this_process(SessionId("s"), ThreadId("git")), MOMENT, fact))
    assert isinstance(asked, FactRequest)
    return asked


def test_what_waits_is_listed_and_kept_at_a_terminal(wisp_home: Path) -> None:
    request = waiting(wisp_home)
    code, shown = at_a_terminal("facts", "pending")
    assert (code, request.id in shown, "codename = BLUE HERON" in shown) == (0, True, True)
    code, shown = at_a_terminal("facts", "keep", request.id)
    assert code == 0, shown
    assert "was kept as p1 from a terminal (wisp)" in shown
    (kept,) = PermanentFacts(Home(wisp_home)).load().current.values()
    assert (kept.value, kept.approved) == ("BLUE HERON", True)
    code, shown = at_a_terminal("facts", "keep", request.id)
    assert code == 64
    assert "was kept as p1" in shown


def test_a_dropped_fact_is_kept_nowhere(wisp_home: Path) -> None:
    request = waiting(wisp_home)
    code, shown = at_a_terminal("facts", "drop", request.id)
    assert (code, "was dropped" in shown) == (0, True)
    assert len(PermanentFacts(Home(wisp_home)).load()) == 0


def test_nothing_is_kept_without_a_terminal(wisp_home: Path) -> None:
    request = waiting(wisp_home)
    done = subprocess.run(
        [*WISP, "keep", request.id], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 64
    assert "only a person at a terminal keeps a fact" in done.stderr
    assert len(PermanentFacts(Home(wisp_home)).load()) == 0


def test_a_model_s_command_keeps_nothing_even_with_a_terminal_of_its_own(wisp_home: Path) -> None:
    request = waiting(wisp_home)
    code, shown = at_a_terminal("facts", "keep", request.id, environment={MARK: "0" * 32})
    assert code == 64
    assert "inside a command of a model" in shown
    assert len(PermanentFacts(Home(wisp_home)).load()) == 0
