"""A Python v2 app: its functions by name, and the running of one call of them."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import importlib
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import azure.functions as func

from ..functions import Function
from ..invocations import Ending, Invocation, Outcome
from . import tracing
from .bindings import bind, encode
from .context import Context

MODULE = "function_app"
# Fifty synchronous handlers run at once on the real worker; threads are made only when they are needed.
MOST_THREADS = 1000
REGISTERED: WeakKeyDictionary[func.FunctionRegister, list[Any]] = WeakKeyDictionary()


class App:
    """The functions of a `FunctionApp`."""

    def __init__(self, app: func.FunctionRegister, folder: Path) -> None:
        self._folder = folder
        self._handlers: dict[str, Callable[..., Any]] = {}
        self.functions: list[Function] = []
        for function in _functions_of(app):
            name = str(function.get_function_name())
            self._handlers[name] = function.get_user_function()
            bindings = tuple(json.loads(text) for text in function.get_raw_bindings())
            self.functions.append(Function(name=name, bindings=bindings))
        self._by_name = {function.name: function for function in self.functions}
        self._traced = tracing.is_on(os.environ)
        self._threads = ThreadPoolExecutor(_thread_count(os.environ), "function")

    @staticmethod
    def load(folder: Path) -> App:
        """Imports `function_app` of the folder and finds the app in it, under any name."""
        sys.path.insert(0, str(folder))
        module = importlib.import_module(MODULE)
        apps = [value for value in vars(module).values() if isinstance(value, func.FunctionRegister)]
        if len({id(app) for app in apps}) != 1:
            raise ValueError(f"{MODULE}.py must define one FunctionApp at its top level; it defines {len(apps)}.")
        return App(apps[0], folder)

    async def run(self, invocation: Invocation) -> Outcome:
        """Calls the function; an exception becomes an outcome with the whole text of the failure."""
        try:
            with tracing.attach(invocation.trace) if self._traced else contextlib.nullcontext():
                returned = await self._call(invocation)
            return encode(self._by_name[invocation.function].kind, returned)
        except asyncio.CancelledError:
            # The function's own, such as of a task that it awaited; ours goes on.
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return Outcome(ending=Ending.FAILED, failure=traceback.format_exc())
        except Exception:
            # The edge of foreign code: the real worker turns every exception of a function into a failed call.
            return Outcome(ending=Ending.FAILED, failure=traceback.format_exc())

    def close(self) -> None:
        """Lets go of the threads; calls that run on them are not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _call(self, invocation: Invocation) -> Any:
        handler = self._handlers[invocation.function]
        arguments = self._arguments(handler, invocation)
        if inspect.iscoroutinefunction(handler):
            return await handler(**arguments)
        call = functools.partial(contextvars.copy_context().run, handler, **arguments)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def _arguments(self, handler: Callable[..., Any], invocation: Invocation) -> dict[str, Any]:
        function = self._by_name[invocation.function]
        arguments = {str(function.trigger["name"]): bind(function.kind, function.trigger, invocation)}
        if "context" in inspect.signature(handler).parameters and "context" not in arguments:
            arguments["context"] = Context(invocation, str(self._folder))
        return arguments


def _functions_of(app: func.FunctionRegister) -> list[Any]:
    """The registered functions; `get_functions` counts the names anew at each call and would refuse the second."""
    if app not in REGISTERED:
        REGISTERED[app] = app.get_functions()
    return REGISTERED[app]


def _thread_count(environment: Mapping[str, str]) -> int:
    text = environment.get("PYTHON_THREADPOOL_THREAD_COUNT", "")
    return int(text) if text.isdigit() and int(text) > 0 else MOST_THREADS
