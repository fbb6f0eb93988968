"""Figures of an answer, compared with those of the evidence that it cites (opt-in)."""

from .check import evidence_blocks, unsupported_figures

__all__ = ["evidence_blocks", "unsupported_figures"]
