"""Settings of the model writer: frozen values, made by the caller (the app loads them from its environment)."""

from __future__ import annotations

from dataclasses import dataclass, field

DEFAULT_MAX_OUTPUT_TOKENS = 2_000
DEFAULT_MODEL_CONCURRENCY = 4
DEFAULT_MODEL_TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """An OpenAI-compatible chat endpoint (`AiAgents__Model__…`). Without an `endpoint` the extractive writer works.

    `endpoint` is https (http on a loopback address); the SDK adds `/chat/completions`. One without a path gets `/openai/v1`,
    where Azure OpenAI has it. `daily_token_limit` counts for the whole app, from midnight to midnight UTC.
    The app's token goes to Azure's own model hosts, to others only with a `scope` to ask it for. `api_key` is for endpoints
    that are not Azure's. `takes_images`: image parts of an agent's messages may be handed to it; their addresses are never
    fetched here.
    """

    endpoint: str
    deployment: str
    max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS
    max_concurrency: int = DEFAULT_MODEL_CONCURRENCY
    daily_token_limit: int | None = None
    takes_images: bool = False
    timeout_seconds: float = DEFAULT_MODEL_TIMEOUT_SECONDS
    api_key: str | None = field(default=None, repr=False)
    scope: str | None = None
