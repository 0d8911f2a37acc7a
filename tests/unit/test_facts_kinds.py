from __future__ import annotations

import pytest

from tests.fakes.facts import KINDS, PLACE
from wisp_tui.config import shipped
from wisp_tui.facts import Kinds, KindsError, Place, TemporalClass, UnknownSubject, read_kinds
from wisp_tui.facts.normalisers import NORMALISERS
from wisp_tui.text.json import Json, load

SHIPPED: Json = load(shipped("resources", "subject-kinds.json").read_bytes())


def configured(changes: Json) -> Kinds:
    return read_kinds(SHIPPED, changes)


def name(normaliser: str, text: str) -> str:
    return NORMALISERS[normaliser](text, PLACE)


def test_the_shipped_kinds_are_those_of_the_table() -> None:
    found = {kind.subject: (kind.temporal.value, kind.normaliser, kind.distil) for kind in KINDS}
    assert found == {
        "task": ("dynamic", "single", True),
        "decision": ("permanent", "casefold", True),
        "preference": ("permanent", "casefold", True),
        "entity": ("permanent", "casefold", True),
        "tests": ("dynamic", "command", True),
        "file": ("dynamic", "path", False),
        "service": ("ephemeral", "casefold", False),
        "machine": ("ephemeral", "casefold", False),
        "workdir": ("dynamic", "single", True),
        "branch": ("dynamic", "single", True),
        "answer": ("dynamic", "trim", False),
    }
    assert all(kind.description for kind in KINDS)


def test_the_config_changes_the_given_fields_of_a_known_kind_and_no_other() -> None:
    before, after = KINDS.kind("file"), configured({"file": {"class": "permanent"}}).kind("file")
    assert after.temporal is TemporalClass.PERMANENT
    assert (after.normaliser, after.distil, after.description) == (before.normaliser, before.distil, before.description)


def test_the_config_adds_a_kind_that_is_dynamic_and_casefold_unless_it_says_otherwise() -> None:
    added = configured({"Ticket": {}}).kind("ticket")
    assert (added.temporal, added.normaliser, added.distil) == (TemporalClass.DYNAMIC, "casefold", True)
    assert configured({"port": {"class": "ephemeral", "normaliser": "trim"}}).kind("port").normaliser == "trim"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"branch": {"normaliser": "lower"}}, "facts.kinds.branch.normaliser"),
        ({"branch": {"class": "eternal"}}, "facts.kinds.branch.class"),
        ({"branch": {"distil": "yes"}}, "facts.kinds.branch.distil"),
        ({"branch": {"colour": "red"}}, "facts.kinds.branch.colour"),
        ({"branch": {"description": 4}}, "facts.kinds.branch.description"),
        ({"branch": []}, "facts.kinds.branch"),
        ({"two words": {}}, "facts.kinds.two words"),
        ({"": {}}, "facts.kinds."),
        ({"a=b": {}}, "facts.kinds.a=b"),
        ([], "facts.kinds"),
    ],
)
def test_a_config_that_cannot_be_used_names_its_field(changes: Json, field: str) -> None:
    with pytest.raises(KindsError) as raised:
        configured(changes)
    assert raised.value.field == field
    assert str(raised.value).startswith(f"{field}: ")


def test_an_unknown_subject_is_refused_with_the_kinds_there_are() -> None:
    with pytest.raises(UnknownSubject, match="'colour'; the kinds are: task, decision, preference"):
        KINDS.kind("colour")
    assert KINDS.find("  TASK ") is KINDS.kind("task")


def test_casefold_folds_case_and_collapses_white_space() -> None:
    assert name("casefold", "  Maria's\t  REVIEWS\n") == "maria's reviews"
    assert name("casefold", "STRASSE") == name("casefold", "straße")


def test_trim_keeps_case_and_loses_what_only_surrounds() -> None:
    assert name("trim", "  Which branch?\n") == "Which branch?"


def test_single_gives_every_name_the_empty_one() -> None:
    assert name("single", "anything") == ""


@pytest.mark.parametrize(
    "line",
    [
        "swift test",
        "cd /code/harbour && swift test",
        "cd '/code/a b' && set -o pipefail; swift test 2>&1 | tail -20",
        "cd a && cd b && swift test 2>&1",
        "set -o pipefail && swift   test 2>&1 | head -n 40",
        "swift test |& tail",
        "swift test 2>&1 | tail -5 | head -2",
    ],
)
def test_a_command_is_known_without_what_changes_around_it(line: str) -> None:
    assert name("command", line) == "swift test"


@pytest.mark.parametrize(
    "line", ["swift test --filter Tail", "swift test | grep tail", "echo a; swift test", "swift test > log", "cd x"]
)
def test_a_command_keeps_what_it_does(line: str) -> None:
    assert name("command", line) == line


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("/code/harbour/docs/overview.md", "docs/overview.md"),
        ("docs/../docs/overview.md", "docs/overview.md"),
        ("./docs//overview.md", "docs/overview.md"),
        ("/etc/hosts", "/etc/hosts"),
        ("~/notes.md", "/home/maria/notes.md"),
        ("~other/x", "~other/x"),
        ("/code/harbour-evil/x", "/code/harbour-evil/x"),
        ("../outside.md", "/code/outside.md"),
        ("", ""),
    ],
)
def test_a_path_is_relative_to_its_repository_else_absolute(written: str, known: str) -> None:
    assert name("path", written) == known


def test_a_path_beside_a_repository_is_not_taken_into_it() -> None:
    place = Place("/", None, lambda _: "/code/harbour")
    assert NORMALISERS["path"]("/code/harbour-evil/x", place) == "/code/harbour-evil/x"
    assert NORMALISERS["path"]("/a/b", Place("/", None, lambda _: "/")) == "a/b"


def test_a_name_without_end_is_kept_to_a_bound_and_a_path_keeps_its_end() -> None:
    assert len(name("casefold", "x" * 10_000)) == 300
    assert name("path", "/" + "d/" * 9_000 + "file.py").endswith("d/file.py")
