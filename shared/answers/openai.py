"""Chat with an OpenAI-compatible endpoint: the only file that imports the `openai` SDK, loaded with the first model call."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    DefaultAsyncHttpxClient,
    OpenAIError,
    omit,
)

from shared.retrieval import RetrievalError

from .errors import ContentFiltered, ModelFailed, ModelPromptTooLong, ModelRefused, ModelThrottled, ModelTimeout
from .writer import Usage

NO_KEY = "none"
MAX_COUNT = 10**12
"""No model counts more tokens in one call."""
_HALF = re.compile("[\ud800-\udfff]")
_TOO_LARGE = re.compile("request too large", re.IGNORECASE)
_OVER_WINDOW = re.compile("maximum context length|context window", re.IGNORECASE)
FILTER_CODES = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
DEFAULT_WAIT = 10.0
"""Seconds to wait after a 429 that does not say how long."""
LONGEST_WAIT = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer of the model, or a piece of one. `finish` and `usage` come with the last piece."""

    text: str
    finish: str | None = None
    refused: bool = False
    usage: Usage | None = None


Messages = Sequence[Mapping[str, Any]]
"""Roles and contents; a content is a text, or a list of text and image parts."""


class OpenAIChat:
    """One deployment behind one endpoint. Its own repetitions are off: who waits, and how long, is decided above."""

    def __init__(
        self, base_url: str, deployment: str, key: str | Callable[[], Awaitable[str]] | None, timeout_seconds: float
    ) -> None:
        # Without a key the SDK still wants one; the header that would carry it is left out.
        self._headers = {} if key else {"Authorization": omit}
        # A redirect would take the prompt, and on the same host the token, to wherever the reply says.
        http_client = DefaultAsyncHttpxClient(follow_redirects=False, timeout=timeout_seconds)
        self._client = AsyncOpenAI(
            base_url=base_url, api_key=key or NO_KEY, timeout=timeout_seconds, max_retries=0, http_client=http_client
        )
        # Plain roles and contents, as every version and every compatible server takes them; the SDK's types want more.
        self._completions: Any = self._client.chat.completions
        self._deployment = deployment

    async def complete(self, messages: Messages, max_tokens: int) -> Completion:
        """The whole answer. Raises the model errors of this package."""
        async with _translated():
            reply = await self._completions.create(
                model=self._deployment,
                messages=list(messages),
                max_completion_tokens=max_tokens,
                extra_headers=self._headers,
            )
            return _whole(reply)

    async def stream(self, messages: Messages, max_tokens: int) -> AsyncIterator[Completion]:
        """The answer in pieces, the last one with how it ended. Raises as `complete`, also between pieces."""
        async with _translated():
            pieces = await self._completions.create(
                model=self._deployment,
                messages=list(messages),
                max_completion_tokens=max_tokens,
                extra_headers=self._headers,
                stream=True,
                stream_options={"include_usage": True},
            )
            async with pieces:
                async for piece in pieces:
                    yield _piece(piece)

    async def close(self) -> None:
        """Ends its connections."""
        await self._client.close()


def _whole(reply: Any) -> Completion:
    if not reply.choices:
        return Completion("", usage=_usage(reply.usage))
    choice = reply.choices[0]
    refused = bool(getattr(choice.message, "refusal", None))
    return Completion(_text(choice.message.content), _word(choice.finish_reason), refused, _usage(reply.usage))


def _text(content: Any) -> str:
    """The text of a content: a text, or a list of text parts. Raises ModelFailed for anything else."""
    if isinstance(content, list):
        return "".join(
            _text(part.get("text") if isinstance(part, dict) else getattr(part, "text", part)) for part in content
        )
    if content is not None and not isinstance(content, str):
        raise ModelFailed("the model's reply cannot be read")
    # Half of a surrogate pair could be neither stored nor sent on.
    return _HALF.sub("\ufffd", content or "")


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _piece(piece: Any) -> Completion:
    usage = _usage(getattr(piece, "usage", None))
    if not piece.choices:
        return Completion("", usage=usage)
    choice = piece.choices[0]
    refused = bool(getattr(choice.delta, "refusal", None))
    return Completion(_text(choice.delta.content), _word(choice.finish_reason), refused, usage)


def _usage(usage: Any) -> Usage | None:
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    if not all(isinstance(count, int) and not isinstance(count, bool) and 0 <= count < MAX_COUNT for count in counts):
        return None
    return Usage(int(counts[0] or 0), int(counts[1] or 0))


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    try:
        yield
    except OpenAIError as error:
        # From nothing: the SDK's texts repeat what the service says about the prompt.
        raise translate(error) from None
    except RetrievalError:
        raise
    except Exception:  # a reply that is no chat completion, however the SDK trips over it
        raise ModelFailed("the model's reply cannot be read") from None


def translate(error: OpenAIError) -> RetrievalError:
    """The error of ours that says who must act."""
    if isinstance(error, APIStatusError):
        return _from_status(error)
    if isinstance(error, APITimeoutError):
        return ModelTimeout("the model did not answer in time")
    if isinstance(error, APIConnectionError):
        return ModelFailed("the model cannot be reached")
    if isinstance(error, APIError) and _is_filter(error):
        return ContentFiltered("the model's content filter declined")
    return ModelFailed("the model's reply cannot be read")


def _from_status(error: APIStatusError) -> RetrievalError:
    status = error.status_code
    if _is_filter(error):
        return ContentFiltered("the model's content filter declined")
    if _is_too_long(error):
        return ModelPromptTooLong("the prompt is longer than the model takes")
    if status == 429:
        return ModelThrottled("the model asks to wait", retry_after=_retry_after(error) or DEFAULT_WAIT)
    if status == 408:
        return ModelTimeout("the model did not answer in time")
    if status >= 500:
        return ModelFailed("the model service failed", retry_after=_retry_after(error))
    refused = ModelRefused("the model endpoint refuses the request" if status >= 400 else "the model endpoint redirects")
    refused.status = status
    return refused


def _is_too_long(error: APIStatusError) -> bool:
    """Whether the prompt is over the model's window, or alone over the tokens of a minute, which no wait cures."""
    body = error.body if isinstance(error.body, dict) else {}
    message = str(body.get("message") or "")
    if error.status_code == 429:
        return _TOO_LARGE.search(message) is not None
    return "context_length_exceeded" in (error.code, body.get("code")) or _OVER_WINDOW.search(message) is not None


def _is_filter(error: APIError) -> bool:
    """Whether a filter declined: the code stands in different places, by service and version."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("innererror") if isinstance(body.get("innererror"), dict) else {}
    codes = (error.code, body.get("code"), (inner or {}).get("code"))
    return any(isinstance(code, str) and code.replace("_", "").lower() in _FILTERS for code in codes)


_FILTERS = frozenset(code.replace("_", "") for code in FILTER_CODES)


def _retry_after(error: APIStatusError) -> float | None:
    """Seconds to wait, as the reply says: in milliseconds, in seconds or as a date."""
    headers = error.response.headers
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return min(max(float(headers.get(name, "")) / divisor, 0.0), LONGEST_WAIT)
        except ValueError:
            continue
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, TypeError):
        return None
    return min(max((moment - datetime.now(UTC)).total_seconds(), 0.0), LONGEST_WAIT)
