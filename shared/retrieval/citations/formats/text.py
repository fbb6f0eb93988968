"""The `text` format: names and addresses in words; whatever other Markdown there is stays as written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...evidence.sources import Source
from .assembly import put_in


class PlainText:
    """A dialect without any markup."""

    def cite(self, sources: Sequence[Source]) -> str:
        """`name (https://…)`, or `[name]` for a source without a link."""
        return ", ".join(f"{s.name} ({s.link})" if s.link else f"[{s.name}]" for s in sources)

    def literal(self, text: str) -> str:
        """The text."""
        return text

    def address(self, link: str) -> str:
        """The address."""
        return link

    def opening(self, link: str) -> str:
        """A link that may stay is written as the model wrote it."""
        return "["

    def closing(self, link: str) -> str:
        """Its target in normal form."""
        return f"]({link})"

    def takes(self, ordinary: str) -> bool:
        """Its blocks are all alike."""
        return True

    def leaves(self, ordinary: str) -> bool:
        """It leaves all text."""
        return True

    def finish(self, text: str, inserts: Iterable[str], *, starts_line: bool) -> str:
        """The text with its inserts."""
        return put_in(text, inserts)
