"""`python -m tests.truths` (`make truth`): the counts of docs/truth.md, made from the cases and the tables of deviations."""

from __future__ import annotations

from tests.truths.counts import table

if __name__ == "__main__":
    print(table(), end="")
