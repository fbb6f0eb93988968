"""The triggers of an app's functions, and the functions that are left out, with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from emulators.functions_host import HostConfiguration
from emulators.functions_host.functions import Function
from emulators.functions_host.listeners import Listeners, set_up
from emulators.functions_host.settings import AppSettings

RESULT = {"type": "http", "direction": "OUT", "name": "$return"}
SETTINGS = {
    "Store": "UseDevelopmentStorage=true",
    "AzureWebJobsOther": "x",
    "Identity__queueServiceUri": "https://s",
    "Q": "Named",
}


def function(name: str, trigger: dict[str, Any], *others: dict[str, Any]) -> Function:
    return Function(name=name, bindings=(*others, trigger))


def http(name: str, route: str | None = None, **more: Any) -> Function:
    return function(name, {"type": "httpTrigger", "name": "req", "route": route, **more}, RESULT)


def queue(name: str, queue_name: str, connection: str) -> Function:
    return function(name, {"type": "queueTrigger", "name": "msg", "queueName": queue_name, "connection": connection})


def timer(name: str, schedule: str, **more: Any) -> Function:
    return function(name, {"type": "timerTrigger", "name": "timer", "schedule": schedule, **more})


def tool(name: str, properties: Any) -> Function:
    return function(name, {"type": "mcpToolTrigger", "name": "context", "toolName": "t", "toolProperties": properties})


def listeners(*functions: Function, **settings: str) -> Listeners:
    return set_up(functions, AppSettings({**SETTINGS, **settings}), HostConfiguration())


def test_a_route() -> None:
    made = listeners(http("one", "items/{id}", methods=["get", "POST"], authLevel="FUNCTION"), http("two"))
    assert made.problems == []
    first, second = made.router.routes
    assert (first.function, first.template.text, first.level) == ("one", "items/{id}", "function")
    assert first.methods == {"GET", "POST"}
    assert (second.template.text, second.methods, second.level) == ("two", frozenset(), "function")


@pytest.mark.parametrize(
    ("name", "connection", "expected"),
    [
        ("plain", "Store", ("plain", "Store")),
        ("%Q%", "Store", ("named", "Store")),
        ("UPPER", "store", ("upper", "store")),
        ("plain", "Other", ("plain", "AzureWebJobsOther")),
        ("plain", "Identity", ("plain", "Identity")),
    ],
)
def test_a_queue(name: str, connection: str, expected: tuple[str, str]) -> None:
    made = listeners(queue("f", name, connection))
    assert [(trigger.queue, trigger.connection) for trigger in made.queues] == [expected]


def test_the_default_connection() -> None:
    assert listeners(queue("f", "plain", ""), AzureWebJobsStorage="x").queues[0].connection == "AzureWebJobsStorage"


@pytest.mark.parametrize(("data_type", "binary"), [(None, False), ("STRING", False), ("BINARY", True), ("binary", True)])
def test_a_queue_of_bytes(data_type: str | None, binary: bool) -> None:
    trigger = {"type": "queueTrigger", "name": "msg", "queueName": "plain", "connection": "Store", "dataType": data_type}
    assert listeners(function("f", trigger)).queues[0].binary == binary


@pytest.mark.parametrize(
    ("schedule", "more", "expected"),
    [
        ("0 0 3 * * *", {}, ("0 0 3 * * *", False)),
        ("%Night%", {"runOnStartup": True, "useMonitor": False}, ("0 30 2 * * *", True)),
    ],
)
def test_a_timer(schedule: str, more: dict[str, Any], expected: tuple[str, bool]) -> None:
    made = listeners(timer("f", schedule, **more), Night="0 30 2 * * *")
    assert made.problems == []
    assert [(one.schedule, one.run_on_startup) for one in made.timers] == [expected]


def test_a_tool() -> None:
    properties = [
        {"propertyName": "query", "propertyType": "string", "description": "50% of %it%", "isRequired": True},
        {"propertyName": "sizes", "propertyType": "integer", "isArray": True},
        {"propertyName": "plain"},
    ]
    made = listeners(tool("f", json.dumps(properties)))
    assert made.problems == []
    assert made.tools[0].schema() == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "50% of %it%"},
            "sizes": {"type": "array", "items": {"type": "integer"}, "description": ""},
            "plain": {"type": "string", "description": ""},
        },
        "required": ["query"],
    }


def test_a_tool_without_properties() -> None:
    assert listeners(tool("f", None)).tools[0].schema() == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("left_out", "reason"),
    [
        (
            function("bad", {"type": "mcpResourceTrigger"}),
            "The binding type 'mcpResourceTrigger' is not one that this host runs.",
        ),
        (
            function("bad", {"type": "httpTrigger"}, {"type": "blob"}),
            "The binding type 'blob' is not one that this host runs.",
        ),
        (Function(name="bad", bindings=()), "The binding type 'None' is not one that this host runs."),
        (queue("bad", "%Nothing%", "Store"), "'%Nothing%' does not resolve to a value."),
        (
            queue("bad", "plain", "Nothing"),
            "Storage account connection string 'Nothing' does not exist. Make sure that it is a defined App Setting.",
        ),
        (queue("bad", "no_queue", "Store"), "'no_queue' is no queue name: 3 to 63 letters, digits and single dashes."),
        (queue("bad", "a--b", "Store"), "'a--b' is no queue name: 3 to 63 letters, digits and single dashes."),
        (queue("bad", "", "Store"), "'' is no queue name: 3 to 63 letters, digits and single dashes."),
        (http("bad", "GOOD"), "The route specified conflicts with the route defined by function 'also good'."),
        (http("bad", "admin"), "The specified route conflicts with one or more built in routes."),
        (http("bad", "{a:nosuch}"), "The route constraint 'nosuch' is not known or lacks its arguments."),
        (timer("bad", "%Nothing%"), "'%Nothing%' does not resolve to a value."),
        (
            timer("bad", "hourly"),
            "'hourly' is not a schedule with a next run: give an NCRONTAB expression or a time span.",
        ),
        (http("off", "x"), "It is disabled by an app setting."),
        (tool("bad", "5"), "toolProperties must be a JSON list of objects with a propertyName."),
        (tool("bad", "{"), "toolProperties must be a JSON list of objects with a propertyName."),
        (tool("bad", [{"propertyName": "a", "propertyType": "date"}]), "The property 'a' has the unknown type 'date'."),
    ],
)
def test_function_left_out(left_out: Function, reason: str) -> None:
    made = listeners(left_out, http("also good", "good"), **{"AzureWebJobs.off.Disabled": "true"})
    assert made.problems == [f"The '{left_out.name}' function is in error: {reason}"]
    assert [route.function for route in made.router.routes] == ["also good"]
    assert not made.queues
    assert not made.timers
    assert not made.tools
