"""What signals do while a command runs."""

from __future__ import annotations

import os
import signal

import pytest

from wisp_tui.cli.signals import stop_signals


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
async def test_after_the_first_signal_a_second_ends_the_process_at_once(first: signal.Signals) -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_signals() as stopped:
        os.kill(os.getpid(), first)
        assert await stopped == 128 + first
        assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before


async def test_an_interrupt_that_is_another_s_to_take_stays_so() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stop_signals((signal.SIGTERM,)) as stopped:
        os.kill(os.getpid(), signal.SIGTERM)
        await stopped
        assert signal.getsignal(signal.SIGINT) is before
