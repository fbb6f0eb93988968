"""The allow-list: each rule, and that nothing unlisted or unfit leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.retrieval.errors import SearchThrottled
from shared.telemetry import REDACTED, TelemetrySettings, make_redactor
from shared.telemetry.allow_list import MAX_TEXT_CHARACTERS, AllowList, SafeStr
from shared.telemetry.schema import ATTRIBUTES, EXPORTED, Known, OneOf

ALL = frozenset(ATTRIBUTES)


class NotOurs(Exception):
    """Says a secret; its class name may leave, its text may not."""


class WithForeignCode(Exception):
    """Has a code that is not registered."""

    code = "CANARY"


def allow_list(**settings: object) -> AllowList:
    made = TelemetrySettings(**settings)  # type: ignore[arg-type]  # each row of the tables names its own members
    door = AllowList(make_redactor(made), sensitive=made.sensitive)
    door.allow("index", ["schools"])
    return door


@pytest.mark.parametrize(
    ("key", "value", "left"),
    [
        ("hits", 3, 3),
        ("hits", 0, 0),
        ("queue_wait", 1.5, 1.5),
        ("hits", "3", None),
        ("hits", True, None),
        ("hits", float("nan"), None),
        ("hits", float("inf"), None),
        ("hits", None, None),
        ("partial", True, True),
        ("partial", "CANARY", None),
        ("partial", 1, None),
        ("mode", "hybrid", "hybrid"),
        ("mode", "CANARY", "other"),
        ("mode", ["CANARY"], "other"),
        ("index", "schools", "schools"),
        ("index", "CANARY", "other"),
        ("definition", "nobody-allowed-any", "other"),
        ("agent", "nobody-allowed-any", "other"),
        ("error_type", "search_timeout", "search_timeout"),
        ("error_type", "CANARY", "_OTHER"),
        ("error_type", 429, "429"),
        ("error_type", "503", "503"),
        ("error_type", "99", "_OTHER"),
        ("error_type", True, "_OTHER"),
        ("error_type", {"CANARY": 1}, "_OTHER"),
        ("error_type", SearchThrottled("CANARY"), "search_throttled"),
        ("error_type", NotOurs("CANARY"), "NotOurs"),
        ("error_type", WithForeignCode("CANARY"), "WithForeignCode"),
        ("error_place", NotOurs("CANARY"), None),
        ("error_place", "CANARY", None),
        ("library", "logging", "logging"),
        ("library", "CANARY", "other"),
        ("library", 7, "other"),
        ("query", "CANARY", REDACTED),
        ("query", "", ""),
        ("query", 7, None),
        ("batch_id", "CANARY", REDACTED),
        ("error_message", "CANARY", REDACTED),
    ],
)
def test_rule(key: str, value: object, left: object) -> None:
    expected = {} if left is None else {ATTRIBUTES[key].exported: left}
    assert allow_list().attributes(ALL, {key: value}) == expected


def test_attributes_of_another_signal_stay_in() -> None:
    assert allow_list().attributes(frozenset({"hits"}), {"hits": 1, "kept": 2, "unheard_of": 3}) == {"app.hits": 1}


def test_error_place_is_the_innermost_frame_of_ours() -> None:
    try:
        make_redactor(TelemetrySettings(redactor="CANARY"))
    except ValueError as error:
        place = allow_list().attributes(ALL, {"error_place": error})["app.error.place"]
    assert str(place).startswith("shared.telemetry.redaction:")


def test_error_place_outside_the_app_is_its_innermost_frame() -> None:
    try:
        raise NotOurs("CANARY")
    except NotOurs as error:
        place = allow_list().attributes(ALL, {"error_place": error})["app.error.place"]
    assert str(place).startswith(f"{__name__}:")


def test_every_string_that_leaves_was_admitted() -> None:
    given_strings = dict.fromkeys(ALL, "schools")
    for value in allow_list().attributes(ALL, given_strings).values():
        assert isinstance(value, SafeStr)


def test_sensitive_data_shows_texts_but_no_secrets_and_no_unknown_names() -> None:
    door = allow_list(enable_sensitive_data=True)
    left = door.attributes(ALL, {"query": "CANARY Bearer abcdefgh", "index": "CANARY", "prompt": "x" * 20_000})
    assert left["app.search.query"] == "CANARY <secret>"
    assert left["app.index"] == "other"
    assert len(str(left["gen_ai.input.messages"])) == MAX_TEXT_CHARACTERS


def test_names_of_one_group_do_not_open_another() -> None:
    assert allow_list().attributes(ALL, {"agent": "schools", "index": "schools"}) == {
        "app.agent": "other",
        "app.index": "schools",
    }


@given(st.dictionaries(st.sampled_from(sorted(ALL)), st.text(alphabet="κ", min_size=1)))
def test_no_text_leaves_through_any_attribute(texts: dict[str, str]) -> None:
    assert "κ" not in repr(allow_list().attributes(ALL, texts))


def test_exported_names_are_unique_and_kept_by_the_exporter() -> None:
    assert len(EXPORTED) == len(ATTRIBUTES)
    dropped = ("db.", "http.", "net.", "messaging.", "rpc.", "enduser.", "exception.", "code.", "peer.", "server.", "url.")
    assert [name for name in EXPORTED if name.startswith(dropped)] == []


def test_closed_sets_do_not_overlap_their_stand_in() -> None:
    words = [row.rule.words for row in ATTRIBUTES.values() if isinstance(row.rule, OneOf)]
    assert all("other" not in found for found in words)
    assert {row.rule.group for row in ATTRIBUTES.values() if isinstance(row.rule, Known)} == {
        "agent", "definition", "field", "index", "model", "route", "setting", "span",
    }  # fmt: skip
