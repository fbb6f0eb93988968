"""Parts of lines: cells, the blanks and digits before what would open a block, and blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .markdown.blocks import Container

CELL = re.compile(r"(?:[^|\\]|\\.|\\\Z)++|\|", re.DOTALL)


def blank_line(containers: Iterable[Container], end: str) -> str:
    """A blank line in containers that are open. It holds a blank: after a carriage return a line feed alone is none."""
    return ("".join("> " if container.marker == ">" else " " * container.indent for container in containers) or " ") + end


def past_tabs(line: str, offset: int) -> int:
    """Past the blanks at `offset` when a tab is among them, since a part of it may be a container's."""
    end = len(line) - len(line[offset:].lstrip(" \t"))
    return end if "\t" in line[offset:end] else offset


def mark_end(line: str, offset: int) -> int:
    """Past the blanks and digits at `offset`: where a backslash keeps a container or a table from opening."""
    while offset < len(line) and line[offset] in " \t0123456789":
        offset += 1
    return offset


def cell_count(row: str) -> int:
    """How many cells a table's row has."""
    pipes = sum(cell.group() == "|" for cell in CELL.finditer(row.strip(" \t")))
    ends = row.strip(" \t")
    return pipes + 1 - ends.startswith("|") - (len(ends) > 1 and ends.endswith("|"))
