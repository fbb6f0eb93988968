"""Errors of answers and briefings, under the roots of retrieval. No message holds a prompt, an answer, a parameter or a key.

CallerError
├── InvalidSubmission      a briefing that cannot be accepted; `problems` say where
├── InvalidContinuation    a continuation that this app did not give
├── BriefingNotFound       no briefing or batch of that id
├── BriefingGone           the briefing or batch was deleted; its id stays taken
├── BriefingConflict       the id is known with other content, or was deleted
├── BriefingBusy           it runs or waits to be run again, so it cannot be deleted now
└── ContentFiltered        the model's content filter, or the model itself, declined
OperatorError
├── DefinitionsBroken      a definition file is wrong; `problems` name file and key
├── StorageRefused         the storage refuses the app's identity, or container or queue is missing
├── ModelRefused           the model endpoint refuses the request or the app's identity
└── ModelIncomplete        the answer was cut at the token cap or is empty
TemporaryError
├── StorageUnavailable     a fault of blobs or queue
├── ModelThrottled         the model asks to wait; carries `retry_after`
├── ModelTimeout           the time allowed for the model is over
├── ModelFailed            a fault of the model or of the connection
├── DeadlinePassed         the run was not finished in its time
├── InternalFault          a mistake of this code; another try may meet it or not
└── DailyLimit             the day's tokens are used up; `retry_after` runs until midnight UTC
"""

from __future__ import annotations

from shared.retrieval import CallerError, InvalidRequest, OperatorError, TemporaryError


class InvalidSubmission(InvalidRequest):
    """A briefing that cannot be accepted."""


class InvalidContinuation(InvalidRequest):
    """A continuation that this app did not give for this list."""

    code = "invalid_continuation"


class BriefingNotFound(CallerError):
    """No briefing or batch of that id is known."""

    code = "not_found"


class BriefingGone(CallerError):
    """The briefing or batch was deleted; its id stays taken."""

    code = "gone"


class BriefingConflict(CallerError):
    """The id is known with other content, or was deleted."""

    code = "conflict"


class BriefingBusy(CallerError):
    """It runs or waits to be run again."""

    code = "busy"


class ContentFiltered(CallerError):
    """The model's content filter, or the model itself, declined to answer."""

    code = "content_filtered"


class DefinitionsBroken(OperatorError):
    """A definition file is wrong; each problem's path is `file: key`."""

    code = "not_configured"


class StorageRefused(OperatorError):
    """The storage refuses the app's identity, or the container or queue does not exist."""

    code = "storage_refused"


class ModelRefused(OperatorError):
    """The model endpoint refuses the request or the app's identity."""

    code = "model_refused"


class ModelIncomplete(OperatorError):
    """The answer was cut at the token cap or is empty."""

    code = "model_incomplete"


class StorageUnavailable(TemporaryError):
    """A fault of blobs or queue, or of the connection to them."""

    code = "storage_unavailable"


class ModelThrottled(TemporaryError):
    """The model asks to wait; `retry_after` is in seconds."""

    code = "model_throttled"


class ModelTimeout(TemporaryError):
    """The time allowed for the model is over."""

    code = "model_timeout"


class ModelFailed(TemporaryError):
    """A fault of the model service or of the connection to it."""

    code = "model_failed"


class DeadlinePassed(TemporaryError):
    """The run was not finished within `DeadlineSeconds`."""

    code = "deadline_passed"


class InternalFault(TemporaryError):
    """A mistake of this code, without its text: that may hold anything."""

    code = "internal_error"


class DailyLimit(TemporaryError):
    """The day's tokens are used up."""

    code = "daily_limit"


class Redeliver(Exception):
    """Raised to the queue so that it delivers the message again. Holds nothing but the reason's code."""

    def __init__(self, code: str) -> None:
        super().__init__(f"briefing not finished: {code}")
        self.code = code
