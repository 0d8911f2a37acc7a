"""A running command's latest lines: soon, never more often than ten times a second, none of the last lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from wisp_tui.outputs.captured import Capture
from wisp_tui.tools.progress import Progress, latest_lines


@dataclass
class Later:
    """A call that waits for its time."""

    due: float
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Hands:
    """A clock moved by hand, and what it will call."""

    now: float = 100.0
    waiting: list[Later] = field(default_factory=list[Later])

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Later:
        self.waiting.append(Later(self.now + delay, callback))
        return self.waiting[-1]

    def move(self, seconds: float) -> None:
        self.now += seconds
        due = [later for later in self.waiting if later.due <= self.now]
        self.waiting = [later for later in self.waiting if later not in due]
        for later in due:
            if not later.cancelled:
                later.callback()


@dataclass
class Printer:
    """A stream that prints, and what was heard of it."""

    hands: Hands = field(default_factory=Hands)
    capture: Capture = field(default_factory=lambda: Capture(10_000))
    heard: list[tuple[float, str, int]] = field(default_factory=list[tuple[float, str, int]])
    progress: Progress = field(init=False)

    def __post_init__(self) -> None:
        self.progress = Progress(self.hands, lambda text, size: self.heard.append((self.hands.now, text, size)))

    def prints(self, data: bytes) -> None:
        self.capture.feed(data)
        self.progress.printed(self.capture, len(data))


def test_the_first_output_is_reported_at_once() -> None:
    printer = Printer()
    printer.prints(b"building\n")
    assert printer.heard == [(100.0, "building", 9)]


def test_a_flood_is_reported_ten_times_a_second() -> None:
    printer = Printer()
    for number in range(1000):
        printer.prints(b"line %d\n" % number)
        printer.hands.move(0.001)
    times = [moment for moment, _, _ in printer.heard]
    assert 9 <= len(times) <= 11
    assert all(later - earlier > 0.099 for earlier, later in pairwise(times))


def test_what_came_last_is_reported_although_nothing_follows_it() -> None:
    printer = Printer()
    printer.prints(b"first\n")
    printer.prints(b"last\n")
    assert [text for _, text, _ in printer.heard] == ["first"]
    printer.hands.move(0.11)
    assert printer.heard[-1][1:] == ("first\nlast", 11)


def test_nothing_is_reported_after_the_end() -> None:
    printer = Printer()
    printer.prints(b"first\n")
    printer.prints(b"last\n")
    printer.progress.close()
    printer.hands.move(1)
    assert len(printer.heard) == 1


def test_the_latest_lines_are_clean_short_and_have_something_on_them() -> None:
    data = b"gone\na\n\n\x1b[31mb\x1b[0m\n10%\r20%\r\n" + b"x" * 900 + b"\n\n"
    assert latest_lines(data) == "b\n20%\n" + "x" * 199 + "…"
