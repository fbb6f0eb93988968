"""What an `error_type` may be: codes of the app's own errors, HTTP statuses and classes of exceptions. Never a text."""

from __future__ import annotations

import re
from traceback import walk_tb

ERROR_CODES = frozenset(
    {
        "bad_gateway",
        "body_too_large",
        "busy",
        "caller_token_required",
        "cancelled",
        "conflict",
        "content_filtered",
        "daily_limit",
        "deadline_passed",
        "duplicate_key",
        "evidence_required",
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
        "model_refused",
        "model_throttled",
        "model_timeout",
        "no_question",
        "not_configured",
        "not_found",
        "plan_unreadable",
        "principal_required",
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
        "telemetry_unsafe",
        "timeout",
        "too_large",
        "too_many_requests",
        "too_many_sources",
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
    """The `error_type` of an exception, a code or a status: what it is, never what it says.

    A string is believed only when it is a registered code or a status, since it may come from outside.
    """
    if isinstance(value, BaseException):
        return _of_exception(value)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text in ERROR_CODES or _STATUS.match(text) else OTHER_ERROR


def error_place(value: object) -> str | None:
    """`module:line` of the innermost frame of ours in the traceback of an exception, or of its innermost frame."""
    if not isinstance(value, BaseException):
        return None
    places = [f"{frame.f_globals.get('__name__', '')}:{line}" for frame, line in walk_tb(value.__traceback__)]
    ours = [place for place in places if place.startswith(_OURS)]
    return next(reversed(ours or places), None)


def _of_exception(error: BaseException) -> str:
    code = getattr(error, "code", None)
    if isinstance(code, str) and (code in ERROR_CODES or (_is_ours(error) and _CODE.match(code))):
        return code
    name = type(error).__name__
    return name if _CLASS.match(name) else OTHER_ERROR


def _is_ours(error: BaseException) -> bool:
    """Whether the class of an exception is the app's own: its code is a word that the app has written."""
    return type(error).__module__.startswith(_OURS)
