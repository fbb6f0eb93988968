"""Values of documents: checked against their field's type and brought to the form in which they are stored and returned."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ..errors import ServiceError, invalid_request
from .fields import Field

INT_RANGE = {"Edm.Int32": 2**31, "Edm.Int64": 2**63}
DATE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,12}))?)?(Z|[+-]\d\d:\d\d)", re.IGNORECASE)
LARGEST = 1e15
SPECIAL = {"INF": math.inf, "-INF": -math.inf, "NaN": math.nan}


def to_stored(value: Any, field: Field, index: int) -> Any:
    """The stored form of a member of the document at `index` of its batch. Null collections become empty ones."""
    if field.vector:
        return _vector(value, field, index)
    if field.collection:
        if value is None:
            return []
        if not isinstance(value, list):
            raise _unfit(value, field.type, index)
        return [_single(item, field, index) for item in value]
    return None if value is None else _single(value, field, index)


def _single(value: Any, field: Field, index: int) -> Any:
    if field.complex:
        return stored_members(value, field.fields, index, field.path)
    if value is None:
        raise _unfit(value, field.element, index)
    return READERS[field.element](value, field.element, index)


def stored_members(value: Any, fields: tuple[Field, ...], index: int, path: str = "") -> dict[str, Any]:
    """A complex value or document in the order of the definition, members that are absent null or empty."""
    if not isinstance(value, Mapping):
        raise _unfit(value, "Edm.ComplexType", index)
    known = {field.name for field in fields}
    unknown = next((name for name in value if name not in known and not name.startswith("@")), None)
    if unknown is not None:
        kind = "search.documentFields" if not path else f"search.complex.{path.replace('/', '.')}"
        raise ServiceError(
            400,
            "",
            f"The request is invalid. Details: actions : {index}: The property '{unknown}' does not exist on type '{kind}'. "
            "Make sure to only use property names that are defined by the type.",
        )
    return {field.name: to_stored(value.get(field.name), field, index) for field in fields}


def _unfit(value: Any, kind: str, index: int) -> ServiceError:
    shown = str(value)[:60]
    return invalid_request("actions", f"{index}: Cannot convert the literal '{shown}' to the expected type '{kind}'.")


def _string(value: Any, kind: str, index: int) -> str:
    if not isinstance(value, str):
        raise _unfit(value, kind, index)
    return value


def _boolean(value: Any, kind: str, index: int) -> bool:
    if not isinstance(value, bool):
        raise _unfit(value, kind, index)
    return value


def _whole(value: Any, kind: str, index: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value in (math.inf, -math.inf):
        raise _unfit(value, kind, index)
    if int(value) != value or not -INT_RANGE[kind] <= value < INT_RANGE[kind]:
        raise _unfit(value, kind, index)
    return int(value)


def _double(value: Any, kind: str, index: int) -> float:
    if isinstance(value, str) and value in SPECIAL:
        return SPECIAL[value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unfit(value, kind, index)
    return float(value)


def _date(value: Any, kind: str, index: int) -> str:
    moment = instant(value) if isinstance(value, str) else None
    if moment is None:
        raise _unfit(value, kind, index)
    return date_text(moment)


def instant(text: str) -> datetime | None:
    """A date-time with its zone as a moment in UTC, None for another text."""
    found = DATE.fullmatch(text)
    if not found:
        return None
    minutes, seconds, fraction, zone = found.groups()
    text = f"{minutes}:{seconds or '00'}.{(fraction or '').ljust(6, '0')[:6]}{zone.upper()}"
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def date_text(moment: datetime) -> str:
    """The service's spelling: UTC with Z, milliseconds only where there are some."""
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    text = text if moment.year >= 1000 else f"{moment.year:04d}{text[text.index('-') :]}"
    return text + (f".{moment.microsecond // 1000:03d}Z" if moment.microsecond >= 1000 else "Z")


def _point(value: Any, kind: str, index: int) -> dict[str, Any]:
    if not isinstance(value, Mapping) or value.get("type") != "Point":
        raise _unfit(value, kind, index)
    place = value.get("coordinates")
    if not isinstance(place, list) or len(place) != 2 or not all(_degrees(each) for each in place):
        raise _unfit(value, kind, index)
    if abs(place[0]) > 180 or abs(place[1]) > 90:
        raise _unfit(place, kind, index)
    crs = {"type": "name", "properties": {"name": "EPSG:4326"}}
    return {"type": "Point", "coordinates": [float(place[0]), float(place[1])], "crs": crs}


def _degrees(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _vector(value: Any, field: Field, index: int) -> list[float] | None:
    if value is None or value == []:
        return None
    if not isinstance(value, list) or not all(_degrees(each) and abs(each) <= LARGEST for each in value):
        raise _unfit(value, field.type, index)
    if len(value) != field.dimensions:
        raise invalid_request(
            "actions",
            f"{index}: There's a mismatch in vector dimensions. The vector field '{field.path}', with dimension of "
            f"'{field.dimensions}', expects a length of '{field.dimensions}'. However, the provided vector has a length of "
            f"'{len(value)}'. Please ensure that the vector length matches the expected length of the vector field.",
        )
    return [float(each) for each in value]


READERS = {
    "Edm.String": _string,
    "Edm.Boolean": _boolean,
    "Edm.Int32": _whole,
    "Edm.Int64": _whole,
    "Edm.Double": _double,
    "Edm.DateTimeOffset": _date,
    "Edm.GeographyPoint": _point,
}
