"""The api-versions of the data plane that are understood."""

from __future__ import annotations

from .errors import ServiceError

_VERSIONS_TEXT = """
2019-05-06 2019-05-06-preview 2020-06-30 2020-06-30-preview 2021-04-30-preview 2023-07-01-preview
2023-10-01-preview 2023-11-01 2024-03-01-preview 2024-05-01-preview 2024-07-01 2024-09-01-preview
2024-11-01-preview 2025-03-01-preview 2025-05-01-preview 2025-08-01-preview 2025-09-01 2025-11-01-preview
2026-04-01 2026-05-01-preview
"""
VERSIONS = frozenset(_VERSIONS_TEXT.split())


def check_version(version: str) -> None:
    """Refuses a call without api-version or with one that is not known."""
    if not version:
        raise ServiceError(
            400,
            "MissingApiVersionParameter",
            "The api-version query parameter (?api-version=) is required for all requests.",
        )
    if version not in VERSIONS:
        raise ServiceError(400, "InvalidApiVersionParameter", f"Invalid or unsupported api-version '{version[:40]}'.")


def shards(version: str, held: int) -> int:
    """How many shards are counted for a call of that version, where the service holds an index in `held` of them.

    The services recorded in 2019 and 2020 held an index in one shard, those recorded since then in twelve.
    """
    return 1 if version < "2021" else held
