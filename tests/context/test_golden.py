"""Our provider against the measured original: every case agrees or stands in the table below with its reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from shared.retrieval.context import ContextOptions, SearchTime
from tests.context.golden import Json, Run, cases
from tests.truths import load_truth
from tests.truths.rules import Rule, Why

OURS: dict[str, dict[str, list[Json]]] = json.loads(Path(__file__).with_name("golden_ours.json").read_text(encoding="utf-8"))
"""Our own result where it differs, by case and aspect."""
CASES = cases(load_truth("text-search-provider-golden")["cases"])

EMPTY = Rule.EMPTY_TEXT.why
LIMIT = Rule.MEMORY_LIMIT.why
MALFORMED = Rule.MALFORMED_STATE.why
INJECTED = Rule.INJECTED.why
RESENT = Rule.RESENT.why
NO_EXCEPTION = Rule.NO_EXCEPTION_TEXT.why
FRAME = Rule.FRAME.why
WORDS = Rule.TOOL_WORDS.why
REDACTOR = Rule.REDACTOR.why
NULLS = Why("platform", "A null where the types of Python allow none is refused before anything is done.")
VALUE = Why("platform", "A state is a value here, so a call that raises leaves it as it was.")
FROZEN = Why("platform", "Options are frozen; no list is kept by reference.")
ENUM = Why("platform", "An enum has no undefined values.")

DEVIATIONS: dict[str, tuple[Why, str]] = {
    "construction/unknown_search_time": (ENUM, "constructor"),
    "construction/role_list_changed_after_construction": (FROZEN, "search_calls state"),
    "construction/null_invoking_context": (NULLS, "error output search_calls"),
    "construction/null_invoked_context": (NULLS, "error"),
    "defaults/empty_request": (EMPTY, "messages search_calls"),
    "defaults/null_messages": (EMPTY, "messages search_calls"),
    "defaults/null_messages_no_results": (EMPTY, "search_calls"),
    "defaults/empty_text": (EMPTY, "messages search_calls"),
    "defaults/blank_text": (EMPTY, "messages search_calls"),
    "defaults/null_text": (EMPTY, "messages search_calls"),
    "defaults/null_message_in_request_filter_all": (NULLS, "error search_calls"),
    "contents/image_only_request": (EMPTY, "messages search_calls"),
    "memory/repeated_texts_remembered_twice": (RESENT, "search_calls state"),
    "memory/told_twice": (RESENT, "search_calls state"),
    "memory/null_element_in_stored_request": (VALUE, "state"),
    "memory/null_element_in_stored_request_filter_all": (VALUE, "state"),
    "memory/null_element_in_response": (VALUE, "state"),
    "filters/input_filter_none": (EMPTY, "messages search_calls"),
    "filters/input_filter_does_not_touch_memory": (EMPTY, "search_calls"),
    "filters/input_filter_returns_null": (EMPTY, "messages search_calls"),
    "filters/input_filter_with_null_messages": (EMPTY, "messages search_calls"),
    "filters/request_filter_all_remembers_own_results": (INJECTED, "search_calls state"),
    "filters/all_three_filters": (INJECTED, "search_calls state"),
    "marking/mark_lost_in_json": (INJECTED, "messages search_calls state"),
    "marking/second_turn_with_own_message_in_request": (RESENT, "search_calls state"),
    "state/two_providers_same_key": (RESENT, "search_calls state"),
    "state/same_key_limits_differ": (LIMIT, "search_calls state"),
    "state/given_state_longer_than_limit": (LIMIT, "search_calls"),
    "state/foreign_typed_value_is_overwritten": (MALFORMED, "error search_calls state"),
    "results/text_looks_like_frame": (FRAME, "messages"),
    "prompts/formatter_raises": (NO_EXCEPTION, "exception_text"),
    "failures/delegate_raises_on_call": (NO_EXCEPTION, "exception_text"),
    "failures/delegate_raises_on_await": (NO_EXCEPTION, "exception_text"),
    "failures/delegate_raises_on_enumerate": (NO_EXCEPTION, "exception_text"),
    "failures/operation_canceled_on_call": (NO_EXCEPTION, "exception_text"),
    "failures/operation_canceled_on_await": (NO_EXCEPTION, "exception_text"),
    "failures/task_canceled": (NO_EXCEPTION, "exception_text"),
    "failures/callers_token_cancelled_other_exception": (NO_EXCEPTION, "exception_text"),
    "failures/delegate_returns_null": (NO_EXCEPTION, "exception_text"),
    "failures/delegate_returns_null_task": (NO_EXCEPTION, "exception_text"),
    "failures/null_result_among_results": (NO_EXCEPTION, "exception_text"),
    "failures/null_messages": (EMPTY, "search_calls"),
    "logging/redactor_raises": (REDACTOR, "exception_text logs messages"),
    "logging/empty_search_text": (EMPTY, "logs messages search_calls"),
    "logging/empty_search_text_own_redactor": (EMPTY, "logs messages search_calls"),
    "logging/failure_sensitive_off": (NO_EXCEPTION, "exception_text"),
    "logging/failure_sensitive_on": (NO_EXCEPTION, "exception_text"),
    "logging/failure_redactor": (NO_EXCEPTION, "exception_text"),
    "logging/failure_level_error": (NO_EXCEPTION, "exception_text"),
    "logging/on_demand_no_results": (WORDS, "logs tool_result"),
    "logging/on_demand_no_results_sensitive_off": (WORDS, "logs tool_result"),
    "logging/on_demand_failure": (WORDS, "logs tool_result"),
    "logging/on_demand_redactor_raises": (REDACTOR, "logs tool_result"),
    "on_demand/call_no_results": (WORDS, "tool_result"),
    "on_demand/call_formatter_raises": (WORDS, "tool_result"),
    "on_demand/call_search_raises": (WORDS, "tool_result"),
    "on_demand/call_search_raises_on_call": (WORDS, "tool_result"),
    "on_demand/call_operation_canceled": (WORDS, "tool_result"),
    "on_demand/call_delegate_returns_null": (WORDS, "tool_result"),
    "on_demand/call_argument_forms": (EMPTY, "search_calls tool_result"),
    "on_demand/call_argument_null": (EMPTY, "search_calls tool_result"),
    "on_demand/call_several_times": (WORDS, "tool_result"),
}


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
async def test_agrees_with_the_original_or_differs_as_the_table_says(case: Json) -> None:
    expected = DEVIATIONS.get(case["name"], (ENUM, ""))[1]
    found = await differences(case)
    assert set(found) == set(expected.split())
    assert found == OURS.get(case["name"], {})


async def differences(case: Json) -> dict[str, list[Json]]:
    """What of our provider differs from what was measured, by aspect."""
    if case.get("kind") == "options_defaults":
        return {} if defaults_agree(case["measured"]) else {"defaults": []}
    stage = (case.get("error") or {}).get("stage")
    try:
        run = Run(case)
    except (TypeError, ValueError) as error:
        refused = stage == "constructor" and _names_the_option(error, case["error"])
        return {} if refused else {"constructor": ["refused"]}
    return {"constructor": ["taken"]} if stage == "constructor" else await run.all_turns()


def defaults_agree(measured: Json) -> bool:
    """A fresh options object: what is unset there is None here."""
    options = ContextOptions()
    ours = {
        "".join(part.capitalize() for part in name.split("_")): getattr(options, name)
        for name in options.__dataclass_fields__
    }
    ours["SearchTime"] = SearchTime(options.search_time).value
    return bool({name: value for name, value in ours.items() if name in measured} == measured)


def _names_the_option(error: Exception, measured: Json) -> bool:
    ours = {"stateKey": "state_key", "searchAsync": "search"}.get(measured["param_name"], "recent_message_memory_limit")
    return ours in str(error)


def test_every_deviation_is_a_case_and_has_an_allowed_reason(capsys: pytest.CaptureFixture[str]) -> None:
    names = {case["name"] for case in CASES}
    assert set(DEVIATIONS) <= names
    assert [problem for why, _ in DEVIATIONS.values() if (problem := why.problem())] == []
    assert set(OURS) == set(DEVIATIONS)
    counts = Counter(why.words for why, _ in DEVIATIONS.values())
    with capsys.disabled():
        print(f"\n{len(CASES)} measured cases: {len(CASES) - len(DEVIATIONS)} agree, {len(DEVIATIONS)} deviate:")
        for reason, count in counts.most_common():
            print(f"  {count:3} {reason}")
    assert len(CASES) == 369
