"""Real exchanges of the service: our replies have their shape, and their replies are read without loss."""

from __future__ import annotations

import json
import re
from itertools import count
from typing import Any

import pytest

from shared.retrieval import (
    AgentIndex,
    AgentSettings,
    IndexSettings,
    InvalidRequest,
    parse_agent_key,
    parse_retrieve_request,
    reply_to_json,
)
from shared.retrieval.agents.service import reply_from_service
from shared.retrieval.agents.targets import ResolvedTarget
from tests.knowledge.test_planned import asked
from tests.truths import measurement

Json = Any
RETRIEVES = [
    exchange
    for exchange in json.loads(measurement("azure-search-recordings/knowledge-retrieve.json").read_text(encoding="utf-8"))
    if exchange["request"]["path"].endswith("/retrieve")
]
SUPPORTED = [one for one in RETRIEVES if one["request"]["query"]["api-version"] == "2026-04-01"]
PRINTED = json.loads(
    measurement("azure-search-recordings/knowledge-agent-notebook-outputs.json").read_text(encoding="utf-8")
)


def names(exchange: Json) -> str:
    return str(exchange["source"].rsplit("/", 1)[-1])[-60:]


@pytest.mark.parametrize("exchange", SUPPORTED, ids=names)
async def test_our_reply_has_the_recorded_shape(exchange: Json) -> None:
    """The recorded index is empty: so is ours. What the service alone knows or words is left out on both sides."""
    recorded = exchange["response"]["body"]
    arguments = recorded["activity"][0]["searchIndexArguments"]
    name = recorded["activity"][0]["knowledgeSourceName"]
    key = parse_agent_key(re.fullmatch(r"/knowledgebases(.*)/retrieve", exchange["request"]["path"])[1])  # type: ignore[index]
    fields = [field["name"] for field in arguments["sourceDataFields"]]
    index = IndexSettings(
        name=name,
        content_fields=tuple(fields[:-1]),
        key_field=fields[-1],
        semantic_configuration=arguments["semanticConfigurationName"],
    )
    agent = AgentSettings(name=key, indexes=(AgentIndex(name=name),))
    reply, _ = await asked(exchange["request"]["body"], {}, agent=agent, indexes=(index,))
    assert comparable(reply) == comparable(recorded)


def comparable(reply: Json) -> Json:
    """Without times and figures that differ by nature, ids that the recorder hid, and the OData address."""
    copy = {name: value for name, value in json.loads(json.dumps(reply)).items() if not name.startswith("@odata")}
    for activity in copy["activity"]:
        for varying in ("id", "queryTime", "elapsedMs", "reasoningTokens"):
            activity.pop(varying, None)
    return copy


@pytest.mark.parametrize("exchange", [one for one in RETRIEVES if one not in SUPPORTED], ids=names)
def test_other_contracts_are_refused_by_name(exchange: Json) -> None:
    version = exchange["request"]["query"]["api-version"]
    with pytest.raises(InvalidRequest, match="api-version must be 2026-04-01"):
        parse_retrieve_request(exchange["request"]["body"], version, "knowledge_base")


def numbered(reply: Json) -> Json:
    """The reply with the ids that the recorder hid, counted anew."""
    copy = json.loads(json.dumps(reply))
    for members in (copy["activity"], copy["references"]):
        for number, one in zip(count(), members, strict=False):
            if one["id"] == "Sanitized":
                one["id"] = number if members is copy["activity"] else str(number)
    return copy


@pytest.mark.parametrize("exchange", RETRIEVES, ids=names)
def test_replies_of_the_service_come_out_as_they_came_in(exchange: Json) -> None:
    recorded = numbered(exchange["response"]["body"])
    targets = tuple(
        ResolvedTarget(index=IndexSettings(name=one["knowledgeSourceName"]), include_source_data=True)
        for one in recorded["activity"]
        if one["type"] == "searchIndex"
    )
    request = parse_retrieve_request({"intents": exchange["request"]["body"]["intents"]}, "2026-04-01", "knowledge_base")
    agent = agent_over([target.index.name for target in targets])
    reply = reply_to_json(reply_from_service(json.dumps(recorded).encode(), agent, targets), request)
    assert reply["response"] == recorded["response"]
    assert reply["references"] == recorded["references"]
    assert [plain(one) for one in reply["activity"]] == [plain(one) for one in recorded["activity"]]  # type: ignore[attr-defined]


def agent_over(names: list[str]) -> AgentSettings:
    """An agent of the service that names these indexes."""
    indexes = tuple(AgentIndex(name=name) for name in dict.fromkeys(names))
    return AgentSettings(name="recorded", engine="service", indexes=indexes, knowledge_base="recorded")


def plain(activity: Json) -> Json:
    """An activity to the millisecond, without what no shape of ours has: model name and reasoning effort, search fields."""
    copy = {k: v for k, v in activity.items() if k not in ("modelName", "retrievalReasoningEffort")}
    if "queryTime" in copy:
        copy["queryTime"] = copy["queryTime"][:23].rstrip("Z")
    if "searchIndexArguments" in copy:
        copy["searchIndexArguments"] = {k: v for k, v in copy["searchIndexArguments"].items() if k != "searchFields"}
    return copy


@pytest.mark.parametrize("printed", PRINTED[:2], ids=["suburbs", "lava"])
def test_printed_replies_of_knowledge_agents_have_our_members(printed: Json) -> None:
    """The SDK printed them in snake case; back in camel case they go through the service engine and come out the same."""
    activity, references = camel(printed["activity"]), camel(printed["references"])
    reply = {"response": [{"content": [{"type": "text", "text": "[]"}]}], "activity": activity, "references": references}
    request = parse_retrieve_request(
        {"messages": [{"content": [{"type": "text", "text": printed["user_message"]}]}]}, "2025-05-01-preview", "agent"
    )
    agent = agent_over([one["targetIndex"] for one in activity if one["type"] == "AzureSearchQuery"])
    ours = reply_to_json(reply_from_service(json.dumps(reply).encode(), agent, ()), request)
    for one in activity:
        if one["type"] == "AzureSearchQuery":
            one["query"].setdefault("filter", None)
    assert ours["activity"] == activity
    assert ours["references"] == [{**one, "sourceData": None} for one in references]


def camel(value: Json) -> Json:
    if isinstance(value, list):
        return [camel(one) for one in value]
    if isinstance(value, dict):
        return {re.sub(r"_(\w)", lambda m: m[1].upper(), name): camel(one) for name, one in value.items()}
    return value
