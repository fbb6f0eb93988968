"""Which identity the app uses: the only importer of azure.identity."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from azure.core.credentials import AccessToken, AccessTokenInfo, TokenRequestOptions
from azure.core.credentials_async import AsyncTokenCredential

from ..errors import IdentityUnavailable
from ..settings import Authentication

_FEDERATED_TOKEN = "AZURE_FEDERATED_TOKEN_FILE"
PLATFORM_MARKS = (
    *("WEBSITE_INSTANCE_ID", "IDENTITY_ENDPOINT", "CONTAINER_APP_NAME", "KUBERNETES_SERVICE_HOST"),
    _FEDERATED_TOKEN,
)
"""Variables that App Service, Container Apps and Kubernetes set, and a developer's machine does not."""


def in_azure(environ: Mapping[str, str]) -> bool:
    """Whether the process runs on a platform of Azure, by any of its marks."""
    return any(environ.get(name) for name in PLATFORM_MARKS)


def make_credential(
    client_id: str | None = None,
    authentication: Authentication | None = None,
    environ: Mapping[str, str] = os.environ,
) -> AsyncTokenCredential:
    """The credential of the app: `authentication` if given, else the platform's identity, else a developer's.

    The platform's is a workload identity where a federated token is mounted, as on Kubernetes, else a managed identity.
    `client_id` names a user-assigned identity; blank counts as absent. Developer credentials are tried only where none of
    the platform's variables is set. Raises IdentityUnavailable where a federated token lacks its tenant or client.
    """
    # Imported here: msal and cryptography take a tenth of a second that a start of the app should not pay.
    from azure.identity import aio

    if authentication is not None:
        return _other_identity(authentication)
    if environ.get(_FEDERATED_TOKEN):
        return _workload_identity(_named(client_id), environ)
    if in_azure(environ):
        return aio.ManagedIdentityCredential(client_id=_named(client_id))
    return aio.ChainedTokenCredential(
        aio.AzureCliCredential(), aio.AzureDeveloperCliCredential(), aio.AzurePowerShellCredential()
    )


def _workload_identity(client_id: str | None, environ: Mapping[str, str]) -> AsyncTokenCredential:
    """The identity of a pod, by the variables of Microsoft Entra Workload ID."""
    from azure.identity import aio

    try:
        return aio.WorkloadIdentityCredential(
            tenant_id=environ.get("AZURE_TENANT_ID", ""),
            client_id=client_id or environ.get("AZURE_CLIENT_ID", ""),
            token_file_path=environ[_FEDERATED_TOKEN],
        )
    except ValueError as error:
        raise IdentityUnavailable("The federated token has no AZURE_TENANT_ID or AZURE_CLIENT_ID beside it.") from error


def _other_identity(authentication: Authentication) -> AsyncTokenCredential:
    from azure.identity import aio

    if authentication.client_secret is None:
        return aio.ManagedIdentityCredential(client_id=_named(authentication.managed_identity_client_id))
    extra = {"authority": authentication.authority_host} if _named(authentication.authority_host) else {}
    return aio.ClientSecretCredential(
        authentication.tenant_id or "", authentication.client_id or "", authentication.client_secret, **extra
    )


def _named(client_id: str | None) -> str | None:
    return client_id.strip() or None if client_id else None


class SearchCredential:
    """A credential whose every failure is IdentityUnavailable."""

    def __init__(self, credential: AsyncTokenCredential) -> None:
        self._credential = credential

    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        """A token of the credential. Raises IdentityUnavailable."""
        try:
            return await self._credential.get_token(*scopes, **options)
        except Exception as error:  # whatever a credential raises, there is no token
            raise _unavailable() from error

    async def get_token_info(self, *scopes: str, options: TokenRequestOptions | None = None) -> AccessTokenInfo:
        """A token with its time of renewal. Raises IdentityUnavailable."""
        if not hasattr(self._credential, "get_token_info"):
            token = await self.get_token(*scopes)
            return AccessTokenInfo(token.token, token.expires_on)
        try:
            info: AccessTokenInfo = await self._credential.get_token_info(*scopes, options=options)
        except Exception as error:  # as above
            raise _unavailable() from error
        return info

    async def close(self) -> None:
        """Close the credential."""
        await self._credential.close()

    async def __aenter__(self) -> SearchCredential:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _unavailable() -> IdentityUnavailable:
    return IdentityUnavailable("No token could be had for the app's identity.")


# Which hosts are this machine itself: there http is taken, and no token is asked for or sent.

_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_V4 = re.compile(r"127(?:\.[0-9]{1,3}){3}", re.ASCII)


def is_loopback_host(host: str | None) -> bool:
    """Whether `host`, without port and brackets, names this machine itself."""
    return host is not None and (host in _NAMES or _V4.fullmatch(host) is not None)
