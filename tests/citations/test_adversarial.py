"""Hostile answers, as our HTML and as our Markdown in other people's renderers: nothing alive in parser or browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.retrieval import resolve
from tests.citations.adversarial import ADVERSARIAL
from tests.citations.browser import CHROMIUM, running_browser
from tests.citations.renderers import RENDERERS
from tests.citations.support import LINK, SOURCES, difference, live_parts

ANSWERS = [
    pytest.param(answer, id=f"{kind}-{at}") for kind, answers in ADVERSARIAL.items() for at, answer in enumerate(answers)
]
LINKS = {source.link for source in SOURCES if source.link}


def _as_html(answer: str) -> str:
    return resolve(answer, SOURCES).answer


def _through(render: Callable[[str], str]) -> Callable[[str], str]:
    return lambda answer: render(resolve(answer, SOURCES, format="markdown").answer)


SHOWN: dict[str, Callable[[str], str]] = {"html": _as_html} | {name: _through(render) for name, render in RENDERERS.items()}


def _cited(answer: str) -> str:
    return f"First [Evidence 1].\n\n{answer}\n\nLast [Evidence 3].\n"


@pytest.mark.parametrize("renderer", SHOWN)
@pytest.mark.parametrize("answer", ANSWERS)
def test_nothing_is_alive(answer: str, renderer: str) -> None:
    shown = SHOWN[renderer](_cited(answer))

    assert live_parts(shown, ours=renderer == "html") == []
    assert LINK in shown


@pytest.mark.parametrize("shown_as", ["html", "markdown", "text"])
@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if len(str(answer.values[0])) < 400])
def test_pieces_equal_the_whole(answer: str, shown_as: str) -> None:
    answer = _cited(answer)
    cuts = [list(range(0, len(answer), step)) for step in (1, 3, 7)]

    assert [difference(answer, cut, shown_as, by_state=True) for cut in cuts] == [None, None, None]  # type: ignore[arg-type]


PAGE = "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><title>x</title><body>{}</body>"
HOSTILE_PAGE = """<img src=https://evil.example/i><script>alert(1)</script>
<a href=https://evil.example>x</a><p onmouseover=alert(2)>y</p>"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's package chromium: apt-get install chromium")
async def test_nothing_is_alive_in_a_browser(capsys: pytest.CaptureFixture[str]) -> None:
    """All hostile answers, each renderer's on one page: no request, no script, no anchor but those to sources."""
    answers = [_cited(answer) for answers in ADVERSARIAL.values() for answer in answers]
    async with running_browser() as browser:
        control = await browser.load(PAGE.format(HOSTILE_PAGE))
        seen = {name: await browser.load(PAGE.format("\n".join(map(show, answers)))) for name, show in SHOWN.items()}
    with capsys.disabled():
        kinds = ", ".join(f"{kind} {len(answers)}" for kind, answers in ADVERSARIAL.items())
        print(f"\n{len(answers)} hostile answers ({kinds})")
        for name, page in seen.items():
            strange = [anchor for anchor in page.anchors if anchor not in LINKS]
            print(
                f"  {name}: {len(page.requests)} requests, {page.dialogs} scripts, {len(strange)} anchors outside sources,"
                f" {len(page.anchors)} to sources"
            )

    assert control.requests
    assert control.dialogs >= 2
    assert control.live
    for page in seen.values():
        assert page.requests == []
        assert page.dialogs == 0
        assert page.live == []
        assert page.handlers == 0
        assert len(page.anchors) >= 2 * len(answers)
        assert set(page.anchors) <= LINKS
        assert page.text > 10_000
