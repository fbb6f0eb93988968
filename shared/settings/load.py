"""Loading of the settings: the tree of the environment as frozen values, with all problems together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from shared.answers import ModelSettings
from shared.answers.model import is_azure as is_azure_model
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

from .catalog import INDEXES
from .environment import Report, SettingProblem, SettingsError, read_app_settings
from .host_json import HostJson
from .retrieval import filter_problems, load_retrieval
from .settings import ContextSettings, Settings, load_auth
from .tree import AppSettings, BriefingsBlock, ContextBlock, ModelBlock, StorageBlock, TelemetryBlock

CONTEXT = "AiAgents__Context__"
MODEL = "AiAgents__Model__"
BRIEFINGS = "AiAgents__Briefings__"
TELEMETRY = "AiAgents__Telemetry__"
STORAGE = "BriefingStorage"
APP = Path(__file__).resolve().parents[2]
"""The app's folder, where `host.json` lies."""


def load_settings(environ: Mapping[str, str], host_json: Path | None = None) -> Settings:
    """The settings of an environment. Never raises: what is wrong stands in `problems`, what is absent in `missing`.

    `host_json` is the app's own host file; from it and its overrides comes how often a message is delivered.
    """
    report, azure, host = Report(), in_azure(environ), HostJson(environ, host_json)
    tree = read_app_settings(environ, report)
    block = tree.ai_agents
    retrieval = load_retrieval(tree, report)
    storage = _load_storage(tree.briefing_storage, azure, report)
    return Settings(
        retrieval=retrieval,
        context=_load_context(block.context, retrieval, report),
        model=_load_model(block.model, storage, report),
        briefings=_load_briefings(block.briefings, host, report),
        storage=storage,
        telemetry=_load_telemetry(tree, environ, azure, report),
        auth=load_auth(environ),
        allowed_link_hosts=block.citations.allowed_link_hosts,
        max_concurrent_requests=block.max_concurrent_requests,
        max_dequeue_count=host.max_dequeue_count(),
        client_id=tree.client_id,
        in_azure=azure,
        problems=report.sorted_problems(),
        missing=tuple(report.missing),
        warnings=tuple(report.warnings),
    )


def check_settings(environ: Mapping[str, str]) -> Settings:
    """The settings, for callers that want all of them right. Raises SettingsError with every problem together."""
    settings = load_settings(environ)
    if settings.problems:
        raise SettingsError(settings.problems)
    return settings


def queue_name(environ: Mapping[str, str]) -> str | None:
    """The briefing queue's name, needed when the module is imported; None for an unusable one.

    No other queue stands in for it then: its messages were never meant for this app.
    """
    report = Report()
    name = read_app_settings(environ, report).ai_agents.briefings.queue_name
    return None if report.names(f"{BRIEFINGS}QueueName") else name


def _load_context(block: ContextBlock, retrieval: RetrievalSettings | None, report: Report) -> ContextSettings | None:
    index, setting = block.index, f"{CONTEXT}Filter"
    own = _context_filter(block, report)
    options = _context_options(block, report)
    if index is None:
        if own is not None or block.unfiltered:
            report.add(f"{CONTEXT}Index", "Is required with a filter.")
        report.missing.append(SettingProblem(f"{CONTEXT}Index", "Is required for the context and the search tool."))
        return None
    known = {} if retrieval is None else {known.name: known for known in retrieval.indexes}
    if retrieval is not None and index not in known:
        report.add(f"{CONTEXT}Index", f"Is not among the indexes of {INDEXES}.")
    if index in known and (own is not None or block.unfiltered):
        for message in sorted(filter_problems(own, known[index])):
            report.add(setting, message)
    if own is not None and block.unfiltered:
        report.add(setting, "Cannot stand beside Unfiltered true.")
    if block.filter is None and not block.unfiltered and not report.names(setting):
        report.add(setting, f"Is required, unless {CONTEXT}Unfiltered is true.")
    return ContextSettings(index=index, filter=own, options=options)


def _context_filter(block: ContextBlock, report: Report) -> ODataFilter | None:
    try:
        return None if block.filter is None else filter_from_json(block.filter, "")
    except InvalidFilter as error:
        for problem in error.problems or (error.at(""),):
            report.add(f"{CONTEXT}Filter{problem.path}", problem.message)
        return None


def _context_options(block: ContextBlock, report: Report) -> ContextOptions:
    times = {time.value.lower(): time for time in SearchTime}
    if block.search_time.lower() not in times:
        report.add(f"{CONTEXT}SearchTime", f"Must be one of {', '.join(time.value for time in SearchTime)}.")
    return ContextOptions(
        search_time=times.get(block.search_time.lower(), SearchTime.BEFORE_AI_INVOKE),
        recent_message_memory_limit=block.recent_message_memory_limit,
        recent_message_roles_included=block.recent_message_roles_included,
        state_key=block.state_key,
        context_prompt=block.context_prompt,
        citations_prompt=block.citations_prompt,
        function_tool_name=block.function_tool_name,
        function_tool_description=block.function_tool_description,
    )


def _load_model(block: ModelBlock, storage: StorageSettings | None, report: Report) -> ModelSettings | None:
    named = {"Endpoint": block.endpoint, "Deployment": block.deployment}
    for key, value in named.items():
        if value is None and any(named.values()) and not report.names(MODEL + key):
            report.add(
                MODEL + key, "Is required with an endpoint." if key == "Deployment" else "Is required with a deployment."
            )
    if block.api_key is not None and block.endpoint is not None and is_azure_model(block.endpoint):
        report.add(f"{MODEL}ApiKey", "Must not be set with an endpoint of Azure, which takes the app's identity.")
    if block.api_key is not None and block.scope is not None:
        report.add(f"{MODEL}Scope", "Cannot stand beside ApiKey.")
    if block.endpoint is None or block.deployment is None:
        return None
    if block.daily_token_limit is not None and storage is None:
        report.add(f"{MODEL}DailyTokenLimit", "Needs the briefing storage, where the tokens are counted.")
    return ModelSettings(**block.model_dump())


def _load_briefings(block: BriefingsBlock, host: HostJson, report: Report) -> BriefingSettings:
    folder = None if block.definitions_folder is None else APP / block.definitions_folder
    settings = BriefingSettings(**block.model_dump() | {"definitions_folder": folder})
    if folder is not None and not folder.is_dir():
        report.add(f"{BRIEFINGS}DefinitionsFolder", "Must name an existing folder, relative to the app or absolute.")
    timeout = host.function_timeout()
    if timeout is not None and settings.deadline_seconds >= timeout:
        report.add(f"{BRIEFINGS}DeadlineSeconds", "Must be below functionTimeout of host.json.")
    if settings.done_queue_name in (settings.queue_name, settings.poison_queue_name):
        report.add(f"{BRIEFINGS}DoneQueueName", "Must not be the briefing queue or its poison queue.")
    return settings


def _load_storage(block: StorageBlock, azure: bool, report: Report) -> StorageSettings | None:
    values = block.model_dump()
    connection = values["connection_string"]
    if block.credential is not None and block.credential.lower() != "managedidentity":
        report.add(f"{STORAGE}__credential", "Must be managedidentity.")
    if connection is not None:
        if sum(value is not None for value in values.values()) > 1:
            report.add(STORAGE, "Cannot stand beside settings of the form BriefingStorage__….")
        elif azure or not _is_emulator(connection):
            report.add(STORAGE, "A connection string is for the local emulator only; name the service addresses.")
        else:
            return StorageSettings(connection_string=connection)
        return None
    absent = [name for name, field in StorageBlock.model_fields.items() if name.endswith("_uri") and values[name] is None]
    names = [f"{STORAGE}__{StorageBlock.model_fields[name].alias}" for name in absent]
    report.missing += [SettingProblem(name, "Is required for briefings.") for name in names if not report.names(name)]
    if absent or any(problem.section == "storage" for problem in report.problems):
        return None
    return StorageSettings(**values | {"credential": "managedidentity" if block.credential else None})


def _is_emulator(connection: str) -> bool:
    parts = {key.lower(): value for key, _, value in (part.partition("=") for part in connection.split(";"))}
    if parts.get("usedevelopmentstorage", "").lower() == "true":
        return True
    endpoints = [urlsplit(value) for key, value in parts.items() if key.endswith("endpoint")]
    return bool(endpoints) and all(at.scheme == "http" and is_loopback_host(at.hostname) for at in endpoints)


def _load_telemetry(tree: AppSettings, environ: Mapping[str, str], azure: bool, report: Report) -> TelemetrySettings:
    block = tree.ai_agents.telemetry
    connection = next((v for k, v in environ.items() if k.upper() == "APPLICATIONINSIGHTS_CONNECTION_STRING"), "")
    return TelemetrySettings(
        enable_sensitive_data=block.enable_sensitive_telemetry_data,
        confirm_sensitive_in_azure=block.confirm_sensitive_in_azure,
        redactor=_load_redactor(block, report),
        hmac_key=block.hmac_key,
        hmac_key_id=block.hmac_key_id,
        connection_string=connection.strip() or None,
        client_id=tree.client_id,
        in_azure=azure,
    )


def _load_redactor(block: TelemetryBlock, report: Report) -> str:
    """`erase`, `hmac` with a usable key, or the name of a class."""
    name = block.redactor.lower() if block.redactor.lower() in ("erase", "hmac") else block.redactor
    if name not in ("erase", "hmac") and not re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", name):
        report.add(f"{TELEMETRY}Redactor", "Must be erase, hmac or package.module:Class.")
        return "erase"
    if name == "hmac":
        try:
            hmac_key(block.hmac_key or "")
        except RedactorUnusable:
            given = "Must be base64 of at least 44 characters (32 bytes)." if block.hmac_key else None
            report.add(f"{TELEMETRY}HmacKey", given or "Is required with the redactor hmac.")
    return name
