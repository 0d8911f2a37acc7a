"""How large a window an Ollama model gets: counted layer by layer, within a budget, with a reason in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisp_tui.models.ollama_window import (
    FLOOR,
    STEP,
    WORKING_ROOM,
    Layer,
    Memory,
    Shape,
    elided,
    read_shape,
    size_window,
)
from wisp_tui.text.json import Json, JsonObject

MIB, GIB = 1024**2, 1024**3
PLENTY = Memory(free=1024 * GIB, installed=1024 * GIB)


def info(architecture: str = "llama", **fields: Json) -> JsonObject:
    usual: dict[str, Json] = {
        "block_count": 4,
        "context_length": 131_072,
        "embedding_length": 1024,
        "attention.head_count": 8,
        "attention.head_count_kv": 2,
    }
    told = usual | {name.replace("__", "."): value for name, value in fields.items()}
    named = {f"{architecture}.{name}": value for name, value in told.items() if value is not None}
    return {"general.architecture": architecture, **named}


def cached(fields: JsonObject, tokens: int) -> int:
    return read_shape(fields).cache_bytes(tokens)


# Counting


def test_a_token_costs_two_times_layers_times_heads_times_head_size_times_two() -> None:
    assert cached(info(), 1000) == 1000 * 2 * 4 * 2 * (1024 // 8) * 2


def test_head_sizes_that_are_said_count_each_for_itself() -> None:
    assert cached(info(attention__key_length=192, attention__value_length=128), 10) == 10 * 4 * 2 * (192 + 128) * 2


def test_heads_are_counted_layer_by_layer() -> None:
    assert cached(info(attention__head_count_kv=[1, 2, 4, 8]), 10) == 10 * (1 + 2 + 4 + 8) * 256 * 2


def test_without_heads_of_their_own_keys_have_as_many_as_queries() -> None:
    assert cached(info(attention__head_count_kv=None), 10) == 10 * 4 * 8 * 256 * 2


def test_layers_that_slide_hold_their_window_and_a_batch_at_most() -> None:
    fields = info(attention__sliding_window=1024, attention__sliding_window_pattern=[True, True, True, False])
    token = 2 * 256 * 2
    assert cached(fields, 1000) == 4 * 1000 * token
    assert cached(fields, 100_000) == (100_000 + 3 * (1024 + 512)) * token


def test_every_nth_layer_is_a_full_one_where_the_pattern_is_a_number() -> None:
    fields = info(attention__sliding_window=1024, attention__sliding_window_pattern=2)
    assert cached(fields, 100_000) == (2 * 100_000 + 2 * (1024 + 512)) * 2 * 256 * 2


@pytest.mark.parametrize(("architecture", "full"), [("gemma3", 0), ("gptoss", 2), ("gemma2", 2), ("phi3", 4)])
def test_without_a_pattern_known_architectures_slide_and_others_count_as_full(architecture: str, full: int) -> None:
    fields = info(architecture, attention__sliding_window=512)
    assert cached(fields, 100_000) == (full * 100_000 + (4 - full) * 1024) * 2 * 256 * 2


def test_sliding_layers_may_have_heads_of_another_size() -> None:
    fields = info(
        attention__sliding_window=512,
        attention__sliding_window_pattern=[True, False, True, False],
        attention__key_length=256,
        attention__value_length=256,
        attention__key_length_swa=64,
        attention__value_length_swa=32,
    )
    assert cached(fields, 100) == 100 * 2 * (2 * 512 + 2 * 96) * 2


def test_layers_that_share_a_cache_cost_nothing() -> None:
    assert cached(info(attention__shared_kv_layers=3), 10) == 10 * 2 * 256 * 2


def test_recurrent_layers_cost_the_same_at_every_window() -> None:
    fields = info(
        attention__head_count_kv=[0, 0, 0, 2],
        ssm__state_size=16,
        ssm__inner_size=2048,
        ssm__conv_kernel=4,
        ssm__group_count=1,
    )
    state = 4 * (3 * (2048 + 2 * 16) + 16 * 2048)
    assert cached(fields, 1000) == 3 * state + 1000 * 2 * 256 * 2


def test_an_interval_says_which_layers_attend() -> None:
    fields = info(full_attention_interval=2, ssm__state_size=16, ssm__inner_size=64, ssm__conv_kernel=1)
    assert cached(fields, 1000) == 2 * (4 * 16 * 64) + 2 * 1000 * 2 * 256 * 2


def test_a_hybrid_that_says_neither_does_both_in_each_layer() -> None:
    fields = info(ssm__state_size=16, ssm__inner_size=64, ssm__conv_kernel=1)
    assert cached(fields, 1000) == 4 * (4 * 16 * 64) + 4 * 1000 * 2 * 256 * 2


def test_a_model_of_recurrent_layers_alone_is_counted() -> None:
    fields = info(
        attention__head_count=None, attention__head_count_kv=None, ssm__state_size=16, ssm__inner_size=64
    )  # fmt: skip
    assert cached(fields, 1_000_000) == 4 * (4 * 16 * 64)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"general.architecture": 7},
        info(block_count=None),
        info(block_count=10**9),
        info(attention__head_count=None, attention__head_count_kv=None),
        info(attention__head_count_kv=[1, 2]),
        info(embedding_length=None),
        info(block_count="many"),
    ],
)
def test_a_shape_that_cannot_be_counted_gives_the_default_and_says_why(fields: JsonObject) -> None:
    shape = read_shape(fields)
    assert shape.unknown is not None
    window = size_window(shape, GIB, PLENTY, None)
    assert window.tokens == FLOOR
    assert window.reason.endswith(shape.unknown)


@pytest.mark.parametrize("left_out", [None, []])
def test_a_list_that_was_left_out_is_noticed(left_out: Json) -> None:
    assert elided({"general.architecture": "llama", "llama.attention.head_count_kv": left_out})
    assert not elided(info())


# Choosing


def test_the_largest_multiple_that_fits_is_taken_and_its_sizes_are_said() -> None:
    shape = Shape(131_072, (Layer(128 * 1024),))
    memory = Memory(free=20 * GIB, installed=32 * GIB)
    window = size_window(shape, 6 * GIB, memory, None)
    assert window.tokens == 28_672
    assert window.reason == "28,672 of 131,072: 10 GiB of a 10 GiB budget"


def test_the_budget_is_half_of_what_is_free_with_what_the_model_holds() -> None:
    assert Memory(free=10 * GIB, installed=64 * GIB, held=6 * GIB).budget == 8 * GIB


def test_the_budget_is_three_quarters_of_what_is_installed_at_most() -> None:
    assert Memory(free=15 * GIB, installed=16 * GIB, held=15 * GIB).budget == 12 * GIB


def test_the_maximum_is_taken_whole_though_it_is_no_multiple() -> None:
    assert size_window(Shape(40_000, (Layer(1024),)), GIB, PLENTY, None).tokens == 40_000


def test_the_last_multiple_below_the_maximum_is_taken_where_the_maximum_does_not_fit() -> None:
    memory = Memory(free=2 * (GIB + WORKING_ROOM + 17_000 * 1024), installed=1024 * GIB)
    assert size_window(Shape(20_000, (Layer(1024),)), GIB, memory, None).tokens == 16_384


def test_the_floor_holds_where_memory_does_not_reach_and_the_reason_says_so() -> None:
    window = size_window(Shape(131_072, (Layer(MIB),)), 6 * GIB, Memory(free=8 * GIB, installed=8 * GIB), None)
    assert window.tokens == FLOOR
    assert window.reason == "8,192 of 131,072, the least that is of use: 14.5 GiB of a 4 GiB budget"


def test_a_model_trained_for_less_than_the_floor_gets_its_maximum() -> None:
    assert size_window(Shape(2048, (Layer(MIB),)), 6 * GIB, Memory(free=GIB, installed=GIB), None).tokens == 2048


@pytest.mark.parametrize(
    ("weights", "memory", "why"),
    [(None, PLENTY, "how large the model is"), (GIB, None, "another machine")],
)
def test_what_nobody_knows_gives_the_default_with_the_reason(
    weights: int | None, memory: Memory | None, why: str
) -> None:
    window = size_window(Shape(131_072, (Layer(1024),)), weights, memory, None)
    assert window.tokens == FLOOR
    assert why in window.reason


def test_configured_wins_over_everything_up_to_the_maximum() -> None:
    shape = Shape(32_768, (Layer(MIB),))
    assert size_window(shape, None, None, 4000) == size_window(shape, 99 * GIB, Memory(1, 1), 4000)
    assert size_window(shape, None, None, 4000).reason == "4,000 of 32,768: configured"
    most = size_window(shape, GIB, PLENTY, 200_000)
    assert (most.tokens, most.reason) == (32_768, "32,768, the model's maximum; 200,000 is configured")
    assert size_window(Shape(None, ()), None, None, 200_000).tokens == 200_000


@given(
    maximum=st.one_of(st.none(), st.integers(512, 1 << 21)),
    costs=st.lists(st.tuples(st.integers(0, 1 << 20), st.one_of(st.none(), st.integers(1, 1 << 16))), max_size=64),
    weights=st.integers(0, 200 * GIB),
    free=st.integers(0, 600 * GIB),
    installed=st.integers(1, 600 * GIB),
    held=st.integers(0, 100 * GIB),
)
def test_a_sized_window_fits_and_the_next_one_would_not(
    maximum: int | None,
    costs: list[tuple[int, int | None]],
    weights: int,
    free: int,
    installed: int,
    held: int,
) -> None:
    shape = Shape(maximum, tuple(Layer(token, limit) for token, limit in costs))
    memory = Memory(free, installed, held)
    tokens = size_window(shape, weights, memory, None).tokens
    most, room = maximum or FLOOR, memory.budget - weights - WORKING_ROOM
    assert min(FLOOR, most) <= tokens <= most
    assert tokens % STEP == 0 or tokens == most
    assert shape.cache_bytes(tokens) <= room or tokens == min(FLOOR, most)
    larger = min(tokens + STEP, most)
    assert larger == tokens or shape.cache_bytes(larger) > room
