"""App Service authentication in front of the app: takes forged platform headers away and puts a principal in.

A bearer token is the name of a principal from a table, so that a test can be any caller; a token that is not in the
table is refused with 401, as the platform does. A call without a token goes through without a principal.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .errors import HostError
from .messages import Request

PLATFORM_HEADERS = ("x-ms-client-principal", "x-ms-token-")
NAME_CLAIM = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name"
ID_CLAIM = "http://schemas.microsoft.com/identity/claims/objectidentifier"
ROLE_CLAIM = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A caller that has signed in; `roles` are its app roles."""

    name: str
    id: str
    roles: tuple[str, ...] = ()
    role_claim: str = "roles"

    def headers(self) -> tuple[tuple[str, str], ...]:
        """The headers that the platform sends to the app."""
        claims = [(NAME_CLAIM, self.name), (ID_CLAIM, self.id), *((self.role_claim, role) for role in self.roles)]
        content = {
            "auth_typ": "aad",
            "claims": [{"typ": kind, "val": value} for kind, value in claims],
            "name_typ": NAME_CLAIM,
            "role_typ": self.role_claim,
        }
        return (
            ("X-MS-CLIENT-PRINCIPAL", base64.b64encode(json.dumps(content).encode()).decode()),
            ("X-MS-CLIENT-PRINCIPAL-ID", self.id),
            ("X-MS-CLIENT-PRINCIPAL-NAME", self.name),
            ("X-MS-CLIENT-PRINCIPAL-IDP", "aad"),
        )


class UnknownToken(Exception):
    """The bearer token is not in the table: 401."""


@dataclass(frozen=True)
class Authentication:
    """The front: who each bearer token is."""

    principals: Mapping[str, Principal]

    def authenticate(self, request: Request) -> Request:
        """The request as the app receives it; raises `UnknownToken`."""
        headers = tuple(entry for entry in request.headers if not entry[0].casefold().startswith(PLATFORM_HEADERS))
        scheme, _, token = request.header("authorization").partition(" ")
        if scheme.casefold() != "bearer":
            return replace(request, headers=headers)
        principal = self.principals.get(token.strip())
        if principal is None:
            raise UnknownToken
        return replace(request, headers=(*headers, *principal.headers()))


def read_principals(path: Path) -> Authentication:
    """Reads `{"token": {"name": …, "id": …, "roles": […]}}`; raises `HostError`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        principals = {
            token: Principal(name=value["name"], id=value["id"], roles=tuple(value.get("roles", ())))
            for token, value in content.items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        rule = 'it must hold {"token": {"name": "…", "id": "…", "roles": ["…"]}}'
        raise HostError(f"The principals of {path.name} cannot be read: {rule}.") from error
    return Authentication(principals)
