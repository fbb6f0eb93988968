"""The page of rules and the rules that the tables of deviations use are the same."""

from __future__ import annotations

from tests.truths.rules import Rule, rules


def test_each_rule_is_a_sentence_of_the_page() -> None:
    assert {rule.value for rule in Rule} == set(rules())
