"""Who is calling: the three caller modes, app roles and the headers that only the platform may set."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Literal

from shared.retrieval import Caller, Forbidden
from shared.settings import AuthMode

from .requests import Request
from .responses import HttpError

Role = Literal["Evidence.Read", "Briefings.Submit", "Briefings.Read"]

PRINCIPAL_HEADER = "x-ms-client-principal"
QUERY_SOURCE_HEADER = "x-ms-query-source-authorization"
_ROLE_CLAIMS = ("roles", "http://schemas.microsoft.com/ws/2008/06/identity/claims/role")
_MAX_PRINCIPAL_CHARACTERS = 64 * 1024


def caller_of(request: Request, mode: AuthMode, role: Role) -> Caller:
    """The caller of a content route that asks for `role`.

    In `function` and `open` mode nobody has roles and platform headers mean nothing. In `entra` mode raises HttpError 401
    without a readable principal and Forbidden without the role.
    """
    token = request.header(QUERY_SOURCE_HEADER)
    if mode != "entra":
        return Caller(roles=frozenset(), query_source_authorization=token)
    roles = _roles(request.headers.get(PRINCIPAL_HEADER, ""))
    if role not in roles:
        raise Forbidden(f"The caller needs the app role {role}.", code="role_required")
    return Caller(roles=roles, query_source_authorization=token)


def _roles(header: str) -> frozenset[str]:
    if len(header) > _MAX_PRINCIPAL_CHARACTERS:
        message = f"The caller's identity has over {_MAX_PRINCIPAL_CHARACTERS:,} characters; give it fewer claims."
        raise HttpError(401, "principal_too_long", message)
    principal = _principal(header)
    claims = principal.get("claims") if isinstance(principal, dict) else None
    if not isinstance(claims, list):
        raise HttpError(401, "principal_required", "The call carries no identity that App Service has checked.")
    named = principal.get("role_typ")
    kinds = (*_ROLE_CLAIMS, named) if isinstance(named, str) else _ROLE_CLAIMS
    return frozenset(
        claim["val"]
        for claim in claims
        if isinstance(claim, dict) and claim.get("typ") in kinds and isinstance(claim.get("val"), str)
    )


def _principal(header: str) -> Any:
    try:
        return json.loads(base64.b64decode(header, validate=True))
    except (binascii.Error, ValueError, RecursionError):
        return None
