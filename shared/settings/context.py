"""The context part of the settings (spec 7): an index with its filter, and the options that are plain values."""

from __future__ import annotations

from shared.retrieval import ContextOptions, InvalidFilter, ODataFilter, RetrievalSettings, SearchTime, filter_from_json

from . import catalog as table
from .environment import Environment
from .problems import SettingProblem
from .retrieval import filter_faults
from .settings import ContextSettings

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
