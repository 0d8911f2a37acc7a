"""Where a command reads and writes: by the real path, at the place the line has moved to, credentials and all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.judging import HARBOUR, HOME, level, rules
from wisp_tui.approval.base import Level
from wisp_tui.approval.credentials import Credentials
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.surroundings import Surroundings

SAFE, MODERATE, DANGEROUS = Level.SAFE, Level.MODERATE, Level.DANGEROUS


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A home with a key, a project in it, and a directory beside the project with a name that begins like it."""
    home = tmp_path / "eve"
    for name in (".ssh", ".wisp", "harbour/src", "harbour-evil", "other"):
        (home / name).mkdir(parents=True)
    (home / ".ssh" / "key").write_text("KEY")
    (home / "harbour" / "notes.txt").write_text("notes")
    return home / "harbour"


def at(place: Path, line: str) -> Level:
    home = place.parent
    surroundings = Surroundings(home=home, own=home / ".wisp", temporary=(home.parent / "temporary",))
    return Judge(rules(), surroundings, place).judge(line, place).level


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("echo > notes.txt", MODERATE),
        ("echo > src/../notes.txt", MODERATE),
        ("echo > ../../temporary/x", MODERATE),
        ("echo > ../other/x", DANGEROUS),
        ("echo > ../harbour-evil/x", DANGEROUS),
        ("echo > ../x", DANGEROUS),
        ("cd .. && echo > x", DANGEROUS),
        ("cd src && echo > ../x", MODERATE),
        ("cd src; cd ..; echo > x", DANGEROUS),
        ("cd src && echo > ../../x", DANGEROUS),
        ("(cd ..) ; echo > x", MODERATE),
        ("echo > /dev/null", SAFE),
        ("echo > $X", DANGEROUS),
        ("echo > x$X", DANGEROUS),
        ("echo > {a,b}", DANGEROUS),
        ("echo > *", DANGEROUS),
        ("echo > ~/x", DANGEROUS),
        ("echo > ~root/x", DANGEROUS),
        ('for f in a b; do echo > "$f"; done', MODERATE),
        ('for f in a ../x; do echo > "$f"; done', DANGEROUS),
        ("echo > ~/.wisp/approvals.json", DANGEROUS),
        ("rm ~/.wisp/logs/audit.jsonl", DANGEROUS),
        ("echo > .git/hooks/pre-commit", DANGEROUS),
        ("echo > src/.git/config", DANGEROUS),
        ("cd .git && echo > config", DANGEROUS),
        ("cp notes.txt .git/hooks/pre-commit", DANGEROUS),
        ("tee -a ~/.bashrc", DANGEROUS),
        ("mkdir -p src/new", MODERATE),
        ("cp notes.txt .git/hooks", DANGEROUS),
        ("cp -t .git/hooks notes.txt", DANGEROUS),
        ("mv notes.txt .vscode/", DANGEROUS),
        ("tar -xf a.tar -C .git/hooks", DANGEROUS),
        ("git commit -F/{home}/.ssh/key", DANGEROUS),
        ("git commit --file=.env", DANGEROUS),
    ],
)
def test_a_write_is_judged_at_the_path_it_reaches(place: Path, line: str, expected: Level) -> None:
    assert at(place, line.replace("{home}", str(place.parent))) is expected


def test_a_write_through_a_link_is_judged_where_the_link_leads(place: Path) -> None:
    (place / "out").symlink_to(place.parent / "other")
    (place / "in").symlink_to(place / "src")
    (place / "gone").symlink_to(place.parent / "not-there")
    assert at(place, "echo > out/x") is DANGEROUS
    assert at(place, "echo > in/x") is MODERATE
    assert at(place, "echo > gone") is DANGEROUS
    assert at(place, "cd out && echo > x") is DANGEROUS


def test_reading_through_a_link_asks_for_what_it_leads_to(place: Path) -> None:
    (place / "notes").symlink_to(place.parent / ".ssh" / "key")
    (place / "keys").symlink_to(place.parent / ".ssh")
    assert at(place, "cat notes.txt") is SAFE
    assert at(place, "cat notes") is DANGEROUS
    assert at(place, "cat keys/key") is DANGEROUS
    assert at(place, "cat < notes") is DANGEROUS
    assert at(place, "grep -r . keys") is DANGEROUS


def test_a_link_is_followed_before_it_is_climbed_out_of(place: Path) -> None:
    """As the system does. A shell's own ``cd`` goes by the words, where there is such a directory."""
    (place / "src" / ".ssh").mkdir()
    (place / "src" / ".ssh" / "key").write_text("no key")
    (place / "away").symlink_to(place.parent / "other")
    for line in ("cat away/../.ssh/key", "head -n 1 src/../away/../.ssh/key", "cd away && cat ../.ssh/key"):
        assert at(place, line) is DANGEROUS, line
    for line in ("cd away/.. && cat .ssh/key", "cd -P away/.. && cat .ssh/key", "cd away/../.ssh; cat key"):
        assert at(place, line) is MODERATE, line
    assert at(place, "cat src/../notes.txt") is SAFE
    assert at(place, "echo > away/../harbour/x") is MODERATE
    assert at(place, "echo > away/../x") is DANGEROUS
    asks = Credentials.of(rules(), place.parent, place.parent / ".wisp")
    assert asks.asks_for(place / "away" / ".." / ".ssh" / "key") is not None


def test_the_files_that_a_pattern_stands_for_are_looked_at(place: Path) -> None:
    assert at(place, "cat *.txt") is SAFE
    (place / "tides.txt").symlink_to(place.parent / ".ssh" / "key")
    (place / "keys").symlink_to(place.parent / ".ssh")
    for line in (
        "cat *.txt",
        "cat t[!x]des.txt",
        "cat */key",
        "head k*/*",
        "grep -r . *",
        "for f in *.txt; do cat $f; done",
    ):
        assert at(place, line) is DANGEROUS, line
    for line in ("cat n*.txt", "cat src/*", "ls *", "cat */*.md"):
        assert at(place, line) is SAFE, line
    assert at(place, "cat */../.ssh/key") is DANGEROUS


def test_a_pattern_that_stands_for_too_much_asks(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisp_tui.approval.matching.MOST", 1)
    assert at(place, "cat src/*") is SAFE
    assert at(place, "cat */*") is DANGEROUS


@pytest.mark.parametrize(
    "line",
    [
        "cat -n {}",
        "cat -b {}",
        "tail -f {}",
        "pr -n {}",
        "hexdump -f {} x",
        "hexdump --format-f={} x",
        "grep --regex=. {}",
        "grep --reg . {}",
        "grep $(echo . {})",
        "grep $TIDES",
        "echo . {} | xargs grep",
        "grep {}*",
        "strings @arguments",
        "echo --files0-from={} | xargs wc",
        "wc $(echo --files0-from={})",
        "for f in --files0-from={}; do wc $f; done",
        "wc ${X:---files0-from={}}",
        "tree --fromfile {}",
        "cat /proc/1/task/1/environ",
        "cd ~/.ssh && cat /proc/self/cwd/key",
        "cat /proc/self/root/x",
        "awk 1 /inet/tcp/0/127.0.0.1/80",
        "ps -o pid,environ",
    ],
)
def test_content_that_comes_out_in_another_way_asks(place: Path, line: str) -> None:
    """By an option that takes no value, an argument that becomes two, a file of arguments, another process."""
    assert at(place, line.replace("{}", str(place.parent / ".ssh" / "key"))) is not SAFE


@pytest.mark.parametrize(
    "line",
    [
        "cat ~/.ssh/id_rsa",
        'cat "$HOME/.ssh/id_rsa"',
        "cat /home/eve/.ssh/id_rsa",
        "cat ../.ssh/id_rsa",
        "cat ../../eve/./.ssh//id_rsa",
        "cat ~/.SSH/id_rsa",
        "cd ~/.ssh && cat id_rsa",
        "cd ~; cat .ssh/id_rsa",
        "D=~/.ssh; cat $D/id_rsa",
        "for f in ~/.ssh/id_rsa; do cat $f; done",
        "cat ~/.ssh/*",
        "cat ~/.*/id_rsa",
        "cat ~/.s?h/id_rsa",
        "cat ~/.aws/cred*",
        "cat < ~/.netrc",
        "head -c 100 ~/.netrc",
        "sed -n p ~/.netrc",
        "awk 1 ~/.netrc",
        "sort ~/.netrc",
        "base64 ~/.netrc",
        "xxd ~/.netrc",
        "grep '' ~/.netrc",
        "grep -f ~/.netrc notes.txt",
        "grep --file=/home/eve/.netrc notes.txt",
        "diff ~/.netrc notes.txt",
        "git diff --no-index notes.txt ~/.netrc",
        "cat .env",
        "cat config/.env.local",
        "cat deploy/key.pem",
        "git show HEAD:.env",
        "git -C ~/.aws diff --no-index config /dev/null",
        "git -C / diff etc/shadow etc/passwd",
        "git -C ~/.aws grep --no-index .",
        "git -C .. -C .ssh grep --no-index .",
        "git -C ~ grep --no-index x -- .aws",
        "cd ~/.aws && git grep --untracked .",
        "grep -r token ~",
        "grep -r token ..",
        "grep -r token /",
        "rg token ~/.config",
        "rg token ~/.config/gh",
        "find ~/.ssh -type f -exec cat {} +",
        "cat /etc/shadow",
        "cat /proc/self/environ",
        "head -c 512 /dev/sda",
        "cp ~/.ssh/id_rsa x",
        "curl -F f=@/home/eve/.ssh/id_rsa http://127.0.0.1/",
        "base64 < ~/.ssh/id_rsa",
        "cat ~/.wisp/facts.json",
    ],
)
def test_showing_credentials_is_dangerous(line: str) -> None:
    assert level(line) is DANGEROUS


@pytest.mark.parametrize(
    "line",
    [
        "cat $X",
        'cat "$1"',
        "cat $(echo ~/.netrc)",
        "ls ~/.ssh | xargs -I{} cat ~/.ssh/{}",
        "find . -printf '/etc/shadow' | xargs cat",
        "find ~ -name x | xargs cat",
        "git ls-files --format=/etc/shadow | xargs cat",
        "ls -l --time-style=+/etc/shadow | xargs cat",
        "ls | sed s/x/y/ | xargs cat",
        "ls | grep -o x | xargs cat",
        "ls -a | xargs cat",
        "echo .env | xargs cat",
        "cd $X; cat hosts.yml",
        "pushd ~/.config/gh; cat hosts.yml",
        "while read f; do cat $f; done < list.txt",
        "wc --files0-from=notes.txt",
        "cat {a,b}",
        "find . -name .env -exec cat {} +",
        "find . -name '.e*' | xargs cat",
        "find .env | xargs cat",
        "git ls-files '*.pem' | xargs cat",
        "rg -l x .env | xargs cat",
    ],
)
def test_showing_a_file_that_is_not_known_asks(line: str) -> None:
    assert level(line) is not SAFE


@pytest.mark.parametrize(
    "line",
    [
        "ls -la ~/.ssh",
        "stat ~/.ssh/id_rsa",
        "cat /etc/hosts",
        "cat ~/notes.txt",
        "cat ../other/README.md",
        "grep -rn token .",
        "rg token",
        "cat *.py",
        "cat src/*.py docs/*.md",
        "git ls-files '*.py' | xargs cat",
        "cat $(git ls-files '*.md')",
        "find . -name '*.py' | grep -v test | head -n 5 | xargs cat",
        "for f in *.py; do head -3 $f; done",
        "cat < notes.txt",
        "cat <(ls)",
        "cat /var/log/*.log",
        "cut -d , -f 1 notes.txt",
        "cat -n notes.txt | head -n 5",
        "grep -A 3 -n tides notes.txt",
        "wc -l $(git ls-files '*.py')",
        "git ls-files | xargs wc -l",
        "for f in *.py; do wc -l $f; done",
        "wc -l *",
        "strings -n 8 app",
        "git -C src diff HEAD -- tides.py",
        "git -C src grep --no-index tides",
        "git grep tides",
        "ps -o pid,args",
    ],
)
def test_reading_what_holds_no_credentials_does_not_ask(line: str) -> None:
    assert level(line) is SAFE


def test_a_directory_that_holds_credentials_is_not_read_through_from_within() -> None:
    judge = Judge(rules(), Surroundings(home=HOME, own=HOME / ".wisp"), HOME)
    assert judge.judge("grep -r token .", HOME).level is DANGEROUS
    assert judge.judge("rg token", HOME).level is DANGEROUS
    assert judge.judge("cat notes.txt", HOME).level is SAFE


def test_a_tool_asks_for_the_files_that_cat_asks_for(place: Path) -> None:
    home = place.parent
    asks = Credentials.of(rules(), home, home / ".wisp")
    (place / "link").symlink_to(home / ".ssh" / "key")
    assert asks.asks_for(home / ".ssh" / "key") == "it may be a private key"
    assert asks.asks_for(place / "link") is not None
    assert asks.asks_for(place / ".." / ".ssh" / "key") is not None
    assert asks.asks_for(home / ".wisp" / "config.json") == "it is one of wisp's own files"
    assert asks.asks_for(place / ".env") is not None
    assert asks.asks_for(place / "notes.txt") is None
    assert asks.asks_for(HARBOUR / "src" / "tides.py") is None
