"""Errors of briefings, under the roots of retrieval. No message holds a prompt, an answer, a parameter or a key.

CallerError
├── InvalidSubmission      a briefing that cannot be accepted; `problems` say where
├── InvalidContinuation    a continuation that this app did not give
├── BriefingNotFound       no briefing or batch of that id
├── BriefingGone           the briefing or batch was deleted; its id stays taken
├── BriefingConflict       the id is known with other content, or was deleted
└── BriefingBusy           it runs, so it cannot be deleted now
OperatorError
├── DefinitionsBroken      a definition file is wrong; `problems` name file and key
└── StorageRefused         the storage refuses the app's identity, or container or queue is missing
TemporaryError
├── StorageUnavailable     a fault of blobs or queue
├── DeadlinePassed         the run was not finished in its time
└── InternalFault          a mistake of this code; another try may meet it or not
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
    """It runs."""

    code = "busy"


class DefinitionsBroken(OperatorError):
    """A definition file is wrong; each problem's path is `file: key`."""

    code = "not_configured"


class StorageRefused(OperatorError):
    """The storage refuses the app's identity, or the container or queue does not exist."""

    code = "storage_refused"


class StorageUnavailable(TemporaryError):
    """A fault of blobs or queue, or of the connection to them."""

    code = "storage_unavailable"


class DeadlinePassed(TemporaryError):
    """The run was not finished within `DeadlineSeconds`."""

    code = "deadline_passed"


class InternalFault(TemporaryError):
    """A mistake of this code, without its text: that may hold anything."""

    code = "internal_error"


class Redeliver(Exception):
    """Raised to the queue so that it delivers the message again. Holds nothing but the reason's code."""

    def __init__(self, code: str) -> None:
        super().__init__(f"briefing not finished: {code}")
        self.code = code
