"""Which function answers: the order of the names decides, and a route that cannot be served is refused."""

from __future__ import annotations

import pytest

from emulators.functions_host.router import Route, Router, RouteRefused
from emulators.functions_host.templates import RouteTemplate


def route(function: str, template: str, *methods: str) -> Route:
    return Route(function=function, template=RouteTemplate(template), methods=frozenset(methods), level="anonymous")


def router(*routes: Route, prefix: str = "api") -> Router:
    made = Router(prefix)
    for known in routes:
        made.add(known)
    return made


def found(made: Router, method: str, path: str) -> str | None:
    match = made.find(method, path)
    return match[0].function if match else None


OVERLAPPING = router(
    route("items_latest", "items/latest", "GET"), route("Items", "items/{id}", "GET", "PUT"), route("zebra", "items/{other}")
)


@pytest.mark.parametrize(
    ("method", "path", "function"),
    [
        ("GET", "/api/items/latest", "Items"),
        ("PUT", "/api/items/latest", "Items"),
        ("DELETE", "/api/items/latest", "zebra"),
        ("GET", "/items/latest", None),
        ("GET", "/api/nosuch", None),
    ],
)
def test_the_first_name_wins(method: str, path: str, function: str | None) -> None:
    assert found(OVERLAPPING, method, path) == function


def test_an_underscore_comes_after_the_letters() -> None:
    made = router(route("items_more", "x/{a}"), route("itemsAll", "x/{b}"))
    assert found(made, "GET", "/api/x/1") == "itemsAll"


def test_prefix_may_be_empty() -> None:
    assert found(router(route("f", "x"), prefix=""), "GET", "/x") == "f"


def test_same_route_with_other_methods() -> None:
    made = router(route("a", "x", "GET"), route("b", "X", "POST"))
    assert found(made, "POST", "/api/x") == "b"
    assert [known.function for known in made.routes] == ["a", "b"]


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (route("b", "X/", "GET", "PUT"), "^The route specified conflicts with the route defined by function 'a'.$"),
        (route("b", "x"), "conflicts with the route defined by function 'a'"),
        (route("b", "admin/x", "GET"), "^The specified route conflicts with one or more built in routes.$"),
        (route("b", "Administrators", "GET"), "conflicts with one or more built in routes"),
    ],
)
def test_refused_routes(second: Route, message: str) -> None:
    with pytest.raises(RouteRefused, match=message):
        router(route("a", "x", "GET"), second)
