"""What a provider logs: counts; at trace level texts, redacted unless sensitive data is on; never an exception's text."""

from __future__ import annotations

import logging

from .options import ContextOptions, TextRedactor

TRACE = 5
"""Below DEBUG, as .NET's Trace: content, even redacted, is never a matter of ordinary logging."""

REDACTED = "<redacted>"


class ContextLog:
    """The log of one provider."""

    def __init__(self, logger: logging.Logger, options: ContextOptions, *, sensitive_data_allowed: bool) -> None:
        self._logger = logger
        self._redactor = options.redactor
        self._sensitive = options.enable_sensitive_telemetry_data and sensitive_data_allowed

    def retrieved(self, count: int) -> None:
        """A search gave `count` results."""
        self._logger.info("TextSearchProvider: Retrieved %d search results.", count)

    def searched(self, query: str, text: str) -> None:
        """What was searched before a model call, and the text made of it."""
        self._trace("TextSearchProvider: Search Results\nInput:%s\nOutput:%s", query, text)

    def called(self, query: str, text: str) -> None:
        """What the model asked the tool, and what it got."""
        self._trace("TextSearchProvider Input:%s\nOutput:%s", query, text)

    def failed(self, error: BaseException) -> None:
        """A search failed: its type only, since the message of an exception may hold the query."""
        self._logger.error(
            "TextSearchProvider: Failed to search for data due to error", extra={"error.type": type(error).__name__}
        )

    def _trace(self, template: str, query: str, text: str) -> None:
        if self._logger.isEnabledFor(TRACE):
            self._logger.log(TRACE, template, self._shown(query, "query"), self._shown(text, "evidence"))

    def _shown(self, text: str, kind: str) -> str:
        if not text or self._sensitive:
            return text
        return REDACTED if self._redactor is None else _redacted(self._redactor, text, kind)


def _redacted(redactor: TextRedactor, text: str, kind: str) -> str:
    # A redactor is anybody's code, and what it fails at must neither be shown nor cost the caller the context (spec 10).
    try:
        return redactor.redact(text, kind)
    except Exception:
        return REDACTED
