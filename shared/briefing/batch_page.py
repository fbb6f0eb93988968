"""The readable page of a batch in HTML: how far it is, and its briefings with links."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from .batches import BatchPage, BatchProgress, ListedBriefing
from .page import html_document, html_text, moment_text


def render_batch_page(progress: BatchProgress, page: BatchPage, status: str | None = None) -> str:
    """The page. Links are relative to `/api/batches/{id}`, so that they hold behind any prefix. `status` filters `page`."""
    title = f"Batch {progress.batch_id}"
    body = [
        f"<header>\n<h1>{html_text(title)}</h1>",
        _progress(progress),
        "</header>",
        _statuses(progress, status),
        _briefings(page, status),
        _more(page, status),
    ]
    return html_document(title, "\n".join(filter(None, body)))


def _progress(progress: BatchProgress) -> str:
    done = f"{progress.percent:g} % of {progress.total:,} briefings are final"
    times = f"Started {moment_text(progress.started_at)}, last change {moment_text(progress.updated_at)}."
    bar = f'<progress max="100" value="{progress.percent:g}" aria-label="{done}"></progress>'
    return f'<p class="state">{done}. {times}</p>\n{bar}'


def _statuses(progress: BatchProgress, status: str | None) -> str:
    rows = [_status_link(progress.batch_id, None, f"all: {progress.total:,}", status)]
    for name, count in progress.counts.items():
        rows.append(_status_link(progress.batch_id, name, f"{name.replace('_', ' ')}: {count:,}", status))
    return f'<nav aria-label="Statuses"><ul>{"".join(rows)}</ul></nav>'


def _status_link(batch_id: str, status: str | None, text: str, chosen: str | None) -> str:
    here = ' aria-current="page"' if status == chosen else ""
    return f'<li><a href="{html_text(_address(batch_id, status=status))}"{here}>{html_text(text)}</a></li>'


def _briefings(page: BatchPage, status: str | None) -> str:
    caption = "Briefings" if status is None else f"Briefings: {status.replace('_', ' ')}"
    if not page.briefings:
        return f"<h2>{html_text(caption)}</h2>\n<p>There are none on this page.</p>"
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Briefing", "Definition", "Status"))
    rows = "".join(map(_row, page.briefings))
    return (
        f"<h2>{html_text(caption)}</h2>\n<table><caption>In order of their ids</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(briefing: ListedBriefing) -> str:
    name = html_text(briefing.id)
    link = name if briefing.erased else f'<a href="../briefings/{quote(briefing.id, safe="")}?format=html">{name}</a>'
    told = "erased" if briefing.erased else briefing.status.replace("_", " ")
    if briefing.reason:
        told += f" ({briefing.reason.replace('_', ' ')})"
    return f"<tr><td>{link}</td><td>{html_text(briefing.briefing)}</td><td>{html_text(told)}</td></tr>"


def _more(page: BatchPage, status: str | None) -> str:
    if page.continuation is None:
        return ""
    address = _address(page.batch_id, status=status, continuation=page.continuation)
    return f'<p><a href="{html_text(address)}">Next page</a></p>'


def _address(batch_id: str, **query: str | None) -> str:
    given = {"format": "html", **{name: value for name, value in query.items() if value is not None}}
    return f"{quote(batch_id, safe='')}?{urlencode(given)}"
