"""Settings of telemetry, made by the app from its environment."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    """The settings of the export. Without a connection string nothing is exported.

    `redactor` is `erase`, `hmac` or `package.module:Class`.
    """

    enable_sensitive_data: bool = False
    confirm_sensitive_in_azure: bool = False
    redactor: str = "erase"
    hmac_key: str | None = field(default=None, repr=False)
    hmac_key_id: str | None = None
    connection_string: str | None = field(default=None, repr=False)
    client_id: str | None = None
    """Client id of the app's user-assigned identity, for the export in Azure."""
    in_azure: bool = False

    @property
    def sensitive(self) -> bool:
        """True when texts leave unredacted: switched on and, in Azure, confirmed."""
        return self.enable_sensitive_data and (self.confirm_sensitive_in_azure or not self.in_azure)
