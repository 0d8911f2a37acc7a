"""What surrounds a command: the variables it is given, where its program is found, which shell reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.fakes.judging import HARBOUR, judge, judged, level, only_part, rules, surroundings
from wisp_tui.approval.base import Level
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.surroundings import Surroundings

SAFE, MODERATE, DANGEROUS = Level.SAFE, Level.MODERATE, Level.DANGEROUS


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x=1", SAFE),
        ("NAME=value", SAFE),
        ("TERM=dumb ls", SAFE),
        ("TERM='$(ls)' ls", MODERATE),
        ("TZ=/etc/x date", MODERATE),
        ("NAME=value ls", MODERATE),
        ("export NAME=value", MODERATE),
        ("USER=eve", DANGEROUS),
        ("PATH=x", DANGEROUS),
        ("export PATH", MODERATE),
        ("GIT_PAGER=cat git log", SAFE),
        ("GIT_PAGER='cat; ls' git log", DANGEROUS),
        ("env NAME=value ls", MODERATE),
        ("env PATH=x ls", DANGEROUS),
        ("for x in a b; do ls; done", SAFE),
        ("for PATH in x; do ls; done", DANGEROUS),
        ("env -u PATH ls", DANGEROUS),
        ("SECONDS=0", SAFE),
        ("OPTIND=1; ls", SAFE),
        ("SECONDS=x", DANGEROUS),
    ],
)
def test_a_variable_is_judged_by_what_it_changes(line: str, expected: Level) -> None:
    assert level(line) is expected


@pytest.mark.parametrize(
    "line",
    [
        "for PATH in {programs}; do tides; done",
        "RANDOM='a[$({programs}/tides)]'",
        "for OPTIND in 'a[$({programs}/tides)]'; do :; done",
        "cd {programs}; env -i bash -c tides",
        "cd {programs}; exec -c bash -c tides",
    ],
)
def test_a_variable_that_has_the_shell_run_a_program_asks(tmp_path: Path, line: str) -> None:
    """Each is first shown to work."""
    program, proof = tmp_path / "tides", tmp_path / "proof"
    program.write_text(f"#!/bin/sh\n: > {proof}\n")
    program.chmod(0o755)
    line = line.replace("{programs}", str(tmp_path))
    subprocess.run(["/bin/bash", "-c", line], capture_output=True, check=False, timeout=20)
    assert proof.exists()
    assert level(line.replace("tides", "ls")) is DANGEROUS


@pytest.mark.parametrize(
    "line",
    [
        "echo $TIDES_KEY",
        "x=$TIDES_KEY; echo $x",
        "cat <<< $TIDES_KEY",
        "cat <<E\n${TIDES_KEY}\nE",
        "for x in $TIDES_KEY; do echo $x; done",
        "case $TIDES_KEY in a*) echo a;; esac",
        "[[ $TIDES_KEY == a* ]]",
        "echo ${DATABASE_URL%@*} $DB_PASS",
        "printenv PGPASSWORD",
        "printenv MYSQL_PWD",
        "set",
        "set | grep TIDES",
    ],
)
def test_showing_what_may_be_a_secret_of_the_environment_asks(line: str) -> None:
    assert level(line) is MODERATE


def test_the_name_of_a_variable_is_no_secret() -> None:
    assert {level(line) for line in ("grep '$TIDES_KEY' a.sh", "printenv PWD", "echo $PWD $PATH", "set +e")} == {SAFE}


def test_a_variable_of_the_lines_own_asks_where_programs_are_given_it() -> None:
    given = surroundings(variables=frozenset({"TIDES"}))
    assert (level("TIDES=x"), level("TIDES=x", given)) == (SAFE, MODERATE)


def test_a_program_found_in_a_directory_that_commands_may_write_is_not_the_systems(tmp_path: Path) -> None:
    for name in ("harbour/bin", "system", "temporary"):
        (tmp_path / name).mkdir(parents=True)
    for program in ("harbour/bin/ls", "system/ls", "system/wc", "temporary/wc"):
        (tmp_path / program).touch(0o755)
    root = tmp_path / "harbour"

    def found(*search: str) -> tuple[Level, Level]:
        at = Surroundings(home=tmp_path, own=tmp_path / ".wisp", temporary=(tmp_path / "temporary",), search=search)
        one = Judge(rules(), at, root)
        return one.judge("ls", root).level, one.judge("wc x", root).level

    assert found(str(root / "bin"), "/usr/bin") == (MODERATE, SAFE)
    assert found("bin", "/usr/bin") == (MODERATE, SAFE)
    assert found("/usr/bin", str(root / "bin")) == (SAFE, SAFE)
    assert found(str(tmp_path / "temporary"), "/usr/bin") == (SAFE, MODERATE)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("/bin/ls", SAFE),
        ("/usr/bin/git status", SAFE),
        ("/usr/bin/../../home/eve/ls", MODERATE),
        ("./ls", MODERATE),
        ("bin/git status", MODERATE),
        ("~/bin/ls", MODERATE),
        ("~eve/bin/ls", DANGEROUS),
        ("./rm -rf src", DANGEROUS),
        ("/opt/x/python3 -c 'os.remove(x)'", DANGEROUS),
    ],
)
def test_a_program_named_by_its_path_is_the_systems_only_in_the_systems_directories(line: str, expected: Level) -> None:
    assert level(line) is expected


@pytest.mark.parametrize("line", ["[[ -f a || touch p ]]", "echo $'a\\'; touch p; #'", "ls &>/dev/null", "((1 > 2))"])
def test_what_only_bash_reads_so_asks_where_another_shell_runs_it(line: str) -> None:
    assert level(line, surroundings(bash=False)) is DANGEROUS
    assert level("ls -l | wc -l", surroundings(bash=False)) is SAFE


@pytest.mark.parametrize("line", ["sh -c '[[ -f a ]]'", "dash -c 'ls &>/dev/null'", "sh -c \"echo $'x'\""])
def test_what_only_bash_reads_so_asks_in_code_for_another_shell(line: str) -> None:
    assert level(line) is DANGEROUS


def test_a_word_that_names_a_function_of_the_line_is_no_program() -> None:
    assert level("git() { touch p; }; git status") is MODERATE
    assert judged("git() { touch p; }; git status").parts[-1].context != ""


def test_the_same_command_twice_is_one_part() -> None:
    assert len(judged("make; make").parts) == 1


def test_a_line_has_a_part_for_each_of_its_commands() -> None:
    parts = judged("git status && rm -rf build | tee log; echo $(make)").parts
    assert [(part.command, part.level) for part in parts] == [
        ("git status", SAFE),
        ("rm -rf build", DANGEROUS),
        ("tee log", MODERATE),
        ("make", MODERATE),
        ("echo $(make)", SAFE),
    ]


def test_each_part_says_where_it_runs() -> None:
    assert [part.directory for part in judged("cd src && make").parts] == [str(HARBOUR), str(HARBOUR / "src")]


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("git push origin main", "git push *"),
        ("git push", "git push *"),
        ("git stash push", "git stash push *"),
        ("git -C src push", "git -C src push"),
        ("npm run build", "npm run build *"),
        ("npm install left", "npm install *"),
        ("npm run", "npm run"),
        ("make test", "make test *"),
        ("make -j4", "make -j4"),
        ("uv run pytest", "uv run pytest"),
        ("cargo run", "cargo run"),
        ("pytest -q", "pytest *"),
        ("python3 script.py 'a b'", "python3 script.py 'a b'"),
        ("./run.sh", "./run.sh"),
        ("some-new-tool --all", "some-new-tool --all"),
        ("timeout 5 make", "timeout 5 make"),
        ("make > /dev/null 2>&1", "make"),
    ],
)
def test_what_an_answer_would_cover_is_the_program_and_its_verb_or_the_command_itself(line: str, pattern: str) -> None:
    assert str(only_part(line).pattern) == pattern


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf build",
        "make > log.txt",
        "CC=gcc make",
        "make $TARGET",
        "make *",
        "make ~/x",
        "sh -c make",
        "make <<< x",
        "make -f - < x",
        "{ sqlite3 a.db; } < x",
        "sudo make",
        "cd $X; make",
        "f() { make; }",
    ],
)
def test_a_command_that_is_more_than_its_words_or_dangerous_has_no_pattern(line: str) -> None:
    assert all(part.pattern is None for part in judged(line).parts if part.level is not SAFE)


def test_an_answer_to_a_command_that_is_fed_covers_what_it_was_fed() -> None:
    first, second = (judged(f"echo '{text}' | sqlite3 a.db").parts[-1] for text in ("select 1;", ".shell touch p"))
    assert (first.pattern, second.pattern) == (None, None)
    assert first.context != second.context


def test_what_decides_what_a_command_does_is_part_of_its_approval() -> None:
    fed, other = judged("curl x | sh").parts[-1], judged("curl y | sh").parts[-1]
    assert (fed.command, fed.context != other.context) == ("sh", True)
    first, second = judged("X=a; rm $X").parts[-1], judged("X=/; rm $X").parts[-1]
    assert first != second


def test_judging_gives_every_form_a_command_comes_to() -> None:
    assert ("git", "push") in judged("env X=1 timeout 5 git push").parts[0].forms
    assert ("git", "push") in judged("git -C src push").parts[0].forms
    assert ("git", "push") in judged("sh -c 'ls; git push'").parts[0].forms


def test_shells_within_shells_are_judged_to_a_depth_and_then_ask() -> None:
    code = "ls"
    for number in range(200):
        code = f"bash <<'E{number}'\n{code}\nE{number}\n"
    assert level(code) is DANGEROUS
    assert level("bash <<'A'\nbash <<'B'\nls\nB\nA") is SAFE
    assert level("bash <<'A'\nbash <<'B'\nrm -rf x\nB\nA") is DANGEROUS


def test_the_machine_is_described_from_its_environment(tmp_path: Path) -> None:
    at = Surroundings.of({"HOME": str(tmp_path), "PATH": "/usr/bin:bin", "X": "1"}, tmp_path / "own")
    assert (at.home, at.search, at.variables) == (tmp_path, ("/usr/bin", "bin"), frozenset({"HOME", "PATH", "X"}))
    assert judge(at).judge("ls", HARBOUR).level is SAFE


def test_a_search_path_that_cannot_be_followed_or_looked_into_is_no_fault(tmp_path: Path) -> None:
    for name in ("harbour", "closed/bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "closed").chmod(0)
    search = (str(tmp_path / "loop"), str(tmp_path / "closed" / "bin"), "/usr/bin")
    at = Surroundings(home=tmp_path, own=tmp_path / ".wisp", temporary=(tmp_path,), search=search)
    for root in (tmp_path / "harbour", tmp_path / "loop", tmp_path / "closed" / "x"):
        assert Judge(rules(), at, root).judge("wc x", root).parts
    (tmp_path / "closed").chmod(0o700)
