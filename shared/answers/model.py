"""The model writer: an OpenAI-compatible chat model over fenced evidence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from shared.retrieval import MAX_ANSWER_CHARACTERS, QUIET, IdentityUnavailable, Signals, SpanHandle, fence

from .errors import ContentFiltered, ModelIncomplete, ModelTimeout
from .settings import ModelSettings
from .writer import NOT_ANSWERED, Draft, Task, TokenBudget, Usage, Writer

if TYPE_CHECKING:
    from .openai import Completion, Messages, OpenAIChat


# What a model is told: the fenced evidence, the prompt, and what was wrong with a first try.

CITE = "Cite the evidence each point relies on as plain text [Evidence n], never as a link."
SAY_SO = f'If the data do not tell what is asked, answer with this sentence alone: "{NOT_ANSWERED}"'
KEEP_MARKERS = (
    "The data are sections that were checked. Keep the markers [Evidence n] of each statement that you take over, as plain "
    "text, never as a link, and add no statement of your own."
)


def messages_of(task: Task) -> list[Mapping[str, str]]:
    """The messages of one call. Evidence stands in a fence of its own, apart from the prompt."""
    messages = [_said("user", fence(task.text)), _said("user", _prompt(task))]
    if task.rejected is not None:
        messages += [_said("assistant", task.rejected.text), _said("user", task.rejected.retry_prompt)]
    return messages


def _prompt(task: Task) -> str:
    """The prompt with how to answer it. Without required citations none is asked for."""
    asked = f"{task.prompt}\n\n{SAY_SO}"
    if not task.required:
        return asked
    return f"{asked}\n{CITE if task.material is None else KEEP_MARKERS}"


def _said(role: str, content: str) -> Mapping[str, str]:
    return {"role": role, "content": content}


SCOPE = "https://cognitiveservices.azure.com/.default"
FOUNDRY_SCOPE = "https://ai.azure.com/.default"
FOUNDRY_HOST = ".services.ai.azure.com"
AZURE_HOSTS = (".openai.azure.com", FOUNDRY_HOST, ".cognitiveservices.azure.com")
AZURE_PATH = "/openai/v1"
CHARACTERS_PER_TOKEN = 4
"""For the day's count only, where a service tells no usage: a limit must not be passed unseen."""

Provider = Literal["azure.ai.openai", "openai"]


class ModelWriter:
    """Writes with a chat model. `credential` gives the tokens; a loopback http endpoint gets none.

    At most `max_concurrency` calls run at once in one process. `tokens` counts them where a daily limit is set.
    """

    def __init__(
        self,
        settings: ModelSettings,
        credential: Any = None,
        tokens: TokenBudget | None = None,
        signals: Signals = QUIET,
    ) -> None:
        self._settings = settings
        self._credential = credential
        self._tokens = tokens
        self._signals = signals
        self._calls = asyncio.Semaphore(settings.max_concurrency)
        self._chat: OpenAIChat | None = None

    @property
    def identity(self) -> Writer:
        """Who writes."""
        return Writer("model", self._settings.deployment)

    async def write(self, task: Task) -> Draft:
        """The whole answer. Raises `ModelThrottled`, `ModelTimeout`, `ModelFailed`, `ModelRefused`, `ModelIncomplete`,
        `ContentFiltered`, `DailyLimit`, `IdentityUnavailable` and the storage errors of the day's count."""
        return await self.complete(messages_of(task), 1 if task.rejected is None else 2)

    async def complete(self, messages: Messages, attempt: int = 1) -> Draft:
        """The whole reply to messages of any kind, with the limits and the errors of `write`."""
        async with self._calls:
            await self._require_tokens()
            with self._span(messages, attempt) as span:
                completion = await self._complete(messages)
                span.set(answer=completion.text)
                _tell(span, completion.finish, completion.usage)
            await self._count(messages, completion.text, completion.usage)
        _require_whole(completion.text, completion.finish, completion.refused)
        return Draft(completion.text, completion.usage)

    async def stream(self, task: Task) -> AsyncIterator[Draft]:
        """The answer in pieces. Raises as `write`, also after some of them."""
        texts: list[str] = []
        messages = messages_of(task)
        finish, refused, usage = None, False, None
        async with self._calls:
            await self._require_tokens()
            try:
                with self._span(messages, 1 if task.rejected is None else 2) as span:
                    async for piece in self._pieces(messages):
                        finish, usage = piece.finish or finish, piece.usage or usage
                        refused = refused or piece.refused
                        if piece.text:
                            texts.append(piece.text)
                            yield Draft(piece.text)
                    span.set(answer="".join(texts))
                    _tell(span, finish, usage)
            finally:
                # Also for a reader that goes away in the middle: what was written is paid for.
                if texts or usage:
                    await self._count(messages, "".join(texts), usage)
        _require_whole("".join(texts), finish, refused)
        yield Draft("", usage)

    async def close(self) -> None:
        """Ends its connections."""
        if self._chat is not None:
            await self._chat.close()

    async def _complete(self, messages: Messages) -> Completion:
        chat = await self._connected()
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                return await chat.complete(messages, self._settings.max_output_tokens)
        except TimeoutError:  # the SDK's own limit starts anew with every byte
            raise ModelTimeout("the model did not answer in time") from None

    async def _pieces(self, messages: Messages) -> AsyncIterator[Completion]:
        pieces = (await self._connected()).stream(messages, self._settings.max_output_tokens)
        ends = time.monotonic() + self._settings.timeout_seconds
        while True:
            try:
                # Around each piece alone: a limit around all would end the reader of a piece, not the model.
                async with asyncio.timeout(ends - time.monotonic()):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise ModelTimeout("the model did not answer in time") from None
            yield piece

    async def _connected(self) -> OpenAIChat:
        """The client, made with the first call, its SDK imported in a thread: that takes half a second and more."""
        if self._chat is None:
            chat, settings = await asyncio.to_thread(_chat_class), self._settings
            # Another call may have made one while this one waited; a second one would never be closed.
            self._chat = self._chat or chat(
                base_url(settings.endpoint), settings.deployment, self._key(), settings.timeout_seconds
            )
        return self._chat

    def _key(self) -> str | Callable[[], Awaitable[str]] | None:
        """The key, or where tokens come from; None for an address that is sent neither.

        The app's token goes to Azure's own model hosts, to another https host only where a scope is set for it.
        """
        if self._settings.api_key:
            return self._settings.api_key
        https = urlsplit(self._settings.endpoint).scheme == "https"
        return self._token if https and (self._settings.scope or is_azure(self._settings.endpoint)) else None

    async def _token(self) -> str:
        host = urlsplit(self._settings.endpoint).hostname or ""
        scope = self._settings.scope or (FOUNDRY_SCOPE if host.endswith(FOUNDRY_HOST) else SCOPE)
        try:
            token = await self._credential.get_token(scope)
        except Exception:  # whatever a credential raises, there is no token, and its text names tenants and clients
            raise IdentityUnavailable("no token for the model could be had") from None
        return str(token.token)

    async def _require_tokens(self) -> None:
        if self._tokens is not None:
            await self._tokens.require()

    async def _count(self, messages: Messages, text: str, usage: Usage | None) -> None:
        if usage is not None:
            self._record(usage)
        if self._tokens is not None:
            sent = sum(len(str(message["content"])) for message in messages)
            estimate = (sent + len(text)) // CHARACTERS_PER_TOKEN
            await self._tokens.add(usage.input_tokens + usage.output_tokens if usage else estimate)

    def _span(self, messages: Messages, attempt: int) -> SpanHandle:
        # Telemetry redacts both the prompt and the answer; images are left out in any case.
        prompt = "\n\n".join(str(message["content"]) for message in messages if isinstance(message["content"], str))
        return self._signals.span("chat", attempt=attempt, prompt=prompt, **self._named())

    def _named(self) -> dict[str, str]:
        return {"operation": "chat", "provider": provider(self._settings.endpoint), "model": self._settings.deployment}

    def _record(self, usage: Usage) -> None:
        for kind, count in (("input", usage.input_tokens), ("output", usage.output_tokens)):
            self._signals.record("gen_ai.client.token.usage", count, token_type=kind, **self._named())


def _chat_class() -> type[OpenAIChat]:
    from .openai import OpenAIChat

    return OpenAIChat


def base_url(endpoint: str) -> str:
    """The address below which the SDK calls `/chat/completions`."""
    return endpoint.rstrip("/") + ("" if urlsplit(endpoint).path.strip("/") else AZURE_PATH)


def is_azure(endpoint: str) -> bool:
    """Whether an endpoint is one of Azure's own model hosts."""
    return (urlsplit(endpoint).hostname or "").endswith(AZURE_HOSTS)


def provider(endpoint: str) -> Provider:
    """The kind of service behind an endpoint, by OpenTelemetry's names."""
    return "azure.ai.openai" if is_azure(endpoint) else "openai"


def _tell(span: SpanHandle, finish: str | None, usage: Usage | None) -> None:
    if finish:
        span.set(finish_reason=finish)
    if usage:
        span.set(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)


def _require_whole(text: str, finish: str | None, refused: bool) -> None:
    """Raises unless the model ended its answer by itself."""
    if refused or finish == "content_filter":
        raise ContentFiltered("the model declined to answer")
    if finish == "length":
        raise ModelIncomplete("the answer was cut at the token limit")
    if not text.strip():
        raise ModelIncomplete("the model gave an empty answer")
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise ModelIncomplete("the model gave an answer over the limit")
