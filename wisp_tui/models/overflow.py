"""How servers word that a request does not fit their window, as a table, and what it says in tokens. Pure."""

from __future__ import annotations

import re

from wisp_tui.models.base import ContextOverflow
from wisp_tui.models.fields import positive, text
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten

# ``{L}`` is where a wording gives the limit, ``{C}`` the request's own count; both in tokens, both optional. The first
# that matches counts, so a wording with both numbers stands before a shorter one of the same server.
_WORDINGS = (
    # llama.cpp
    r"request \({C} tokens?\) exceeds the available context size \({L} tokens?\)",
    r"exceeds the available context size(?: \({L} tokens?\))?",
    r"context size has been exceeded",
    r"input \({C} tokens?\) is larger than the (?:max|maximum) context size \({L} tokens?\)",
    # OpenAI, vLLM, OpenRouter and what follows their wording
    r"maximum context length (?:is|of) {L} tokens?.{{0,120}}?(?:resulted in|requested(?: a total of)?(?: about)?) {C}",
    r"maximum context length (?:is|of) {L} tokens?.{{0,120}}?(?:request has|contains?|provided|prompt of|with) {C}",
    r"maximum context length (?:is|of) {L}",
    r"input tokens exceed the configured limit of {L} tokens?.{{0,80}}?resulted in {C}",
    r"prompt[^.]{{0,40}}\(length {C}\)[^.]{{0,80}}(?:longer|greater) than the maximum model length(?: of)? {L}",
    r"prompt length {C} exceeds (?:the )?max(?:imum)? model length {L}",
    r"input length \({C}(?: tokens?)?\) exceeds (?:the )?(?:model'?s? )?max(?:imum)? (?:allowed|context) length \({L}",
    # SGLang
    r"input \({C} tokens?\) is longer than the model'?s context length \({L}",
    # LM Studio
    r"keep the first {C} tokens? when context the overflows.*?context length of only {L} tokens?",
    r"reached context length of {L} tokens?",
    r"cannot truncate prompt with n_keep \({C}\) >= n_ctx \({L}\)",
    r"tokens to keep from the initial prompt is greater than the context length",
    # Ollama
    r"(?:prompt|input)(?: is)? too long; exceed(?:s|ed) (?:the )?(?:max )?context length",
    r"input length exceeds (?:the )?(?:maximum )?(?:model )?context length",
    # Apple's on-device model
    r"provided {C} tokens?, but the maximum allowed is {L}",
    # Text Generation Inference
    r"must be <= {L}\. given: {C} `inputs` tokens",
    # hosted servers behind the same interface
    r"prompt is too long: {C} tokens? > {L}",
    r"input token count \({C}\) exceeds the maximum number of tokens allowed \({L}\)",
    r"prompt token count (?:of )?{C} exceeds the limit of {L}",
    r"maximum prompt length is {L} but the request contains {C}",
    r"prompt contains {C} tokens.*?{L} maximum context length",
    # no server in particular
    r"context[_ -](?:length|window|size)[_ -](?:was |is |has been )?exceeded",
    r"exceed(?:s|ed)? (?:(?:the|its|this|your|model'?s?|available|max(?:imum)?) ){{0,3}}context (?:length|window|size)",
    r"(?:prompt|input|request|messages?) (?:is |are )?(?:too long|too large|longer than)[^.]{{0,40}}context",
    r"context ?size ?exceeded",
    r"reduce the length of the (?:messages|prompt|input)",
)
_NUMBER = r"(?P<{0}>\d[\d,_.]*\d|\d)"
_TABLE = tuple(
    re.compile(wording.format(L=_NUMBER.format("limit"), C=_NUMBER.format("count")), re.IGNORECASE | re.DOTALL)
    for wording in _WORDINGS
)

# Words with two numbers of tokens in them that speak of something else: a rate, or the reply's own limit.
_OTHER = re.compile(
    r"per (?:minute|day|hour|second)|rate.?limit|\bTPM\b|max_(?:completion_|new_)?tokens[^.]{0,40}too large",
    re.IGNORECASE,
)

_CODES = frozenset(
    (
        "exceed_context_size_error",
        "context_length_exceeded",
        "context_window_exceeded",
        "model_max_prompt_tokens_exceeded",
    )
)


def read_overflow(words: str) -> ContextOverflow | None:
    """Recognise a server's words for an overflow; None when they speak of anything else."""
    if _OTHER.search(words):
        return None
    for wording in _TABLE:
        found = wording.search(words)
        if found is not None:
            sizes = found.groupdict()
            return ContextOverflow(_tokens(sizes.get("limit")), _tokens(sizes.get("count")), _said(words))
    return None


def overflow_of(error: JsonObject) -> ContextOverflow | None:
    """Recognise an overflow in a server's error object: by its fields, then its code, then its words."""
    words = text(error.get("message"))
    limit, count = positive(error.get("n_ctx")), positive(error.get("n_prompt_tokens"))
    worded = read_overflow(words)
    if limit is not None and count is not None and count >= limit:
        return ContextOverflow(limit, count, _said(words))
    if worded is not None:
        return ContextOverflow(worded.limit or limit, worded.count or count, _said(words))
    if _code(error.get("type")) or _code(error.get("code")):
        return ContextOverflow(limit, count, _said(words))
    return None


def _code(value: Json) -> bool:
    return text(value) in _CODES


def _tokens(digits: str | None) -> int | None:
    """Read a number however it is grouped: 8192, 8,192, 8_192, 8.192."""
    plain = re.sub(r"[,_.]", "", digits or "")
    return positive(int(plain)) if plain else None


def _said(words: str) -> str:
    return shorten(" ".join(words.split()), 200) or "its server says so"
