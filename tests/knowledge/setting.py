"""Indexes, agents and a scripted service for tests of retrieve."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from azure.core.rest import HttpRequest

from shared.retrieval import AgentIndex, AgentSettings, IndexSettings, Retrieval, RetrievalSettings
from tests.retrieval.doubles import ENDPOINT, CountingCredential, Scripted, ScriptedTransport, hits

SCHOOLS = IndexSettings(
    name="schools",
    content_fields=("name", "town", "note"),
    name_field="name",
    key_field="urn",
    return_fields=("urn", "name", "phase"),
    semantic_configuration="default",
)
TRUSTS = IndexSettings(name="trusts", content_fields=("name",), name_field="name", key_field="id")
AGENT = AgentSettings(name="hr", indexes=(AgentIndex(name="schools"), AgentIndex(name="trusts")))

Documents = Mapping[tuple[str, str], Sequence[dict[str, Any]] | Scripted]


def school(urn: str, score: float | None = 2.0, **more: Any) -> dict[str, Any]:
    ranked = {} if score is None else {"@search.rerankerScore": score}
    return {"urn": urn, "name": f"School {urn}", "town": "Bath", "phase": "Primary", **ranked, **more}


def trust(key: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "name": f"Trust {key}", **more}


class Service(ScriptedTransport):
    """Answers each search by its index and text; nothing where it knows nothing."""

    def __init__(self, documents: Documents) -> None:
        super().__init__(self._answer)
        self.documents = documents

    def _answer(self, request: HttpRequest) -> Scripted:
        index = unquote(request.url).split("indexes('")[1].split("')")[0]
        found = self.documents.get((index, json.loads(str(request.content, "utf-8"))["search"]), ())
        return found if isinstance(found, Scripted) else hits(*found)

    def filters(self) -> list[str | None]:
        """The filters that were sent."""
        return [body.get("filter") for body in self.bodies]


def retrieval_of(
    transport: ScriptedTransport, *indexes: IndexSettings, max_evidence_characters: int = 190_000, **more: Any
) -> Retrieval:
    settings = RetrievalSettings(
        endpoint=ENDPOINT,
        indexes=indexes or (SCHOOLS, TRUSTS),
        max_evidence_characters=max_evidence_characters,
        **more,
    )
    return Retrieval(settings, CountingCredential(), transport=transport)
