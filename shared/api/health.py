"""`GET /api/health/live` and `GET /api/health/ready`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from shared.retrieval import RetrievalError

from .responses import Reply
from .routes import Call, Route
from .services import Services

CHECK_SECONDS = 4.0
"""Most seconds for one check; all run side by side, so that the reply is there within 5 s."""
KEEP_SECONDS = 5.0
"""How long a result is given again, so that probes do not become load."""


@dataclass(frozen=True, slots=True)
class Check:
    """One part of readiness: `code` is None when it is well."""

    name: str
    code: str | None = None
    message: str | None = None

    def json(self) -> dict[str, object]:
        """The check as the reply shows it."""
        shown: dict[str, object] = {"name": self.name, "ok": self.code is None}
        return shown if self.code is None else shown | {"code": self.code, "message": self.message}


def live() -> Reply:
    """The process answers; nothing else is looked at."""
    return Reply(body={"status": "live"}, headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"})


async def handle_ready(services: Services, _: Call) -> Reply:
    """Each part by name; 503 when one is not well. No value of a setting and no secret is shown."""
    kept = services.readiness
    if kept is None or time.monotonic() - kept[0] > KEEP_SECONDS:
        kept = (time.monotonic(), await _look(services))
        services.readiness = kept
    return kept[1]


async def _look(services: Services) -> Reply:
    with services.signals.span("ready") as span:
        settings = services.settings
        missing = [p for p in settings.missing if p.section == "storage"]
        problems = [Check(f"setting:{p.setting}", "not_configured", p.message) for p in (*settings.problems, *missing)]
        if settings.auth.problem:
            problems.append(Check("setting:auth", "not_configured", settings.auth.problem))
        if services.telemetry_unsafe:
            problems.append(Check("telemetry", "telemetry_unsafe", "Telemetry would leave the app unredacted."))
        indexes = [_checked(name, work) for name, work in services.checks()]
        asked, briefings = await asyncio.gather(asyncio.gather(*indexes), services.briefing_checks())
        checks = [*problems, *asked, *(Check(b.name, b.code, " ".join(b.problems) or None) for b in briefings)]
        _tell(services, checks)
        well = all(check.code is None for check in checks)
        span.set(status=200 if well else 503)
    body = {
        "status": "ready" if well else "not_ready",
        "checks": [check.json() for check in checks],
        "warnings": [*services.warnings(), *(warning for check in briefings for warning in check.warnings)],
    }
    return Reply(status=200 if well else 503, body=body)


def _tell(services: Services, checks: Sequence[Check]) -> None:
    """Operators see each part that is not well where they see everything else."""
    for check in checks:
        if check.code is not None:
            component, _, index = check.name.partition(":")
            services.signals.event("not_ready", component=component, index=index or None, error_type=check.code)


async def _checked(name: str, work: Awaitable[object]) -> Check:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            await work
    except TimeoutError:
        return Check(name, "timeout", "No answer in time.")
    except RetrievalError as error:
        return Check(name, error.code, error.message)
    return Check(name)


READY = Route(name="health/ready", handle=handle_ready, configured=False)
