"""The signal tables of docs/telemetry.md; `python -m tests.telemetry.signal_tables` writes them there from the registry."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from shared.telemetry.schema import (
    ATTRIBUTES,
    EVENTS,
    METRICS,
    SPANS,
    ErrorType,
    Flag,
    Known,
    Number,
    OneOf,
    Package,
    Place,
    Rule,
    Text,
)

DOCS = Path(__file__).resolve().parents[2] / "docs" / "telemetry.md"
BEGIN, END = "<!-- signals: made from the registry -->\n", "\n<!-- end of signals -->"


def tables() -> str:
    """All four tables, as the docs have them."""
    return "\n".join([*_spans(), "", *_metrics(), "", *_events(), "", *_attributes()])


def _spans() -> Iterable[str]:
    yield "| span | what | attributes | duration recorded in |"
    yield "|---|---|---|---|"
    for row in SPANS.values():
        yield f"| `{row.name}` | {row.meaning} | {_list(row.attributes)} | `{row.duration}` |"


def _metrics() -> Iterable[str]:
    yield "| metric | what | unit, kind | attributes |"
    yield "|---|---|---|---|"
    for row in METRICS.values():
        yield f"| `{row.name}` | {row.meaning} | {row.unit}, {row.kind} | {_list(row.attributes) or '–'} |"


def _events() -> Iterable[str]:
    yield "| event | what | level | attributes |"
    yield "|---|---|---|---|"
    for row in EVENTS.values():
        level = logging.getLevelName(row.level)
        yield f"| `{row.name}` | {row.meaning} | {level} | {_list(row.attributes) or '–'} |"


def _attributes() -> Iterable[str]:
    yield "| in code | exported as | what | may be |"
    yield "|---|---|---|---|"
    for row in ATTRIBUTES.values():
        yield f"| `{row.key}` | `{row.exported}` | {row.meaning} | {_may_be(row.rule)} |"


def _list(keys: Iterable[str]) -> str:
    order = list(ATTRIBUTES)
    return ", ".join(f"`{key}`" for key in sorted(keys, key=order.index))


def _may_be(rule: Rule) -> str:
    match rule:
        case Number():
            return "number"
        case Flag():
            return "true or false"
        case OneOf(words):
            return ", ".join(f"`{word}`" for word in sorted(words)) + "; else `other`"
        case Known(group):
            return f"known {group.replace('_', ' ')}; else `other`"
        case ErrorType():
            return "registered code, HTTP status or exception class; else `_OTHER`"
        case Package():
            return "imported package; else `other`"
        case Place():
            return "`module:line`"
        case Text(kind):
            return f"**redacted** ({kind})"


def written(text: str) -> str:
    """The docs with the tables of today."""
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


if __name__ == "__main__":
    DOCS.write_text(written(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
