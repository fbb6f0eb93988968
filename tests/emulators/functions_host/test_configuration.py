"""host.json and its overrides: the values that are read, and those that keep the host from starting."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from emulators.functions_host import BadConfiguration, HostConfiguration, QueueConfiguration
from emulators.functions_host.configuration import read_configuration
from emulators.functions_host.settings import AppSettings

SECONDS = timedelta(seconds=1)


def read(folder: Path, content: Any, **settings: str) -> HostConfiguration:
    path = folder / "host.json"
    path.write_text(content if isinstance(content, str) else json.dumps({"version": "2.0", **content}))
    return read_configuration(path, AppSettings(settings))


def queues(**values: Any) -> dict[str, Any]:
    return {"extensions": {"queues": values}}


def test_defaults(tmp_path: Path) -> None:
    configuration = read(tmp_path, {})
    assert configuration == HostConfiguration()
    assert configuration.queues == QueueConfiguration(
        batch_size=16,
        new_batch_threshold=8,
        max_dequeue_count=5,
        max_polling_interval=timedelta(minutes=1),
        visibility_timeout=timedelta(0),
        base64=True,
    )
    assert configuration.function_timeout == timedelta(minutes=30)
    assert configuration.route_prefix == "api"


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ({"batchSize": 4}, "batch_size", 4),
        ({"batchSize": "4"}, "batch_size", 4),
        ({"batchSize": 4}, "new_batch_threshold", 2),
        ({"newBatchThreshold": 0}, "new_batch_threshold", 0),
        ({"maxDequeueCount": 1}, "max_dequeue_count", 1),
        ({"maxPollingInterval": "00:00:00.100"}, "max_polling_interval", timedelta(milliseconds=100)),
        ({"maxPollingInterval": 500}, "max_polling_interval", timedelta(days=500)),
        ({"visibilityTimeout": 30}, "visibility_timeout", timedelta(days=30)),
        ({"visibilityTimeout": "00:00:30"}, "visibility_timeout", 30 * SECONDS),
        ({"messageEncoding": "none"}, "base64", False),
        ({"messageEncoding": "None"}, "base64", False),
        ({"messageEncoding": "BASE64"}, "base64", True),
        ({"BATCHSIZE": 3}, "batch_size", 3),
        ({"batchSize": None}, "batch_size", 16),
    ],
)
def test_queue_values(tmp_path: Path, values: dict[str, Any], name: str, expected: Any) -> None:
    assert getattr(read(tmp_path, queues(**values)).queues, name) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (queues(batchSize=0), "extensions.queues.batchSize must be from 1 to 32"),
        (queues(batchSize=33), "extensions.queues.batchSize must be from 1 to 32"),
        (queues(batchSize="many"), "extensions.queues.batchSize cannot be read"),
        (queues(newBatchThreshold=-1), "extensions.queues.newBatchThreshold must be at least 0"),
        (queues(maxDequeueCount=0), "extensions.queues.maxDequeueCount must be at least 1"),
        (queues(maxPollingInterval="00:00:00.099"), "extensions.queues.maxPollingInterval must be at least"),
        (queues(maxPollingInterval="abc"), "String 'abc' was not recognized as a valid TimeSpan"),
        (queues(visibilityTimeout="-00:00:01"), "extensions.queues.visibilityTimeout must be not negative"),
        (queues(messageEncoding="utf8"), "'utf8' is not a valid value for QueueMessageEncoding"),
        ({"functionTimeout": "abc"}, "functionTimeout cannot be read. String 'abc' was not recognized"),
        ({"functionTimeout": "00:00:00"}, "functionTimeout '00:00:00' must be longer than nothing"),
        ({"version": "1.0"}, 'the required property "version" is missing or not "2.0"'),
        ("{}", 'the required property "version" is missing or not "2.0"'),
        ("[1]", "host.json must hold a JSON object"),
        ("{\n  nonsense", r"host.json is not JSON \(line 2\)"),
    ],
)
def test_what_keeps_the_host_from_starting(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(BadConfiguration, match=message):
        read(tmp_path, content)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match=r"^host\.json is missing"):
        read_configuration(tmp_path / "host.json", AppSettings({}))


@pytest.mark.parametrize(
    ("setting", "text", "name", "expected"),
    [
        ("AzureFunctionsJobHost__extensions__queues__batchSize", "2", "batch_size", 2),
        ("AZUREFUNCTIONSJOBHOST__EXTENSIONS__QUEUES__MAXDEQUEUECOUNT", "3", "max_dequeue_count", 3),
        ("AzureFunctionsJobHost:extensions:queues:visibilityTimeout", "00:00:05", "visibility_timeout", 5 * SECONDS),
        ("AzureFunctionsJobHost__extensions__queues__messageEncoding", "none", "base64", False),
    ],
)
def test_overrides(tmp_path: Path, setting: str, text: str, name: str, expected: Any) -> None:
    content = queues(batchSize=8, maxDequeueCount=9, visibilityTimeout="00:01:00")
    assert getattr(read(tmp_path, content, **{setting: text}).queues, name) == expected


def test_an_override_is_checked_like_the_file(tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration, match="batchSize must be from 1 to 32"):
        read(tmp_path, {}, AzureFunctionsJobHost__extensions__queues__batchSize="0")


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        ({"functionTimeout": "00:05:00"}, "function_timeout", timedelta(minutes=5)),
        ({"functionTimeout": "-1"}, "function_timeout", None),
        ({"telemetryMode": "OpenTelemetry"}, "open_telemetry", True),
        ({"telemetryMode": "default"}, "open_telemetry", False),
        ({"extensions": {"http": {"routePrefix": ""}}}, "route_prefix", ""),
        ({"extensions": {"http": {"routePrefix": "/v1/"}}}, "route_prefix", "v1"),
        ({"extensions": {"http": {"customHeaders": {"X-A": "b"}}}}, "custom_headers", {"X-A": "b"}),
        ({"extensions": {"http": {"maxOutstandingRequests": 5}}}, "max_outstanding_requests", 5),
        ({"extensions": {"http": {"maxOutstandingRequests": -1}}}, "max_outstanding_requests", None),
        ({"extensions": {"http": {"maxConcurrentRequests": 2}}}, "max_concurrent_requests", 2),
    ],
)
def test_host_values(tmp_path: Path, content: dict[str, Any], name: str, expected: Any) -> None:
    assert getattr(read(tmp_path, content), name) == expected


def test_mcp_values(tmp_path: Path) -> None:
    section = {
        "serverName": "ours",
        "serverVersion": "2",
        "instructions": "ask",
        "system": {"webhookAuthorizationLevel": "Anonymous"},
    }
    mcp = read(tmp_path, {"extensions": {"mcp": section}}).mcp
    assert (mcp.server_name, mcp.server_version, mcp.instructions, mcp.anonymous) == ("ours", "2", "ask", True)
    assert read(tmp_path, {}).mcp.anonymous is False
