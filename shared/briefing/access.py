"""Who may submit and read a briefing: whoever may read all the indexes that it is made from (spec 9.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.retrieval import Caller, Forbidden, IndexSettings, NotConfigured, check_rights


class Access:
    """The rights to the configured indexes."""

    def __init__(self, indexes: Iterable[IndexSettings]) -> None:
        self._indexes: Mapping[str, IndexSettings] = {index.name: index for index in indexes}

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of the names that are not configured."""
        return tuple(name for name in names if name not in self._indexes)

    def require_runnable(self, names: Iterable[str]) -> None:
        """Raises `NotConfigured` for an index that is missing, `Forbidden` for one that needs a caller's own token."""
        for name in names:
            if name not in self._indexes:
                raise NotConfigured(f"a briefing definition names the index {name}, which is not configured")
            if not self._indexes[name].usable:
                raise NotConfigured(f"The settings of the index {name} are wrong; readiness names them.")
            if self._indexes[name].permission_filter:
                raise Forbidden(
                    f"Documents of the index {name} carry permissions, and a queued briefing cannot carry a caller's token.",
                    code="caller_token_required",
                )

    def require_submittable(self, names: Iterable[str], caller: Caller) -> None:
        """Raises as `require_runnable`, and `Forbidden` when the caller may not read one of the indexes."""
        listed = tuple(names)
        self.require_runnable(listed)
        for name in listed:
            check_rights(self._indexes[name], caller)

    def require_readable(self, names: Iterable[str], caller: Caller) -> None:
        """Raises `Forbidden` when the caller may not read one of the indexes; of one no longer configured nobody knows."""
        for name in names:
            index = self._indexes.get(name)
            if index is None and not caller.trusted:
                raise Forbidden(f"The briefing was made from the index {name}, which is not configured any more.")
            if index is not None:
                check_rights(index, caller)
