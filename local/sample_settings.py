"""App settings of a local run: the sample indexes, an agent and a context over them, the emulator's storage."""

from __future__ import annotations

import json
from typing import Any

SCHOOLS: dict[str, Any] = {
    "Name": "schools",
    "ContentFields": [
        *("name", "phase", "type", "town", "postcode", "local_authority", "headteacher", "number_on_roll"),
        *("percentage_free_school_meals", "open_date", "is_open", "summary"),
    ],
    "NameField": "name",
    "LinkField": "url",
    "KeyField": "urn",
    "SearchFields": ["urn", "name", "phase", "type", "town", "postcode", "local_authority", "headteacher", "summary"],
}
INSPECTIONS: dict[str, Any] = {
    "Name": "inspections",
    "ContentFields": ["school_name", "date", "outcome", "inspector", "title", "body"],
    "NameField": "title",
    "LinkField": "url",
    "KeyField": "id",
    "SemanticConfiguration": "default",
    "VectorFields": ["content_vector"],
    "MinimumRerankerScore": 1.5,
    "SearchFields": ["urn", "school_name", "outcome", "inspector", "title", "body"],
}
TRUSTS: dict[str, Any] = {
    "Name": "trusts",
    "ContentFields": ["name", "headquarters_town", "number_of_schools", "chief_executive", "summary"],
    "NameField": "name",
    "LinkField": "url",
    "KeyField": "trust_id",
    "SearchFields": ["name", "headquarters_town", "chief_executive", "summary"],
}
AGENTS: list[dict[str, Any]] = [
    {"Name": "schools-agent", "Indexes": [{"Name": "schools"}, {"Name": "inspections"}]},
]


def app_settings(search: str, storage: str) -> dict[str, str]:
    """The settings with `search` as endpoint and `storage` as connection string of the emulator."""
    return {
        "AiAgents__AISearch__Endpoint": search,
        "AiAgents__AISearch__Indexes": json.dumps([SCHOOLS, INSPECTIONS, TRUSTS]),
        "AiAgents__KnowledgeAgents": json.dumps(AGENTS),
        "AiAgents__Context__Index": "inspections",
        "AiAgents__Context__Unfiltered": "true",
        "AiAgents__Auth__Mode": "open",
        "BriefingStorage": storage,
        "AzureWebJobsStorage": storage,
        "FUNCTIONS_WORKER_RUNTIME": "python",
    }
