"""host.json with the `AzureFunctionsJobHost__…` settings laid over it, read as the Functions host reads it.

The host flattens the file into names and texts, so a number, its text and an override are all the same to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from .errors import BadConfiguration
from .settings import AppSettings
from .timespan import parse_timespan

Value = TypeVar("Value")
OVERRIDES = "AzureFunctionsJobHost"
QUEUES = "extensions:queues:"
HTTP = "extensions:http:"
MCP = "extensions:mcp:"
LARGEST_BATCH = 32
LEAST_POLLING = timedelta(milliseconds=100)


@dataclass(frozen=True, kw_only=True)
class QueueConfiguration:
    """`extensions.queues`: how messages are taken and when they are given up."""

    batch_size: int = 16
    new_batch_threshold: int = 8
    max_dequeue_count: int = 5
    max_polling_interval: timedelta = timedelta(minutes=1)
    visibility_timeout: timedelta = timedelta(0)
    base64: bool = True


@dataclass(frozen=True, kw_only=True)
class McpConfiguration:
    """`extensions.mcp`: how the tool server names itself and whether it asks for a key."""

    server_name: str = "Azure Functions MCP server"
    server_version: str = "1.0.0"
    instructions: str | None = None
    anonymous: bool = False


@dataclass(frozen=True, kw_only=True)
class HostConfiguration:
    """The values of host.json that the development host honours."""

    route_prefix: str = "api"
    custom_headers: Mapping[str, str] = field(default_factory=dict)
    max_outstanding_requests: int | None = None
    max_concurrent_requests: int | None = None
    function_timeout: timedelta | None = timedelta(minutes=30)
    open_telemetry: bool = False
    queues: QueueConfiguration = QueueConfiguration()
    mcp: McpConfiguration = McpConfiguration()


def read_configuration(path: Path, settings: AppSettings) -> HostConfiguration:
    """Reads host.json and its overrides; raises `BadConfiguration` for a value that the real host refuses at its start."""
    texts = _flatten(_read(path))
    texts |= settings.section(OVERRIDES)
    if texts.get("version") != "2.0":
        raise BadConfiguration('host.json: the required property "version" is missing or not "2.0".')
    return HostConfiguration(
        route_prefix=texts.get(HTTP + "routeprefix", "api").strip("/"),
        custom_headers=_headers(path),
        max_outstanding_requests=_limit(texts, "maxOutstandingRequests"),
        max_concurrent_requests=_limit(texts, "maxConcurrentRequests"),
        function_timeout=_function_timeout(texts),
        open_telemetry=texts.get("telemetrymode", "").casefold() == "opentelemetry",
        queues=_queues(texts),
        mcp=_mcp(texts),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise BadConfiguration("host.json is missing: an app folder holds host.json beside function_app.py.") from None
    except ValueError as error:
        raise BadConfiguration(f"host.json is not JSON (line {getattr(error, 'lineno', 1)}): correct it.") from error
    if not isinstance(content, dict):
        raise BadConfiguration("host.json must hold a JSON object.")
    return content


def _flatten(value: object, name: str = "") -> dict[str, str]:
    if isinstance(value, dict):
        parts = {f"{name}:{key}" if name else str(key): part for key, part in value.items()}
    elif isinstance(value, list):
        parts = {f"{name}:{position}": part for position, part in enumerate(value)}
    else:
        return {name.casefold(): _text(value)}
    return {key: text for part_name, part in parts.items() for key, text in _flatten(part, part_name).items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _headers(path: Path) -> dict[str, str]:
    """Names keep their case here, so they come from the file itself."""
    section = _read(path).get("extensions", {})
    headers = section.get("http", {}).get("customHeaders", {}) if isinstance(section, dict) else {}
    return {str(name): str(value) for name, value in headers.items()}


def _limit(texts: Mapping[str, str], name: str) -> int | None:
    """A number of requests; -1, as without the setting, is no limit."""
    text = texts.get(HTTP + name.casefold())
    number = _convert(f"extensions.http.{name}", text, int) if text else -1
    return number if number > 0 else None


def _function_timeout(texts: Mapping[str, str]) -> timedelta | None:
    text = texts.get("functiontimeout")
    if not text:
        return HostConfiguration.function_timeout
    if text == "-1":
        return None
    span = _convert("functionTimeout", text, parse_timespan)
    if span <= timedelta(0):
        raise BadConfiguration(f"host.json: functionTimeout {text!r} must be longer than nothing, or -1 for no limit.")
    return span


def _queues(texts: Mapping[str, str]) -> QueueConfiguration:
    def value(name: str, convert: Callable[[str], Value], otherwise: Value) -> Value:
        text = texts.get(QUEUES + name.casefold())
        return _convert(f"extensions.queues.{name}", text, convert) if text else otherwise

    default = QueueConfiguration()
    batch_size = value("batchSize", int, default.batch_size)
    queues = QueueConfiguration(
        batch_size=batch_size,
        new_batch_threshold=value("newBatchThreshold", int, batch_size // 2),
        max_dequeue_count=value("maxDequeueCount", int, default.max_dequeue_count),
        max_polling_interval=value("maxPollingInterval", parse_timespan, default.max_polling_interval),
        visibility_timeout=value("visibilityTimeout", parse_timespan, default.visibility_timeout),
        base64=value("messageEncoding", _is_base64, default.base64),
    )
    _check_queues(queues)
    return queues


def _check_queues(queues: QueueConfiguration) -> None:
    checks = [
        ("batchSize", 1 <= queues.batch_size <= LARGEST_BATCH, f"from 1 to {LARGEST_BATCH}"),
        ("newBatchThreshold", queues.new_batch_threshold >= 0, "at least 0"),
        ("maxDequeueCount", queues.max_dequeue_count >= 1, "at least 1"),
        ("maxPollingInterval", queues.max_polling_interval >= LEAST_POLLING, "at least 00:00:00.100"),
        ("visibilityTimeout", queues.visibility_timeout >= timedelta(0), "not negative"),
    ]
    for name, holds, rule in checks:
        if not holds:
            raise BadConfiguration(f"host.json: extensions.queues.{name} must be {rule}.")


def _is_base64(text: str) -> bool:
    encoding = text.casefold()
    if encoding not in ("none", "base64"):
        raise ValueError(f"'{text}' is not a valid value for QueueMessageEncoding: none or base64.")
    return encoding == "base64"


def _mcp(texts: Mapping[str, str]) -> McpConfiguration:
    default = McpConfiguration()
    return McpConfiguration(
        server_name=texts.get(MCP + "servername") or default.server_name,
        server_version=texts.get(MCP + "serverversion") or default.server_version,
        instructions=texts.get(MCP + "instructions") or None,
        anonymous=texts.get(MCP + "system:webhookauthorizationlevel", "").casefold() == "anonymous",
    )


def _convert(name: str, text: str, convert: Callable[[str], Value]) -> Value:
    try:
        return convert(text)
    except ValueError as error:
        # Our converters raise texts for people; that of `int` names the text that it could not read.
        raise BadConfiguration(f"host.json: {name} cannot be read. {error}") from error
