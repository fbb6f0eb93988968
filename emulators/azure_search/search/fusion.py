"""Reciprocal rank fusion as recorded: each list adds weight / (60 + rank), ranks from 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .vectors import Ranked

CONSTANT = 60
TEXT_RECALL = 1000


def fuse(lists: Sequence[Ranked], size: int) -> NDArray[np.float64]:
    """The fused score of every ordinal, 0 where no list has it."""
    scores = np.zeros(size)
    for ranked in lists:
        scores[ranked.ordinals] += ranked.weight / (CONSTANT + np.arange(len(ranked.ordinals)))
    return scores


def widen(score: float) -> float:
    """A fused score as the service prints it: a 32-bit value written with all digits of a 64-bit one."""
    return float(np.float32(score))
