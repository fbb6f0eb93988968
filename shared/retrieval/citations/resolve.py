"""The front door for whole answers: `check` and `resolve`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import InvalidRequest
from ..evidence.results import Evidence
from ..evidence.sources import Source
from .account import Account, Asked
from .figures import evidence_blocks, unsupported_figures
from .given import given_sources, within_limit
from .results import Check, Format, Resolution
from .sentinels import BYTE_ORDER_MARK, clean_text


def check(
    answer: str,
    sources: Sequence[Source] | Evidence,
    *,
    required: bool = True,
    references: bool = False,
    figures: bool = False,
    evidence: Evidence | str | None = None,
) -> Check:
    """Whether `answer` cites `sources` as asked (spec 5).

    With `references` a marker may also be `[ref_id:k]`, read as `[Evidence k+1]`. `figures` compares the numbers of cited
    sentences with `evidence` (as given here, or the sources' own when they are an `Evidence`); a str is the text of
    `Evidence.text`. Raises InvalidRequest for sources that are no sources and for `figures` without evidence, TooLarge for
    an answer over the limit and for one with citations over theirs.
    """
    asked = Asked(given_sources(sources), "markdown", required, (), references)
    blocks = _blocks(sources, figures, evidence)
    return _read(answer, asked, blocks)[0].check()


def resolve(
    answer: str,
    sources: Sequence[Source] | Evidence,
    *,
    format: Format = "html",  # noqa: A002 - the name of the wire and of the spec
    required: bool = True,
    allowed_hosts: Iterable[str] = (),
    references: bool = False,
    figures: bool = False,
    evidence: Evidence | str | None = None,
) -> Resolution:
    """`answer` with its markers resolved to names and links, safe to show in `format` (spec 5). Errors as `check`."""
    asked = Asked(given_sources(sources), format, required, tuple(allowed_hosts), references)
    account, shown = _read(answer, asked, _blocks(sources, figures, evidence))
    return account.resolution(shown)


def _read(answer: str, asked: Asked, blocks: dict[int, str] | None) -> tuple[Account, str]:
    within_limit(len(answer))
    answer = clean_text(answer).removeprefix(BYTE_ORDER_MARK)
    account = Account(asked)
    shown = account.read(answer)
    if blocks is not None and account.ledger.checks:
        for problem in unsupported_figures(answer, asked.sources, account.options, blocks):
            account.ledger.note(problem)
    return account, shown


def _blocks(sources: Sequence[Source] | Evidence, figures: bool, evidence: Evidence | str | None) -> dict[int, str] | None:
    """The evidence to compare figures with, by number; None when they are not to be compared.

    A cited number that the evidence does not hold supports nothing, so evidence without any block supports no figure.
    """
    if not figures:
        return None
    if evidence is None and isinstance(sources, Evidence):
        evidence = sources
    if evidence is None:
        raise InvalidRequest("Figures can be checked only with the evidence: give it too.", code="evidence_required")
    return evidence_blocks(evidence)
