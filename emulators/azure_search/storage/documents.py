"""Writing documents: upload, merge, mergeOrUpload and delete, each with its own outcome."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import ServiceError, invalid_request
from ..schema.edm import stored_members
from .store import Document, DocumentStore

MAX_ACTIONS = 1000
KEY = re.compile(r"[A-Za-z0-9=_-]{1,1024}")
ACTIONS = ("upload", "merge", "mergeOrUpload", "delete")
Outcome = dict[str, Any]


def index_documents(store: DocumentStore, body: Mapping[str, Any]) -> tuple[int, list[Outcome]]:
    """Carry out a batch: 200 with one outcome per action, 207 when one failed. A batch that cannot be read is a 400."""
    actions = body.get("value")
    if not isinstance(actions, list) or not actions:
        raise ServiceError(400, "", "The request is invalid. Details: actions : No indexing actions found in the request.")
    if len(actions) > MAX_ACTIONS:
        raise invalid_request(
            "actions", f"A batch holds at most {MAX_ACTIONS} actions; this one has {len(actions)}.", "OperationNotAllowed"
        )
    prepared = [_prepare(store, action, index) for index, action in enumerate(actions)]
    outcomes = [_apply(store, *each) for each in prepared]
    return (200 if all(each["status"] for each in outcomes) else 207), outcomes


def _prepare(store: DocumentStore, action: Any, index: int) -> tuple[str, str, Document]:
    if not isinstance(action, Mapping):
        raise ServiceError(400, "", f"The request is invalid. Details: actions : {index}: An action must be an object.")
    kind = action.get("@search.action", "upload")
    if kind not in ACTIONS:
        raise ServiceError(400, "", f"The request is invalid. Details: actions : {index}: The action '{kind}' is not known.")
    key = _key(action, store.definition.key.name, index)
    sent = {name: value for name, value in action.items() if not name.startswith("@")}
    whole = stored_members(sent, store.definition.fields, index)
    return kind, key, {name: whole[name] for name in sent} if kind.startswith("merge") else whole


def _key(action: Mapping[str, Any], name: str, index: int) -> str:
    key = action.get(name)
    if key is None or key == "":
        message = f"{index}: Document key cannot be missing or empty."
        raise ServiceError(
            400,
            "OperationNotAllowed",
            f"The request is invalid. Details: actions : {message}",
            (("MissingKeyField", f"{message} Parameters: actions"),),
        )
    if not isinstance(key, str):
        text = (
            f"The request is invalid. Details: actions : {index}: Cannot convert the key to the expected type 'Edm.String'."
        )
        raise ServiceError(400, "", text)
    if not KEY.fullmatch(key):
        message = (
            f"{index}: Invalid document key: '{key}'. Keys can only contain letters, digits, underscore (_), dash (-), or "
            "equal sign (=). If the keys in your source data contain other characters, we recommend encoding them with a "
            "URL-safe version of Base64 before uploading them to your index."
        )
        raise ServiceError(
            400,
            "InvalidName",
            f"The request is invalid. Details: actions : {message}",
            (("InvalidDocumentKey", f"{message} Parameters: actions"),),
        )
    return key


def _apply(store: DocumentStore, kind: str, key: str, sent: Document) -> Outcome:
    known = store.get(key)
    if kind == "merge" and known is None:
        return {"key": key, "status": False, "errorMessage": "Document not found.", "statusCode": 404}
    if kind == "delete":
        store.remove(key)
        return _done(key, 200)
    if kind.startswith("merge"):
        sent = _merge(known, sent) if known is not None else _complete(store, sent)
    return _done(key, 201 if store.put(sent) else 200)


def _done(key: str, code: int) -> Outcome:
    return {"key": key, "status": True, "errorMessage": None, "statusCode": code}


def _complete(store: DocumentStore, sent: Document) -> Document:
    return stored_members(sent, store.definition.fields, 0)


def _merge(known: Document, sent: Document) -> Document:
    return {name: _merged_value(value, sent[name]) if name in sent else value for name, value in known.items()}


def _merged_value(old: Any, new: Any) -> Any:
    """Complex values merge member by member; collections and everything else are replaced whole."""
    if isinstance(old, dict) and isinstance(new, dict) and "coordinates" not in old:
        return {**old, **{name: value for name, value in new.items() if value is not None}}
    return new
