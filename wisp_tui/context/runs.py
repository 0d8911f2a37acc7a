"""Which of many runs of lines stand in a text, in order and next to each other: all of them looked for in one pass.

This is the automaton of Aho and Corasick over lines instead of letters. Building it costs what the runs hold and a pass
costs the text's lines, however often lines repeat: a text of one-letter lines is no slower than prose.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

_ROOT = 0


class Runs:
    """Runs of lines, to be looked for in texts. Empty runs are in no text."""

    def __init__(self, runs: Iterable[Sequence[str]]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._ends = [self._grow(run) for run in runs]
        self._fallback, self._order = self._linked()

    def within(self, lines: Iterable[str]) -> list[bool]:
        """Tell for each run, in the order given, whether it stands in a text of these lines."""
        seen = [False] * len(self._next)
        step, fallback, node = self._next, self._fallback, _ROOT
        for line in lines:
            while node and line not in step[node]:
                node = fallback[node]
            node = step[node].get(line, _ROOT)
            seen[node] = True
        for node in reversed(self._order):
            if seen[node]:
                seen[fallback[node]] = True
        return [end != _ROOT and seen[end] for end in self._ends]

    def _grow(self, run: Sequence[str]) -> int:
        node = _ROOT
        for line in run:
            after = self._next[node].get(line)
            if after is None:
                after = self._next[node][line] = len(self._next)
                self._next.append({})
            node = after
        return node

    def _linked(self) -> tuple[list[int], list[int]]:
        """Link each node to the longest run that its own ends with, shortest nodes first."""
        fallback, order = [_ROOT] * len(self._next), list[int]()
        waiting = deque(self._next[_ROOT].values())
        while waiting:
            node = waiting.popleft()
            order.append(node)
            for line, after in self._next[node].items():
                back = fallback[node]
                while back and line not in self._next[back]:
                    back = fallback[back]
                fallback[after] = self._next[back].get(line, _ROOT)
                waiting.append(after)
        return fallback, order
