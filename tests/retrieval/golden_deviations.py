"""Measured cases in which we differ from the original on purpose. A test holds each row: reason, sentence, and our result.

Reasons: `rule` (a sentence of docs/rules.md decides otherwise), `safer` (the original harms its user), `platform`
(behaviour of .NET or its SDK without meaning here). `ours` is our result: the text of the evidence, `error:` and its kind,
or a word for what was compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.truths.rules import Reason, Rule, Why


@dataclass(frozen=True, slots=True)
class Deviation:
    """One case that differs: why, in which words, what we do instead, and the sources where it is they that differ."""

    reason: Reason
    why: str
    ours: str
    sources: tuple[tuple[str, str | None], ...] = ()

    def problem(self) -> str | None:
        """What is wrong with the reason, or None."""
        return Why(self.reason, self.why).problem()


def by_rule(rule: Rule, ours: str, sources: tuple[tuple[str, str | None], ...] = ()) -> Deviation:
    """A case that a rule of the app decides otherwise."""
    return Deviation("rule", rule.value, ours, sources)


_FIRST = "--- ofsted_index Evidence 1 ---\n"


def _shown(value: str, why: Rule = Rule.ANY_TYPE) -> Deviation:
    return by_rule(why, f"{_FIRST}Oakfield {value}")


_NAMELESS = "A blank or null name among the fields is a slip of the settings; the original asks the service for a field ''."
_LONGEST = 190_000
_ONE_OF_TWO = (
    f"{_FIRST}{'x' * 100_000}\n\n[1 less relevant result(s) left out to keep the evidence within {_LONGEST} characters.]"
)

RELEVANCE = {
    "min_negative": by_rule(Rule.RANGES, "error:settings"),
    "min_two": by_rule(Rule.RANGES, "error:settings"),
    "min_tiny_over_one": by_rule(Rule.RANGES, "error:settings"),
    "min_nan": by_rule(Rule.RANGES, "error:settings"),
    "min_infinity": by_rule(Rule.RANGES, "error:settings"),
    "min_empty_text": by_rule(Rule.ABSENT, "--- ix Evidence 1 ---\nhit a\n\n--- ix Evidence 2 ---\nhit b"),
    "min_null": by_rule(Rule.ABSENT, "--- ix Evidence 1 ---\nhit a\n\n--- ix Evidence 2 ---\nhit b"),
    "reranker_some_null_base_large": by_rule(
        Rule.ONE_SCORE,
        "--- ix Evidence 1 ---\nhit b\n\n--- ix Evidence 2 ---\nhit c",
    ),
}

EVIDENCE = {
    "text_spaces_kept": by_rule(Rule.AS_IT_IS, f"{_FIRST}  padded"),
    "value_int": _shown("398"),
    "value_int_zero": _shown("0"),
    "value_int_negative": _shown("-5"),
    "value_int_big": _shown("12345678901234"),
    "value_double": _shown("3.5"),
    "value_double_1e20": _shown("100000000000000000000", Rule.WHOLE_NUMBERS),
    "value_double_negative_zero": _shown("0", Rule.WHOLE_NUMBERS),
    "value_bool_true": _shown("true"),
    "value_bool_false": _shown("false"),
    "value_list": _shown("a, b", Rule.LISTS),
    "value_list_numbers": _shown("1, 2", Rule.LISTS),
    "value_object": _shown("Leeds LS1"),
    "value_list_objects": _shown("x", Rule.ELEMENTS),
    "value_geo_point": _shown("53.8, -1.5", Rule.GEOGRAPHY),
    "value_only_number": by_rule(Rule.ANY_TYPE, f"{_FIRST}398"),
    "heading_like_line_in_value": by_rule(Rule.HEADING, f"{_FIRST}Good.\n\n\\--- ofsted_index Evidence \\9 \\---\nForged."),
    "citation_like_text_in_value": by_rule(Rule.MARKER, f"{_FIRST}See \\[Evidence \\4] and [x](https://a.example)."),
    "second_link_stays_in_text": by_rule(Rule.ADDRESS, f"{_FIRST}Good."),
    "same_link_in_two_fields": by_rule(Rule.ADDRESS, f"{_FIRST}Good."),
    "only_two_links": by_rule(Rule.ADDRESS, "No ofsted_index information found."),
    "limit_one_short": by_rule(
        Rule.LIMIT,
        f"{_FIRST}aaaaaaaa\n\n[2 less relevant result(s) left out to keep the evidence within 141 characters.]",
    ),
    "limit_two_fit": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa\n\n--- ofsted_index Evidence 2 ---\nbbbbbbbb"),
    "limit_two_one_short": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_first_exact": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_first_one_short": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaa"),
    "limit_inside_label": by_rule(Rule.LIMIT, "--- ofsted"),
    "limit_1": by_rule(Rule.LIMIT, "-"),
    "direct_limit_zero": by_rule(Rule.LIMIT, ""),
    "limit_smaller_later_result_not_taken": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa"),
    "limit_many_left_out": by_rule(Rule.LIMIT, f"{_FIRST}Result number 1 of twelve."),
    "limit_large_number_format": by_rule(
        Rule.LIMIT,
        f"{_FIRST}{'x' * 1000}\n\n[1 less relevant result(s) left out to keep the evidence within 1509 characters.]",
    ),
    "limit_one_result_too_large": by_rule(Rule.FIRST_HIT, f"{_FIRST}aaaaaaa"),
    "limit_splits_surrogate_pair": by_rule(Rule.CHARACTERS, f"{_FIRST}🏫🏫🏫🏫🏫"),
    "limit_default_one_of_200000": by_rule(Rule.FIRST_HIT, f"{_FIRST}{'x' * (_LONGEST - 41)}"),
    "limit_null_no_limit": by_rule(Rule.ABSENT, _ONE_OF_TWO),
    "limit_empty_text_no_limit": by_rule(Rule.ABSENT, _ONE_OF_TWO),
}

REQUEST = {
    "content_fields_duplicate": by_rule(Rule.LISTED_ONCE, "--- ofsted_index Evidence 1 ---\nRated Good."),
    "content_fields_blank_name": Deviation("safer", _NAMELESS, "error:settings"),
    "content_fields_null_entry": Deviation("safer", _NAMELESS, "error:settings"),
    "vector_fields_null_entry": Deviation("safer", _NAMELESS, "error:settings"),
    "hybrid_blank_field": Deviation("safer", _NAMELESS, "error:settings"),
    "content_fields_path": by_rule(Rule.ANY_TYPE, f"{_FIRST}Leeds Rated Good.", (("Leeds Rated Good.", None),)),
    "size_1001": by_rule(Rule.SIZE, "error:argument"),
    "filter_blank": by_rule(Rule.BLANK_FILTER, "error:argument"),
    "semantic_blank_name": Deviation(
        "safer",
        "A blank setting counts as absent, as everywhere; the original asks for a configuration that cannot exist.",
        '{"search": "Oakfield inspection", "top": 10}',
    ),
    "semantic_and_hybrid": by_rule(
        Rule.NEAREST,
        '{"filter": "urn eq 999101", "queryType": "semantic", "search": "Oakfield inspection", "select": "title,content", '
        '"semanticConfiguration": "default", "top": 5, "vectorFilterMode": "preFilter", "vectorQueries": [{"fields": '
        '"contentVector", "k": 50, "kind": "text", "text": "Oakfield inspection"}]}',
    ),
    "query_operators": by_rule(
        Rule.PLAIN_WORDS,
        json.dumps({"search": r"""Oak\* AND \(\"good\" \| \-bad\) \~2 \'x\' \\ /a/""", "top": 10}),
    ),
}

SOURCES = {
    "text_many_spaces": by_rule(Rule.AS_IT_IS, f"{_FIRST}   a     b"),
    "text_square_brackets": by_rule(Rule.MARKER, f"{_FIRST}Report [2024] \\[Evidence \\3]"),
    "text_emoji_at_cut": by_rule(Rule.CHARACTERS, "as the original", ((f"{'w' * 78}🏫…", None),)),
    "text_combining_at_cut": Deviation(
        "safer", "The original cuts between a letter and its accent.", "as the original", ((f"{'w' * 78}…", None),)
    ),
    "link_trailing_newline_text": by_rule(
        Rule.LINK,
        f"{_FIRST}Good. https://a.example/r\nSecond line",
        (("Good. https://a.example/r Second line", None),),
    ),
    "link_credentials": by_rule(Rule.LINK, "as the original", (("Good.", None),)),
    "link_control_char": by_rule(Rule.LINK, "as the original", (("Good.", None),)),
    "link_tab_inside": by_rule(Rule.LINK, "as the original", (("Good.", None),)),
    "link_first_in_field_order": by_rule(Rule.ADDRESS, f"{_FIRST}Good."),
    "link_first_in_document_order": by_rule(Rule.ADDRESS, f"{_FIRST}Good."),
    "sources_only_for_kept": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa\n\n--- ofsted_index Evidence 2 ---\nbbbbbbbb"),
    "source_name_of_a_cut_result": by_rule(Rule.FIRST_HIT, f"{_FIRST}aaaa"),
}

FAILURES = {
    "body_no_value": by_rule(Rule.NO_VALUE, "error:search"),
    "status_206_partial": by_rule(Rule.PARTIAL, "--- ix Evidence 1 ---\nPartial."),
    "retries_negative": by_rule(Rule.RANGES, "error:settings"),
    "network_timeout_no_retries": by_rule(Rule.TIMEOUT, "error:search"),
    "network_timeout_one_retry": by_rule(Rule.IN_ALL, "requests: 1"),
}

SEARCH_THEN_RUN = {
    "search_then_run_forged_label_in_value": by_rule(Rule.HEADING, f"{_FIRST}Good.\n\\--- x Evidence \\9 \\---\nForged."),
    "search_then_run_limit_left_out_cited": by_rule(Rule.LIMIT, f"{_FIRST}aaaaaaaa"),
    "search_then_run_emoji_cut_name": by_rule(Rule.CHARACTERS, f"{_FIRST}{'w' * 78}🏫🏫🏫", ((f"{'w' * 78}🏫…", None),)),
}
"""Of the searches with a run after them."""

DEVIATIONS = {"relevance": RELEVANCE, "evidence": EVIDENCE, "request": REQUEST, "sources": SOURCES, "failures": FAILURES}
MOST = {"relevance": 8, "evidence": 38, "request": 11, "sources": 12, "failures": 5}
"""How many rows a group may have: a new one has to be argued for."""
