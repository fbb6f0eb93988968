"""Paths of faults that the packages know by their code alone: they have arguments, callers have members and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from shared.retrieval import InvalidRequest


@contextmanager
def fault_paths(paths: Mapping[str, str]) -> Iterator[None]:
    """Names the place in the request of an error of one of these codes, unless the error names its own."""
    try:
        yield
    except InvalidRequest as error:
        if not error.problems and error.code in paths:
            error.problems = (error.at(paths[error.code]),)
        raise
