"""Which function answers a path and a method: tried in the order of the functions' names, the first match wins."""

from __future__ import annotations

from dataclasses import dataclass

from .templates import RouteTemplate

BUILT_IN = "admin"


class RouteRefused(ValueError):
    """The route cannot be served, so its function is left out."""


@dataclass(frozen=True, kw_only=True)
class Route:
    """An HTTP function: `methods` in upper case, empty for all; `level` in lower case."""

    function: str
    template: RouteTemplate
    methods: frozenset[str]
    level: str

    def accepts(self, method: str) -> bool:
        """True when the method is one of the route's."""
        return not self.methods or method in self.methods


class Router:
    """The routes below the prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = RouteTemplate(prefix).text
        self._routes: list[tuple[RouteTemplate, Route]] = []

    @property
    def routes(self) -> list[Route]:
        """The routes in the order in which they are tried."""
        return [route for _, route in self._routes]

    def add(self, route: Route) -> None:
        """Adds a route; raises `RouteRefused` when it is built in or taken."""
        if route.template.text.casefold().startswith(BUILT_IN):
            raise RouteRefused("The specified route conflicts with one or more built in routes.")
        for _, other in self._routes:
            if _same(other, route):
                raise RouteRefused(f"The route specified conflicts with the route defined by function '{other.function}'.")
        full = "/".join(part for part in (self._prefix, route.template.text) if part)
        self._routes.append((RouteTemplate(full), route))
        # .NET compares names without case by their upper case: an underscore comes after the letters.
        self._routes.sort(key=lambda entry: entry[1].function.upper())

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The route and its parameters, or None, which is a 404."""
        for template, route in self._routes:
            if route.accepts(method):
                values = template.match(path)
                if values is not None:
                    return route, values
        return None


def _same(one: Route, other: Route) -> bool:
    if one.template.text.casefold() != other.template.text.casefold():
        return False
    return not one.methods or not other.methods or bool(one.methods & other.methods)
