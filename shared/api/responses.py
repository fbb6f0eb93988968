"""Replies, and the one place where errors become them (RFC 9457)."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from shared.answers import ContentFiltered, DailyLimit, ModelFailed, ModelIncomplete, ModelPromptTooLong, ModelTimeout
from shared.briefing import BriefingBusy, BriefingConflict, BriefingGone, BriefingNotFound
from shared.retrieval import (
    MAX_ERRORS,
    CallerError,
    Forbidden,
    IndexMisconfigured,
    OperatorError,
    Problem,
    RetrievalError,
    SearchFailed,
    SearchTimeout,
    TemporaryError,
    TooLarge,
)

PROBLEM_JSON = "application/problem+json"
JSON = "application/json"

ERROR_STATUS: dict[type[RetrievalError], int] = {
    CallerError: 400,
    TooLarge: 413,
    Forbidden: 403,
    OperatorError: 503,
    IndexMisconfigured: 502,
    TemporaryError: 503,
    SearchFailed: 502,
    SearchTimeout: 504,
    RetrievalError: 500,
    ContentFiltered: 422,
    ModelPromptTooLong: 422,
    BriefingNotFound: 404,
    BriefingGone: 410,
    BriefingConflict: 409,
    BriefingBusy: 409,
    ModelIncomplete: 502,
    ModelTimeout: 504,
    ModelFailed: 502,
    DailyLimit: 429,
}
"""Status of each error class; a class that is not named here takes that of its nearest base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Status, headers and body. A dict or list body is JSON; text and bytes go out as they are.

    `content_type` has no charset: the Functions library adds UTF-8 to every `text/…`.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON

    def with_headers(self, headers: Mapping[str, str]) -> Reply:
        """The same reply with more headers; those it has already win."""
        return replace(self, headers={**headers, **self.headers})

    def content(self) -> bytes:
        """The body as bytes."""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return b"" if self.body is None else _json(self.body)


def _json(body: Any) -> bytes:
    """`body` as JSON. It never fails for what a stored document holds: nothing guards the reply any more."""
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(body), ensure_ascii=False, allow_nan=False)
    return text.encode(errors="replace")


def _finite(value: Any) -> Any:
    """Numbers beyond a float, for which JSON has no word, as the largest one; what is no number as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else math.copysign(sys.float_info.max, value)
    if isinstance(value, Mapping):
        return {name: _finite(member) for name, member in value.items()}
    return [_finite(element) for element in value] if isinstance(value, list | tuple) else value


class HttpError(Exception):
    """A refusal that only HTTP knows: status, code, sentence and further headers."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error on its way out, still without a shape: problem details here, Azure's error on the retrieve routes."""

    status: int
    code: str
    message: str
    problems: Sequence[Problem] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


def failure_of(error: RetrievalError | HttpError) -> Failure:
    """Status and headers for an error, looked up along its base classes."""
    if isinstance(error, HttpError):
        return Failure(status=error.status, code=error.code, message=error.message, headers=error.headers)
    status = next(ERROR_STATUS[base] for base in type(error).__mro__ if base in ERROR_STATUS)
    headers = {} if error.retry_after is None else {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    return Failure(status=status, code=error.code, message=error.message, problems=error.problems, headers=headers)


def problem_reply(failure: Failure, request_id: str) -> Reply:
    """The failure as problem details, with at most MAX_ERRORS of its problems and the number of the others."""
    more = len(failure.problems) - MAX_ERRORS
    body = {
        "type": "about:blank",
        "title": HTTPStatus(failure.status).phrase,
        "status": failure.status,
        "detail": failure.message if more <= 0 else f"{failure.message} {more:,} more are not listed.",
        "code": failure.code,
        "errors": [{"path": p.path, "code": p.code, "message": p.message} for p in failure.problems[:MAX_ERRORS]],
        "requestId": request_id,
    }
    return Reply(status=failure.status, body=body, headers=failure.headers, content_type=PROBLEM_JSON)
