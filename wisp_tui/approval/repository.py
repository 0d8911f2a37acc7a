"""Whether git, run in a directory to read, would run a program that the repository itself names.

A repository's own configuration and hooks can: ``core.fsmonitor`` on a plain ``git status``, a ``textconv`` on
``git diff``, the ``post-index-change`` hook when the index is refreshed. Only settings known to be harmless pass.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path

LARGEST = 256 * 1024
"""Bytes of a configuration file that is read."""

_SECTION = re.compile(r'\[([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\\n]|\\.)*)")?\]\s*(?:[#;].*)?')
_SETTING = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?")
_HARMLESS = re.compile(
    r"""
      core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol
        |safecrlf|quotepath|compression|bigfilethreshold|untrackedcache|preloadindex|longpaths|checkstat|trustctime
        |sharedrepository|abbrev|commentchar|excludesfile|protecthfs|protectntfs|hidedotfiles|fscache|splitindex
        |multipackindex|commitgraph|sparsecheckout|sparsecheckoutcone|whitespace|warnambiguousrefs|packedgitlimit
        |deltabasecachelimit|looseCompression|createobject|fsync|fsyncmethod|maxtreedepth)
    | (?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)
    | remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipfetchall|skipdefaultupdate|gh-resolved
        |proxy|followremotehead|glab-resolved|lfsurl)
    | remote\.pushdefault
    | branch\..*\.(?:remote|merge|rebase|pushremote|description|mergeoptions|vscode-merge-base|gh-merge-base
        |github-pr-owner-number|base|autosetuprebase)
    | branch\.(?:autosetupmerge|autosetuprebase|sort)
    | submodule\..*\.(?:url|active|branch|ignore|shallow|fetchrecursesubmodules)
    | submodule\.(?:active|recurse|fetchjobs)
    | (?:pull|push|fetch|rebase|merge|init|clone|color|column|advice|status|log|blame|format|i18n|gc|maintenance|index
        |pack|rerere|receive|feature|help|stash|tag|commit|checkout|apply|am|versionsort|grep|http|lfs|gui|gitk|rebase
        |transfer|protocol|repack|showbranch|tar|whatchanged|worktree|notes|pretty|diff)\.(?!.*(?:cmd|command|program
        |textconv|external|tool|process|driver|showsignature|hook|helper|template|editor|pager|askpass|proxy|sslcert|sslkey|cookie
        |ignorerevsfile|submodule(?:summary)?$))[a-z0-9-]+
    | lfs\..*\.(?:access|locksverify)
    | color\..*\.[a-z0-9-]+
    | extensions\.(?:objectformat|worktreeconfig|preciousobjects|refstorage|relativeworktrees|noop)
    | alias\..*
    | (?:tag|commit)\.gpgsign
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HARMLESS_VALUES = {
    "core.fsmonitor": {"true", "false"},
    "filter.lfs.clean": {"git-lfs clean -- %f"},
    "filter.lfs.smudge": {"git-lfs smudge -- %f", "git-lfs smudge --skip -- %f"},
    "filter.lfs.process": {"git-lfs filter-process", "git-lfs filter-process --skip"},
    "filter.lfs.required": {"true", "false"},
    "blame.ignorerevsfile": {".git-blame-ignore-revs"},  # what is no revision in it is shown
}
_VERIFIES = re.compile(r"%[-+ ]?G|signature", re.IGNORECASE)
"""A format that shows who signed, for which git runs the program that verifies."""
_FORMATS = frozenset({"format", "pretty", "branch", "tag", "versionsort"})
_HEAD = re.compile(r"(?:ref: refs/[^\s]+|[0-9a-f]{40}|[0-9a-f]{64})\n?")
_HOOKS = ("post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction")
_SUBMODULE = b"\x00\x00\xe0\x00"
"""The mode of a submodule, as the index writes it."""


def runs_programs(directory: Path) -> str | None:
    """Tell why reading with git in ``directory`` might run a program; None when it runs git and nothing else."""
    try:
        return _fault(directory)
    except (OSError, UnicodeDecodeError, RuntimeError) as error:
        return f"the repository's configuration cannot be read: {error}"


def has_hooks(directory: Path) -> bool:
    """Whether git, run in a directory to change something, may run a hook of the repository's; so where in doubt."""
    try:
        real = directory.resolve()
        dot = next((above / ".git" for above in (real, *real.parents) if (above / ".git").exists()), None)
        if dot is None:
            return False
        if dot.is_file():
            named = _named(dot.read_bytes().decode().removeprefix("gitdir: "), dot.parent)
            shared = named / "commondir" if named else None
            dot = _named(shared.read_bytes().decode(), named) if named and shared and shared.exists() else named
        hooks = dot / "hooks" if dot else None
        return hooks is None or (hooks.exists() and any(hook.suffix != ".sample" for hook in hooks.iterdir()))
    except (OSError, UnicodeDecodeError, RuntimeError):
        return True


def _fault(directory: Path) -> str | None:
    real = directory.resolve()
    for above in (real, *real.parents):
        dot = above / ".git"
        if dot.is_file():
            return _linked(above, dot)
        if dot.exists():
            return _repository(dot, above)
        if os.path.lexists(above / "HEAD"):  # a link that leads nowhere is one to a branch without commits
            return f"{above} is itself a repository's inside, whose configuration git would follow"
    return None


def _linked(work: Path, dot: Path) -> str | None:
    """Look at the repository that a ``.git`` file names: a work tree beside its repository, or a submodule."""
    text = dot.read_bytes().decode()
    inside = _named(text.removeprefix("gitdir: "), work) if text.startswith("gitdir: ") else None
    return _repository(inside, work) if inside else f"{dot} does not say for sure where its repository is"


def _named(text: str, at: Path) -> Path | None:
    """The directory that git's file of one line names; None when git might read another name than the one seen."""
    name = text.rstrip("\r\n")
    return (at / name).resolve() if name and name == name.strip() and name.isprintable() else None


def _repository(inside: Path, work: Path) -> str | None:
    shared = inside / "commondir"
    common = _named(shared.read_bytes().decode(), inside) if shared.exists() else inside
    if common is None or not _whole(inside, common):
        return f"{inside} is no whole repository, so that git would follow another"
    for configuration in dict.fromkeys((common / "config", inside / "config", inside / "config.worktree")):
        if configuration.exists() and (fault := _configured(configuration, inside, work)):
            return fault
    for hook in _HOOKS:
        if any((place / "hooks" / hook).exists() for place in (inside, common)):
            return f"the repository has a {hook} hook, which git may run"
    for index in (inside / "index", *inside.glob("sharedindex.*")):
        if index.exists() and _has_submodules(index.read_bytes()):
            return "the repository has submodules, whose own configurations git would follow"
    return None


def _whole(inside: Path, common: Path) -> bool:
    """Whether git takes a directory for a repository. It looks for one further up when it does not."""
    head = inside / "HEAD"
    if head.is_symlink() or not head.is_file() or head.stat().st_size > LARGEST:
        return False
    return (
        (common / "objects").is_dir() and (common / "refs").is_dir() and _HEAD.fullmatch(head.read_text()) is not None
    )


def _configured(path: Path, inside: Path, work: Path) -> str | None:
    """Tell which setting of a file might run a program, or that the file cannot be read for sure."""
    if path.stat().st_size > LARGEST:
        return f"{path} is too large to be read"
    section = ""
    for number, line in enumerate(path.read_bytes().decode().split("\n"), start=1):
        text = line.removesuffix("\r").strip(" \t")
        if not text or text.startswith(("#", ";")):
            continue
        if found := _SECTION.fullmatch(text):
            section = found[1].lower() + (f".{found[2]}" if found[2] is not None else "")
            continue
        setting = _SETTING.fullmatch(text)
        if setting is None or not section or text.endswith("\\") or "\r" in text:
            return f"line {number} of {path} cannot be read for sure"
        key, value = f"{section}.{setting[1].lower()}", (setting[2] or "true").strip()
        if value in _HARMLESS_VALUES.get(key, ()):
            continue
        if key == "core.worktree" and (inside / value).resolve() == work:
            continue
        if section in _FORMATS and _VERIFIES.search(re.sub(r'["\\]', "", value)):
            return f"the repository sets {key}, for which git verifies signatures by another program"
        if _HARMLESS.fullmatch(key) is None or (key.endswith(".url") and "::" in value):
            return f"the repository sets {key}, which may run a program"
    return None


def _has_submodules(index: bytes) -> bool:
    """Whether an index may list a submodule. Versions 2 and 3 keep each entry's mode at the same place of 8 bytes."""
    aligned = index[4:8] in (b"\x00\x00\x00\x02", b"\x00\x00\x00\x03")
    at = index.find(_SUBMODULE)
    while at >= 0:
        if not aligned or at % 8 == 4:
            return True
        at = index.find(_SUBMODULE, at + 1)
    return False
