"""The caller of a search, and whether an index may be read for it: the one place where that is decided."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .errors import Forbidden
from .settings import IndexSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks. `roles` are app roles, None where nobody has any.

    `query_source_authorization` is passed to the search call of the service and appears nowhere else. `trusted` marks work
    of this process whose roles were checked before, such as a queued briefing; it does not stand in for a caller's token.
    """

    roles: frozenset[str] | None = None
    query_source_authorization: str | None = field(default=None, repr=False)
    trusted: bool = False


NOBODY = Caller()
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")


def can_read(index: IndexSettings, caller: Caller) -> bool:
    """Whether the index's `AllowedRoles` let this caller in; what its documents ask for besides is not looked at."""
    allowed = index.allowed_roles
    return index.usable and (allowed is None or caller.trusted or bool((caller.roles or frozenset()) & frozenset(allowed)))


def check_rights(index: IndexSettings, caller: Caller) -> None:
    """Raises Forbidden (`role_required`, `caller_token_required`) unless `caller` may read `index`."""
    if not can_read(index, caller):
        raise Forbidden(f"Reading the index {index.name} needs a role that this caller does not have.")
    token = caller.query_source_authorization
    if token is not None and not _HEADER_VALUE.fullmatch(token):
        raise Forbidden("The header x-ms-query-source-authorization holds no token.", code="caller_token_required")
    if index.permission_filter and not token:
        message = (
            f"Documents of the index {index.name} carry permissions: a search needs the caller's own token in the header "
            "x-ms-query-source-authorization."
        )
        raise Forbidden(message, code="caller_token_required")
