"""``wisp logs --follow`` as a process: it shows what comes, across a rotation, until it is interrupted."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from tests.fakes.wisp_process import WISP, environment, run_wisp
from wisp_tui.audit import AuditLog
from wisp_tui.config import Home
from wisp_tui.events import Bus, Kind
from wisp_tui.text.ids import SessionId


def test_what_comes_is_shown_across_a_rotation_until_ctrl_c(wisp_home: Path) -> None:
    log = AuditLog(wisp_home / "logs", Bus(), version="1", max_bytes=400, keep=3)

    def wrote(text: str) -> None:
        log.write(SessionId("aaaa0001"), Kind.PROMPT, {"text": text})

    Home(wisp_home).prepare()
    wrote("before")
    following = subprocess.Popen(
        [*WISP, "logs", "-f", "prompt"],
        env=environment(wisp_home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out = following.stdout
    assert out is not None
    try:
        assert out.readline().endswith("\tbefore\n")
        for number in range(6):
            wrote(f"later {number}")
        assert [out.readline().split("\t")[-1] for _ in range(6)] == [f"later {number}\n" for number in range(6)]
        following.send_signal(signal.SIGINT)
        assert following.wait(10) == 130
    finally:
        following.kill()
        following.communicate()


def test_a_reader_that_goes_away_is_no_fault(wisp_home: Path) -> None:
    log = AuditLog(wisp_home / "logs", Bus(), version="1")
    for number in range(3000):
        log.write(SessionId("aaaa0001"), Kind.PROMPT, {"text": f"{number} " + "x" * 60})
    shell = ("bash", "-c", 'set -o pipefail; "$@" | head -1', "-", *WISP)
    ended = run_wisp(wisp_home, "logs", "--all", program=shell)
    assert (ended.code, ended.out.count("\n"), ended.err) == (0, 1, "")
