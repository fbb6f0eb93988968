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
}
TRUSTS: dict[str, Any] = {
    "Name": "trusts",
    "ContentFields": ["name", "headquarters_town", "number_of_schools", "chief_executive", "summary"],
    "NameField": "name",
    "LinkField": "url",
    "KeyField": "trust_id",
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
