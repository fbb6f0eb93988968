"""Document permissions: the caller by the token of `x-ms-query-source-authorization`, and the documents open to it.

A token is either one that was registered here, or a JWT whose claims `oid` and `groups` are read; its signature is not
checked, since nothing outside this machine is asked. Without a token no document of a trimmed index is seen.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ServiceError
from ..index import SearchIndex
from ..schema.fieldvalues import values_at
from ..storage.store import Document, Mask

HEADER = "x-ms-query-source-authorization"
EVERYBODY = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A user and the groups that user is in, as ids."""

    user: str | None = None
    groups: frozenset[str] = frozenset()


class Identities:
    """Registered tokens, each with its user and groups."""

    def __init__(self) -> None:
        self._known: dict[str, Identity] = {}

    def register(self, token: str, *, user: str | None = None, groups: Iterable[str] = ()) -> None:
        """Register a token for a user and groups."""
        self._known[token] = Identity(user=user, groups=frozenset(groups))

    def of(self, headers: Mapping[str, str]) -> Identity | None:
        """Who calls, None without a token; a token that says nothing is the service's 401."""
        value = headers.get(HEADER, "").strip()
        token = value[7:].strip() if value[:7].lower() == "bearer " else value
        if not token:
            return None
        return self._known.get(token) or _claims(token)


def _claims(token: str) -> Identity:
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return Identity(user=claims.get("oid"), groups=frozenset(claims.get("groups") or ()))
    except (IndexError, ValueError, AttributeError, TypeError):
        raise ServiceError(401, "", f"The token in the header {HEADER} is not valid.") from None


def visible(index: SearchIndex, identity: Identity | None) -> Mask | None:
    """The documents that the caller may see; None where the index does not trim."""
    if not index.definition.permission_fields:
        return None
    documents = index.store.documents
    if identity is None:
        return np.zeros(len(documents), np.bool_)
    return np.fromiter((each is not None and may_see(index, each, identity) for each in documents), np.bool_, len(documents))


def may_see(index: SearchIndex, document: Document, identity: Identity) -> bool:
    """True when one permission field names the user, one of the groups, or everybody."""
    return any(
        not _permitted_values(field.permission, identity).isdisjoint(values_at(document, field.path))
        for field in index.definition.permission_fields
    )


def _permitted_values(permission: str | None, identity: Identity) -> set[Any]:
    if permission == "userIds":
        return {EVERYBODY, *([identity.user] if identity.user else [])}
    return {EVERYBODY, *identity.groups} if permission == "groupIds" else set()
