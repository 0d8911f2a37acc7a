from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

from tests.fakes.texts import measured_texts
from wisp_tui.context.composer import Composer, Plan
from wisp_tui.context.estimate import LEAST, MOST, Estimator, sizes_of
from wisp_tui.context.record import EntryKind, ThreadRecord
from wisp_tui.text.ids import TurnNumber
from wisp_tui.text.tokens import TokenClass, estimate_tokens, token_classes, token_hundredths

COUNTS = cast("dict[str, dict[str, list[int]]]", json.loads((Path(__file__).parent / "token_counts.json").read_text()))
"""What real tokenizers counted in each of the measured texts; made by ``tests/bench/token_counts.py``."""
TEXTS = measured_texts()
Sizes = Sequence[float]


def sizes(text: str) -> Sizes:
    return [size / 100 for size in token_classes(text.encode())] + [0.0]


def together(*several: Sizes) -> Sizes:
    return [sum(parts) for parts in zip(*several, strict=True)]


def apart(tokenizer: str) -> Iterator[float]:
    """Estimates over counts of a text of each class, after reports of two others of its class."""
    for name, texts in TEXTS.items():
        estimator, counts = Estimator(), COUNTS[tokenizer][name]
        for text, count in zip(texts[:2], counts, strict=False):
            estimator.report(sizes(text), count)
        yield estimator.tokens(sizes(texts[2])) / counts[2]


def growing(tokenizer: str) -> Iterator[float]:
    """The same in a conversation: each request carries the instructions and all the texts before."""
    counted = COUNTS[tokenizer]
    start, first = together(sizes(TEXTS["prose"][0]), sizes(TEXTS["json"][0])), counted["prose"][0] + counted["json"][0]
    for name, texts in TEXTS.items():
        estimator, carried, count = Estimator(), start, first
        for text, tokens in zip(texts, counted[name], strict=True):
            carried, count = together(carried, sizes(text)), count + tokens
            if text is not texts[-1]:
                estimator.report(carried, count)
        yield estimator.tokens(carried) / count


@pytest.mark.parametrize("tokenizer", COUNTS)
def test_after_two_reports_nine_texts_of_ten_are_within_15_percent_and_none_is_10_percent_under(tokenizer: str) -> None:
    for ratios in (list(apart(tokenizer)), list(growing(tokenizer))):
        assert sum(abs(ratio - 1) <= 0.15 for ratio in ratios) >= 0.9 * len(ratios)
        assert min(ratios) >= 0.9


@pytest.mark.parametrize("tokenizer", COUNTS)
def test_no_text_read_whole_takes_fewer_tokens_than_the_fewest(tokenizer: str) -> None:
    for name, texts in TEXTS.items():
        counts = COUNTS[tokenizer][name]
        estimator, carried, count = Estimator(), [0.0] * 9, 0
        for text, tokens in zip(texts, counts, strict=True):
            assert Estimator().fewest(sizes(text)) <= tokens
            carried, count = list(together(carried, sizes(text))), count + tokens
            assert estimator.fewest(carried) <= count
            estimator.report(carried, count)
        assert estimator.fewest(sizes(texts[2])) <= counts[2]


def test_a_request_that_grew_and_is_reported_smaller_was_not_read_whole() -> None:
    estimator, request = Estimator(), sizes(TEXTS["python"][2])
    estimator.report(request, round(sum(request)))
    grown = together(request, sizes(TEXTS["python"][0]))
    assert estimator.fewest(grown) > 0.9 * sum(request)


@pytest.mark.parametrize("name", ["prose", "python", "json", "logs", "chinese", "csv"])
def test_a_quarter_of_a_request_is_never_the_whole_of_it(name: str) -> None:
    for tokenizer in COUNTS:
        assert Estimator().fewest(sizes(TEXTS[name][2])) > 0.13 * COUNTS[tokenizer][name][2]
    assert Estimator().fewest(sizes(TEXTS[name][2])) > 0.26 * sum(sizes(TEXTS[name][2]))


@pytest.mark.parametrize("tokenizer", COUNTS)
def test_before_any_report_an_estimate_is_within_its_bounds_of_every_text(tokenizer: str) -> None:
    for name, texts in TEXTS.items():
        for text, count in zip(texts, COUNTS[tokenizer][name], strict=True):
            assert LEAST < Estimator().tokens(sizes(text)) / count < MOST


def test_a_request_reported_is_estimated_as_reported() -> None:
    estimator, request = Estimator(), sizes(TEXTS["logs"][2])
    estimator.report(request, 3000)
    assert estimator.tokens(request) == 3000


def test_what_one_class_costs_says_nothing_of_another_that_moves_on_its_own() -> None:
    numbers, estimator = sizes(TEXTS["csv"][2]), Estimator()
    before = estimator.text(TEXTS["prose"][2])
    for _ in range(3):
        estimator.report(numbers, round(sum(numbers) * 0.6))
    assert estimator.text(TEXTS["csv"][2]) < sum(numbers) * 0.7
    assert abs(estimator.text(TEXTS["prose"][2]) / before - 1) < 0.15


@pytest.mark.parametrize("share", [0.0, LEAST * 0.9, MOST * 1.1, 100.0])
def test_a_report_that_cannot_be_true_is_not_believed(share: float) -> None:
    estimator, request = Estimator(), sizes(TEXTS["prose"][1])
    before = estimator.tokens(request)
    assert not estimator.report(request, round(sum(request) * share))
    assert estimator.tokens(request) == before


@pytest.mark.parametrize("share", [LEAST * 1.1, MOST * 0.9])
def test_a_model_that_lies_within_bounds_is_bounded(share: float) -> None:
    estimator = Estimator()
    for name in TEXTS:
        request = sizes(TEXTS[name][1])
        estimator.report(request, round(sum(request) * share))
    for name in TEXTS:
        request = sizes(TEXTS[name][2])
        assert LEAST * sum(request) <= estimator.tokens(request) <= MOST * sum(request) + 1


def test_what_was_not_reported_is_leaned_towards_too_much() -> None:
    estimator, known, new = Estimator(), sizes(TEXTS["prose"][2]), sizes(TEXTS["korean"][0])
    estimator.report(known, round(sum(known)))
    alone = estimator.text(TEXTS["korean"][0])
    assert estimator.tokens(together(known, new)) > round(sum(known)) + alone


def test_a_composition_is_estimated_with_its_messages_frames() -> None:
    record = ThreadRecord()
    record.add(EntryKind.INSTRUCTIONS, "Be brief.", turn=TurnNumber(0), time=None)
    record.add(EntryKind.PROMPT, "What is in docs?", turn=TurnNumber(1), time=None)
    composition = Composer(estimate_tokens).compose(record, Plan())
    estimator = Estimator()
    assert sizes_of(composition)[-1] == 15.0
    assert estimator.estimate(composition) > composition.tokens + 10
    assert estimator.learn(composition, 30)
    assert estimator.estimate(composition) == 30


def test_the_classes_of_lines_add_up_to_those_of_their_text() -> None:
    for texts in TEXTS.values():
        data = texts[1].encode()
        parts = [token_classes(line) for line in data.splitlines(keepends=True)]
        assert tuple(map(sum, zip(*parts, strict=True))) == token_classes(data)


def test_a_text_of_nothing_costs_nothing() -> None:
    assert token_hundredths(b"") == 0
    assert token_hundredths(b"   \t ") == 0
    assert estimate_tokens("") == 0


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("word", TokenClass.WORDS),
        ("2026", TokenClass.DIGITS),
        ("{}\n", TokenClass.MARKS),
        ("é", TokenClass.ALPHABETS),
        ("я", TokenClass.CYRILLIC),
        ("漢か", TokenClass.IDEOGRAPHS),
        ("한", TokenClass.HANGUL),
        ("👍", TokenClass.EMOJI),
    ],
)
def test_every_kind_of_text_has_its_class(text: str, kind: TokenClass) -> None:
    classes = token_classes(text.encode())
    assert classes[kind] > 0
    assert sum(classes) == classes[kind]


def test_an_estimate_is_rounded_up() -> None:
    assert estimate_tokens("a") == 1
