"""The rules' own examples: each part of the data does what it says, on the command that it gives."""

from __future__ import annotations

import re

import pytest

from tests.fakes.judging import HARBOUR, judge, judged, rules
from wisp_tui.approval.base import Level
from wisp_tui.approval.rules import PathRule, Rule, Shape, VariableRule, Wrapper, Writer

RULES = rules()
BOOK = judge().book(HARBOUR)


@pytest.mark.parametrize("shape", RULES.shapes, ids=lambda shape: shape.example)
def test_every_shape_makes_its_example_safe(shape: Shape) -> None:
    verdict = judged(shape.example)
    assert (verdict.level, verdict.reasons) == (Level.SAFE, ())


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.example)
def test_every_rule_gives_its_example_its_level_and_reason(rule: Rule) -> None:
    verdict = judged(rule.example)
    assert verdict.level is rule.level
    assert rule.reason in verdict.reasons


@pytest.mark.parametrize("wrapper", RULES.wrappers, ids=lambda wrapper: wrapper.example)
def test_every_wrapper_gives_its_example_its_own_level(wrapper: Wrapper) -> None:
    verdict = judged(wrapper.example)
    assert verdict.level is wrapper.level
    assert not wrapper.reason or wrapper.reason in verdict.reasons


@pytest.mark.parametrize("wrapper", [w for w in RULES.wrappers if not w.opaque], ids=lambda wrapper: wrapper.example)
def test_no_wrapper_hides_what_it_runs(wrapper: Wrapper) -> None:
    assert judged(re.sub(r"ls$|uptime$|echo hello$", "rm -rf src", wrapper.example)).level is Level.DANGEROUS


@pytest.mark.parametrize("writer", RULES.writers, ids=lambda writer: writer.example)
def test_every_writer_is_seen_where_it_writes(writer: Writer) -> None:
    assert judged(writer.example).level is Level.DANGEROUS


@pytest.mark.parametrize("rule", RULES.variables.rules, ids=lambda rule: rule.example)
def test_every_variable_rule_gives_its_example_its_level(rule: VariableRule) -> None:
    verdict = judged(rule.example)
    assert verdict.level is rule.level
    assert any(reason.endswith(rule.reason) for reason in verdict.reasons)


@pytest.mark.parametrize("rule", RULES.paths.credentials, ids=lambda rule: rule.example)
def test_every_place_of_credentials_is_known(rule: PathRule) -> None:
    path = BOOK.absolute(rule.example, HARBOUR, home=rule.example.startswith("~"))
    assert BOOK.credentials(path) == rule.reason
    assert judged(f"cat {rule.example}").level is Level.DANGEROUS


@pytest.mark.parametrize("rule", RULES.paths.sensitive, ids=lambda rule: rule.example)
def test_every_sensitive_place_is_known(rule: PathRule) -> None:
    verdict = judged(f"echo x > {rule.example}")
    assert verdict.level is Level.DANGEROUS
    assert any(rule.reason in reason for reason in verdict.reasons)


def test_no_program_is_only_ever_safe_with_any_option_and_also_ruled_on_by_its_options() -> None:
    """A shape with any option would hide a rule on one."""
    free = {
        program for shape in RULES.shapes if shape.options == "any" and not shape.check for program in shape.programs
    }
    ruled = {program for rule in RULES.rules if rule.flags for program in rule.programs}
    assert free & ruled == set()


def test_every_reason_is_words_for_a_person() -> None:
    reasons = [rule.reason for rule in (*RULES.rules, *RULES.variables.rules, *RULES.paths.credentials)]
    assert all(reason and reason[0].islower() and not reason.endswith(".") for reason in reasons)
