"""The committed snapshots keep every rule, and each rule is seen to fail on broken copies."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import pytest

from scripts.snapshots import NAMES, load

from . import resource_rules, setting_rules
from .breaks import BREAKS, Deed
from .reading import MODEL, ROLE, SEARCH, Snapshot, resources

Rule = Callable[[Snapshot], Iterator[str]]
RULES: tuple[Rule, ...] = (*resource_rules.RULES, *setting_rules.RULES)
CASES = [(rule, name, deed) for rule, broken in BREAKS.items() for name, deed in broken]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_snapshot_keeps_rule(rule: Rule, name: str) -> None:
    assert list(rule(load(name))) == []


@pytest.mark.parametrize(
    ("rule", "name", "deed"), CASES, ids=[f"{rule.__name__}-{at}" for at, (rule, *_) in enumerate(CASES)]
)
def test_rule_fails_on_broken_copy(rule: Rule, name: str, deed: Deed) -> None:
    broken = copy.deepcopy(load(name))
    deed(broken)
    assert list(rule(broken)) != []


def test_every_rule_is_seen_to_fail() -> None:
    assert set(BREAKS) == set(RULES)


@pytest.mark.parametrize("name", NAMES)
def test_snapshot_was_evaluated_without_remarks(name: str) -> None:
    assert load(name)["diagnostics"] == []


@pytest.mark.parametrize(("name", "search", "model"), [("dev", 1, 0), ("prod", 1, 1), ("private", 0, 0)])
def test_search_and_model_are_made_only_where_asked(name: str, search: int, model: int) -> None:
    snapshot = load(name)
    assert (len(resources(snapshot, SEARCH)), len(resources(snapshot, MODEL))) == (search, model)


def test_existing_search_service_of_another_subscription_gets_the_reading_role() -> None:
    scopes = [entry["id"] for entry in resources(load("private"), ROLE)]
    assert (
        sum("/subscriptions/44444444-4444-4444-8444-444444444444/resourceGroups/rg-search/" in scope for scope in scopes)
        == 1
    )
