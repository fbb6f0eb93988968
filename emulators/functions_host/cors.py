"""Cross-origin calls as the Functions host answers them: any method and header, for the origins that are allowed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .errors import BadConfiguration
from .messages import Headers, Request
from .settings import AppSettings

ORIGINS = "CORS_ALLOWED_ORIGINS"
CREDENTIALS = "CORS_SUPPORT_CREDENTIALS"


@dataclass(frozen=True)
class Cors:
    """The allowed origins, `*` for any."""

    origins: tuple[str, ...] = ()
    credentials: bool = False

    def is_preflight(self, request: Request) -> bool:
        """True when the host answers this itself, with 204, instead of a function."""
        asks = request.header("origin") and request.header("access-control-request-method")
        return bool(self.origins) and request.method == "OPTIONS" and bool(asks)

    def headers(self, request: Request) -> Headers:
        """The headers to add to an answer; empty for an origin that is not allowed."""
        origin = request.header("origin")
        if not origin or not self._allows(origin):
            return ()
        any_origin = "*" in self.origins and not self.credentials
        headers = [("Access-Control-Allow-Origin", "*" if any_origin else origin)]
        if self.credentials:
            headers.append(("Access-Control-Allow-Credentials", "true"))
        if not any_origin and len(self.origins) > 1:
            headers.append(("Vary", "Origin"))
        return (*headers, *(self._preflight_headers(request) if self.is_preflight(request) else ()))

    @staticmethod
    def _preflight_headers(request: Request) -> Headers:
        headers = [("Access-Control-Allow-Methods", request.header("access-control-request-method"))]
        asked = request.header("access-control-request-headers")
        return (*headers, ("Access-Control-Allow-Headers", asked)) if asked else tuple(headers)

    def _allows(self, origin: str) -> bool:
        return "*" in self.origins or origin.casefold() in (known.rstrip("/").casefold() for known in self.origins)


def read_cors(settings: AppSettings, local: Cors) -> Cors:
    """The origins of the app setting, a JSON list, else those of `local.settings.json`; raises `BadConfiguration`."""
    text = settings.get(ORIGINS)
    if not text:
        return local
    try:
        origins = json.loads(text)
    except ValueError:
        origins = None
    if not isinstance(origins, list) or not all(isinstance(origin, str) for origin in origins):
        raise BadConfiguration(f'{ORIGINS} must be a JSON list of origins, such as ["https://portal.example.org"].')
    return Cors(tuple(origins), settings.get(CREDENTIALS, "").casefold() == "true")
