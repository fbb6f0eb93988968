"""Errors of answers, under the roots of retrieval. No message holds a prompt, an answer or a key.

CallerError
├── ContentFiltered    the model's content filter, or the model itself, declined
└── ModelPromptTooLong the prompt is over the model's window or over its rate for one request
OperatorError
├── ModelRefused       the model endpoint refuses the request or the app's identity
└── ModelIncomplete    the answer was cut at the token cap or is empty
TemporaryError
├── ModelThrottled     the model asks to wait; carries `retry_after`
├── ModelTimeout       the time allowed for the model is over
├── ModelFailed        a fault of the model or of the connection
└── DailyLimit         the day's tokens are used up; `retry_after` runs until midnight UTC
"""

from __future__ import annotations

from shared.retrieval import CallerError, OperatorError, TemporaryError


class ContentFiltered(CallerError):
    """The model's content filter, or the model itself, declined to answer."""

    code = "content_filtered"


class ModelPromptTooLong(CallerError):
    """The prompt is over the model's window, or over its rate for one request."""

    code = "model_prompt_too_long"


class ModelRefused(OperatorError):
    """The model endpoint refuses the request or the app's identity; `status` is its HTTP status, for the log."""

    code = "model_refused"
    status: int | None = None


class ModelIncomplete(OperatorError):
    """The answer was cut at the token cap or is empty."""

    code = "model_incomplete"


class ModelThrottled(TemporaryError):
    """The model asks to wait; `retry_after` is in seconds."""

    code = "model_throttled"


class ModelTimeout(TemporaryError):
    """The time allowed for the model is over."""

    code = "model_timeout"


class ModelFailed(TemporaryError):
    """A fault of the model service or of the connection to it."""

    code = "model_failed"


class DailyLimit(TemporaryError):
    """The day's tokens are used up."""

    code = "daily_limit"
