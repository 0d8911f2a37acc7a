"""How servers word an overflow, and what must not be taken for one."""

from __future__ import annotations

import pytest

from wisp_tui.models.overflow import overflow_of, read_overflow
from wisp_tui.text.json import JsonObject

WORDINGS = [
    ("request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it", 8192, 14429),
    ("the request exceeds the available context size. try increasing the context size", None, None),
    ("input (9000 tokens) is larger than the max context size (8192 tokens). skipping", 8192, 9000),
    ("Context size has been exceeded.", None, None),
    (
        (
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 5012 tokens. "
            "Please reduce the length of the messages."
        ),
        4097,
        5012,
    ),
    (
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (8192 in the "
            "messages, 1024 in the completion). Please reduce the length of the messages or completion."
        ),
        8192,
        9216,
    ),
    ("This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens", 32768, 40000),
    ("This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.", 8192, 9000),
    (
        (
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total "
            "of 9000 tokens: 8000 from the input"
        ),
        8192,
        9000,
    ),
    (
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens.",
        272000,
        300001,
    ),
    ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8192, 9000),
    ("Prompt length 9000 exceeds max model length 8192", 8192, 9000),
    ("The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192, 9000),
    (
        (
            "Trying to keep the first 4600 tokens when context the overflows. However, the model is loaded with "
            "context length of only 4096 tokens, which is not enough."
        ),
        4096,
        4600,
    ),
    ("Reached context length of 4096 tokens with this model, which does not support overflow", 4096, None),
    ("Cannot truncate prompt with n_keep (4500) >= n_ctx (4096)", 4096, 4500),
    ("The number of tokens to keep from the initial prompt is greater than the context length.", None, None),
    ("prompt too long; exceeded max context length by 123 tokens", None, None),
    ("the input length exceeds the context length", None, None),
    ("Provided 8,913 tokens, but the maximum allowed is 8,192.", 8192, 8913),
    (
        "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
        4096,
        5000,
    ),
    ("prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462),
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1048575, 1196265),
    ("prompt token count of 9000 exceeds the limit of 8192", 8192, 9000),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812),
    (
        "Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length",
        8192,
        9000,
    ),
    ("Your input exceeds the context window of this model. Please adjust your input and try again.", None, None),
    ("litellm.ContextWindowExceededError: the context window exceeded", None, None),
    ("PROVIDED 8_913 TOKENS, BUT THE MAXIMUM ALLOWED IS 8.192", 8192, 8913),
]


@pytest.mark.parametrize(("words", "limit", "count"), WORDINGS)
def test_a_wording_is_recognised_with_the_sizes_in_it(words: str, limit: int | None, count: int | None) -> None:
    found = read_overflow(words)
    assert found is not None
    assert (found.limit, found.count) == (limit, count)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Internal server error",
        "Rate limit reached: limit 8192 tokens per minute, requested 9000; reduce the length of the messages",
        "TPM limit exceeded: this model's maximum context length is 8192 tokens",
        "max_tokens is too large: 9000. This model supports at most 4096 completion tokens",
        "model m not found",
        "m does not support tools",
        "the context of this model is unknown",
        "invalid value for 'messages': context must be a string",
        "failed to parse grammar: maximum rule length is 512",
    ],
)
def test_other_words_are_no_overflow(words: str) -> None:
    assert read_overflow(words) is None


@pytest.mark.parametrize(
    ("error", "limit", "count"),
    [
        ({"type": "exceed_context_size_error", "n_prompt_tokens": 931, "n_ctx": 512, "message": "?"}, 512, 931),
        ({"type": "exceed_context_size_error"}, None, None),
        ({"code": "context_length_exceeded", "message": "maximum context length is 512 tokens"}, 512, None),
        ({"message": "something else", "n_prompt_tokens": 931, "n_ctx": 512}, 512, 931),
        ({"message": "exceeds the available context size", "n_ctx": 512.0}, 512, None),
        ({"type": "exceed_context_size_error", "n_ctx": 0, "n_prompt_tokens": "931"}, None, None),
    ],
)
def test_an_error_object_is_read_by_its_fields_its_words_and_its_code(
    error: JsonObject, limit: int | None, count: int | None
) -> None:
    found = overflow_of(error)
    assert found is not None
    assert (found.limit, found.count) == (limit, count)


@pytest.mark.parametrize("error", [{}, {"message": "no"}, {"code": 400}, {"n_ctx": 512, "n_prompt_tokens": 100}])
def test_an_error_object_about_anything_else_is_no_overflow(error: JsonObject) -> None:
    assert overflow_of(error) is None
