"""The routes, queues, timers and tools of an app. A function that cannot be set up is left out, with a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .configuration import HostConfiguration
from .functions import HTTP, MCP_TOOL, QUEUE, TIMER, Function
from .router import Route, Router, RouteRefused
from .schedules import parse_schedule
from .settings import AppSettings, UnresolvedSetting
from .templates import BadTemplate, RouteTemplate
from .tools import Tool, read_tool

OUTPUTS = frozenset({"http"})
QUEUE_NAME = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")
# The attributes in which the host replaces `%SETTING%`; a description may hold percent signs of its own.
RESOLVED = frozenset({"queueName", "connection", "route", "schedule"})


class NotServed(ValueError):
    """The function is left out for this reason."""


@dataclass(frozen=True, kw_only=True)
class QueueTrigger:
    """A function and the queue that calls it.

    `connection` names the setting, or the section, of the account; `binary`: the function takes the message as bytes.
    """

    function: str
    queue: str
    connection: str
    binary: bool = False


@dataclass(frozen=True, kw_only=True)
class TimerTrigger:
    """A function and its schedule, an NCRONTAB expression or a time span."""

    function: str
    schedule: str
    run_on_startup: bool = False


@dataclass(kw_only=True)
class Listeners:
    """Everything that can call a function, and the lines about functions that are left out."""

    router: Router
    queues: list[QueueTrigger] = field(default_factory=list)
    timers: list[TimerTrigger] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def set_up(functions: Sequence[Function], settings: AppSettings, configuration: HostConfiguration) -> Listeners:
    """Sets up each function in the order of the names, as the host does."""
    listeners = Listeners(router=Router(configuration.route_prefix))
    for function in sorted(functions, key=lambda function: function.name.upper()):
        try:
            _check_enabled(function, settings)
            _check_bindings(function)
            KINDS[function.kind](function.name, _resolve_settings(function.trigger, settings), listeners, settings)
        except (NotServed, UnresolvedSetting, RouteRefused, BadTemplate) as reason:
            listeners.problems.append(f"The '{function.name}' function is in error: {reason}")
    return listeners


def _check_enabled(function: Function, settings: AppSettings) -> None:
    if settings.get(f"AzureWebJobs.{function.name}.Disabled", "").casefold() in ("true", "1"):
        raise NotServed("It is disabled by an app setting.")


def _check_bindings(function: Function) -> None:
    if function.kind not in KINDS:
        raise NotServed(f"The binding type '{function.trigger.get('type')}' is not one that this host runs.")
    for binding in function.bindings:
        kind = str(binding.get("type", "")).casefold()
        if binding is not function.trigger and kind not in OUTPUTS:
            raise NotServed(f"The binding type '{binding.get('type')}' is not one that this host runs.")


def _resolve_settings(trigger: Mapping[str, Any], settings: AppSettings) -> dict[str, Any]:
    return {
        name: settings.resolve(value) if name in RESOLVED and isinstance(value, str) else value
        for name, value in trigger.items()
    }


def _set_up_route(name: str, trigger: Mapping[str, Any], listeners: Listeners, _: AppSettings) -> None:
    methods = frozenset(str(method).upper() for method in trigger.get("methods") or ())
    level = str(trigger.get("authLevel") or "function").casefold()
    template = RouteTemplate(trigger.get("route") or name)
    listeners.router.add(Route(function=name, template=template, methods=methods, level=level))


def _set_up_queue(name: str, trigger: Mapping[str, Any], listeners: Listeners, settings: AppSettings) -> None:
    connection = trigger.get("connection") or "AzureWebJobsStorage"
    known = (connection, f"AzureWebJobs{connection}")
    named = next((setting for setting in known if settings.get(setting) or settings.section(setting)), None)
    if named is None:
        raise NotServed(
            f"Storage account connection string '{connection}' does not exist. Make sure that it is a defined App Setting."
        )
    queue = str(trigger.get("queueName", "")).lower()
    if not QUEUE_NAME.fullmatch(queue):
        raise NotServed(f"'{queue}' is no queue name: 3 to 63 letters, digits and single dashes.")
    binary = str(trigger.get("dataType", "")).casefold() == "binary"
    listeners.queues.append(QueueTrigger(function=name, queue=queue, connection=named, binary=binary))


def _set_up_timer(name: str, trigger: Mapping[str, Any], listeners: Listeners, _: AppSettings) -> None:
    schedule = str(trigger.get("schedule") or "")
    try:
        parse_schedule(schedule)
    except ValueError as error:
        raise NotServed(str(error)) from error
    at_once = trigger.get("runOnStartup") is True
    listeners.timers.append(TimerTrigger(function=name, schedule=schedule, run_on_startup=at_once))


def _set_up_tool(name: str, trigger: Mapping[str, Any], listeners: Listeners, _: AppSettings) -> None:
    try:
        listeners.tools.append(read_tool(name, trigger))
    except ValueError as error:
        raise NotServed(str(error)) from error


SetUp = Callable[[str, Mapping[str, Any], Listeners, AppSettings], None]
KINDS: dict[str, SetUp] = {HTTP: _set_up_route, QUEUE: _set_up_queue, TIMER: _set_up_timer, MCP_TOOL: _set_up_tool}
