"""How wide a terminal draws things is asked of it; one that does not answer is asked once, and left as it was."""

from __future__ import annotations

import os
import pty
import termios
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from rich.cells import cell_len

from wisp_tui.session.doctor import State, widths
from wisp_tui.session.doctor.widths import SAMPLES, measure, widths_check


@contextmanager
def terminal(width: Callable[[str], int | None]) -> Generator[int]:
    """A terminal that answers where its cursor is after a text; not at all where ``width`` is None."""
    leader, follower = pty.openpty()

    def answer() -> None:
        said: bytes = b""
        while data := _read(leader):
            *texts, said = (said + data).split(b"\x1b[6n")
            for text in texts:
                if (cells := width(text.decode().rpartition("\r")[2])) is not None:
                    os.write(leader, b"x\x1b[7;%dR" % (cells + 1))

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield follower
    finally:
        os.close(follower)
        thread.join()
        os.close(leader)


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 1024)
    except OSError:  # its other end is closed
        return b""


def test_a_terminal_that_draws_as_the_app_counts_is_well_and_another_is_told() -> None:
    with terminal(cell_len) as follower:
        before = termios.tcgetattr(follower)
        measured = measure(follower, follower)
        assert termios.tcgetattr(follower) == before
    assert measured == {text: cell_len(text) for text in SAMPLES.values()}
    assert widths_check(measured).state is State.OK
    with terminal(lambda text: 6 if "👩" in text else cell_len(text)) as follower:
        check = widths_check(measure(follower, follower))
    assert check.state is State.NOTE
    assert check.lines == ("an emoji made of several, 👩‍👩‍👧, takes 6 and is counted as 2",)


def test_a_terminal_that_answers_nothing_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widths, "SECONDS", 0.01)
    asked: list[str] = []
    with terminal(asked.append) as follower:
        assert measure(follower, follower) is None
    assert len(asked) == 1
    read, write = os.pipe()
    assert measure(read, write) is None
    os.close(read)
    os.close(write)
    assert widths_check(None).state is State.NOTE
