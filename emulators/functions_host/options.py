"""How a host is started."""

from __future__ import annotations

from dataclasses import dataclass, field

from .connection import ConnectionLimits
from .cors import Cors
from .keys import Keys
from .principals import Authentication

# How long the real host keeps a message that it has taken from the queue, renewed while the function runs.
TAKEN_SECONDS = 600.0
# How long the real host waits for running functions when it is told to stop.
GRACE_SECONDS = 10.0
# How long to wait after three failed starts of the worker process.
RESTART_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class HostOptions:
    """The options of a host, beside host.json and the app settings.

    port: 0 takes a free one. taken_visibility: seconds that a taken message stays invisible, ten minutes on the real
    host. grace: seconds that running functions have when the host stops. restart_seconds: between tries to start a
    worker process that ends while it imports the app. authentication: App Service authentication in front. cors: used
    when neither the settings nor local.settings.json name origins. limits: of a connection; the app setting
    FUNCTIONS_REQUEST_BODY_SIZE_LIMIT beats its `largest_body`, as on the real host.
    """

    port: int = 0
    address: str = "127.0.0.1"
    keys: Keys = field(default_factory=Keys)
    taken_visibility: float = TAKEN_SECONDS
    grace: float = GRACE_SECONDS
    restart_seconds: float = RESTART_SECONDS
    authentication: Authentication | None = None
    cors: Cors = field(default_factory=Cors)
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)
