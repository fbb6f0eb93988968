"""The readable page of a briefing in HTML, Markdown or text: what was asked and found, its sources, and who wrote it."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from shared.answers.literal import escape_markdown
from shared.retrieval import Format, Source, resolve

from .headings import heading
from .view import BriefingView, SectionView

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
PAGE_CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may do with the page: show it, with its own style, and nothing else."""

STATES = {
    "queued": "It waits to be written.",
    "running": "It is being written.",
    "waiting": "It could not be finished yet and will be tried again.",
    "completed": "",
    "no_evidence": "No information was found for it.",
    "not_answered": "The information found does not tell what was asked.",
    "failed_checks": "A text did not pass its checks, so it is not shown here.",
    "failed": "It could not be written.",
    "rejected": "The request for it was not valid.",
    "cancelled": "It was cancelled.",
}
SECTION_STATES = {
    "no_evidence": "No information was found.",
    "not_answered": "The information found does not tell what was asked.",
    "failed_checks": "The text did not pass its checks, so it is not shown here.",
    "failed": "This part could not be written.",
}
# Control characters, and those that turn the direction of what follows them: both would leave their line.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def render_page(view: BriefingView, title: str) -> str:
    """The page of a view made by `page_view_of`, in the view's format."""
    return _html_page(view, title) if view.format == "html" else _plain_page(view, title)


def html_document(title: str, body: str, *, generator: str = "") -> str:
    """One HTML file with the pages' own style and nothing from outside. `title` is text, `body` safe HTML."""
    made_by = f'<meta name="generator" content="{html.escape(generator)}">\n' if generator else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{made_by}<title>{html_text(title)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def html_text(value: str) -> str:
    """Literal text for HTML."""
    return html.escape(_one_line(value))


def moment_text(moment: datetime) -> str:
    """A moment for readers: `04 March 2026, 05:06 UTC`."""
    return f"{moment.astimezone(UTC):%d %B %Y, %H:%M} UTC"


def machine_label(view: BriefingView) -> str:
    """The writer and the time of writing; empty while nothing is written."""
    if view.writer is None or view.finished_at is None:
        return ""
    by = f"the model {view.writer.model}" if view.writer.kind == "model" else "automatic extraction from its sources"
    return f"Machine-made (AI-generated) by {by} on {moment_text(view.finished_at)}. Check it against its sources."


def _state(view: BriefingView) -> str:
    told = [STATES[view.status]]
    if view.reason:
        told.append(f"Reason: {view.reason.replace('_', ' ')}.")
    if view.retry_at:
        told.append(f"Next try: {moment_text(view.retry_at)}.")
    completed = sum(section.status == "completed" for section in view.sections)
    if completed != len(view.sections):
        told.append(f"{completed} of {len(view.sections)} sections completed.")
    return " ".join(filter(None, told))


def _parts(view: BriefingView) -> list[SectionView]:
    """The synthesis first, then the sections, each with its own status."""
    return [*([view.synthesis] if view.synthesis else []), *view.sections]


def _parameters(view: BriefingView) -> list[tuple[str, str]]:
    return [(name, _shown(value)) for name, value in view.parameters.items() if value is not None]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _identity(view: BriefingView) -> list[tuple[str, str]]:
    """What identifies a print-out."""
    return [
        ("Briefing", view.id),
        ("Batch", view.batch_id),
        ("Definition", f"{view.briefing}, version {view.definition_version}"),
        ("Asked for", moment_text(view.created_at)),
    ]


def _one_line(value: str) -> str:
    return " ".join(_CONTROLS.sub(" ", value).split())


# HTML


def _html_page(view: BriefingView, title: str) -> str:
    label, state = machine_label(view), _state(view)
    body = [
        f'<header>\n<h1 dir="auto">{html_text(title)}</h1>',
        f'<p class="label">{html_text(label)}</p>' if label else "",
        f'<p class="state">{html_text(state)}</p>' if state else "",
        _html_pairs(_parameters(view)),
        "</header>",
        *(_html_section(part) for part in _parts(view)),
        _html_sources(view),
        f"<footer>\n{_html_pairs(_identity(view))}\n</footer>",
    ]
    return html_document(title, "\n".join(filter(None, body)), generator="AI-generated")


def _html_pairs(pairs: list[tuple[str, str]]) -> str:
    rows = [f'<dt>{html_text(name)}</dt><dd dir="auto">{html_text(value)}</dd>' for name, value in pairs]
    return f"<dl>{''.join(rows)}</dl>" if rows else ""


def _html_section(part: SectionView) -> str:
    text = f'<p class="state">{SECTION_STATES[part.status]}</p>' if part.answer is None else part.answer
    return f'<section dir="auto">\n{heading(part.title, "html")}\n{text}\n</section>'


def _html_sources(view: BriefingView) -> str:
    items = "".join(_html_source(source) for source in view.sources)
    return f'<section class="sources">\n<h2>Sources</h2>\n<ol>{items}</ol>\n</section>' if items else ""


def _html_source(source: Source) -> str:
    name = html_text(source.name)
    shown = f'<a href="{html.escape(source.link)}" rel="noopener noreferrer">{name}</a>' if source.link else name
    return f'<li id="source-{source.number}" dir="auto">{shown}</li>'


# Markdown and text


def _plain_page(view: BriefingView, title: str) -> str:
    form = view.format
    blocks = [heading(_literal(title, form), form, 1), _literal(machine_label(view), form), _literal(_state(view), form)]
    blocks.append(_plain_pairs(_parameters(view), form))
    for part in _parts(view):
        blocks.append(heading(_literal(part.title, form), form))
        blocks.append(SECTION_STATES[part.status] if part.answer is None else part.answer.strip())
    if view.sources:
        lines = [f"{source.number}. {_plain_source(source, form)}" for source in view.sources]
        blocks += [heading("Sources", form), "\n".join(lines)]
    blocks += [heading("About this page", form), _plain_pairs(_identity(view), form)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _plain_pairs(pairs: list[tuple[str, str]], form: Format) -> str:
    bullet = "- " if form == "markdown" else ""
    return "\n".join(f"{bullet}{_literal(name, form)}: {_literal(value, form)}" for name, value in pairs)


def _plain_source(source: Source, form: Format) -> str:
    """The name of the source, and its link where it has one."""
    if form == "text":
        return f"{_one_line(source.name)} ({source.link})" if source.link else _one_line(source.name)
    return resolve("[Evidence 1]", (replace(source, number=1),), format=form).answer.strip()


def _literal(value: str, form: Format) -> str:
    """Literal text on one line; in Markdown an address in it is a code span, since renderers would link it."""
    line = _one_line(value)
    return resolve(escape_markdown(line), (), format="markdown").answer.strip() if form == "markdown" else line
