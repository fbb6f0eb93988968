"""The host as one thing: configuration, worker, listeners and the port, started together and stopped together."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from asyncio import StreamReader, StreamWriter, Task
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import azure.functions as func

from .configuration import HostConfiguration, read_configuration
from .connection import Connection, ConnectionLimits
from .cors import Cors, read_cors
from .dispatcher import Dispatcher
from .errors import HostError
from .gateway import Gateway, GatewayOptions, ToolServer
from .listeners import Listeners, set_up
from .messages import Request, Response
from .options import HostOptions
from .queues import ListenerContext, QueueListener, start_queues
from .router import Route
from .settings import AppSettings, LocalSettings, read_local_settings
from .throttle import Throttle
from .timers import TimerListener, start_timers
from .worker import App
from .workers import InProcessWorker, Loaded, ProcessWorker, Worker

LOG = logging.getLogger("emulators.functions_host")
SCRIPT = "function_app.py"
BODY_LIMIT = "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"


class HostServer:
    """Runs the app of a folder; an asynchronous context manager.

    folder: holds host.json, and function_app.py unless `app` is given. app: a `FunctionApp` whose functions run in this
    process and event loop; without it a worker process imports the folder's app, as on Azure. settings: the app
    settings; without them those of the environment, over those of local.settings.json.
    """

    def __init__(
        self,
        folder: Path,
        options: HostOptions | None = None,
        *,
        app: func.FunctionRegister | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder.resolve()
        self._options = options or HostOptions()
        self._app = App(app, self._folder) if app is not None else None
        self._local = read_local_settings(self._folder) if settings is None else LocalSettings()
        self._settings = AppSettings({**self._local.values, **(os.environ if settings is None else settings)})
        self._configuration = read_configuration(self._folder / "host.json", self._settings)
        self._dispatcher = Dispatcher(
            self._worker, self._configuration.function_timeout, self._recycle, self._options.restart_seconds
        )
        self._gateway = Gateway(self._gateway_options(), self._dispatcher)
        self._limits = _limits(self._options.limits, self._settings)
        self._server: asyncio.Server | None = None
        self._port = self._options.port
        self._connections: set[Task[None]] = set()
        self._busy = 0
        self._begun = asyncio.Event()
        self._running: list[QueueListener | TimerListener] = []
        self.listeners = Listeners(router=self._gateway.router)

    @property
    def port(self) -> int:
        """The port that it listens on, known when it has started."""
        return self._port

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        return f"http://{self._options.address}:{self.port}"

    @property
    def configuration(self) -> HostConfiguration:
        """host.json with its overrides."""
        return self._configuration

    @property
    def worker_process_id(self) -> int | None:
        """The worker process at this moment; None when functions run in this process."""
        return self._dispatcher.process_id

    def describe(self) -> list[str]:
        """A line for each function that is served, and last where the host listens."""
        lines = [self._describe_route(route) for route in self.listeners.router.routes]
        lines += [f"{trigger.function}: queue {trigger.queue}" for trigger in self.listeners.queues]
        lines += [f"{trigger.function}: timer {trigger.schedule}" for trigger in self.listeners.timers]
        lines += [f"{tool.function}: tool {tool.name}" for tool in self.listeners.tools]
        return [*lines, f"Host: {len(lines)} functions at {self.url}"]

    async def start(self) -> Self:
        """Takes the port, loads the app, starts the listeners; raises `HostError`, with nothing left running."""
        if self._app is None and not (self._folder / SCRIPT).is_file():
            raise HostError(f"{SCRIPT} is missing in {self._folder.name}: give the folder of a Python v2 app.")
        self._server = await self._listen()
        self._port = int(self._server.sockets[0].getsockname()[1])
        try:
            self._begin(await self._dispatcher.start())
            self._begun.set()
        except BaseException:
            await self._close()
            raise
        return self

    async def stop(self) -> None:
        """Takes no new work, waits for running functions, at most the grace, then ends the rest."""
        if self._server is not None:
            self._server.close()
        for listener in self._running:
            listener.stop()
        deadline = asyncio.get_running_loop().time() + self._options.grace
        while (self._busy or any(one.running for one in self._running)) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.02)
        await self._close()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _listen(self) -> asyncio.Server:
        address, port = self._options.address, self._options.port
        try:
            return await asyncio.start_server(self._serve_connection, address, port, backlog=512)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise HostError(f"Port {port} is in use: stop what listens there, or choose another with --port.") from error
            raise HostError(f"The host cannot listen on {address}:{port}: choose another address or port.") from error
        except OverflowError as error:
            raise HostError(f"Port {port} does not exist: choose one from 0 to 65535.") from error

    async def _serve_connection(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await Connection(reader, writer, self._answer, self._limits).run()
        finally:
            self._connections.discard(task)

    async def _answer(self, request: Request) -> Response:
        self._busy += 1
        try:
            # The port is taken first, so that a busy one is reported at once. Early callers wait for the functions.
            await self._begun.wait()
            return await self._gateway.answer(request)
        finally:
            self._busy -= 1

    def _begin(self, loaded: Loaded) -> None:
        if loaded.failure:
            LOG.error("function_app cannot be imported: 0 functions loaded.\n%s", loaded.failure)
        self.listeners = set_up(loaded.functions, self._settings, self._configuration)
        for problem in self.listeners.problems:
            LOG.error(problem)
        self._gateway.router = self.listeners.router
        self._gateway.tools = self._tool_server()
        # Listeners from before a recycling stay until they have settled the messages that they have in hand.
        self._running += start_queues(self.listeners.queues, self._listener_context())
        telemetry = self._configuration.open_telemetry
        timers = start_timers(self.listeners.timers, self._dispatcher, open_telemetry=telemetry)
        self._gateway.timers = {timer.function.casefold(): timer for timer in timers}
        self._running += timers

    def _listener_context(self) -> ListenerContext:
        return ListenerContext(
            settings=self._settings,
            configuration=self._configuration,
            dispatcher=self._dispatcher,
            taken_visibility=self._options.taken_visibility,
        )

    def _tool_server(self) -> ToolServer | None:
        if not self.listeners.tools:
            return None
        # Loaded only for apps with tools: it takes longer to import than all the rest.
        from .tool_server import McpServer

        return McpServer(self.listeners.tools, self._configuration.mcp, self._dispatcher)

    async def _recycle(self) -> None:
        """After three exits of the worker: everything is set up again, as when the platform starts the host anew."""
        LOG.error("The host is recycled.")
        for listener in self._running:
            listener.stop()
        await self._end_tools()
        self._begin(await self._dispatcher.restart())
        for listener in [one for one in self._running if one.stopped and not one.running]:
            self._running.remove(listener)
            await listener.close()

    async def _end_tools(self) -> None:
        if self._gateway.tools is not None:
            await self._gateway.tools.close()
        self._gateway.tools = None

    async def _close(self) -> None:
        self._dispatcher.freeze()
        for listener in self._running:
            await listener.close()
        await self._end_tools()
        await self._dispatcher.close()
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        if self._app is not None:
            self._app.close()

    def _describe_route(self, route: Route) -> str:
        path = "/".join(part for part in (self._configuration.route_prefix, route.template.text) if part)
        return f"{route.function}: [{','.join(sorted(route.methods)) or 'any'}] {self.url}/{path}"

    def _worker(self) -> Worker:
        if self._app is not None:
            return InProcessWorker(self._app)
        environment = {"AZURE_FUNCTIONS_ENVIRONMENT": "Development", **self._settings, "FUNCTIONS_WORKER_RUNTIME": "python"}
        if self._options.authentication is not None:
            environment["WEBSITE_AUTH_ENABLED"] = "True"  # as App Service says that its authentication is on
        return ProcessWorker(self._folder, environment)

    def _gateway_options(self) -> GatewayOptions:
        local = Cors(self._local.cors, self._local.cors_credentials)
        return GatewayOptions(
            keys=self._options.keys,
            cors=read_cors(self._settings, local if local.origins else self._options.cors),
            authentication=self._options.authentication,
            custom_headers=self._configuration.custom_headers,
            home_page=self._settings.get("AzureWebJobsDisableHomepage", "").casefold() != "true",
            open_telemetry=self._configuration.open_telemetry,
            open_tools=self._configuration.mcp.anonymous,
            throttle=Throttle(self._configuration.max_outstanding_requests, self._configuration.max_concurrent_requests),
        )


def _limits(limits: ConnectionLimits, settings: AppSettings) -> ConnectionLimits:
    text = settings.get(BODY_LIMIT, "").strip()
    return replace(limits, largest_body=int(text)) if text.isascii() and text.isdigit() else limits
