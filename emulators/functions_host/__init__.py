"""The development host: runs a Python v2 app as the Azure Functions host does.

    async with HostServer(folder) as host:                     # worker process, as on Azure
        await client.get(f"{host.url}/api/health/live")

    async with HostServer(folder, app=function_app.app, settings={…}) as host:   # in this process: quick, for tests

`HostOptions` has the port (0: a free one), keys, the visibility of a taken message, the grace at the end and App
Service authentication (`Authentication({"token": Principal(name=…, id=…, roles=(…))})`: a caller is the principal
that its bearer token names). `host.worker_process_id` is there to be killed.
`python -m emulators.functions_host FOLDER --port N` serves a folder.
docs/development-host.md lists the rules of the real host that it keeps, and its gaps.
"""

from .configuration import HostConfiguration, QueueConfiguration
from .connection import ConnectionLimits
from .cors import Cors
from .errors import BadConfiguration, HostError
from .keys import Keys
from .options import HostOptions
from .principals import Authentication, Principal
from .server import HostServer

__all__ = [
    "Authentication",
    "BadConfiguration",
    "ConnectionLimits",
    "Cors",
    "HostConfiguration",
    "HostError",
    "HostOptions",
    "HostServer",
    "Keys",
    "Principal",
    "QueueConfiguration",
]
