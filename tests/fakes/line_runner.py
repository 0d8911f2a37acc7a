"""Runs command lines for real, where they can do no harm, and tells which files each changed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes import line_driver
from tests.fakes.judging import rules
from wisp_tui.approval.judge import Judge
from wisp_tui.approval.surroundings import Surroundings
from wisp_tui.sandbox import Bubblewrap, Reach

TEXT = "one 1\ntwo 2\nthree 300\n$(touch p)\n"
FILES = (
    "README.md",
    "a.txt",
    "b.txt",
    "names.txt",
    "notes.txt",
    "tides.csv",
    "src/main.c",
    "src/tides.py",
    "docs/tides.md",
)
TRAPS = ("-ofoo", "--output=q", "-delete", "-exec", "-v", "a[$(touch p)]", "$(touch p)", "x\ny")
"""Names of files that would be options or commands, were they not quoted."""


@dataclass
class LineRunner:
    """A directory of files inside a sandbox, put back after each line that changed it, and the judge of it."""

    judge: Judge
    directory: Path
    process: subprocess.Popen[str]

    def changed(self, line: str) -> list[str]:
        """Run a line, and list the files it changed."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the driver has no pipes")
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the driver ended")
        return json.loads(answer)


@contextmanager
def line_runner(place: Path) -> Generator[LineRunner]:
    """Make the directory and start the driver; without network, and with nothing but ``place`` to write."""
    template, directory = place / "template", place / "harbour"
    for name in FILES:
        (template / name).parent.mkdir(parents=True, exist_ok=True)
        (template / name).write_text(TEXT)
    for name in TRAPS:
        (template / name).touch()
    (place / "eve").mkdir()
    _repository(template)
    directory.mkdir()
    reach = Reach(writable=(place,), network=False)
    driver = (sys.executable, "-I", str(Path(line_driver.__file__)), str(template), str(directory))
    wrapped = Bubblewrap().wrap(driver, place, {"PATH": "/usr/bin:/bin"}, reach)
    surroundings = Surroundings(home=place / "eve", own=place / "eve" / ".wisp", search=("/usr/bin", "/bin"))
    with subprocess.Popen(
        wrapped.argv, env=dict(wrapped.environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield LineRunner(Judge(rules(), surroundings, directory), directory, process)
        if process.stdin is not None:
            process.stdin.close()


def _repository(directory: Path) -> None:
    who = dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Mara")
    where = dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "mara@harbour.example")
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(directory.parent / "eve"),
        "GIT_CONFIG_NOSYSTEM": "1",
        **who,
        **where,
    }
    for words in (["init", "-q"], ["add", "--", *FILES], ["commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=directory, env=environment, check=True)
