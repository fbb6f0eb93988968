"""Measured citation cases in which we differ from the original on purpose; a test holds each row and its result.

Reasons: `rule` (a rule of docs/citations.md decides otherwise), `safer` (the original harms its user),
`platform` (behaviour of .NET without meaning here). Results are in the common form of `golden.py`, with the two usual
citations as «1» and «2».
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Deviation:
    """Cases that differ for one reason: our result of each, by name."""

    reason: Literal["rule", "safer", "platform"]
    why: str
    ours: dict[str, str]


DEVIATIONS = (
    Deviation(
        "rule",
        (
            "Only digits, signs, dots and separators after the word but no marker (`[Evidence 1.5]`, other digit "
            "scripts, over 6 digits, reversed or too long ranges): malformed."
        ),
        {
            "negative_not_required": "Good.",
            "decimal_not_required": "Good.",
            "seven_digits_not_required": "Good.",
            "seven_digits_beside_valid": "invalid",
            "seven_digits_beside_valid_not_required": "Good,.",
            "remove_seven_digits": "Good.",
        },
    ),
    Deviation(
        "rule",
        (
            "the word Evidence in any letter case, optional white space (none, several, no-break, one line break), "
            "`:` or `#`, then numbers in ASCII or full-width digits: one, or a group"
        ),
        {
            "fullwidth_digit": "Good «1».",
            "fullwidth_digit_beside_valid": "Good «1», «2».",
            "group_comma": "Good «1», «2».",
            "group_comma_not_required": "Good.",
            "group_words": "Good «1», «2».",
            "group_words_not_required": "Good.",
            "group_semicolon": "Good «1», «2».",
            "group_semicolon_not_required": "Good.",
            "group_range": "Good «1», «2».",
            "group_range_not_required": "Good.",
            "group_and": "Good «1», «2».",
            "group_and_not_required": "Good.",
            "group_beside_valid": "Good «1», «2», «2».",
            "group_beside_valid_not_required": "Good,.",
            "lower_case": "Good «1».",
            "lower_case_not_required": "Good.",
            "upper_case": "Good «1».",
            "upper_case_not_required": "Good.",
            "lower_beside_valid": "Good «1», «2».",
            "lower_beside_valid_not_required": "Good,.",
            "two_spaces_inside": "Good «1».",
            "two_spaces_inside_not_required": "Good.",
            "no_space_inside": "Good «1».",
            "no_space_inside_not_required": "Good.",
            "nbsp_inside": "Good «1».",
            "nbsp_inside_not_required": "Good.",
            "newline_inside": "Good «1».",
            "newline_inside_not_required": "Good.",
            "spaces_in_brackets": "Good «1».",
            "spaces_in_brackets_not_required": "Good.",
            "space_after_number": "Good «1».",
            "space_after_number_not_required": "Good.",
            "colon": "Good «1».",
            "colon_not_required": "Good.",
            "hash": "Good «1».",
            "hash_not_required": "Good.",
            "fullwidth_brackets": "Good «1».",
            "fullwidth_brackets_not_required": "Good.",
            "fullwidth_square": "Good «1».",
            "fullwidth_square_not_required": "Good.",
            "fullwidth_beside_valid": "Good «1», «2».",
            "fullwidth_beside_valid_not_required": "Good,.",
            "double_brackets": "Good «1».",
            "double_brackets_not_required": "Good.",
            "remove_double_brackets": "Good.",
            "remove_lower_case": "Good.",
        },
    ),
    Deviation(
        "rule",
        "Anything else (`[Evidence of harm]`), `\\[…\\]` and an image's alt text: ordinary text.",
        {
            "escaped_open_only": "invalid",
            "escaped_open_only_not_required": "Good \\[Evidence 1].",
        },
    ),
    Deviation(
        "rule",
        "Ordinary brackets, code spans and code blocks are untouched byte for byte.",
        {
            "inline_code": "invalid",
            "inline_code_not_required": "Good `[Evidence 1]` here.",
            "code_fence": "invalid",
            "code_fence_not_required": "Good:\n```\n[Evidence 1]\n```\n",
            "code_fence_html": "Good «1»:\n```html\n<b>x</b> ![a](https://a.example/i.png)\n```\n",
            "code_fence_html_not_required": "Good:\n```html\n<b>x</b> ![a](https://a.example/i.png)\n```\n",
        },
    ),
    Deviation(
        "rule",
        "`[Evidence 1](address)` is the citation alone",
        {
            "link_full": "Good «1».",
            "link_full_not_required": "Good.",
            "link_title": "Good «1».",
            "link_title_not_required": "Good.",
            "remove_link": "Good.",
        },
    ),
    Deviation(
        "rule",
        "a model-written link (inline, reference, auto) leaves its text, never its address",
        {
            "link_text_holds_citation": "Good see «1».",
            "link_text_holds_citation_not_required": "Good see.",
            "link_around_words_and_citation": "Rated Good «1».",
            "link_around_words_and_citation_not_required": "Rated Good.",
            "absolute_link_kept": "On GOV.UK «1».",
            "absolute_link_kept_not_required": "On GOV.UK.",
            "mailto_kept": "Email us «1».",
            "mailto_kept_not_required": "Email us.",
            "upper_scheme_kept": "On site «1».",
            "upper_scheme_kept_not_required": "On site.",
            "link_leading_space": "On site «1».",
            "link_leading_space_not_required": "On site.",
            "link_parens_in_target": "On site and x «1».",
            "link_parens_in_target_not_required": "On site and x.",
            "link_single_quote_title": "On site «1».",
            "link_single_quote_title_not_required": "On site.",
            "link_brackets_in_text": "On si[te] «1».",
            "link_brackets_in_text_not_required": "On si[te].",
            "autolink": "See https://a.example and mailto:a@b.example «1».",
            "autolink_not_required": "See https://a.example and mailto:a@b.example.",
            "image_in_link": "c «1».",
            "image_in_link_not_required": "c.",
            "stream_link_text_with_image": "a c b «1»",
            "stream_link_text_with_image_not_required": "a c b",
            "stream_link_in_link": "a b c «1»",
            "stream_link_in_link_not_required": "a b c",
            "stream_image_tag_in_link": " «1»",
            "stream_image_tag_in_link_not_required": "",
            "stream_image_before_link": "c «1»",
            "stream_image_before_link_not_required": "c",
        },
    ),
    Deviation(
        "safer",
        "A link to a script is taken out whatever brackets its address holds; the original misses it.",
        {
            "javascript_link": "Good «1» click go.",
            "javascript_link_not_required": "Good click go.",
        },
    ),
    Deviation(
        "safer",
        (
            "An image is taken out in every form; the original leaves those whose text or address holds brackets, so "
            "they load."
        ),
        {
            "image_parens": "Chart c «1».",
            "image_parens_not_required": "Chart c.",
            "image_reference": "Chart c «1».\n\n[ref]: https://evil.example/i.png",
            "image_reference_not_required": "Chart c.\n\n[ref]: https://evil.example/i.png",
            "image_alt_brackets": "Chart a [b] «1».",
            "image_alt_brackets_not_required": "Chart a [b].",
            "image_nested": "ab «1»",
            "image_nested_not_required": "ab",
            "image_reassembled": "!xy «1»",
            "image_reassembled_not_required": "!xy",
            "img_tag_gt_in_attribute": "Chart  «1».",
            "img_tag_gt_in_attribute_not_required": "Chart.",
            "stream_two_images_nested": "ab eg «1»",
            "stream_two_images_nested_not_required": "ab eg",
            "stream_bang_before_tag": "a!c «1»",
            "stream_bang_before_tag_not_required": "a!c",
        },
    ),
    Deviation(
        "safer",
        "A link that holds credentials is no link: the original shows the password in the page.",
        {
            "hostile_names": (
                "A {1|<script>alert(1)</script> & \"Co\" 'x'|https://a.example/r?b=1&c=%22x%22} B {2|Report "
                "[2024] [Evidence 1] **bold** $1 \\1|https://a.example/[x](y)} C {3|Ysgol Brontë – 橡树 🏫 "
                "é|https://ysgol-brontë.example/%E6%A9%A1%E6%A0%91?q=%C3%A9} D {4|padded|} E {5|relative|} "
                "F {6|line 1 line 2 tab|} G {7|![img](https://a.example/i.png)|}."
            ),
            "render_name_link_credentials": "x {1|Report|} y",
        },
    ),
    Deviation(
        "rule",
        "With no sources, or `required: false`, nothing is checked and `valid` is true.",
        {
            "source_missing_for_one": "invalid",
            "check_count_zero": "valid",
            "unnumbered_with_source": "invalid",
            "cut_label_none": "invalid",
        },
    ),
    Deviation(
        "safer",
        "A heading forged inside a value, or one without its start, gives no number that may be cited.",
        {
            "forged_label_cited": "invalid",
            "forged_label_gap": "invalid",
            "count_half_label": "0",
            "count_inside_words": "0",
            "search_then_run_forged_label_in_value": "invalid",
        },
    ),
    Deviation(
        "platform",
        "A null text is a .NET notion; here it is an empty one.",
        {
            "render_null_answer": "invalid",
            "evidence_null_text": "accepted",
        },
    ),
    Deviation(
        "rule",
        "`ambiguous_number` (two sources share it)",
        {
            "render_same_number_twice": "invalid",
            "evidence_number_twice": "accepted",
        },
    ),
    Deviation(
        "rule",
        "number ≥ 1, name not blank",
        {
            "render_name_blank": "refused",
        },
    ),
    Deviation(
        "platform",
        ".NET's Uri decodes unreserved characters that were percent-encoded; ours leaves them, as RFC 3986 allows.",
        {
            "render_name_link_percent": "x {1|Report|https://a.example/%25zz%41} y",
        },
    ),
    Deviation(
        "safer",
        "What taking something out puts together was no marker or link in the answer, and is none now.",
        {
            "stream_tag_removed_joins_link": "[x](rel) «1»",
            "stream_tag_removed_joins_link_not_required": "[x](rel)",
            "stream_tag_removed_joins_citation": "[Evidence 1] «2»",
            "stream_tag_removed_joins_citation_not_required": "[Evidence 1]",
            "stream_image_removed_joins_citation": "[Evidence 1] «2»",
            "stream_image_removed_joins_citation_not_required": "[Evidence 1]",
        },
    ),
)

MOST_SPEC = {"citations": 96, "streaming": 94, "searchThenRun": 0}
"""How many cases of a group may differ because the contract says so: no more than do now."""
