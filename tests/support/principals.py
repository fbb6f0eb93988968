"""The header in which App Service authentication hands a caller over."""

from __future__ import annotations

import base64
import json
from typing import Any


def principal(*roles: str, **members: Any) -> dict[str, str]:
    """The header of a caller with these app roles."""
    claims = [{"typ": "roles", "val": role} for role in roles]
    value = {"auth_typ": "aad", "name_typ": "name", "role_typ": "roles", "claims": claims} | members
    return {"x-ms-client-principal": base64.b64encode(json.dumps(value).encode()).decode()}
