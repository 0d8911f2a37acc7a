"""Words that call for a tool, as data: an expression for each tool that comes with wisp, and what names a command."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CODE = r"(?:bugs?|tests?|code|functions?|methods?|class(?:es)?|modules?|imports?|typos?|warnings?|builds?|errors?)"
_FILE = r"(?:files?|readme|changelog|licen[cs]e|makefile|dockerfile|sources?(?: code)?)"
_BETWEEN = r"(?:\s+[\w'’`-]+){0,4}?\s+"


def _any(*expressions: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{expression})" for expression in expressions), re.IGNORECASE)


EDITS = _any(
    r"\b(?:edit|change|fix|write|create|append|add|replace|rename|update|modify|insert|save|rewrite|remove|delete"
    r"|refactor|correct|implement)\b"
)
"""Asks for something to be written or changed: of a file that is named beside it, when it is a tool's."""

CUES: Mapping[str, re.Pattern[str]] = {
    "read_file": _any(
        rf"\b(?:read|open|show|view|print|look\s+at|summari[sz]e|explain|check|review){_BETWEEN}`?{_FILE}\b"
    ),
    "edit_file": _any(
        rf"\b(?:edit|change|write|create|append|update|modify|save|rewrite|rename|replace){_BETWEEN}`?{_FILE}\b",
        rf"\b(?:fix|refactor|implement|rewrite|rename|correct){_BETWEEN}`?{_CODE}\b",
        r"\bsave\s+(?:it|this|that|them)\s+(?:as|to|in)\b",
    ),
    "run_command": _any(
        r"\b(?:run|rerun|re-run|execute)\s+(?:the|a|all|my|our|those|these|that|this|its|some)?\s*"
        r"(?:unit\s+|failing\s+|whole\s+|full\s+)?"
        r"(?:tests?|builds?|suite|linters?|scripts?|commands?|program|benchmarks?|checks?)\b",
        r"\b(?:in|with)\s+(?:the|a)\s+(?:shell|terminal)\b",
    ),
    "current_date": _any(
        r"\bwhat(?:['’]?s|\s+is)?\s+(?:the\s+|today['’]?s\s+)?(?:current\s+)?(?:day|date|time)(?:\s+is\s+it|\s+now|\s+today)",
        r"\bwhat(?:['’]?s|\s+is)\s+(?:the\s+(?:current\s+)?|today['’]?s\s+)(?:day|date|time)\s*(?:\?|$)",
        r"\bwhich\s+(?:week)?day\b",
        r"\bday\s+of\s+the\s+week\b",
        r"\b(?:today['’]s|current)\s+(?:date|time)\b",
    ),
    "system_info": _any(
        r"\b(?:listening|open|used|free)\s+ports?\b",
        r"\b(?:which|what)\s+ports?\b",
        r"\bport\s+\d{2,5}\b",
        r"\bdisks?\s+(?:space|usage)\b",
        r"\b(?:free|available|much)\s+(?:disk|memory|ram|space)\b",
        r"\b(?:memory|ram|cpu|processor)\s+(?:usage|use|load)\b",
        r"\bbattery\b",
        r"\b(?:running|which|what|list)\s+processes\b",
        r"\b(?:uptime|load\s+average)\b",
        r"\b(?:ip\s+address|network\s+interfaces?)\b",
    ),
    "inspect": _any(
        r"\bwisp(?:['’]s)?\s+(?:own\s+)?(?:config(?:uration)?|settings?|status|approvals?|audit|logs?|version|model)\b",
        r"\byour\s+(?:own\s+)?(?:config(?:uration)?|settings|approvals|audit\s+log|status)\b",
        r"\baudit\s+log\b",
        r"\bstanding\s+approvals?\b",
    ),
    "ask": _any(r"\b(?:ask|quiz|question)\s+me\b", r"\blet\s+me\s+(?:choose|pick|decide)\b"),
    "notify": _any(
        r"\b(?:notify|alert)\s+me\b", r"\bnotifications?\b", r"\blet\s+me\s+know\s+(?:when|once|as\s+soon)\b"
    ),
    "memory": _any(
        r"\brecall\b(?!\s+that\b)",
        r"\bremember\s+(?:that|this|what)\b",
        r"\b(?:make|take)\s+a\s+note\b",
        r"\bnote\s+(?:that|down)\b",
        r"\bearlier\s+in\s+(?:this|our)\s+(?:conversation|session|chat)\b",
        r"\bwhat\s+did\s+(?:i|you|we)\s+(?:say|decide|agree|find|conclude)\b",
    ),
}
"""What a tool is for, in the words people use for it. A word that means other things too does not stand alone."""

SHELL = _any(
    r"(?m:^\s*\$ \S)",
    r"`(?:[a-z][\w.+-]*|\.{0,2}/[\w./+-]+) [^`\n]+`",
    r"`(?:ls|pwd|df|du|ps|env|whoami|date|make|pytest|tox|nox|top|id|uname)`",
    r"\bgit (?:add|bisect|blame|branch|checkout|clone|commit|diff|fetch|grep|log|merge|pull|push|rebase|reset|restore"
    r"|show|stash|status|switch|tag)\b",
    r"\bcargo (?:add|bench|build|check|clippy|doc|fmt|run|test|update)\b",
    r"\b(?:npm|pnpm|yarn) (?:audit|ci|install|outdated|run|start|test)\b",
    r"\bdocker (?:build|compose|exec|images|logs|ps|pull|run)\b",
    r"\bkubectl (?:apply|describe|get|logs)\b",
    r"\b(?:pip|pip3|uv|brew|apt) (?:add|freeze|install|list|lock|pip|run|show|sync|update|upgrade)\b",
    r"\bgo (?:build|fmt|mod|test|vet)\b",
    r"\bswift (?:build|package|test)\b",
    r"\bmake (?:all|check|clean|install|test)\b",
    r"\bpython3? (?:-m|-c|[\w./-]+\.py)\b",
    r"\b(?:pytest|tox|nox|ctest|xcodebuild|clippy|shellcheck)\b",
)
"""Names a command: a line after ``$``, one in backticks, or a program with what follows it."""
