"""The readable page of a briefing in HTML, Markdown or text: what was found, from which sources, and who wrote it."""

from __future__ import annotations

import base64
import hashlib
import html
from datetime import UTC, datetime
from pathlib import Path

from shared.retrieval import Format, resolve

from .view import BriefingView, SectionView, heading

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
PAGE_CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may do with the page: show it, with its own style, and nothing else."""

NOT_FOUND = "No information was found."
WITHHELD = "The text did not pass its checks, so it is not shown here."
STATES = {
    "queued": "It waits to be written.",
    "running": "It is being written.",
    "waiting": "It could not be finished yet and will be tried again.",
    "completed": "",
    "no_evidence": "No information was found for it.",
    "not_answered": "The information found does not tell what was asked.",
    "failed_checks": WITHHELD,
    "failed": "It could not be written.",
    "rejected": "The request for it was not valid.",
    "cancelled": "It was cancelled.",
}


def render_page(view: BriefingView, title: str) -> str:
    """The page in the format of the view."""
    return _html_page(view, title) if view.format == "html" else _plain_page(view, title)


def machine_label(view: BriefingView) -> str:
    """By what and when it was written; empty while it is not."""
    if view.writer is None or view.finished_at is None:
        return ""
    by = f"the model {view.writer.model}" if view.writer.kind == "model" else "automatic extraction from its sources"
    return f"Machine-made (AI-generated) by {by} on {_moment(view.finished_at)}. Check it against its sources."


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%d %B %Y, %H:%M} UTC"


def _state(view: BriefingView) -> str:
    reason = f" Reason: {view.reason.replace('_', ' ')}." if view.reason else ""
    return f"{STATES[view.status]}{reason}".strip()


def _parts(view: BriefingView) -> list[SectionView]:
    """What is shown: the synthesis first, then the sections. Nothing of a briefing that did not pass as a whole."""
    if view.status not in ("completed", "no_evidence", "not_answered"):
        return []
    return [*([view.synthesis] if view.synthesis else []), *view.sections]


def _cited_links(view: BriefingView) -> list[str]:
    """Each cited source, once, written as a citation of the format."""
    by_number = {source.number: source for source in view.sources}
    shown = [by_number[citation.number] for citation in view.citations] if _parts(view) else []
    return [resolve(f"[Evidence {source.number}]", (source,), format=view.format).answer.strip() for source in shown]


def _html_page(view: BriefingView, title: str) -> str:
    label, state = machine_label(view), _state(view)
    body = [
        f"<header><h1>{html.escape(title)}</h1>",
        f'<p class="label">{html.escape(label)}</p>' if label else "",
        f'<p class="state">{html.escape(state)}</p>' if state else "",
        _html_parameters(view),
        "</header>",
        *(_html_section(part) for part in _parts(view)),
        _html_sources(view),
    ]
    text = "\n".join(filter(None, body))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="AI-generated">\n<title>{html.escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{text}\n</main>\n</body>\n</html>\n"
    )


def _html_parameters(view: BriefingView) -> str:
    rows = [f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in _parameters(view)]
    return f'<dl dir="auto">{"".join(rows)}</dl>' if rows else ""


def _html_section(part: SectionView) -> str:
    text = f"<p>{NOT_FOUND}</p>" if part.answer is None else part.answer
    return f'<section dir="auto">\n{heading(part.title, "html")}\n{text}\n</section>'


def _html_sources(view: BriefingView) -> str:
    items = "".join(f'<li dir="auto">{link}</li>' for link in _cited_links(view))
    return f'<section class="sources">\n<h2>Sources</h2>\n<ol>{items}</ol>\n</section>' if items else ""


def _plain_page(view: BriefingView, title: str) -> str:
    form = view.format
    blocks = [heading(title, form, 1), machine_label(view), _state(view)]
    blocks.append("\n".join(f"{_bullet(form)}{name}: {_safe_line(value, form)}" for name, value in _parameters(view)))
    for part in _parts(view):
        blocks += [heading(part.title, form), NOT_FOUND if part.answer is None else part.answer.strip()]
    links = _cited_links(view)
    if links:
        blocks += [heading("Sources", form), "\n".join(f"{place}. {link}" for place, link in enumerate(links, 1))]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _bullet(form: Format) -> str:
    return "- " if form == "markdown" else ""


def _parameters(view: BriefingView) -> list[tuple[str, str]]:
    return [(name, _shown(value)) for name, value in view.parameters.items()]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _safe_line(value: str, form: Format) -> str:
    """A parameter on one line; it came from a caller, so it is treated as an answer is."""
    return resolve(" ".join(value.split()), (), format=form).answer.strip()
