"""Canaries: texts in the place of content that must not leave. Each can be found again anywhere, in any spelling."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from urllib.parse import unquote

CONTENT = (
    "query",
    "filter_value",
    "raw_filter",
    "document_text",
    "document_key",
    "field_value",
    "link",
    "answer",
    "source_name",
    "source_link",
    "prompt",
    "model_reply",
    "parameter",
    "chunk",
    "state",
    "message",
    "unknown_index",
    "unknown_key",
    "malformed",
    "queue_garbage",
    "briefing_id",
    "batch_id",
    "agent",
    "route",
    "url_query",
    "user_agent",
    "exception",
    "log_line",
)
SECRETS = ("authorization", "functions_key", "query_source", "principal_name", "principal_claim", "function_code", "cookie")

CANARIES = {name: f"kanarie{place:02d}{name.replace('_', '')}" for place, name in enumerate((*CONTENT, *SECRETS))}

_PRINCIPAL = {
    "auth_typ": "aad",
    "name_typ": "name",
    "role_typ": "roles",
    "claims": [
        {"typ": "name", "val": CANARIES["principal_claim"]},
        *({"typ": "roles", "val": role} for role in ("Evidence.Read", "Briefings.Submit", "Briefings.Read")),
    ],
}
PRINCIPAL = base64.b64encode(json.dumps(_PRINCIPAL).encode()).decode()

SECRET_HEADERS = {
    "Authorization": f"Bearer {CANARIES['authorization']}",
    "x-functions-key": CANARIES["functions_key"],
    "x-ms-query-source-authorization": f"Bearer {CANARIES['query_source']}",
    "x-ms-client-principal": PRINCIPAL,
    "x-ms-client-principal-id": CANARIES["principal_name"],
    "x-ms-client-principal-name": CANARIES["principal_name"],
    "Cookie": f"session={CANARIES['cookie']}",
}
"""What every call carries."""


def found_in(text: str, names: Iterable[str] = CANARIES) -> set[str]:
    """The canaries in a text, in any case and escaping; the whole principal counts as its claim."""
    plain = unquote(text).lower()
    found = {name for name in names if CANARIES[name] in plain}
    if PRINCIPAL.rstrip("=").lower() in plain:
        found.add("principal_claim")
    return found & set(names)
