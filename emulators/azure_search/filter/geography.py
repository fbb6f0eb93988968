"""Distances and areas on the globe, as the filters, orders and scoring profiles use them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

EARTH_KILOMETRES = 6371.0087714
Place = tuple[float, float]


def place(value: Mapping[str, Any]) -> Place:
    """Longitude and latitude of a stored point."""
    longitude, latitude = value["coordinates"]
    return float(longitude), float(latitude)


def distance(left: Place, right: Place) -> float:
    """Kilometres between two places along the great circle."""
    (lon1, lat1), (lon2, lat2) = ((math.radians(a), math.radians(b)) for a, b in (left, right))
    half = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KILOMETRES * math.asin(min(1.0, math.sqrt(half)))


def inside(point: Place, corners: Sequence[Place]) -> bool:
    """True when the point lies in the polygon (its edge counts)."""
    within = False
    for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if _on_edge(point, (x1, y1), (x2, y2)):
            return True
        if (y1 > point[1]) != (y2 > point[1]) and point[0] < (x2 - x1) * (point[1] - y1) / (y2 - y1) + x1:
            within = not within
    return within


def _on_edge(point: Place, start: Place, end: Place) -> bool:
    cross = (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])
    if abs(cross) > 1e-12:
        return False
    return all(min(a, b) - 1e-12 <= p <= max(a, b) + 1e-12 for p, a, b in zip(point, start, end, strict=True))
