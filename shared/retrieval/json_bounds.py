"""Bounds of a JSON text that are looked at before it is parsed.

`json.loads` holds the interpreter while it reads, in a thread too, and a text of empty lists takes 25 times its size in
memory. So the structural characters are counted first: a cheap count that is never too low, an exact one above the bound.
"""

from __future__ import annotations

import re

from .errors import InvalidRequest, Problem, TooLarge
from .limits import MAX_JSON_DEPTH, MAX_JSON_VALUES

# A string (it ends at the end of the text where nothing closes it), an empty container, or one structural character.
_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[{]\s*+[\]}]|[\[\]{},]', re.DOTALL)


def check_json_bounds(text: bytes) -> None:
    """Refuse a JSON text that would cost too much to parse.

    Raises TooLarge (`too_many_values`) or InvalidRequest (`too_deep`). Text that is no JSON may pass: the parser refuses it.
    It costs one step for each structural character and string, and stops at the bound.
    """
    opened = text.count(b"[") + text.count(b"{")
    if opened + text.count(b",") < MAX_JSON_VALUES and opened <= MAX_JSON_DEPTH:
        return
    values, depth = 1, 0
    for match in _TOKENS.finditer(text):
        token = match[0]
        opens = token[:1] in b"[{"
        if opens and depth == MAX_JSON_DEPTH:
            message = f"The JSON is nested deeper than {MAX_JSON_DEPTH} levels."
            raise InvalidRequest(message, code="too_deep", problems=(Problem("$", "too_deep", message),))
        if opens and len(token) == 1:
            depth += 1
        elif token in (b"]", b"}"):
            depth -= 1
        values += token == b"," or (opens and len(token) == 1)
        if values > MAX_JSON_VALUES:
            message = f"The JSON holds more than {MAX_JSON_VALUES:,} values."
            raise TooLarge(message, code="too_many_values", problems=(Problem("$", "too_many_values", message),))
