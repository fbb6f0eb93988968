"""Errors of retrieval, sorted by who must act. No message holds a query, a filter value, a key or a text of a service.

RetrievalError
├── CallerError                the call has to change
│   ├── InvalidRequest         a member is missing, malformed or out of range
│   │   ├── InvalidFilter      a filter cannot be built, parsed or is not allowed
│   │   ├── InvalidQuery       the service refuses the caller's syntax, order or filter type
│   │   └── UnknownName        an index, agent or definition that is not configured
│   ├── TooLarge               a text or list is over its limit
│   └── Forbidden              this caller may not read that index
├── OperatorError              set-up or permissions have to change
│   ├── NotConfigured          a setting is missing
│   ├── IndexMisconfigured     a configured index or field does not exist as configured
│   ├── SearchRefused          the service refuses the app's identity
│   ├── IdentityUnavailable    no token could be had
│   └── SemanticUnavailable    the semantic ranker is switched off or over its quota
└── TemporaryError             the same call may work later
    ├── SearchThrottled        carries `retry_after`
    ├── SearchFailed           a fault of the service or of the connection
    └── SearchTimeout          the time allowed is over
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a request: JSON path (`$.searches[0].filter`), code and a sentence without its value."""

    path: str
    code: str
    message: str


class RetrievalError(Exception):
    """Root of the tree. `code` is the stable name that callers see, `problems` say where."""

    code = "retrieval_error"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        problems: tuple[Problem, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.problems = problems
        self.retry_after = retry_after

    def at(self, path: str) -> Problem:
        """The error as a problem of the member at `path`."""
        return Problem(path, self.code, self.message)


class CallerError(RetrievalError):
    """The call has to change."""

    code = "invalid_request"


class InvalidRequest(CallerError):
    """A member is missing, malformed or out of range."""


class InvalidFilter(InvalidRequest):
    """A filter that cannot be built or parsed, or that the index does not allow."""

    code = "invalid_filter"


class InvalidQuery(InvalidRequest):
    """The service refuses the caller's query syntax, order or filter type."""

    code = "invalid_query"


class UnknownName(InvalidRequest):
    """A name that is not configured; `code` says of what (`unknown_index`, `unknown_agent`, …)."""

    code = "unknown_index"


class TooLarge(CallerError):
    """A text or list over its limit."""

    code = "too_large"


class Forbidden(CallerError):
    """This caller may not read that index (`role_required`, `caller_token_required`)."""

    code = "role_required"


class OperatorError(RetrievalError):
    """Set-up or permissions have to change."""

    code = "not_configured"


class NotConfigured(OperatorError):
    """A setting is missing or wrong."""


class IndexMisconfigured(OperatorError):
    """A configured index, field or semantic configuration does not exist as configured."""

    code = "index_misconfigured"


class SearchRefused(OperatorError):
    """The search service refuses the app's identity."""

    code = "search_refused"


class IdentityUnavailable(OperatorError):
    """No token could be had for the app's identity."""

    code = "identity_unavailable"


class SemanticUnavailable(OperatorError):
    """The semantic ranker is switched off or over its quota."""

    code = "semantic_unavailable"


class TemporaryError(RetrievalError):
    """The same call may work later."""

    code = "search_failed"


class SearchThrottled(TemporaryError):
    """The service asks to wait; `retry_after` is in seconds."""

    code = "search_throttled"


class SearchFailed(TemporaryError):
    """A fault of the service or of the connection, or a reply that cannot be read."""


class SearchTimeout(TemporaryError):
    """The time allowed for the search is over."""

    code = "search_timeout"
