"""Loading of the settings from the environment (spec 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared.answers import ModelSettings
from shared.briefing import BriefingSettings, StorageSettings
from shared.retrieval import (
    ContextOptions,
    InvalidFilter,
    ODataFilter,
    RetrievalSettings,
    SearchTime,
    filter_from_json,
    in_azure,
    is_loopback_host,
)
from shared.telemetry import RedactorUnusable, TelemetrySettings, hmac_key

from . import catalog as table
from .environment import Environment, SettingProblem, SettingsError
from .retrieval import filter_faults, load_retrieval
from .settings import ContextSettings, Settings, load_auth

# The context part of the settings (spec 7): an index with its filter, and the options that are plain values.

_INDEX, _FILTER = table.CONTEXT + "Index", table.CONTEXT + "Filter"
_ROLES = table.CONTEXT + "RecentMessageRolesIncluded"


def load_context(
    env: Environment, retrieval: RetrievalSettings | None, missing: list[SettingProblem]
) -> ContextSettings | None:
    """The context's index, filter and options; None where no index is set."""
    index, filter_ = env.text(_INDEX), _filter(env)
    unfiltered = env.flag(table.CONTEXT + "Unfiltered")
    options = _options(env)
    if index is None:
        if filter_ is not None or unfiltered:
            env.problem(_INDEX, "is required with a filter")
        missing.append(SettingProblem(_INDEX, "is required for the context and the search tool"))
        return None
    known = None if retrieval is None else next((known for known in retrieval.indexes if known.name == index), None)
    if retrieval is not None and known is None:
        env.problem(_INDEX, f"is not among the indexes of {table.INDEXES}")
    if known is not None and (filter_ is not None or unfiltered):
        for message in sorted(filter_faults(filter_, known)):
            env.problem(_FILTER, message)
    if filter_ is not None and unfiltered:
        env.problem(_FILTER, "cannot stand beside Unfiltered true")
    if filter_ is None and not unfiltered and env.text(_FILTER) is None:
        env.problem(_FILTER, f"is required, unless {table.CONTEXT}Unfiltered is true")
    return ContextSettings(index=index, filter=filter_, options=options)


def _filter(env: Environment) -> ODataFilter | None:
    value = env.json(_FILTER, dict)
    if value is None:
        return None
    try:
        return filter_from_json(value, "")
    except InvalidFilter as error:
        for problem in error.problems or (error.at(""),):
            env.problem(_FILTER + problem.path, problem.message)
        return None


def _options(env: Environment) -> ContextOptions:
    times = tuple(time.value for time in SearchTime)
    return ContextOptions(
        search_time=SearchTime(env.choice(table.CONTEXT + "SearchTime", times[0], times)),
        recent_message_memory_limit=env.whole(table.CONTEXT + "RecentMessageMemoryLimit", 0, least=0, most=1_000),
        recent_message_roles_included=env.texts(_ROLES) or None,
        state_key=env.text(table.CONTEXT + "StateKey"),
        context_prompt=env.raw(table.CONTEXT + "ContextPrompt"),
        citations_prompt=env.raw(table.CONTEXT + "CitationsPrompt"),
        function_tool_name=env.text(table.CONTEXT + "FunctionToolName"),
        function_tool_description=env.text(table.CONTEXT + "FunctionToolDescription"),
    )


# What the app has to know of host.json: how often the queue delivers a message, and how long a function may run.

DEFAULT_MAX_DEQUEUE_COUNT = 5
OVERRIDES = "AzureFunctionsJobHost__"
_SPAN = re.compile(r"(?:(\d+)\.)?(\d{1,2}):(\d{2}):(\d{2})(?:\.\d+)?")


class HostFile:
    """The values of host.json under the settings that override them (`AzureFunctionsJobHost__a__b`), as in the host."""

    def __init__(self, env: Environment, path: Path | None) -> None:
        self._env = env
        self._values: Any = json.loads(path.read_text(encoding="utf-8")) if path is not None and path.is_file() else {}

    def max_dequeue_count(self) -> int:
        """How many times a message is delivered before it goes to the poison queue."""
        override = self._env.optional_whole(OVERRIDES + "extensions__queues__maxDequeueCount", least=1)
        found = self._value("extensions", "queues", "maxDequeueCount") if override is None else override
        return found if isinstance(found, int) and not isinstance(found, bool) and found >= 1 else DEFAULT_MAX_DEQUEUE_COUNT

    def function_timeout(self) -> float | None:
        """Seconds that a function may run; None where host.json sets no limit that can be read."""
        text = self._env.text(OVERRIDES + "functionTimeout") or self._value("functionTimeout")
        match = _SPAN.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)

    def _value(self, *keys: str) -> Any:
        node = self._values
        for key in keys:
            node = node.get(key) if isinstance(node, dict) else None
        return node


_QUEUE_NAME = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_HOST = re.compile(r"\[[0-9a-f:.]+\]|[^\s/:@?#*<>\"'\\\[\]]+")
_POISON_ROOM = len("-poison")


def load_settings(environ: Mapping[str, str], host_json: Path | None = None) -> Settings:
    """The settings of an environment. Never raises: what is wrong stands in `problems`, what is absent in `missing`.

    `host_json` is the app's own host file; from it and its overrides comes how often a message is delivered.
    """
    env = Environment(environ)
    missing: list[SettingProblem] = []
    _refuse_unknown_names(env)
    retrieval = load_retrieval(env)
    host, briefings = HostFile(env, host_json), _briefings(env)
    timeout = host.function_timeout()
    if timeout is not None and briefings.deadline_seconds >= timeout:
        env.problem(table.BRIEFINGS + "DeadlineSeconds", "must be below functionTimeout of host.json")
    model, storage = _model(env), _storage(env, in_azure(environ), missing)
    if model is not None and model.daily_token_limit is not None and storage is None:
        env.problem(table.MODEL + "DailyTokenLimit", "needs the briefing storage, where the tokens are counted")
    return Settings(
        retrieval=retrieval,
        context=load_context(env, retrieval, missing),
        model=model,
        briefings=briefings,
        storage=storage,
        telemetry=_telemetry(env, in_azure(environ)),
        auth=load_auth(environ),
        allowed_link_hosts=_link_hosts(env),
        max_concurrent_requests=env.whole(table.CONCURRENCY, 100, least=1, most=10_000),
        max_dequeue_count=host.max_dequeue_count(),
        client_id=env.text(table.CLIENT_ID),
        in_azure=in_azure(environ),
        problems=tuple(env.problems),
        missing=tuple(missing),
    )


def check_settings(environ: Mapping[str, str]) -> Settings:
    """The settings, for callers that want all of them right. Raises SettingsError with every problem together."""
    settings = load_settings(environ)
    if settings.problems:
        raise SettingsError(settings.problems)
    return settings


def queue_name(environ: Mapping[str, str]) -> str:
    """The briefing queue's name, needed when the module is imported; an unusable one falls to the default there."""
    return _briefings(Environment(environ)).queue_name


def _refuse_unknown_names(env: Environment) -> None:
    known = {setting.name.lower() for setting in table.SETTINGS}
    for name in env.under("AiAgents__"):
        full = f"AiAgents__{name}"
        if full.lower() not in known and not full.lower().startswith(table.INDEXES.lower() + "__"):
            env.problem(full, "is not a known setting")


def _link_hosts(env: Environment) -> tuple[str, ...]:
    hosts = tuple(host.strip().lower() for host in env.texts(table.LINK_HOSTS))
    if not all(_HOST.fullmatch(host) for host in hosts):
        env.problem(table.LINK_HOSTS, "must name hosts alone, such as www.example.org: no scheme, port, path or wildcard")
        return ()
    return hosts


def _model(env: Environment) -> ModelSettings | None:
    endpoint = env.address(table.MODEL + "Endpoint")
    deployment = env.text(table.MODEL + "Deployment")
    if deployment is None and env.text(table.MODEL + "Endpoint"):
        env.problem(table.MODEL + "Deployment", "is required with an endpoint")
    if deployment is not None and env.text(table.MODEL + "Endpoint") is None:
        env.problem(table.MODEL + "Endpoint", "is required with a deployment")
    tokens = env.whole(table.MODEL + "MaxOutputTokens", 2_000, least=1)
    concurrency = env.whole(table.MODEL + "MaxConcurrency", 4, least=1, most=1_000)
    daily = env.optional_whole(table.MODEL + "DailyTokenLimit", least=1)
    images = env.flag(table.MODEL + "TakesImages")
    if endpoint is None or deployment is None:
        return None
    return ModelSettings(
        endpoint=endpoint,
        deployment=deployment,
        max_output_tokens=tokens,
        max_concurrency=concurrency,
        daily_token_limit=daily,
        takes_images=images,
    )


def _briefings(env: Environment) -> BriefingSettings:
    done = env.text(table.BRIEFINGS + "DoneQueueName")
    if done is not None:
        done = _resource_name(env, "DoneQueueName", done, 63)
    queue = _resource_name(env, "QueueName", "briefings", 63 - _POISON_ROOM)
    if done in (queue, f"{queue}-poison"):
        env.problem(table.BRIEFINGS + "DoneQueueName", "must not be the briefing queue or its poison queue")
    return BriefingSettings(
        queue_name=queue,
        container=_resource_name(env, "Container", "briefings", 63),
        done_queue_name=done,
        max_concurrency=env.whole(table.BRIEFINGS + "MaxConcurrency", 4, least=1, most=1_000),
        deadline_seconds=env.number(table.BRIEFINGS + "DeadlineSeconds", 240, least=1, most=86_400),
        retention_days=env.whole(table.BRIEFINGS + "RetentionDays", 90, least=1, most=36_500),
    )


def _resource_name(env: Environment, key: str, default: str, longest: int) -> str:
    """A queue or container name by the rules of Azure Storage."""
    name = env.text(table.BRIEFINGS + key) or default
    if 3 <= len(name) <= longest and _QUEUE_NAME.fullmatch(name):
        return name
    env.problem(
        table.BRIEFINGS + key, f"must have 3 to {longest} lower-case letters, digits and single hyphens between them"
    )
    return default


def _storage(env: Environment, azure: bool, missing: list[SettingProblem]) -> StorageSettings | None:
    queue, blob = f"{table.STORAGE}__queueServiceUri", f"{table.STORAGE}__blobServiceUri"
    connection, before = env.text(table.STORAGE), len(env.problems)
    uris = [env.address(queue, loopback_http=False), env.address(blob, loopback_http=False)]
    credential = env.text(f"{table.STORAGE}__credential")
    if credential is not None and credential.lower() != "managedidentity":
        env.problem(f"{table.STORAGE}__credential", "must be managedidentity")
    if connection is not None:
        return _emulator(env, connection, azure)
    absent = [name for name in (queue, blob) if env.text(name) is None]
    missing.extend(SettingProblem(name, "is required for briefings") for name in absent)
    if absent or len(env.problems) > before:
        return None
    return StorageSettings(
        queue_service_uri=uris[0],
        blob_service_uri=uris[1],
        credential="managedidentity" if credential else None,
        client_id=env.text(f"{table.STORAGE}__clientId"),
    )


def _emulator(env: Environment, connection: str, azure: bool) -> StorageSettings | None:
    others = env.under(f"{table.STORAGE}__")
    if any(value.strip() for value in others.values()):
        env.problem(table.STORAGE, "cannot stand beside settings of the form BriefingStorage__…")
    elif azure or not _is_emulator(connection):
        env.problem(table.STORAGE, "a connection string is for the local emulator only; name the service addresses")
    else:
        return StorageSettings(connection_string=connection)
    return None


def _is_emulator(connection: str) -> bool:
    parts = dict(part.split("=", 1) for part in connection.split(";") if "=" in part)
    if parts.get("UseDevelopmentStorage", "").lower() == "true":
        return True
    endpoints = [value for key, value in parts.items() if key.lower().endswith("endpoint")]
    hosts = [re.match(r"http://(\[[^\]]+\]|[^/:]+)", endpoint) for endpoint in endpoints]
    return bool(hosts) and all(host is not None and is_loopback_host(host[1].strip("[]")) for host in hosts)


def _telemetry(env: Environment, azure: bool) -> TelemetrySettings:
    return TelemetrySettings(
        enable_sensitive_data=env.flag(table.TELEMETRY + "EnableSensitiveTelemetryData"),
        confirm_sensitive_in_azure=env.flag(table.TELEMETRY + "ConfirmSensitiveInAzure"),
        redactor=_redactor(env),
        hmac_key=env.text(table.TELEMETRY + "HmacKey"),
        hmac_key_id=env.text(table.TELEMETRY + "HmacKeyId"),
        connection_string=env.text("APPLICATIONINSIGHTS_CONNECTION_STRING"),
        client_id=env.text(table.CLIENT_ID),
        in_azure=azure,
    )


def _redactor(env: Environment) -> str:
    """`erase`, `hmac` with a usable key, or the name of a class."""
    name, setting = env.text(table.TELEMETRY + "Redactor") or "erase", table.TELEMETRY + "Redactor"
    if name.lower() in ("erase", "hmac"):
        name = name.lower()
    elif not re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", name):
        env.problem(setting, "must be erase, hmac or package.module:Class")
        return "erase"
    if name == "hmac":
        _check_hmac_key(env)
    return name


def _check_hmac_key(env: Environment) -> None:
    setting = table.TELEMETRY + "HmacKey"
    key = env.text(setting)
    if key is None:
        env.problem(setting, "is required with the redactor hmac")
        return
    try:
        hmac_key(key)
    except RedactorUnusable:
        env.problem(setting, "must be base64 of at least 44 characters (32 bytes)")
