"""Other people's Markdown renderers, with HTML allowed and everything switched on that could make a link."""

from __future__ import annotations

from collections.abc import Callable

import cmarkgfm
import comrak
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

_COMRAK_EXTENSIONS = (
    "autolink footnotes inline_footnotes strikethrough table tasklist description_lists alerts superscript subscript "
    "underline spoiler insert highlight"
)


def _comrak() -> Callable[[str], str]:
    extensions, rendering = comrak.ExtensionOptions(), comrak.RenderOptions()
    for name in _COMRAK_EXTENSIONS.split():
        setattr(extensions, name, True)
    rendering.unsafe_ = True
    return lambda markdown: str(comrak.render_markdown(markdown, extension_options=extensions, render_options=rendering))


def _github(markdown: str) -> str:
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, options))


RENDERERS: dict[str, Callable[[str], str]] = {
    "github": _github,
    "comrak": _comrak(),
    "markdown-it with linkify": MarkdownIt("gfm-like", {"html": True, "linkify": True}).render,
}
