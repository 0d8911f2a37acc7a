"""What a request's words say by themselves: the tools, paths and commands they name, whether they state a task.

The words are English ones; of a request in another language, paths, commands and names of tools are still read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from wisp_tui.assessment.cues import CUES, EDITS, SHELL

READ = 1_500
"""Characters of a request that are read: its beginning, and the end of one that is longer."""
_TAIL = 500
SHORT, SHORT_CHARACTERS = 6, 60
"""Words and characters up to which a request counts as short: it hardly stands without the one before it."""

_PATH = re.compile(
    r"""(?<![\w:/.@-])@?(?!(?i:d3|deno|ember|express|next|node|nuxt|react|three|vue)\.js\b)(?:
        (?:~|\.{1,2})?/(?=[^\s/]*[A-Za-z])[^\s"'`<>|*?,;:()]+        # /etc/hosts, ./x, ~/x
      | (?:[\w.-]+/){2,}[\w.-]*                                     # a/b/c, a/b/
      | [\w.-]*[A-Za-z][\w.-]*/(?=$|[\s"'`),;:])                     # src/
      | (?:[\w.-]+/)?[\w-][\w.-]*\.(?:
            bash|bat|c|cc|cfg|conf|cpp|cs|css|csv|dart|db|diff|env|ex|fish|go|gradle|h|hpp|html|ini|ipynb|java|js|json
           |jsonl|jsx|kt|lock|log|lua|md|mjs|patch|pdf|php|pl|plist|proto|ps1|py|pyi|rb|rs|rst|scala|sh|sql|sqlite|svg
           |swift|tex|toml|ts|tsx|txt|vue|xml|yaml|yml|zig|zsh)\b(?!\.\w)
      | (?:Makefile|Dockerfile|README|LICENSE|CHANGELOG|Gemfile|Justfile|Rakefile)\b
    )""",
    re.VERBOSE,
)
_LETTER = re.compile(r"[A-Za-z_~.]")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\W*(?:and|also|then|now|next|again|continue|proceed|more|yes|yep|yeah|ok|okay|sure|right|no|nope"
    r"|(?:go|carry|keep) (?:on|going|ahead)|do (?:it|that|so|this|the same|both)|try (?:it |that )?again|once more"
    r"|(?:the )?same|(?:what|how) about|what else|and what|anything else|instead)(?![\w'’-])",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKS = re.compile(
    r"\W*(?:what|which|who|whose|where|why|how|is|are|was|were|does|did|when (?:is|was|do|does|did|will))\b",
    re.IGNORECASE,
)
_AIM = re.compile(r"\b(?:task|goal|objective)\s*:|\b(?:task|goal|objective)\s+is\b", re.IGNORECASE)
_ABOUT_AIM = re.compile(r"\b(?:what|which|whatever)\b[^:]*\b(?:task|goal|objective)\s+is\b", re.IGNORECASE)
_ANEW = re.compile(r"\bnew task\b|\bfrom now on\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:let['’]?s|let us|we (?:need|have|ought) to|we (?:should|must)|it['’]?s time to"
    r"|i(?:['’]d like| want| need| would like)(?: you| us)? to)\s+(?!not\b|never\b)(?:\w+\s+){0,2}?"
    r"(?:work on|switch to|move on to|focus on|start on|turn to)\b",
    re.IGNORECASE,
)


class Wording:
    """A request as it is worded. What it says is worked out when it is first asked for."""

    def __init__(self, request: str) -> None:
        self.text = excerpt(request)
        """What is read of it."""

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths and names of files in it."""
        bare = _URL.sub(" ", self.text)
        return tuple(found[0] for found in _PATH.finditer(bare) if _LETTER.search(found[0]))

    @cached_property
    def runs(self) -> bool:
        """Whether it names a command."""
        return SHELL.search(self.text) is not None

    @cached_property
    def edits(self) -> bool:
        """Whether it asks for something to be written or changed."""
        return EDITS.search(self.text) is not None

    @cached_property
    def follows(self) -> bool:
        """Whether it goes on from the turn before, by how it begins."""
        return _FOLLOWS.match(self.text) is not None

    @cached_property
    def short(self) -> bool:
        """Whether it is of a few words."""
        return len(self.text) <= SHORT_CHARACTERS and len(self.text.split()) <= SHORT

    @cached_property
    def restates_task(self) -> bool:
        """Whether a sentence of it states a task, and is no question (spec "When the task may change")."""
        return any(map(_states, _ENDS.split(self.text)))

    def names(self, tools: Iterable[str]) -> frozenset[str]:
        """Say which of these tools its words call for: by their names, or by what they are for."""
        return frozenset(tool for tool in tools if self._named(tool) or self._called_for(tool))

    def _named(self, tool: str) -> bool:
        """Look for a tool's name. One that is a plain word, of a tool that comes with wisp, needs more than itself."""
        name = rf"(?<![\w./-]){re.escape(tool)}(?![\w./-]*\w)"
        if "_" not in tool and tool in CUES:
            name = rf"`{tool}`|\bthe {tool} tool\b|\b(?:with|use|using) {tool}\b(?! \w)"
        return re.search(name, self.text, re.IGNORECASE) is not None

    def _called_for(self, tool: str) -> bool:
        cue = CUES.get(tool)
        return cue is not None and cue.search(self.text) is not None


def excerpt(request: str) -> str:
    """Return what is read of a request: all of it, or its beginning and its end with ``…`` between."""
    text = request.strip()
    return text if len(text) <= READ else f"{text[: READ - _TAIL - 1]}…{text[-_TAIL:]}"


def _states(sentence: str) -> bool:
    if sentence.rstrip().endswith("?") or _ASKS.match(sentence):
        return False
    if _ANEW.search(sentence) or _TURNS.search(sentence):
        return True
    return _AIM.search(sentence) is not None and _ABOUT_AIM.search(sentence) is None
