"""Words, literals and signs of an OData filter: the text cut into tokens, in one pass over it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal as Oneof

from ...errors import InvalidFilter
from ...limits import MAX_ZONE_MINUTES
from .ast import DateTimeOffset, Literal, Point, Polygon

Kind = Oneof["word", "literal", "geography", "sign", "end"]


class FilterSyntax(InvalidFilter):
    """The text is no filter. `position` is where the piece that cannot stand there ends, counted as the service counts."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"Position {position}: {message}")
        self.position = position


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a filter; `value` is the word or sign itself, or the literal that was read."""

    kind: Kind
    value: str | Literal | Point | Polygon
    start: int
    end: int


# Possessive repeats keep the time linear: no quantifier gives back what it took.
_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
      (?P<geography>geography'(?P<shape>[^']*+)')
    | (?P<string>'[^']*+(?:''[^']*+)*+')
    | (?P<date>\d{4}-\d\d-\d\d[0-9A-Za-z:.+-]*+)
    | (?P<number>[+-]?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|-INF\b)
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z_][A-Za-z0-9_]*+)*+)
    | (?P<sign>[(),:/])
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_DATE_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:\.\d{1,12})?)?(?:Z|[+-](\d\d):([0-5]\d))", re.ASCII)
FIELD_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:/[A-Za-z_][A-Za-z0-9_]*)*", re.ASCII)
_CONSTANTS = {"true": True, "false": False, "null": None, "NaN": math.nan, "INF": math.inf}
_MAX_DIGITS = 400
_NUMBER = r"[+-]?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_POINT = re.compile(rf"(?:SRID=4326;)?POINT ?\( *({_NUMBER}) +({_NUMBER}) *\)")
_POLYGON = re.compile(r"(?:SRID=4326;)?POLYGON ?\( *\( *([^()]*+)\) *\)")
_PAIR = re.compile(rf" *({_NUMBER}) +({_NUMBER}) *")


def tokens(text: str) -> Iterator[Token]:
    """`text` cut into tokens one after the other, an `end` token last. Raises FilterSyntax where it cannot go on."""
    position, kind = 0, ""
    while kind != "end":
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        token = _token(match)
        position, kind = match.end(), token.kind
        yield token


def _unreadable(text: str, position: int) -> FilterSyntax:
    start = position + len(text[position:]) - len(text[position:].lstrip(" \t\r\n"))
    if text[start] == "'":
        return FilterSyntax("the text that begins with a quote never ends; a quote inside a text is doubled.", len(text))
    return FilterSyntax("this character has no meaning in a filter; put text in single quotes.", start + 1)


def _token(match: re.Match[str]) -> Token:
    kind = match.lastgroup if match.lastgroup != "shape" else "geography"
    start, end = match.span(kind or 0)
    piece = match[kind or 0]
    if kind == "string":
        return Token("literal", Literal(piece[1:-1].replace("''", "'")), start, end)
    if kind == "date":
        return Token("literal", Literal(_date_time(piece, end)), start, end)
    if kind == "number":
        return Token("literal", Literal(_number(piece, end)), start, end)
    if kind == "geography":
        return Token("geography", _geography(match["shape"], end), start, end)
    if kind == "word" and piece in _CONSTANTS:
        return Token("literal", Literal(_CONSTANTS[piece]), start, end)
    return Token("word" if kind == "word" else "sign" if kind == "sign" else "end", piece, start, end)


def _number(piece: str, end: int) -> int | float:
    if piece == "-INF":
        return -math.inf
    # A bound on the digits: reading a whole number takes more than linear time.
    if len(piece) > _MAX_DIGITS:
        raise FilterSyntax("the number is too long.", end)
    if piece.lstrip("+-").isdecimal():
        return int(piece)
    value = float(piece)
    if math.isinf(value):
        raise FilterSyntax("the number is too large.", end)
    return value


def is_date_time(text: str) -> bool:
    """Whether `text` is an OData date-time with a zone that names a real moment (`2020-01-01T00:00:00Z`)."""
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return False
    day, minute, second, zone_hours, zone_minutes = match.groups()
    try:
        datetime.fromisoformat(f"{day}T{minute}:{second or '00'}")
    except ValueError:
        return False
    return int(zone_hours or 0) * 60 + int(zone_minutes or 0) <= MAX_ZONE_MINUTES


def _date_time(piece: str, end: int) -> DateTimeOffset:
    if is_date_time(piece):
        return DateTimeOffset(piece)
    raise FilterSyntax(
        "a date needs a time and a zone and must exist, as in 2020-01-01T00:00:00Z; quote it if it is text.", end
    )


def _geography(shape: str, end: int) -> Point | Polygon:
    if match := _POINT.fullmatch(shape):
        return Point(*_place(match[1], match[2], end))
    match = _POLYGON.fullmatch(shape)
    pairs = [_PAIR.fullmatch(pair) for pair in match[1].split(",")] if match else []
    points = tuple(_place(pair[1], pair[2], end) for pair in pairs if pair)
    if not points or len(points) != len(pairs):
        raise FilterSyntax("a geography is POINT(longitude latitude) or POLYGON((longitude latitude, …)).", end)
    if len(points) < 4 or points[0] != points[-1]:
        raise FilterSyntax("a polygon has at least four points and ends with the first.", end)
    return Polygon(points)


def _place(longitude: str, latitude: str, end: int) -> tuple[float, float]:
    place = float(_number(longitude, end)), float(_number(latitude, end))
    if abs(place[0]) > 180 or abs(place[1]) > 90:
        raise FilterSyntax("a longitude is within 180 and a latitude within 90 degrees.", end)
    return place
