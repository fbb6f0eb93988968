"""What the tests of citations share: sources, and a look at what of some HTML is alive."""

from __future__ import annotations

from html.parser import HTMLParser

from shared.retrieval import Citation, CitationStream, Format, Resolution, Source, resolve

LINK = "https://reports.example.gov.uk/r/1"
LINKED = Source(number=1, name="Ofsted report", link=LINK)
PLAIN = Source(number=2, name="Trust <page> *x*")
HOSTILE = Source(number=3, name="]( <img src=x> [z]: q `t` www.evil.com a@evil.com", link="https://b.example/a(b)c*_x")
SOURCES = (LINKED, PLAIN, HOSTILE)
ANCHOR = f'<a href="{LINK}" rel="noopener noreferrer">Ofsted report</a>'
FORMATS: tuple[Format, ...] = ("html", "markdown", "text")

_OUTPUT_TAGS = "p br hr em strong del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td a"
_OTHER_RENDERERS_TAGS = "s sup sub u ins mark span div section input dl dt dd"


def codes(result: Resolution) -> list[str]:
    """The codes of the problems, in order."""
    return [problem.code for problem in result.problems]


def numbers(citations: tuple[Citation, ...]) -> list[tuple[int, int]]:
    """Cited numbers with their counts."""
    return [(citation.number, citation.count) for citation in citations]


def streamed(
    answer: str, cuts: list[int], shown_as: Format, *, by_state: bool, required: bool = True
) -> tuple[str, Resolution | None]:
    """The joined pieces of `answer` cut at `cuts`, each call in the same stream or in one made from the last state."""
    stream = CitationStream(SOURCES, format=shown_as, required=required)
    parts, start = [], 0
    for cut in cuts:
        parts.append(stream.feed(answer[start:cut]))
        start = cut
        if by_state:
            stream = CitationStream(SOURCES, format=shown_as, required=required, state=stream.state)
    parts.append(stream.feed(answer[start:], final=True))
    return "".join(parts), stream.resolution


def difference(answer: str, cuts: list[int], shown_as: Format, *, by_state: bool, required: bool = True) -> str | None:
    """How a stream differs from the whole answer; None when it does not."""
    whole = resolve(answer, SOURCES, format=shown_as, required=required)
    joined, end = streamed(answer, cuts, shown_as, by_state=by_state, required=required)
    if joined != whole.answer:
        return f"{joined!r} is not {whole.answer!r}"
    assert end is not None
    same = (end.valid, end.citations, end.uncited, end.problems, end.more_problems, end.retry_prompt)
    wanted = (whole.valid, whole.citations, whole.uncited, whole.problems, whole.more_problems, whole.retry_prompt)
    return None if same == wanted else f"{same} is not {wanted}"


class LiveParts(HTMLParser):
    """Collects from HTML whatever could load, run or lead somewhere it should not."""

    def __init__(self, links: frozenset[str], tags: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._links = links
        self._tags = frozenset(tags.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in self._tags:
            self.found.append(f"<{tag}>")
        if tag == "a" and values.get("href") not in self._links:
            self.found.append(f"<a href={values.get('href')!r}>")
        self.found += [f"{tag}[{name}]" for name in values if name.startswith("on") or name in ("src", "srcset", "style")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_comment(self, data: str) -> None:
        self.found.append("<!---->")

    def handle_decl(self, decl: str) -> None:
        self.found.append("<!>")

    def unknown_decl(self, data: str) -> None:
        self.found.append("<![")

    def handle_pi(self, data: str) -> None:
        self.found.append("<?")


def live_parts(html: str, *, ours: bool, links: frozenset[str] | None = None) -> list[str]:
    """What is alive in `html` besides links to sources. `ours`: only the tags of the contract may be there."""
    known = frozenset(source.link for source in SOURCES if source.link) if links is None else links
    parser = LiveParts(known, _OUTPUT_TAGS if ours else f"{_OUTPUT_TAGS} {_OTHER_RENDERERS_TAGS}")
    parser.feed(html)
    parser.close()
    return parser.found
