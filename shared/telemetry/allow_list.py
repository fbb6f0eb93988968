"""The allow-list: which attributes of a signal may leave the process, and as what.

An attribute leaves only if its signal lists it in `schema` and its value fits its rule.
docs/telemetry.md lists every signal.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from traceback import walk_tb
from typing import Any

from .redaction import Redactor
from .schema import ATTRIBUTES, OTHER, SPANS, ErrorType, Flag, Known, Number, OneOf, Package, Place, Text

# The words that an `error_type` may be beside HTTP statuses and names of exception classes. It is never a text.
ERROR_CODES = frozenset(
    {
        "bad_gateway",
        "body_too_large",
        "busy",
        "caller_token_refused",
        "caller_token_required",
        "cancelled",
        "conflict",
        "content_filtered",
        "daily_limit",
        "deadline_passed",
        "duplicate_key",
        "evidence_required",
        "evidence_too_long",
        "failed_checks",
        "gone",
        "identity_unavailable",
        "image_not_supported",
        "index_misconfigured",
        "internal_error",
        "invalid_api_version",
        "invalid_continuation",
        "invalid_filter",
        "invalid_json",
        "invalid_key",
        "invalid_message",
        "invalid_parameters",
        "invalid_query",
        "invalid_request",
        "invalid_retrieval",
        "invalid_source",
        "invalid_status",
        "length_required",
        "message_too_large",
        "model_failed",
        "model_incomplete",
        "model_prompt_too_long",
        "model_refused",
        "model_throttled",
        "model_timeout",
        "no_question",
        "not_configured",
        "not_found",
        "plan_unreadable",
        "principal_required",
        "principal_too_long",
        "request_missing",
        "retrieval_error",
        "role_required",
        "search_failed",
        "search_refused",
        "search_throttled",
        "search_timeout",
        "semantic_unavailable",
        "storage_failed",
        "storage_refused",
        "storage_unavailable",
        "stream_finished",
        "syntax_not_allowed",
        "telemetry_unsafe",
        "timeout",
        "too_deep",
        "too_large",
        "too_many_clauses",
        "too_many_requests",
        "too_many_sources",
        "too_many_values",
        "unauthenticated",
        "unknown_agent",
        "unknown_definition",
        "unknown_format",
        "unknown_index",
        "unknown_state",
        "unreadable_message",
        "unsupported_encoding",
        "unsupported_media_type",
    }
)
OTHER_ERROR = "_OTHER"

_OURS = ("shared.", "function_app:")

_STATUS = re.compile(r"[1-5][0-9]{2}\Z", re.ASCII)
_CODE = re.compile(r"[a-z]+(?:_[a-z]+)*\Z", re.ASCII)
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}\Z", re.ASCII)


def error_type(value: object) -> str:
    """Return the `error_type` of an exception, a code or an HTTP status; `_OTHER` for anything else.

    A string counts only if it is a registered code or a status, since it may come from a caller.
    """
    if isinstance(value, BaseException):
        return _exception_type(value)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text in ERROR_CODES or _STATUS.match(text) else OTHER_ERROR


def error_place(value: object) -> str | None:
    """Return `module:line` of the innermost frame of the app in an exception's traceback, else of its innermost frame."""
    if not isinstance(value, BaseException):
        return None
    places = [f"{frame.f_globals.get('__name__', '')}:{line}" for frame, line in walk_tb(value.__traceback__)]
    ours = [place for place in places if place.startswith(_OURS)]
    return next(reversed(ours or places), None)


def _exception_type(error: BaseException) -> str:
    code = getattr(error, "code", None)
    if isinstance(code, str) and (code in ERROR_CODES or (_is_ours(error) and _CODE.match(code))):
        return code
    name = type(error).__name__
    return name if _CLASS.match(name) else OTHER_ERROR


def _is_ours(error: BaseException) -> bool:
    """Return whether the app defines the class, so that its `code` is a word of the app and not of a caller."""
    return type(error).__module__.startswith(_OURS)


MAX_TEXT_CHARACTERS = 8_192
"""Application Insights keeps no more of one value."""


class SafeStr(str):
    """A string that the allow-list has passed. The exporters let no other string out."""

    __slots__ = ()


Value = bool | int | float | SafeStr


class AllowList:
    """Turns the attributes that the code gives into those that may leave: exported names, values by their rules."""

    def __init__(self, redactor: Redactor, *, sensitive: bool = False) -> None:
        self.redactor = redactor
        self.sensitive = sensitive
        self._known: dict[str, frozenset[str]] = {"span": frozenset(SPANS)}

    def allow(self, group: str, names: Iterable[str]) -> None:
        """Let these configured names out where a rule asks for a known name of the group."""
        self._known[group] = self._known.get(group, frozenset()) | frozenset(names)

    def attributes(self, allowed: frozenset[str], given: Mapping[str, object]) -> dict[str, Value]:
        """Return the values of `given` that may leave with the `allowed` attributes, without None and unfit values."""
        safe: dict[str, Value] = {}
        for key, said in given.items():
            if said is None or key not in allowed:
                continue
            row = ATTRIBUTES[key]
            value = _BY_RULE[type(row.rule)](self, row.rule, said)
            if value is not None:
                safe[row.exported] = value
        return safe

    def knows(self, group: str, name: str) -> bool:
        """Return whether `allow` has named it in the group."""
        return name in self._known.get(group, ())


def _number(allow_list: AllowList, rule: Number, value: object) -> Value | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) else None


def _flag(allow_list: AllowList, rule: Flag, value: object) -> Value | None:
    return value if isinstance(value, bool) else None


def _one_of(allow_list: AllowList, rule: OneOf, value: object) -> Value | None:
    return SafeStr(value if isinstance(value, str) and value in rule.words else OTHER)


def _known(allow_list: AllowList, rule: Known, value: object) -> Value | None:
    name = str(value)
    return SafeStr(name if allow_list.knows(rule.group, name) else OTHER)


def _error_type(allow_list: AllowList, rule: ErrorType, value: object) -> Value | None:
    return SafeStr(error_type(value))


def _package(allow_list: AllowList, rule: Package, value: object) -> Value | None:
    return SafeStr(value if isinstance(value, str) and value in sys.modules else OTHER)


def _place(allow_list: AllowList, rule: Place, value: object) -> Value | None:
    place = error_place(value)
    return None if place is None else SafeStr(place)


def _text(allow_list: AllowList, rule: Text, value: object) -> Value | None:
    if not isinstance(value, str):
        return None
    return SafeStr(allow_list.redactor.redact(value, rule.kind)[:MAX_TEXT_CHARACTERS])


_BY_RULE: dict[type, Callable[[AllowList, Any, object], Value | None]] = {
    Number: _number,
    Flag: _flag,
    OneOf: _one_of,
    Known: _known,
    ErrorType: _error_type,
    Package: _package,
    Place: _place,
    Text: _text,
}
"""A table and not a chain of conditions: this runs for every attribute of every signal."""
