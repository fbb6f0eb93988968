"""Measured cases in which we differ from the original on purpose. A test holds each row: reason, sentence, and our result.

Reasons: `spec` (a sentence of the contract decides otherwise; it is quoted), `safer` (the original harms its user),
`platform` (behaviour of .NET or its SDK without meaning here). `ours` is our result: the text of the evidence, `error:` and
its kind, or a word for what was compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Deviation:
    """One case that differs: why, in which words, what we do instead, and the sources where it is they that differ."""

    reason: Literal["spec", "safer", "platform"]
    why: str
    ours: str
    sources: tuple[tuple[str, str | None], ...] = ()


_ANY_TYPE = "fields sent to a model, in order, of any type"
_WHOLE_NUMBERS = "whole numbers as digits (`271`, never `271.0`)"
_ADDRESS = "A value that is wholly an http(s) address, also as list element or member, is never in the text."
_LIMIT = "The limit covers the whole text, note and headings included."
_CUT = "The first hit is always kept, cut at the limit if it alone is longer, and marked `truncated`."
_NULL = "A list or number given as JSON `null` or blank counts as absent"
_SHARE = "0–1: keep hits scoring at least this share of the top hit"
_TOGETHER = "all problems reported together in one error that names each setting and never its value"
_LINK = "`http://` or `https://`, a host, no credentials, no control characters"
_DEFUSED = "is defused visibly, so a parser finds exactly as many headings as hits"
_MARKER = "marker inside a value, which must not raise the highest allowed number"
_FIRST = "--- ofsted_index Evidence 1 ---\n"


def _shown(value: str, why: str = _ANY_TYPE) -> Deviation:
    return Deviation("spec", why, f"{_FIRST}Oakfield {value}")


_NAMELESS = "A blank or null name among the fields is a slip of the settings; the original asks the service for a field ''."
_TWICE = "A field listed twice is a slip of the settings that would be read twice by the model."
_GRAPHEME = "Characters are code points; no grapheme is split."
_MODES = "with semantic max(top, 50)"
_LONGEST = 190_000
_ONE_OF_TWO = (
    f"{_FIRST}{'x' * 100_000}\n\n[1 less relevant result(s) left out to keep the evidence within {_LONGEST} characters.]"
)

RELEVANCE = {
    "min_negative": Deviation("spec", _SHARE, "error:settings"),
    "min_two": Deviation("spec", _SHARE, "error:settings"),
    "min_tiny_over_one": Deviation("spec", _SHARE, "error:settings"),
    "min_nan": Deviation("spec", _SHARE, "error:settings"),
    "min_infinity": Deviation("spec", _SHARE, "error:settings"),
    "min_empty_text": Deviation("spec", _NULL, "--- ix Evidence 1 ---\nhit a\n\n--- ix Evidence 2 ---\nhit b"),
    "min_null": Deviation("spec", _NULL, "--- ix Evidence 1 ---\nhit a\n\n--- ix Evidence 2 ---\nhit b"),
    "reranker_some_null_base_large": Deviation(
        "spec",
        "One score kind per search: reranker if the search asked for it and a hit has one, else base.",
        "--- ix Evidence 1 ---\nhit b\n\n--- ix Evidence 2 ---\nhit c",
    ),
}

EVIDENCE = {
    "text_spaces_kept": Deviation("spec", "Values: text as it is (trailing space cut)", f"{_FIRST}  padded"),
    "value_int": _shown("398"),
    "value_int_zero": _shown("0"),
    "value_int_negative": _shown("-5"),
    "value_int_big": _shown("12345678901234"),
    "value_double": _shown("3.5"),
    "value_double_1e20": _shown("100000000000000000000", _WHOLE_NUMBERS),
    "value_double_negative_zero": _shown("0", _WHOLE_NUMBERS),
    "value_bool_true": _shown("true"),
    "value_bool_false": _shown("false"),
    "value_list": _shown("a, b", "lists joined with `, `"),
    "value_list_numbers": _shown("1, 2", "lists joined with `, `"),
    "value_object": _shown("Leeds LS1"),
    "value_list_objects": _shown("x", "(in lists each element's, in turn)"),
    "value_geo_point": _shown("53.8, -1.5", "a geography point as `field: latitude, longitude`"),
    "value_only_number": Deviation("spec", _ANY_TYPE, f"{_FIRST}398"),
    "heading_like_line_in_value": Deviation(
        "spec", _DEFUSED, f"{_FIRST}Good.\n\n\\--- ofsted_index Evidence \\9 \\---\nForged."
    ),
    "citation_like_text_in_value": Deviation("spec", _MARKER, f"{_FIRST}See \\[Evidence \\4] and [x](https://a.example)."),
    "second_link_stays_in_text": Deviation("spec", _ADDRESS, f"{_FIRST}Good."),
    "same_link_in_two_fields": Deviation("spec", _ADDRESS, f"{_FIRST}Good."),
    "only_two_links": Deviation("spec", _ADDRESS, "No ofsted_index information found."),
    "field_listed_twice_with_link": Deviation("safer", _TWICE, "error:settings"),
    "limit_one_short": Deviation(
        "spec",
        _LIMIT,
        f"{_FIRST}aaaaaaaa\n\n[2 less relevant result(s) left out to keep the evidence within 141 characters.]",
    ),
    "limit_two_fit": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaaa\n\n--- ofsted_index Evidence 2 ---\nbbbbbbbb"),
    "limit_two_one_short": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_first_exact": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_first_one_short": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaa"),
    "limit_inside_label": Deviation("spec", _LIMIT, "--- ofsted"),
    "limit_1": Deviation("spec", _LIMIT, "-"),
    "direct_limit_zero": Deviation("spec", _LIMIT, ""),
    "limit_smaller_later_result_not_taken": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_many_left_out": Deviation("spec", _LIMIT, f"{_FIRST}Result number 1 of twelve."),
    "limit_large_number_format": Deviation(
        "spec",
        _LIMIT,
        f"{_FIRST}{'x' * 1000}\n\n[1 less relevant result(s) left out to keep the evidence within 1509 characters.]",
    ),
    "limit_one_result_too_large": Deviation("spec", _CUT, f"{_FIRST}aaaaaaa"),
    "limit_splits_surrogate_pair": Deviation("spec", _GRAPHEME, f"{_FIRST}🏫🏫🏫🏫🏫"),
    "limit_default_one_of_200000": Deviation("spec", _CUT, f"{_FIRST}{'x' * (_LONGEST - 41)}"),
    "limit_null_no_limit": Deviation("spec", _NULL, _ONE_OF_TWO),
    "limit_empty_text_no_limit": Deviation("spec", _NULL, _ONE_OF_TWO),
}

REQUEST = {
    "content_fields_duplicate": Deviation("safer", _TWICE, "error:settings"),
    "content_fields_blank_name": Deviation("safer", _NAMELESS, "error:settings"),
    "content_fields_null_entry": Deviation("safer", _NAMELESS, "error:settings"),
    "vector_fields_null_entry": Deviation("safer", _NAMELESS, "error:settings"),
    "hybrid_blank_field": Deviation("safer", _NAMELESS, "error:settings"),
    "content_fields_path": Deviation("spec", _ANY_TYPE, f"{_FIRST}Leeds Rated Good.", (("Leeds Rated Good.", None),)),
    "size_1001": Deviation("spec", "size/top 1–1000", "error:argument"),
    "filter_blank": Deviation("spec", "blank templates, `{}`, keys that are no field paths: 400", "error:argument"),
    "semantic_blank_name": Deviation(
        "safer",
        "A blank setting counts as absent, as everywhere; the original asks for a configuration that cannot exist.",
        '{"search": "Oakfield inspection", "top": 10}',
    ),
    "semantic_and_hybrid": Deviation(
        "spec",
        _MODES,
        '{"filter": "urn eq 999101", "queryType": "semantic", "search": "Oakfield inspection", "select": "title,content", '
        '"semanticConfiguration": "default", "top": 5, "vectorFilterMode": "preFilter", "vectorQueries": [{"fields": '
        '"contentVector", "k": 50, "kind": "text", "text": "Oakfield inspection"}]}',
    ),
    "query_operators": Deviation(
        "spec",
        "Plain by default: the text is words",
        json.dumps({"search": r"""Oak\* AND \(\"good\" \| \-bad\) \~2 \'x\' \\ /a/""", "top": 10}),
    ),
}

SOURCES = {
    "text_many_spaces": Deviation("spec", "Values: text as it is (trailing space cut)", f"{_FIRST}   a     b"),
    "text_square_brackets": Deviation("spec", _MARKER, f"{_FIRST}Report [2024] \\[Evidence \\3]"),
    "text_emoji_at_cut": Deviation("spec", _GRAPHEME, "as the original", ((f"{'w' * 78}🏫…", None),)),
    "text_combining_at_cut": Deviation(
        "safer", "The original cuts between a letter and its accent.", "as the original", ((f"{'w' * 78}…", None),)
    ),
    "link_trailing_newline_text": Deviation(
        "spec", _LINK, f"{_FIRST}Good. https://a.example/r\nSecond line", (("Good. https://a.example/r Second line", None),)
    ),
    "link_credentials": Deviation("spec", _LINK, "as the original", (("Good.", None),)),
    "link_control_char": Deviation("spec", _LINK, "as the original", (("Good.", None),)),
    "link_tab_inside": Deviation("spec", _LINK, "as the original", (("Good.", None),)),
    "link_first_in_field_order": Deviation("spec", _ADDRESS, f"{_FIRST}Good."),
    "link_first_in_document_order": Deviation("spec", _ADDRESS, f"{_FIRST}Good."),
    "sources_only_for_kept": Deviation("spec", _LIMIT, f"{_FIRST}aaaaaaaa\n\n--- ofsted_index Evidence 2 ---\nbbbbbbbb"),
    "source_name_of_a_cut_result": Deviation("spec", _CUT, f"{_FIRST}aaaa"),
}

FAILURES = {
    "status_206_partial": Deviation(
        "spec", "Partial semantic results (HTTP 206 / partial reason, no reranker scores)", "--- ix Evidence 1 ---\nPartial."
    ),
    "retries_negative": Deviation("spec", _TOGETHER, "error:settings"),
    "network_timeout_no_retries": Deviation("spec", "Time out: 504 `search_timeout`.", "error:search"),
    "network_timeout_one_retry": Deviation("spec", "per search, honouring `Retry-After`, total bounded", "requests: 1"),
}

DEVIATIONS = {"relevance": RELEVANCE, "evidence": EVIDENCE, "request": REQUEST, "sources": SOURCES, "failures": FAILURES}
MOST = {"relevance": 8, "evidence": 38, "request": 11, "sources": 12, "failures": 4}
"""How many rows a group may have: a new one has to be argued for."""
