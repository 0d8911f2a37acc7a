"""Count the measured texts with real tokenizers, and print the table that ``tests/unit/token_counts.json`` keeps.

Run it where the tokenizers are, none of which has to be downloaded by name: ``tiktoken``, ``tokenizers``,
``sentencepiece``, ``mistral-common``, and without their dependencies ``litellm`` and ``dashscope``, whose wheels hold
vocabularies. With ``gguf`` installed and the path of a model file, that model's vocabulary is counted as well::

    python -m tests.bench.token_counts [model.gguf] > tests/unit/token_counts.json
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tests.fakes.texts import measured_texts

Count = Callable[[str], int]

QWEN = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
"""How that tokenizer parts text into pieces before it merges."""


def _folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.origin).parent


def _tiktoken() -> dict[str, Count]:
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_folder("litellm") / "litellm_core_utils" / "tokenizers")
    tiktoken = import_module("tiktoken")
    encodings = {name: tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base", "p50k_base")}
    lines = (_folder("dashscope") / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines if line)}
    encodings["qwen"] = tiktoken.Encoding("qwen", pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})
    return {name: lambda text, of=of: len(of.encode_ordinary(text)) for name, of in encodings.items()}


def _tokenizers() -> dict[str, Count]:
    tokenizer = import_module("tokenizers").Tokenizer
    folder = _folder("litellm") / "litellm_core_utils" / "tokenizers"
    found = {name: tokenizer.from_file(str(folder / f"{name}_tokenizer.json")) for name in ("anthropic", "deepseek")}
    return {name: lambda text, of=of: len(of.encode(text, add_special_tokens=False).ids) for name, of in found.items()}


def _mistral() -> dict[str, Count]:
    data = _folder("mistral_common") / "data"
    tekken = import_module("mistral_common.tokens.tokenizers.tekken").Tekkenizer
    newer = tekken.from_file(str(data / "tekken_240911.json"))
    older = import_module("sentencepiece").SentencePieceProcessor(
        model_file=str(data / "mistral_instruct_tokenizer_240323.model.v3")
    )
    return {
        "tekken": lambda text: len(newer.encode(text, bos=False, eos=False)),
        "mistral_v3": lambda text: len(older.encode(text)),
    }


def _gguf(path: str) -> Count:
    fields = import_module("gguf").GGUFReader(path).fields
    tokens, merges = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"]
    vocabulary = {bytes(tokens.parts[part]).decode(): place for place, part in enumerate(tokens.data)}
    pairs = [tuple(bytes(merges.parts[part]).decode().split(" ")) for part in merges.data]
    tokenizers = import_module("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=pairs))
    parting = tokenizers.pre_tokenizers
    made.pre_tokenizer = parting.Sequence(
        [parting.Digits(individual_digits=True), parting.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    return lambda text: len(made.encode(text, add_special_tokens=False).ids)


def table(tokenizers: Mapping[str, Count]) -> str:
    """Write the counts, a tokenizer a line."""
    texts = measured_texts()
    rows = [
        f"  {json.dumps(name)}: {json.dumps({kind: [count(text) for text in texts[kind]] for kind in texts})}"
        for name, count in sorted(tokenizers.items())
    ]
    return "{\n" + ",\n".join(rows) + "\n}"


if __name__ == "__main__":
    counts = _tiktoken() | _tokenizers() | _mistral()
    if len(sys.argv) > 1:
        counts["smollm2"] = _gguf(sys.argv[1])
    print(table(counts))
