"""run_command: what a command's end, its streams, its leftovers and its size make of its result."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import psutil
import pytest

from tests.fakes.tools import Answers, Bench, Ear
from wisp_tui.approval import Answer
from wisp_tui.events import AuditEvent, Kind
from wisp_tui.outputs import Cost, ToolBudget
from wisp_tui.text.json import JsonObject
from wisp_tui.tools import Arguments, BadArguments, ToolOutput
from wisp_tui.tools.run_command import RunCommand


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def left(output: ToolOutput) -> list[int]:
    """The ids of what a command left running, as its result's details say."""
    running = cast("Iterable[JsonObject]", (output.details or {})["stillRunning"])
    return [cast("int", process["pid"]) for process in running]


@asynccontextmanager
async def leaving(bench: Bench, command: str) -> AsyncGenerator[ToolOutput]:
    """Run a command that leaves processes, and end them by their ids afterwards."""
    output = await bench.call(RunCommand(), command=command)
    try:
        yield output
    finally:
        for pid in left(output):
            os.kill(pid, signal.SIGKILL)


async def gone(pid: int) -> None:
    """Wait until a process has ended, whether or not its parent has noticed; a time limit says that it never does."""
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            await asyncio.to_thread(os.sched_yield)


async def test_a_command_shows_its_status_and_its_streams(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="echo out; echo err >&2; exit 3")
    assert output.text == "exit status: 3\nstdout:\nout\nstderr:\nerr"
    assert (output.ok, output.exit_status, output.lines, output.bytes, output.kept) == (False, 3, 2, 8, False)


async def test_a_stream_with_nothing_is_left_out_and_no_output_is_said(bench: Bench) -> None:
    assert (await bench.call(RunCommand(), command="echo err >&2")).text == "exit status: 0\nstderr:\nerr"
    assert (await bench.call(RunCommand(), command="true")).text == "exit status: 0\n[no output]"


async def test_the_person_is_asked_with_the_command_and_its_directory(bench: Bench) -> None:
    (bench.directory / "sub").mkdir()
    output = await bench.call(RunCommand(), command="pwd", directory="sub")
    assert output.text.endswith(f"\n{bench.directory.resolve() / 'sub'}")
    assert [(asked.command, asked.directory) for asked in bench.person.asked] == [
        ("pwd", str(bench.directory.resolve() / "sub"))
    ]


async def test_a_refused_command_does_not_run_and_says_what_to_do(bench: Bench) -> None:
    bench.person = Answers(Answer.NO)
    output = await bench.call(RunCommand(), command="touch ran")
    assert output.text.startswith("error: the person did not allow this command")
    assert not output.ok
    assert output.details == {"denied": True}
    assert not (bench.directory / "ran").exists()


@pytest.mark.parametrize("arguments", [{}, {"command": "  "}, {"command": "a\0b"}, {"command": 3}])
async def test_a_command_that_is_none_is_a_fault_of_the_call(bench: Bench, arguments: JsonObject) -> None:
    with pytest.raises(BadArguments):
        await bench.call(RunCommand(), **arguments)
    assert not bench.person.asked


async def test_a_directory_that_is_none_is_an_error_and_nobody_is_asked(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="pwd", directory="nowhere")
    assert output.text.startswith("error: ")
    assert not bench.person.asked


async def test_a_lone_surrogate_in_a_command_is_replaced_before_anyone_sees_it(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="echo \ud800x")
    assert output.text == "exit status: 0\nstdout:\n\ufffdx"
    assert bench.person.asked[0].command == "echo \ufffdx"


async def test_a_command_gets_no_input(bench: Bench) -> None:
    reads, writes = os.pipe()
    os.write(writes, b"what the person types\n")
    os.close(writes)
    before = os.dup(0)
    os.dup2(reads, 0)
    try:
        output = await bench.call(RunCommand(), command="cat")
    finally:
        os.dup2(before, 0)
        for end in (reads, before):
            os.close(end)
    assert output.text == "exit status: 0\n[no output]"


async def test_a_command_gets_no_terminal_and_a_quiet_environment(bench: Bench) -> None:
    output = await bench.call(
        RunCommand(), command="(exec 3</dev/tty) 2>/dev/null || echo no terminal; echo $TERM $NO_COLOR $GIT_PAGER"
    )
    assert output.text == "exit status: 0\nstdout:\nno terminal\ndumb 1 cat"


@pytest.mark.parametrize(
    "background",
    ["sleep 60 &", "setsid sleep 60 &", "sleep 60 >/dev/null 2>&1 &", "setsid sleep 60 >/dev/null 2>&1 &"],
)
async def test_the_result_comes_at_the_shells_end_and_names_what_still_runs(bench: Bench, background: str) -> None:
    async with asyncio.timeout(10), leaving(bench, f"{background} echo done") as output:
        assert output.text.startswith("exit status: 0\nstdout:\ndone\n[still running: ")
        assert "sleep 60 (pid " in output.text
        assert len(left(output)) == 1


async def test_a_child_without_its_mark_is_found_by_the_pipe_it_holds(bench: Bench) -> None:
    async with asyncio.timeout(10), leaving(bench, "env -i setsid sleep 60 & echo done") as output:
        assert "[still running: sleep 60 (pid " in output.text


async def test_what_is_left_running_can_go_on_printing(bench: Bench) -> None:
    script = "(until test -e go; do :; done; echo later; touch printed; exec sleep 60) & echo done"
    async with asyncio.timeout(20), leaving(bench, script):
        (bench.directory / "go").touch()
        while not (bench.directory / "printed").exists():
            await asyncio.to_thread(os.sched_yield)


async def test_a_command_ends_at_its_time_limit_and_keeps_what_it_printed(bench: Bench) -> None:
    async with asyncio.timeout(10):
        output = await bench.call(RunCommand(), command='echo first; trap "" TERM; sleep 30 & sleep 30', timeout=1)
    assert output.text == (
        "exit status: 137 (ended by SIGKILL)\nstdout:\nfirst\n"
        "[timed out after 1 s and was ended; what it printed until then is above]"
    )
    assert not output.ok
    assert (output.details or {})["timedOut"] is True


async def test_a_child_that_left_the_group_ends_with_the_command_at_its_time_limit(bench: Bench) -> None:
    async with asyncio.timeout(10):
        output = await bench.call(RunCommand(), command="setsid sh -c 'echo $$; exec sleep 60' & wait", timeout=1)
    pid = int(output.text.splitlines()[2])
    async with asyncio.timeout(5):
        await gone(pid)


async def test_a_time_limit_is_never_above_the_settings(bench: Bench) -> None:
    async with asyncio.timeout(10):
        output = await bench.call(RunCommand(limit=1), command="sleep 30", timeout=500)
    assert "[timed out after 1 s" in output.text


async def test_a_cancel_ends_the_whole_group_within_a_second_and_keeps_what_was_printed(bench: Bench) -> None:
    started = asyncio.Event()
    bench.progress = lambda text, size: started.set() if text else None
    script = 'trap "" TERM; sleep 60 & echo $!; sleep 60'
    call = asyncio.create_task(bench.call(RunCommand(), command=script))
    await started.wait()
    call.cancel()
    async with asyncio.timeout(2):
        with pytest.raises(asyncio.CancelledError):
            await call
    async with asyncio.timeout(5):
        await gone(int(bench.stored()))
    assert len(bench.ear.of(Kind.OUTPUT_KEPT)) == 1


async def test_a_cancel_while_the_result_is_written_loses_none_of_the_output(bench: Bench) -> None:
    call: asyncio.Task[ToolOutput] | None = None

    def ended(kind: str, details: JsonObject, **where: object) -> AuditEvent:
        if kind == Kind.COMMAND_OUTCOME and call is not None:
            asyncio.get_running_loop().call_soon(call.cancel)
        return Ear.__call__(bench.ear, kind, details)

    context = replace(bench.context(), record=ended)
    call = asyncio.create_task(RunCommand().run(Arguments({"command": "seq 1000000"}), context))
    with pytest.raises(asyncio.CancelledError):
        await call
    assert bench.stored().endswith(b"\n999999\n1000000\n")
    assert len(bench.ear.of(Kind.OUTPUT_KEPT)) == 1


async def test_a_signal_that_ended_the_command_is_named_and_a_status_of_its_own_is_not(bench: Bench) -> None:
    killed = await bench.call(RunCommand(), command="kill -SEGV $$")
    assert killed.text == "exit status: 139 (ended by SIGSEGV)\n[no output]"
    usage = await bench.call(RunCommand(), command="exit 129")
    assert usage.text == "exit status: 129\n[no output]"


async def test_the_model_reads_the_last_frame_of_each_line_and_the_store_has_the_bytes(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command=r"printf '1%%\r2%%\r3%%\nend\r\n'")
    assert output.text == "exit status: 0\nstdout:\n3%\nend"
    assert output.kept
    assert bench.stored() == b"1%\r2%\r3%\nend\r\n"


async def test_nulls_and_bytes_that_are_no_text_are_replaced_and_kept_raw(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command=r"printf 'a\0b\377\n'")
    assert output.text == "exit status: 0\nstdout:\nab\ufffd"
    assert bench.stored() == b"a\0b\xff\n"


async def test_no_control_sequence_reaches_the_model_also_when_it_is_split_over_writes(bench: Bench) -> None:
    script = (
        r"printf 'A\033]52;c;SGk=\033\\B\033[2J\033[6n\302\23331m\n'; "
        r"printf '\033'; sync /dev/null 2>/dev/null; printf '[31mC\303'; true; printf '\251\n'"
    )
    output = await bench.call(RunCommand(), command=script)
    assert output.text == "exit status: 0\nstdout:\nAB\nC\u00e9"


async def test_one_line_of_70000_characters_is_clipped_and_whole_in_the_store(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="head -c 70000 /dev/zero | tr '\\0' x")
    assert bench.budget.fits(output.text)
    assert "held back: part of stdout line 1 (" in output.text
    assert bench.stored() == b"x" * 70_000


async def test_the_result_of_200000_lines_has_the_shape_of_the_specification(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="seq 200000")
    lines = output.text.splitlines()
    marker = next(place for place, line in enumerate(lines) if line.startswith("[… "))
    first, last = int(lines[marker - 1]), int(lines[marker + 1])
    assert lines[:3] == ["exit status: 0", "stdout:", "1"]
    assert lines[marker].startswith(f"[… {last - first - 1:,} lines (")
    assert lines[-1].startswith(
        f"held back: stdout lines {first + 1:,}–{last - 1:,} (1.3 MiB); the whole output is kept "
    )
    assert 'kept as output 3f9a2c1b (200,000 lines); memory "recall output 3f9a2c1b from line ' in lines[-1]
    assert lines[-1].endswith("; do not run the command again to see it")
    assert (output.lines, output.bytes, output.kept) == (200_000, 1_288_895, True)
    assert bench.stored() == b"".join(b"%d\n" % number for number in range(1, 200_001))


async def test_the_numbers_of_stderr_are_those_of_the_stored_file(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="seq 1000; seq 5001 6000 >&2")
    note = output.text.splitlines()[-1]
    place = int(note.partition("stderr lines ")[2].partition("–")[0].replace(",", ""))
    store = bench.store
    line = next(store.lines(store.find("3f9a2c1b"), place, place))
    shown = output.text.partition("\nstderr:\n")[2].partition("\n[… ")[0].splitlines()
    assert int(line.text) == int(shown[-1]) + 1
    assert [section.name for section in store.find("3f9a2c1b").sections] == ["stdout", "stderr"]


async def test_a_small_stream_keeps_its_place_beside_a_flood(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="seq 100000; echo the reason >&2; exit 2")
    assert "\nstderr:\nthe reason\n" in output.text


async def test_a_stream_has_a_fifth_of_the_room_at_least(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="yes out | head -n 100000; yes 'an error' | head -n 2000 >&2")
    shown = output.text.partition("\nstderr:\n")[2].partition("\nheld back:")[0]
    room = bench.budget.room
    assert Cost.of(shown).hundredths > room.hundredths // 8 or Cost.of(shown).bytes > room.bytes // 8


async def test_without_memory_the_note_names_no_tool(bench: Bench) -> None:
    bench.memory = False
    note = (await bench.call(RunCommand(), command="seq 100000")).text.splitlines()[-1]
    assert note.endswith(
        "the whole output is kept as output 3f9a2c1b (100,000 lines); do not run the command again to see it"
    )
    assert "memory" not in note


async def test_without_an_audit_the_result_says_that_nothing_is_kept(bench: Bench) -> None:
    bench.audited = False
    output = await bench.call(RunCommand(), command="seq 100000")
    assert output.text.endswith("\n[truncated: what is held back is not kept: the audit log is off]")
    assert not output.kept
    assert not (bench.directory / "home").exists()


async def test_a_store_that_cannot_be_written_is_told_and_the_command_still_answers(bench: Bench) -> None:
    (bench.directory / "home").write_text("in the way")
    output = await bench.call(RunCommand(), command="seq 100000; exit 4")
    assert output.exit_status == 4
    assert output.text.splitlines()[-1].startswith("[truncated: what is held back is not kept: ")
    assert not output.kept


async def test_output_past_16_mib_is_cut_in_the_store_and_the_cut_is_stated(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="yes 0123456789abcde | head -c 20000000; echo tail; echo err >&2")
    stored = bench.store.find("3f9a2c1b")
    assert stored.cut
    assert stored.bytes <= 16 * 1024 * 1024
    assert (stored.of_lines, output.lines) == (1_250_003, 1_250_002)  # the heading between the streams is a stored line
    assert output.text.splitlines()[-1].startswith("[truncated: the output is 19.1 MiB; only its first 16")
    assert f"its first {stored.lines:,} lines of 1,250,003 are kept as output 3f9a2c1b" in output.text
    assert "\ntail\n" in output.text
    assert bench.stored().endswith(b"\nstderr:\nerr\n")


async def test_a_setting_replaces_the_budget_for_this_tool_alone(bench: Bench) -> None:
    output = await bench.call(RunCommand(max_output_bytes=20_000), command="seq -f 'line %g of it' 10000")
    assert bench.budget.bytes < len(output.text.encode()) <= 20_000


async def test_a_larger_window_shows_more(bench: Bench) -> None:
    bench.budget = ToolBudget(131_072)
    output = await bench.call(RunCommand(), command="seq -f 'line %g of it' 100000")
    assert 30_000 < len(output.text.encode()) <= 65_536
    assert bench.budget.fits(output.text)


async def test_progress_shows_the_latest_lines_clean(bench: Bench) -> None:
    heard: list[tuple[str, int]] = []
    bench.progress = lambda text, size: heard.append((text, size))
    await bench.call(RunCommand(), command=r"for i in $(seq 300); do printf '\033[1mline %s\033[0m\n' $i; done")
    assert heard[0][0].startswith("line ")
    assert all("\x1b" not in text and text.count("\n") <= 2 for text, _ in heard)


async def test_what_a_command_did_is_recorded(bench: Bench) -> None:
    await bench.call(RunCommand(), command="exit 5")
    (outcome,) = bench.ear.of(Kind.COMMAND_OUTCOME)
    assert (outcome["command"], outcome["exitStatus"], outcome["timedOut"]) == ("exit 5", 5, False)


async def test_a_command_longer_than_the_system_takes_is_an_error_of_its_own(bench: Bench) -> None:
    output = await bench.call(RunCommand(), command="true " + "x" * 3_000_000)
    assert output.text.startswith("error: the command could not be started: ")


async def test_a_command_ends_no_process_of_another_one_of_the_same_id(bench: Bench) -> None:
    up = asyncio.Event()
    bench.progress = lambda text, size: up.set()
    limited = asyncio.create_task(bench.call(RunCommand(), command="echo up; sleep 30", timeout=1))
    async with asyncio.timeout(20):
        await up.wait()
        other = asyncio.create_task(bench.call(RunCommand(), command="(until test -e go; do :; done) && echo whole"))
        assert "[timed out" in (await limited).text
        (bench.directory / "go").touch()
        assert (await other).text == "exit status: 0\nstdout:\nwhole"
