"""The quoted key of the service's addresses: `agents('hr')/retrieve`, read from one path segment."""

from __future__ import annotations

import re
from urllib.parse import unquote

from ..errors import InvalidRequest, Problem

_QUOTED = re.compile(r"\('((?:[^']|'')+)'\)", re.DOTALL)


def parse_agent_key(text: str) -> str:
    """The name in `('name')`: percent-encoding (also `%2F` and `%27`) is read, a doubled quote means one.

    Raises InvalidRequest for anything else, `(name)` and `('')` among them. A host hands the segment over decoded but
    for `%2F`, so decoding it once more does no harm to a name without percent signs.
    """
    match = _QUOTED.fullmatch(unquote(text))
    if match is None or not match[1].strip():
        message = "The name in the address must stand in single quotes and brackets, such as agents('name')."
        raise InvalidRequest(message, code="invalid_key", problems=(Problem("agentName", "invalid_key", message),))
    return match[1].replace("''", "'")
