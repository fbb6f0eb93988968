"""The indexes of a call: those of the agent that the caller names, with both filters joined and the limits resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import InvalidFilter, InvalidRequest, NotConfigured, Problem
from ..filters.filter import ODataFilter, filter_from_json
from ..filters.policy import check_fields
from ..search.query import returned_fields
from ..search.responses import pick
from ..settings import AgentIndex, AgentSettings, IndexSettings
from .models import DEFAULT_DOCUMENTS, RetrieveRequest, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """One index to read: `filter` is what is sent, `own_filter` the caller's part of it, the only one that is shown, and
    `agent_filter` the agent's part."""

    index: IndexSettings
    filter: ODataFilter | None = None
    filter_path: str = "$"
    own_filter: str | None = None
    agent_filter: ODataFilter | None = None
    max_documents: int = DEFAULT_DOCUMENTS
    reranker_threshold: float | None = None
    include_source_data: bool = False

    @property
    def shown_fields(self) -> tuple[str, ...]:
        """The fields that source data has; none named where it has every field."""
        return returned_fields(self.index) or ()

    def shown(self, document: Mapping[str, object]) -> dict[str, object]:
        """What of a document callers may see (`ReturnFields`)."""
        fields = returned_fields(self.index)
        return dict(document) if fields is None else pick(document, fields)


def chosen_indexes(agent: AgentSettings, request: RetrieveRequest) -> tuple[AgentIndex, ...]:
    """The indexes that the request asks for, in the agent's order. Raises InvalidRequest for one outside the agent."""
    known = {index.name for index in agent.indexes}
    problems = [
        Problem(target.path, "unknown_index", "This index is not one of the agent.")
        for target in request.targets
        if target.index not in known
    ]
    if problems:
        raise InvalidRequest("The agent has no index of this name.", code="unknown_index", problems=tuple(problems))
    asked = {target.index for target in request.targets}
    return tuple(index for index in agent.indexes if not asked or index.name in asked)


def resolve_targets(
    agent: AgentSettings,
    request: RetrieveRequest,
    chosen: Sequence[AgentIndex],
    index_of: Callable[[str], IndexSettings],
) -> tuple[ResolvedTarget, ...]:
    """The targets for the chosen indexes. Raises InvalidFilter with its path for a filter that the index does not allow."""
    asked = {target.index: target for target in request.targets}
    params = "$.targetIndexParams" if request.shape == "agent" else "$.knowledgeSourceParams"
    # An index that is not named takes what one named without parameters would.
    return tuple(
        _resolved(agent, index, asked.get(index.name, Target(index=index.name, path=params)), index_of(index.name))
        for index in chosen
    )


def _resolved(agent: AgentSettings, own: AgentIndex, asked: Target, index: IndexSettings) -> ResolvedTarget:
    threshold = agent.reranker_threshold if asked.reranker_threshold is None else asked.reranker_threshold
    agents = _agent_filter(own)
    joined = _joined(agents, asked.filter)
    parent, dot, _ = asked.path.rpartition("].")
    path = f"{parent}].filterAddOn" if dot else asked.path
    check_fields(joined, index, path)
    return ResolvedTarget(
        index=index,
        filter=joined,
        filter_path=path,
        own_filter=None if asked.filter is None else asked.filter.text,
        agent_filter=agents,
        max_documents=asked.max_documents,
        reranker_threshold=threshold,
        include_source_data=asked.include_source_data,
    )


def _joined(agent: ODataFilter | None, caller: ODataFilter | None) -> ODataFilter | None:
    """Both in brackets, so that neither can widen the other."""
    if agent is None or caller is None:
        return agent or caller
    return agent.narrowed_by(caller)


def _agent_filter(own: AgentIndex) -> ODataFilter | None:
    if own.filter is None or isinstance(own.filter, ODataFilter):
        return own.filter
    try:
        return filter_from_json(own.filter)
    except InvalidFilter as error:
        raise NotConfigured(f"The filter of the agent's index {own.name} cannot be used.") from error
