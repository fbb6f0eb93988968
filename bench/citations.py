"""What citations cost: `python -m bench.citations [--size 250000] [--libraries]`.

First 100,000 characters of an ordinary answer with 210 markers in each format, beside the bare parse by comrak and others:
`text` and `markdown` beside comrak's, `html` beside what comrak and nh3, which it has to pass, take on their own.
Then every hostile pattern at SIZE and twice SIZE characters: processor seconds and their ratio. With `--libraries` the
libraries themselves on the patterns that troubled one of them. Exits with 1 when a ratio is over 2.3.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable
from functools import partial

import cmarkgfm
import comrak
import mistune
import nh3
from markdown_it import MarkdownIt

from bench.hostile_patterns import PATTERNS, pattern
from shared.retrieval import CitationStream, Format, Source, check, resolve

_TROUBLE = ("opening brackets", "open emphasis", "mixed emphasis", "open angle targets", "too wide table", "backtick lines")
FORMATS: tuple[Format, ...] = ("html", "markdown", "text")
MOST_RATIO = 2.3
SOURCES = [
    Source(number=n, name=f"Report of school {n}", link=f"https://reports.example.gov.uk/r/{n}" if n % 3 else None)
    for n in range(1, 31)
]
_PARAGRAPH = (
    "The school is rated **Good** and has a *broad* curriculum; leaders know pupils well and plan lessons with care. "
    "Attendance is above the national figure, and parents speak warmly of staff. "
)
_EXTENSIONS = comrak.ExtensionOptions()
_EXTENSIONS.table = _EXTENSIONS.strikethrough = True
LIBRARIES: dict[str, Callable[[str], str]] = {
    "comrak": partial(comrak.render_markdown, extension_options=_EXTENSIONS),
    "cmarkgfm": lambda text: cmarkgfm.markdown_to_html_with_extensions(text, 0, ["table", "strikethrough"]),
    "markdown-it-py": MarkdownIt("commonmark").enable(["table", "strikethrough"]).render,
    "mistune": mistune.html,
}


def ordinary_answer(size: int) -> str:
    """Headings, paragraphs and lists with three markers a section."""
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        at = len(parts)
        parts.append(
            f"## Finding {at}\n\n{_PARAGRAPH * 5}[Evidence {at % 30 + 1}]\n\n{_PARAGRAPH * 2}See [Evidence {at % 30 + 1}, "
            f"{(at + 3) % 30 + 1}].\n\n- first point with `code` [Evidence 3]\n- second point\n    - third\n\n"
        )
    return "".join(parts)


def best(work: Callable[[], object], runs: int = 15) -> float:
    """The least processor seconds of some runs."""
    seconds = []
    gc.disable()
    for _ in range(runs):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    gc.enable()
    return min(seconds)


def _streamed(answer: str, shown_as: Format) -> None:
    stream = CitationStream(SOURCES, format=shown_as)
    for start in range(0, len(answer), 20):
        stream.feed(answer[start : start + 20])
    stream.feed("", final=True)


def ordinary() -> None:
    """Prints what an ordinary answer costs."""
    answer = ordinary_answer(100_000)
    bare = best(lambda: LIBRARIES["comrak"](answer))
    both = best(lambda: nh3.clean(LIBRARIES["comrak"](answer)))
    print(f"{len(answer):,} characters, {answer.count('[Evidence')} markers")
    print("ms of processor time; times bare comrak; times bare comrak and nh3")
    rows: dict[str, Callable[[], object]] = {
        f"bare {name}": lambda work=work: work(answer) for name, work in LIBRARIES.items()
    }
    rows["bare comrak and nh3"] = lambda: nh3.clean(LIBRARIES["comrak"](answer))
    rows |= {f"resolve {f}": lambda f=f: resolve(answer, SOURCES, format=f) for f in FORMATS}
    rows["check"] = lambda: check(answer, SOURCES)
    rows |= {f"stream {f}, pieces of 20": lambda f=f: _streamed(answer, f) for f in FORMATS}
    for name, work in rows.items():
        seconds = best(work)
        print(f"  {name:28} {seconds * 1000:9.2f} {seconds / bare:8.1f} {seconds / both:8.1f}")


def hostile(size: int) -> float:
    """Prints the hostile patterns; gives the largest ratio."""
    largest = 0.0
    print(f"\nhostile patterns, seconds at {2 * size:,} characters and ratio to half of that: {', '.join(FORMATS)}")
    for name in PATTERNS:
        row = []
        for shown_as in FORMATS:
            half, whole = (_least(pattern(name, n), shown_as) for n in (size, 2 * size))
            ratio = whole / max(half, 0.005)
            row.append(f"{whole:7.3f} {ratio:4.2f}")
            largest = max(largest, ratio)
        print(f"  {name:28} {'   '.join(row)}", flush=True)
    return largest


def _least(answer: str, shown_as: Format) -> float:
    return best(lambda: resolve(answer, SOURCES, format=shown_as), runs=3)


def libraries() -> None:
    """Prints what the libraries take for patterns that trouble one of them."""
    print("\nlibraries, seconds at 50,000 and 100,000 characters")
    for name in _TROUBLE:
        for library, render in LIBRARIES.items():
            times = [best(partial(render, pattern(name, size)), runs=1) for size in (50_000, 100_000)]
            print(f"  {name:28} {library:16} {times[0]:7.3f} {times[1]:7.3f}", flush=True)


def main() -> int:
    """Runs the parts asked for."""
    parser = argparse.ArgumentParser(description="What citations cost")
    parser.add_argument("--size", type=int, default=250_000, help="characters of the smaller hostile answers")
    parser.add_argument("--libraries", action="store_true", help="measure the Markdown libraries on hostile patterns too")
    options = parser.parse_args()
    ordinary()
    if options.libraries:
        libraries()
    return 1 if hostile(options.size) > MOST_RATIO else 0


if __name__ == "__main__":
    sys.exit(main())
