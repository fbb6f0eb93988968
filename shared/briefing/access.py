"""Who may submit, read and erase a briefing, by the rights to the indexes that it is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shared.retrieval import Caller, Forbidden, IndexSettings, NotConfigured, can_read, check_rights


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
        """Raises `Forbidden` when the caller may not read one of the indexes; of one no longer configured nobody knows.

        Documents of an index with `PermissionFilter` are each reader's own, and a stored briefing cannot tell whose: it is
        refused whatever token comes with the call, since nobody checks that token here.
        """
        for name in names:
            index = self._indexes.get(name)
            if index is None and not caller.trusted:
                raise Forbidden(f"The briefing was made from the index {name}, which is not configured any more.")
            if index is not None and index.permission_filter:
                message = f"Documents of the index {name} carry permissions, so a stored briefing of it is shown to nobody."
                raise Forbidden(message, code="caller_token_required")
            if index is not None:
                check_rights(index, caller)

    def is_visible(self, names: Iterable[str], caller: Caller) -> bool:
        """Whether the caller has the roles of those of the indexes that are configured and ask for some."""
        return all(can_read(self._indexes[name], caller) for name in names if name in self._indexes)

    def require_erasable(self, names: Iterable[str], caller: Caller) -> None:
        """Raises `Forbidden` (`role_required`) unless the caller has the roles of the indexes.

        Neither permissions of documents nor an index that is gone hinder an erasure.
        """
        if not self.is_visible(names, caller):
            raise Forbidden("Deleting this needs a role that this caller does not have.", code="role_required")
