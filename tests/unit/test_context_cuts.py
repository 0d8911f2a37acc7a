from __future__ import annotations

import pytest

from wisp_tui.context.cuts import LEAST_WORDS, apply_cuts, find_cuts, marker
from wisp_tui.context.record import Cut, Entry, EntryKind, Origin, OutputPart
from wisp_tui.text.ids import CallId, EntryId, TurnNumber

LINES = [
    "The harbour tool copies files between two folders and keeps both of them alike.",
    "It reads the plan first and prints every copy that it is about to make.",
    "Nothing is removed unless the person says so, and then only once.",
    "A lock file in the target folder keeps two runs from meeting each other.",
]
FILE = "\n".join(LINES)
NUMBERED = "\n".join(f"{number}\t{line}" for number, line in enumerate(LINES, 1))
TABLE = "\n".join(["PID TTY TIME CMD"] + [f"{n} pts/{n % 3} 00:00:0{n % 7} worker-{n}" for n in range(100, 112)])


def output(text: str, *, tool: str = "read_file", ident: int = 7) -> Entry:
    part = OutputPart(CallId("3f9a2c1b"), tool, ok=True, lines=1, bytes=1, reads_only=True)
    return Entry(EntryId(ident), EntryKind.OUTPUT, Origin.TURN, TurnNumber(1), text, None, output=part)


def markdown_table(rows: list[list[str]]) -> str:
    head = f"| {' | '.join(f'column {n}' for n in range(len(rows[0])))} |"
    return "\n".join([head, "|---" * len(rows[0]) + "|", *(f"| {' | '.join(row)} |" for row in rows)])


def sent(reply: str, *outputs: Entry) -> str:
    return apply_cuts(reply, find_cuts(reply, outputs))


MARK = "(showed the person the read_file output, entry 7)"


def test_the_marker_names_the_tool_and_the_entry() -> None:
    assert marker(Cut(0, 1, EntryId(7), "read_file", 24)) == MARK


@pytest.mark.parametrize("text", [FILE, NUMBERED])
def test_a_file_shown_in_a_fence_is_cut_and_its_fence_stays(text: str) -> None:
    assert (
        sent(f"Here it is:\n\n```text\n{FILE}\n```\nDone.", output(text))
        == f"Here it is:\n\n```text\n{MARK}\n```\nDone."
    )


def test_a_copy_with_the_files_line_numbers_is_cut() -> None:
    assert sent(NUMBERED, output(NUMBERED)) == MARK


def test_white_space_and_blank_lines_are_formatting() -> None:
    loose = "\n".join(f"  {line.replace(' ', '   ')} " for line in LINES)
    assert sent(loose, output(FILE.replace("\n", "\n\n"))) == MARK


def test_neighbouring_paragraphs_of_one_output_make_one_stretch() -> None:
    reply = f"{LINES[0]}\n\n{LINES[1]}\n \n{LINES[2]}"
    cuts = find_cuts(reply, [output(FILE)])
    assert [(cut.start, cut.end) for cut in cuts] == [(0, len(reply))]


def test_a_paragraph_between_two_copies_parts_them() -> None:
    half = f"{LINES[0]}\n{LINES[1]}"
    other = f"{LINES[2]}\n{LINES[3]}"
    assert sent(f"{half}\n\nMy own words.\n\n{other}", output(FILE)) == f"{MARK}\n\nMy own words.\n\n{MARK}"


def test_a_stretch_below_two_dozen_words_stays() -> None:
    words = [f"word{number}" for number in range(LEAST_WORDS)]
    whole, less = " ".join(words), " ".join(words[:-1])
    assert sent(whole, output(whole)) == MARK
    assert find_cuts(less, [output(less)]) == ()


def test_a_table_that_restates_a_commands_output_line_for_line_is_cut() -> None:
    table = markdown_table([line.split() for line in TABLE.split("\n")[1:]])
    entry = output(TABLE, tool="run_command", ident=9)
    assert sent(f"The workers:\n\n{table}\n", entry) == (
        "The workers:\n\n(showed the person the run_command output, entry 9)\n"
    )


def test_a_table_copied_from_a_file_is_cut() -> None:
    table = markdown_table([line.split() for line in TABLE.split("\n")[1:]])
    assert sent(table.replace("| ", "|  "), output(f"# Workers\n\n{table}\n\nEnd.")) == MARK


def test_bytes_are_counted_in_utf_8() -> None:
    start = "Voilà, « 漢字 » 👍:\n\n"
    assert sent(f"{start}{FILE}\n\nÀ bientôt", output(FILE)) == f"{start}{MARK}\n\nÀ bientôt"


def test_the_latest_of_equal_outputs_is_named() -> None:
    cuts = find_cuts(FILE, [output(FILE, ident=7), output(FILE, ident=9)])
    assert [cut.output for cut in cuts] == [9]


def test_the_output_that_holds_the_longer_stretch_is_named() -> None:
    cuts = find_cuts(FILE.replace("\n", "\n\n"), [output(FILE, ident=7), output("\n".join(LINES[:3]), ident=9)])
    assert [cut.output for cut in cuts] == [7]


def test_a_stretch_no_longer_than_its_marker_stays() -> None:
    tiny = " ".join("abcdefghijklmnopqrstuvwx")
    assert find_cuts(tiny, [output(tiny)]) == ()


def test_a_fence_never_closed_reaches_to_the_end() -> None:
    assert sent(f"```\n{FILE}", output(FILE)) == f"```\n{MARK}"


def test_a_fence_within_a_longer_fence_is_content() -> None:
    inner = f"Intro to the file that is shown here\n```sh\n{FILE}\n```"
    assert sent(f"````markdown\n{inner}\n````", output(inner)) == f"````markdown\n{MARK}\n````"


KEPT = {
    "a summary that quotes one line": f"The file says: {LINES[0]}\n\n{LINES[2]}\n\nThat is the gist.",
    "analysis in the model's own words": "It copies files between folders, prints its plan, removes nothing.",
    "code the model wrote": "```python\n"
    + "\n".join(f"value_{n} = compute(value_{n - 1}, {n})" for n in range(20))
    + "\n```",
    "one value changed": FILE.replace("two folders", "six folders"),
    "one letter changed in a fence": f"```\n{FILE.replace('alike', 'alikE')}\n```",
    "a line added": "\n".join([*LINES[:2], "A line of the model's own stands here.", *LINES[2:]]),
    "a line left out": "\n".join([LINES[0], LINES[2], LINES[3]]),
    "lines reordered": "\n".join([LINES[1], LINES[0], LINES[2], LINES[3]]),
    "words added to the last line": f"{FILE} And more.",
    "a number changed in a file of numbers": NUMBERED.replace("3\t", "3\tNot "),
}


@pytest.mark.parametrize("reply", KEPT.values(), ids=KEPT)
def test_what_is_no_exact_copy_stays(reply: str) -> None:
    assert find_cuts(reply, [output(FILE), output(NUMBERED)]) == ()


def test_a_table_that_reorders_the_columns_stays() -> None:
    table = markdown_table([line.split()[::-1] for line in TABLE.split("\n")[1:]])
    assert find_cuts(table, [output(TABLE, tool="run_command")]) == ()


def test_a_table_of_a_file_with_its_header_changed_stays() -> None:
    table = markdown_table([line.split() for line in TABLE.split("\n")[1:]])
    assert find_cuts(table.replace("column 2", "seconds"), [output(table)]) == ()


def test_a_row_of_dashes_changed_in_a_table_stays() -> None:
    table = markdown_table([["-", "-", "dash"], *(line.split() for line in TABLE.split("\n")[1:])])
    assert find_cuts(table.replace("| - | - | dash |", "|---|---|"), [output(table)]) == ()


def test_numbers_are_values_in_the_output_of_a_tool_that_numbers_no_lines() -> None:
    counted = "\n".join(f"{number}\t{line}" for number, line in enumerate(LINES, 1))
    assert find_cuts(counted.replace("3\t", "8\t"), [output(counted, tool="run_command")]) == ()
    assert find_cuts(FILE, [output(counted, tool="run_command")]) == ()
    assert len(find_cuts(counted, [output(counted, tool="run_command")])) == 1


def test_a_copy_of_a_file_whose_own_lines_begin_with_numbers_and_tabs_is_cut() -> None:
    rows = "\n".join(f"{n}\t{n * 7}\tthe row number {n} of the table" for n in range(1, 9))
    read = "\n".join(f"{number}\t{row}" for number, row in enumerate(rows.split("\n"), 1))
    assert len(find_cuts(rows, [output(read)])) == 1
    assert find_cuts(rows.replace("4\t28", "4\t29"), [output(read)]) == ()


def test_line_numbers_of_the_replys_own_are_no_formatting_of_a_command_output() -> None:
    assert find_cuts(NUMBERED, [output(FILE, tool="run_command")]) == ()


def test_a_fence_parts_two_copies_that_are_too_short_each() -> None:
    assert find_cuts(f"{LINES[0]}\n\n{LINES[1]}", [output(FILE)]) != ()
    assert find_cuts(f"{LINES[0]}\n```\n{LINES[1]}\n```", [output(FILE)]) == ()


def test_a_fence_line_that_names_a_language_closes_nothing() -> None:
    inner = f"{LINES[0]}\n```sh\n{LINES[1]}"
    assert sent(f"```\n{inner}\n```", output(inner)) == f"```\n{MARK}\n```"


def test_entries_that_are_no_outputs_are_passed_over() -> None:
    prompt = Entry(EntryId(2), EntryKind.PROMPT, Origin.TURN, TurnNumber(1), FILE, None)
    assert find_cuts(FILE, [prompt]) == ()


@pytest.mark.parametrize("reply", ["", "\n\n", "```", "```\n```", "|", "|\n|-|", "\t"])
def test_a_reply_with_nothing_in_it_has_no_cuts(reply: str) -> None:
    assert find_cuts(reply, [output(FILE), output("")]) == ()
