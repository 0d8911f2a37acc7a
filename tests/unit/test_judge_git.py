"""Git that reads runs nothing but git: a repository that would make it run a program asks.

Each attack is first shown to work: git runs the program when it is run plainly.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.judging import rules
from wisp_tui.approval.base import Level
from wisp_tui.approval.gate import reading_environment
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.repository import runs_programs
from wisp_tui.approval.surroundings import Surroundings

Tampering = Callable[[Path, Path], None]


def git(directory: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(directory.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PAGER": "cat",
        "GIT_AUTHOR_NAME": "Mara",
        "GIT_AUTHOR_EMAIL": "mara@harbour.example",
        "GIT_COMMITTER_NAME": "Mara",
        "GIT_COMMITTER_EMAIL": "mara@harbour.example",
        **more,
    }
    return subprocess.run(
        ["git", *words], cwd=directory, env=environment, capture_output=True, text=True, check=False, timeout=20
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    directory = tmp_path / "harbour"
    directory.mkdir()
    assert git(directory, "init", "-q", "-b", "main").returncode == 0
    (directory / "tides.txt").write_text("one\n")
    git(directory, "add", ".")
    assert git(directory, "commit", "-qm", "one").returncode == 0
    return directory


def level(line: str, directory: Path) -> Level:
    surroundings = Surroundings(home=directory.parent, own=directory.parent / ".wisp", search=("/usr/bin", "/bin"))
    return Judge(rules(), surroundings, directory).judge(line, directory).level


def script(directory: Path, proof: Path) -> Path:
    program = directory / "program"
    program.write_text(f"#!/bin/sh\ntouch {proof}\ncat\n")
    program.chmod(0o755)
    return program


def fsmonitor(directory: Path, proof: Path) -> None:
    git(directory, "config", "core.fsmonitor", str(script(directory, proof)))


def textconv(directory: Path, proof: Path) -> None:
    git(directory, "config", "diff.tide.textconv", str(script(directory, proof)))
    (directory / ".gitattributes").write_text("*.txt diff=tide\n")
    (directory / "tides.txt").write_text("two\n")


def external_diff(directory: Path, proof: Path) -> None:
    git(directory, "config", "diff.external", str(script(directory, proof)))
    (directory / "tides.txt").write_text("two\n")


def clean_filter(directory: Path, proof: Path) -> None:
    git(directory, "config", "filter.tide.clean", str(script(directory, proof)))
    (directory / ".gitattributes").write_text("*.txt filter=tide\n")
    (directory / "tides.txt").write_text("two\n")


def included(directory: Path, proof: Path) -> None:
    (directory / "more").write_text(f"[core]\n\tfsmonitor = {script(directory, proof)}\n")
    git(directory, "config", "include.path", "../more")


def one_line(directory: Path, proof: Path) -> None:
    with (directory / ".git" / "config").open("a") as file:
        file.write(f"[core] fsmonitor = {script(directory, proof)}\n")


def worktree_configuration(directory: Path, proof: Path) -> None:
    git(directory, "config", "extensions.worktreeConfig", "true")
    (directory / ".git" / "config.worktree").write_text(f"[core]\n\tfsmonitor = {script(directory, proof)}\n")


def index_hook(directory: Path, proof: Path) -> None:
    hooks = directory / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    script(directory, proof).rename(hooks / "post-index-change")
    (directory / "tides.txt").touch()


def elsewhere(directory: Path, proof: Path) -> None:
    (directory / ".git").rename(directory / "inside")
    (directory / ".git").write_text("gitdir: inside\n")
    fsmonitor(directory, proof)


def shared_elsewhere(directory: Path, proof: Path) -> None:
    inside = directory / ".git"
    shutil.copytree(inside, directory / "other")
    (inside / "commondir").write_text("../other\n")
    git(directory, "config", "-f", "other/config", "diff.external", str(script(directory, proof)))
    (directory / "tides.txt").write_text("two\n")


def name_that_ends_in_a_blank(directory: Path, proof: Path) -> None:
    (directory / ".git").rename(directory / "inside")
    shutil.copytree(directory / "inside", directory / "inside ")
    (directory / ".git").write_text("gitdir: inside \n")
    git(directory, "config", "-f", "inside /config", "diff.external", str(script(directory, proof)))
    (directory / "tides.txt").write_text("two\n")


def below_a_directory_that_is_no_repository(directory: Path, proof: Path) -> None:
    (directory / "sub" / ".git").mkdir(parents=True)
    external_diff(directory, proof)


def branch_that_a_link_names(directory: Path, proof: Path) -> None:
    bare = directory / "bare"
    (bare / "objects").mkdir(parents=True)
    (bare / "refs").mkdir()
    (bare / "HEAD").symlink_to("refs/heads/main")
    settings = (
        "repositoryformatversion = 0",
        "bare = false",
        "worktree = .",
        f"fsmonitor = {script(directory, proof)}",
    )
    (bare / "config").write_text("[core]\n" + "".join(f"\t{setting}\n" for setting in settings))
    git(bare, "status")  # makes the index, which the monitor is asked about from then on
    proof.unlink(missing_ok=True)


def submodule_that_was_removed(directory: Path, proof: Path) -> None:
    inner = directory / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    for text in ("one", "two"):
        (inner / "a.txt").write_text(text)
        git(inner, "add", ".")
        git(inner, "commit", "-qm", text)
        git(directory, "add", "inner")
        git(directory, "commit", "-qm", text)
    git(directory, "rm", "-q", "--cached", "inner")
    git(directory, "commit", "-qm", "removed")
    git(inner, "config", "diff.external", str(script(directory, proof)))
    git(directory, "config", "diff.submodule", "diff")


def signed(directory: Path, proof: Path) -> None:
    """Make the last commit one that is signed, and verified by the first ``gpg`` that git finds."""
    tree = git(directory, "rev-parse", "HEAD^{tree}").stdout.strip()
    people = "author M <m@harbour.example> 1 +0000\ncommitter M <m@harbour.example> 1 +0000"
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    (directory / "commit").write_text(f"tree {tree}\n{people}\n{signature}\n\nsigned\n")
    made = git(directory, "hash-object", "-t", "commit", "-w", "commit").stdout.strip()
    git(directory, "update-ref", "refs/heads/main", made)
    programs = directory.parent / "programs"
    programs.mkdir()
    script(directory, proof).rename(programs / "gpg")


def format_that_verifies(directory: Path, proof: Path) -> None:
    signed(directory, proof)
    git(directory, "config", "format.pretty", "format:%-G?")


ATTACKS: list[tuple[Tampering, str]] = [
    (shared_elsewhere, "git diff"),
    (name_that_ends_in_a_blank, "git diff"),
    (below_a_directory_that_is_no_repository, "git -C sub diff"),
    (branch_that_a_link_names, "git -C bare status"),
    (submodule_that_was_removed, "git log -p"),
    (format_that_verifies, "git log"),
    (fsmonitor, "git status"),
    (textconv, "git diff"),
    (external_diff, "git diff"),
    (clean_filter, "git diff"),
    (included, "git status"),
    (one_line, "git status"),
    (worktree_configuration, "git status"),
    (index_hook, "git status"),
    (elsewhere, "git status"),
]


@pytest.mark.parametrize(("tamper", "line"), ATTACKS, ids=[attack.__name__ for attack, _ in ATTACKS])
def test_a_repository_that_makes_git_run_a_program_asks(repository: Path, tamper: Tampering, line: str) -> None:
    proof = repository.parent / "proof"
    assert level(line, repository) is Level.SAFE
    tamper(repository, proof)
    assert level(line, repository) is Level.DANGEROUS
    git(repository, *line.split()[1:], PATH=f"{repository.parent}/programs:/usr/bin:/bin")
    assert proof.exists(), "the attack does not work, so the test shows nothing"


@pytest.mark.parametrize("tamper", [fsmonitor, index_hook], ids=["fsmonitor", "hook"])
def test_what_a_reading_line_is_given_turns_off_what_was_set_since_it_was_judged(
    repository: Path, tamper: Tampering
) -> None:
    surroundings = Surroundings(home=repository.parent, own=repository.parent / ".wisp")
    verdict = Judge(rules(), surroundings, repository).judge("git status", repository)
    proof = repository.parent / "proof"
    tamper(repository, proof)
    assert git(repository, "status", **reading_environment(verdict)).returncode == 0
    assert not proof.exists()


@pytest.mark.parametrize(
    "line", ["git log --format=%G?", "git log --pretty='format:%h %+GS'", "git log -1 --pretty=%aN%GK"]
)
def test_a_format_that_has_git_verify_signatures_asks(repository: Path, line: str) -> None:
    proof = repository.parent / "proof"
    signed(repository, proof)
    assert level(line, repository) is not Level.SAFE
    assert level("git log --format='%h %an'", repository) is Level.SAFE
    git(repository, *shlex.split(line)[1:], PATH=f"{repository.parent}/programs:/usr/bin:/bin")
    assert proof.exists()


@pytest.mark.parametrize("line", ["git branch --format='%(signature)'", "git for-each-ref --sort=signature:grade"])
def test_so_does_one_of_branches_and_tags(repository: Path, line: str) -> None:
    assert level(line, repository) is not Level.SAFE
    assert level("git branch --format='%(refname)' --sort=-committerdate", repository) is Level.SAFE


def test_a_work_tree_elsewhere_asks_whose_files_would_be_shown(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "tides.txt").write_text("secret\n")
    git(repository, "config", "core.worktree", str(repository))
    assert level("git diff", repository) is Level.SAFE
    git(repository, "config", "core.worktree", str(other))
    assert level("git diff", repository) is Level.DANGEROUS
    assert "+secret" in git(repository, "diff").stdout


def test_what_git_shows_of_a_file_that_it_reads_for_itself_asks(repository: Path) -> None:
    (repository / ".env").write_text("SECRET=1\n")
    assert "SECRET=1" in git(repository, "blame", "-S", ".env", "tides.txt").stderr
    assert level("git blame -S .env tides.txt", repository) is not Level.SAFE
    git(repository, "config", "blame.ignoreRevsFile", ".env")
    assert "SECRET=1" in git(repository, "blame", "tides.txt").stderr
    assert level("git blame tides.txt", repository) is Level.DANGEROUS
    git(repository, "config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    assert level("git blame tides.txt", repository) is Level.SAFE


def test_a_pager_is_harmless_only_as_a_whole(repository: Path) -> None:
    assert level("git -c core.pager=cat log", repository) is Level.SAFE
    assert level("git -c 'core.pager=cat;touch p' log", repository) is Level.DANGEROUS


def test_a_line_without_git_is_given_nothing(repository: Path) -> None:
    surroundings = Surroundings(home=repository.parent, own=repository.parent / ".wisp")
    assert reading_environment(Judge(rules(), surroundings, repository).judge("ls", repository)) == {}


def test_a_directory_that_is_itself_the_inside_of_a_repository_asks(repository: Path) -> None:
    bare = repository / "sub"
    assert git(repository, "init", "-q", "--bare", "sub").returncode == 0
    assert level("cd sub && git status", repository) is Level.DANGEROUS
    assert level("git -C sub log", repository) is Level.DANGEROUS
    assert runs_programs(bare) is not None


def test_a_repository_with_submodules_asks(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / "a").write_text("a")
    git(inner, "add", ".")
    git(inner, "commit", "-qm", "one")
    git(repository, "add", "inner")
    assert level("git status", repository) is Level.DANGEROUS


def test_the_repository_that_git_would_follow_is_the_one_that_is_looked_at(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    fsmonitor(other, tmp_path / "proof")
    (repository / "link").symlink_to(other)
    for line in ("cd ../other && git status", "git -C ../other status", "cd link; git status", "git -C link status"):
        assert level(line, repository) is Level.DANGEROUS
    assert level("(cd ../other); git status", repository) is Level.SAFE


@pytest.mark.parametrize("line", ["cd $X && git status", "git -C $X status", "cd -; git status"])
def test_a_repository_that_is_known_only_later_asks(repository: Path, line: str) -> None:
    assert level(line, repository) is not Level.SAFE


def test_an_ordinary_clone_is_read_unasked(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repository), "clone")
    clone = tmp_path / "clone"
    git(clone, "config", "user.email", "mara@harbour.example")
    git(clone, "config", "pull.rebase", "true")
    git(clone, "config", "alias.st", "status")
    git(clone, "checkout", "-qb", "fix/tides")
    git(clone, "worktree", "add", "-q", "../beside", "-b", "beside")
    for directory in (clone, tmp_path / "beside"):
        for line in ("git status", "git diff HEAD", "git log -p -1", "git branch -vv", "git blame tides.txt"):
            assert level(line, directory) is Level.SAFE, (line, runs_programs(directory))


def test_outside_a_repository_git_runs_nothing(tmp_path: Path) -> None:
    assert runs_programs(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["[core]\n\tfsmonitor = \\\n\tprogram\n", "fsmonitor = x\n", "[core]\n\tbare = false\r# x\n", "[alias\n", "\xff"],
)
def test_a_configuration_that_cannot_be_read_for_sure_asks(repository: Path, text: str) -> None:
    with (repository / ".git" / "config").open("a", encoding="latin-1", newline="") as file:
        file.write(text)
    assert runs_programs(repository) is not None


def test_a_configuration_with_the_line_ends_of_another_system_is_read(repository: Path) -> None:
    with (repository / ".git" / "config").open("a", newline="") as file:
        file.write("[core]\r\n\tbare = false\r\n")
    assert runs_programs(repository) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.sshCommand", "x"),
        ("core.pager", "x"),
        ("core.hooksPath", "x"),
        ("core.alternateRefsCommand", "x"),
        ("core.gitProxy", "x"),
        ("core.askPass", "x"),
        ("gpg.program", "x"),
        ("merge.tide.driver", "x"),
        ("filter.lfs.clean", "x"),
        ("remote.origin.uploadpack", "x"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ext::sh -c x"),
        ("diff.tide.command", "x"),
        ("credential.helper", "x"),
        ("log.showSignature", "true"),
        ("includeIf.gitdir:/.path", "x"),
        ("unheard.of", "x"),
    ],
)
def test_a_setting_that_is_not_known_to_be_harmless_asks(repository: Path, key: str, value: str) -> None:
    assert git(repository, "config", key, value).returncode == 0
    assert runs_programs(repository) is not None


def test_large_file_storage_as_it_sets_itself_up_is_harmless(repository: Path) -> None:
    for key, value in (("clean", "git-lfs clean -- %f"), ("process", "git-lfs filter-process"), ("required", "true")):
        git(repository, "config", f"filter.lfs.{key}", value)
    assert runs_programs(repository) is None


def test_the_environment_that_names_a_repository_asks(repository: Path) -> None:
    surroundings = Surroundings(
        home=repository.parent, own=repository.parent / ".wisp", variables=frozenset({"GIT_DIR"})
    )
    assert Judge(rules(), surroundings, repository).judge("git status", repository).level is not Level.SAFE


def test_a_repository_with_hooks_has_git_run_what_is_in_its_directory(repository: Path) -> None:
    surroundings = Surroundings(home=repository.parent, own=repository.parent / ".wisp")

    def local(directory: Path) -> bool:
        [part] = Judge(rules(), surroundings, directory).judge("git commit -m x", directory).parts
        return part.local

    git(repository, "worktree", "add", "-q", "../beside", "-b", "beside")
    beside = repository.parent / "beside"
    assert not local(repository)
    assert not local(beside)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\n")
    assert local(repository)
    assert local(beside)
