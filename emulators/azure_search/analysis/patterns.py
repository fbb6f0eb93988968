"""Wildcards and Lucene regular expressions as expressions of the engine's automata."""

from __future__ import annotations

META = frozenset(".+*?()|[]{}^$\\#&-~")
OPEN = frozenset("#@&<>~")


def regex_text(text: str) -> str:
    """An expression that matches `text` itself."""
    return "".join("\\" + char if char in META else char for char in text)


def from_wildcard(pattern: str) -> str:
    """An expression for `*` and `?`; a backslash makes them ordinary."""
    found: list[str] = []
    escaped = False
    for char in pattern:
        if escaped or char not in "*?\\":
            found.append(regex_text(char))
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            found.append(".*" if char == "*" else ".")
    return "".join(found)


def from_lucene(pattern: str) -> str:
    """An expression for a Lucene one. Raises ValueError for Lucene's own operators (`~ & < > # @`)."""
    found: list[str] = []
    at, in_class = 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            found.append(regex_text(pattern[at]))
        elif char == '"' and not in_class:
            end = pattern.find('"', at + 1)
            if end < 0:
                raise ValueError("a quoted text in the expression never ends")
            found.append(regex_text(pattern[at + 1 : end]))
            at = end
        elif not in_class and char in OPEN:
            raise ValueError(f"the operator {char} is not offered in expressions")
        else:
            in_class = char == "[" or (in_class and char != "]")
            found.append(regex_text(char) if char in "^$" and not (char == "^" and pattern[at - 1] == "[") else char)
        at += 1
    return "".join(found)
