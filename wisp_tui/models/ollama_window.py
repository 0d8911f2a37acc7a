"""How large a window an Ollama model gets: from its shape, its weights and the memory there is.

Pure: what the server and the machine report comes in, a window and its reason in words go out. The key and value cache
grows with the window; the largest window is taken at which weights, cache and working room fit the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import human_bytes

FLOOR = 8192
"""The least window that is asked for, in tokens, unless the model was trained for less."""
STEP = 4096
"""A window is a multiple of this many tokens, or the model's maximum."""
WORKING_ROOM = 512 * 1024 * 1024
"""Bytes a runner needs beside weights and cache."""

_VALUE_BYTES = 2
"""Bytes of one cached number: the cache holds 16-bit floats unless its server was started otherwise."""
_STATE_BYTES = 4
"""Bytes of one number of a recurrent layer's state."""
_BATCH = 512
"""Tokens a sliding layer holds beyond its window while a batch is read."""

# Architectures whose files give a sliding window and leave out which layers slide: every n-th layer is a full one.
_FULL_EVERY: Mapping[str, int] = {"gemma2": 2, "gemma3": 6, "gptoss": 2, "gpt-oss": 2}


@dataclass(frozen=True, slots=True)
class Layer:
    """What one layer keeps: bytes for each token, at most ``limit`` tokens (None: all), and ``fixed`` bytes besides."""

    token_bytes: int
    limit: int | None = None
    fixed: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's shape as its server tells it. ``maximum`` is the trained window in tokens, None when it is not said.

    ``layers`` is empty when they cannot be counted; ``unknown`` then says why.
    """

    maximum: int | None
    layers: tuple[Layer, ...]
    unknown: str | None = None

    def cache_bytes(self, tokens: int) -> int:
        """Count the bytes the cache takes at a window of ``tokens``."""
        return sum(
            layer.fixed + layer.token_bytes * (tokens if layer.limit is None else min(tokens, layer.limit))
            for layer in self.layers
        )


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of the machine Ollama runs on, in bytes; ``held`` is what it holds for this model already."""

    free: int
    installed: int
    held: int = 0

    @property
    def budget(self) -> int:
        """The bytes a model may take: half of what is free, at most three quarters of what is installed."""
        return min((self.free + self.held) // 2, self.installed * 3 // 4)


@dataclass(frozen=True, slots=True)
class Window:
    """A window in tokens, and how it came about, in words for the person."""

    tokens: int
    reason: str


def size_window(shape: Shape, weights: int | None, memory: Memory | None, configured: int | None) -> Window:
    """Choose the window. ``weights`` are the model file's bytes; None for it or ``memory`` means nobody knows.

    What is configured wins, up to the model's maximum: a larger window is cut down by the server without a word.
    """
    if configured is not None:
        return _configured(shape.maximum, configured)
    floor = min(FLOOR, shape.maximum or FLOOR)
    unknown = _unknown(shape, weights, memory)
    if unknown is not None or weights is None or memory is None:
        return Window(floor, f"{_share(floor, shape.maximum)}: the default, since {unknown}")
    tokens = max(floor, _largest(shape, memory.budget - weights - WORKING_ROOM))
    needed = weights + shape.cache_bytes(tokens) + WORKING_ROOM
    least = ", the least that is of use" if needed > memory.budget else ""
    sizes = f"{human_bytes(needed)} of a {human_bytes(memory.budget)} budget"
    return Window(tokens, f"{_share(tokens, shape.maximum)}{least}: {sizes}")


def _configured(maximum: int | None, configured: int) -> Window:
    if maximum is not None and configured > maximum:
        return Window(maximum, f"{maximum:,}, the model's maximum; {configured:,} is configured")
    return Window(configured, f"{_share(configured, maximum)}: configured")


def _unknown(shape: Shape, weights: int | None, memory: Memory | None) -> str | None:
    if memory is None:
        return "Ollama runs on another machine, whose memory is not known"
    if shape.unknown is not None:
        return shape.unknown
    return "the server does not say how large the model is" if weights is None else None


def _share(tokens: int, maximum: int | None) -> str:
    return f"{tokens:,} of {maximum:,}" if maximum is not None else f"{tokens:,}"


def _largest(shape: Shape, room: int) -> int:
    """Find the largest window whose cache fits ``room`` bytes: the maximum itself, else a multiple of the step."""
    maximum = shape.maximum or FLOOR
    if shape.cache_bytes(maximum) <= room:
        return maximum
    low, high = 0, maximum // STEP
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if shape.cache_bytes(middle * STEP) <= room else (low, middle - 1)
    return low * STEP


def read_shape(info: JsonObject) -> Shape:
    """Read a shape from the ``model_info`` of ``/api/show``: layers, their heads, what slides, what is recurrent."""
    architecture = info.get("general.architecture")
    if not isinstance(architecture, str):
        return Shape(None, (), "the server does not tell the model's shape")
    fields = _Fields(info, architecture)
    maximum = fields.number("context_length")
    count = fields.number("block_count")
    told = "attention.head_count_kv" if fields.get("attention.head_count_kv") is not None else "attention.head_count"
    heads = fields.per_layer(told, count)
    recurrent = _recurrent_bytes(fields)
    if count is None or not 0 < count <= _MOST_LAYERS or (heads is None and recurrent is None):
        return Shape(maximum, (), "the server does not tell the model's layers")
    sizes = _head_sizes(fields)
    if sizes is None and recurrent is None:
        return Shape(maximum, (), "the server does not tell the size of the model's heads")
    return Shape(maximum, tuple(_layers(fields, heads or [0] * count, sizes or (0, 0), recurrent)))


_MOST_LAYERS = 4096


def elided(info: JsonObject) -> bool:
    """Tell whether the server left out a list that the shape needs, as it does unless it is asked for everything."""
    architecture = info.get("general.architecture")
    names = ("attention.head_count_kv", "attention.sliding_window_pattern")
    return any(f"{architecture}.{name}" in info and info[f"{architecture}.{name}"] in (None, [], ()) for name in names)


@dataclass(frozen=True, slots=True)
class _Fields:
    """Reads the fields of one architecture."""

    info: JsonObject
    architecture: str

    def get(self, name: str) -> Json:
        return self.info.get(f"{self.architecture}.{name}")

    def number(self, name: str) -> int | None:
        value = self.get(name)
        return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None

    def per_layer(self, name: str, count: int | None) -> list[int] | None:
        """Read a number for each layer: a list as long as the layers, or one number that stands for all."""
        value = self.get(name)
        if count is None or count > _MOST_LAYERS:
            return None
        if isinstance(value, Sequence) and not isinstance(value, str):
            numbers = [item for item in value if isinstance(item, int) and not isinstance(item, bool)]
            return numbers if len(numbers) == len(value) == count else None
        one = self.number(name)
        return None if one is None else [one] * count


def _head_sizes(fields: _Fields, suffix: str = "") -> tuple[int, int] | None:
    """Read how many numbers a key and a value of one head have; the embedding over the heads where it is not said."""
    key, value = fields.number(f"attention.key_length{suffix}"), fields.number(f"attention.value_length{suffix}")
    if key is None and not suffix:
        embedding, heads = fields.number("embedding_length"), fields.get("attention.head_count")
        most = max((head for head in heads if isinstance(head, int)), default=0) if isinstance(heads, list) else heads
        key = embedding // most if embedding is not None and isinstance(most, int) and most > 0 else None
    return None if key is None else (key, value or key)


def _recurrent_bytes(fields: _Fields) -> int | None:
    """Count the bytes of one recurrent layer's state, None when the model has no such layers."""
    state, inner = fields.number("ssm.state_size"), fields.number("ssm.inner_size")
    if state is None or inner is None:
        return None
    kernel, groups = fields.number("ssm.conv_kernel") or 1, fields.number("ssm.group_count") or 0
    return _STATE_BYTES * ((kernel - 1) * (inner + 2 * groups * state) + state * inner)


def _layers(fields: _Fields, heads: list[int], sizes: tuple[int, int], recurrent: int | None) -> list[Layer]:
    window, slides = fields.number("attention.sliding_window"), _sliding(fields, len(heads))
    narrow = _head_sizes(fields, "_swa") or sizes
    attends, recurs = _attention(fields, heads)
    layers: list[Layer] = []
    for index, count in enumerate(attends):
        slid = window is not None and slides[index]
        layers.append(
            Layer(
                token_bytes=_VALUE_BYTES * count * sum(narrow if slid else sizes),
                limit=window + _BATCH if slid and window is not None else None,
                fixed=recurrent if recurrent is not None and recurs[index] else 0,
            )
        )
    return layers


def _attention(fields: _Fields, heads: list[int]) -> tuple[list[int], list[bool]]:
    """Tell how many heads each layer caches, and which layers are recurrent where the model has such layers.

    Hybrids say it in one of three ways: heads per layer, none for a recurrent one; every n-th layer attends; or
    neither, where each layer does both.
    """
    count, interval = len(heads), fields.number("full_attention_interval")
    if interval is not None:
        recurs = [(index + 1) % interval != 0 for index in range(count)]
        heads = [0 if recurs[index] else heads[index] for index in range(count)]
    elif 0 in heads:
        recurs = [number == 0 for number in heads]
    else:
        recurs = [True] * count
    shared = fields.number("attention.shared_kv_layers") or 0  # the last layers, which read an earlier one's cache
    return [number if index < count - shared else 0 for index, number in enumerate(heads)], recurs


def _sliding(fields: _Fields, count: int) -> list[bool]:
    """Tell which layers slide. Nothing said counts them all as full: the window is then too small, never too large."""
    pattern = fields.get("attention.sliding_window_pattern")
    if isinstance(pattern, list) and len(pattern) == count:
        return [bool(item) for item in pattern]
    every = pattern if isinstance(pattern, int) and not isinstance(pattern, bool) else None
    period = every or _FULL_EVERY.get(fields.architecture, 1)
    return [(index + 1) % period != 0 for index in range(count)]
