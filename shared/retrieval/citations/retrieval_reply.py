"""Sources from the reply of a retrieve call (spec 6): reference k is source k+1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..sources import Source


def sources_from_retrieval(reply: Mapping[str, Any]) -> tuple[Source, ...]:
    """The sources of a retrieve `reply` as it came; its answers cite them as `[ref_id:k]` (`references=True` of `resolve`).

    Raises InvalidRequest with JSON paths (`$.references[0].id`) for what is no such reply.
    """
    raise NotImplementedError
