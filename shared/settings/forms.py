"""Forms of a setting's value: each turns the text of an app setting into a value, or says what it must be.

App settings are texts. Inside a JSON list a number or a flag may also be written as JSON. Blank members never get here.
"""

from __future__ import annotations

import json
import math
import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from shared.retrieval import is_loopback_host

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_FLAGS = {"true": True, "false": False}
_HOST = re.compile(r"\[[0-9a-f:.]+\]|[^\s/:@?#*<>\"'\\\[\]]+")
_STORAGE_NAME = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def is_blank(value: object) -> bool:
    """Whether a member counts as absent in every form: JSON `null`, or a text of white space."""
    return value is None or (isinstance(value, str) and not value.strip())


def read_flag(text: str) -> bool | None:
    """`true` or `false` in any letter case, else None."""
    return _FLAGS.get(text.strip().lower())


def parse_text(value: object) -> str:
    """A text without surrounding white space; a JSON number or flag as its text. Raises ValueError."""
    return parse_raw_text(value).strip()


def parse_raw_text(value: object) -> str:
    """A text as written, for prompts, whose white space counts. Raises ValueError."""
    if not isinstance(value, str | bool | int | float):
        raise ValueError("Must be a text.")
    return str(value)


def parse_number(value: object) -> float:
    """A finite number in decimal notation. Raises ValueError."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str):
        text = float(text) if _NUMBER.fullmatch(text) else math.nan
    if isinstance(text, bool) or not isinstance(text, int | float) or not math.isfinite(text):
        raise ValueError("Must be a number.")
    return text


def parse_integer(value: object) -> int:
    """An integer; in JSON `3.0` is one too. Raises ValueError."""
    if isinstance(value, str):
        if not _WHOLE.fullmatch(value.strip()):
            raise ValueError("Must be an integer.")
        return int(value)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not float(number).is_integer():
        raise ValueError("Must be an integer.")
    return int(number)


def parse_flag(value: object) -> bool:
    """`true` or `false`. Raises ValueError."""
    flag = value if isinstance(value, bool) else read_flag(value) if isinstance(value, str) else None
    if flag is None:
        raise ValueError("Must be true or false.")
    return flag


def parse_json(value: object, kind: type[list[Any]] | type[dict[str, Any]]) -> Any:
    """A list or an object, written as JSON text or given as such. Raises ValueError."""
    wanted = "list" if kind is list else "object"
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=_distinct)
        except (ValueError, RecursionError):
            raise ValueError(f"Must be a JSON {wanted}; this is not valid JSON.") from None
    if not isinstance(value, kind):
        raise ValueError(f"Must be a JSON {wanted}.")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key is given twice")
    return members


def parse_texts(value: object) -> tuple[str, ...]:
    """A JSON list of texts, each listed once. Raises ValueError."""
    try:
        entries = parse_json(value, list)
    except ValueError:
        raise ValueError("Must be a JSON list of texts.") from None
    if not all(isinstance(entry, str | int | float) and not is_blank(entry) for entry in entries):
        raise ValueError("Must be a list of texts, none of them blank.")
    return tuple(dict.fromkeys(parse_raw_text(entry) for entry in entries))


def parse_named_texts(value: object) -> tuple[str, ...]:
    """A list of texts that must name something, since an empty one would shut everything out. Raises ValueError."""
    texts = parse_texts(value)
    if not texts:
        raise ValueError("Must not be an empty list: leave the key out, or name something.")
    return texts


def parse_labels(value: object) -> dict[str, str]:
    """An object of texts: field path → label. Raises ValueError."""
    members = parse_json(value, dict)
    if not all(isinstance(label, str) for label in members.values()):
        raise ValueError("Must be an object of texts.")
    return {path: label.strip() for path, label in members.items()}


def parse_hosts(value: object) -> tuple[str, ...]:
    """A JSON list of host names in lower case. Raises ValueError."""
    hosts = tuple(text.strip().lower() for text in parse_texts(value))
    if not all(_HOST.fullmatch(host) for host in hosts):
        raise ValueError("Must name hosts alone, such as www.example.org: no scheme, port, path or wildcard.")
    return hosts


def parse_address(value: object) -> str:
    """An https address with a host and nothing secret in it; http on a loopback address only. Raises ValueError."""
    text = parse_text(value)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("Must be an https address; this one cannot be read.") from None
    if not host or not re.fullmatch(r"[A-Za-z0-9._:-]+", host) or re.search(r"[\s<>\"\\]", text):
        raise ValueError("Must be an https address with a host.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("Must be an address without user name, password, query or fragment.")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback_host(host)):
        raise ValueError("Must begin with https:// (http is for a loopback address only).")
    return text.rstrip("/")


def parse_https_address(value: object) -> str:
    """An https address, on a loopback host too. Raises ValueError."""
    text = parse_address(value)
    if not text.startswith("https://"):
        raise ValueError("Must begin with https://.")
    return text


def parse_storage_name(value: object, *, longest: int = 63) -> str:
    """A queue or container name as Azure Storage takes it. Raises ValueError.

    https://learn.microsoft.com/rest/api/storageservices/naming-queues-and-metadata
    """
    text = parse_text(value)
    if not 3 <= len(text) <= longest or not _STORAGE_NAME.fullmatch(text):
        raise ValueError(f"Must have 3 to {longest} lower-case letters and digits, with single hyphens between them.")
    return text


def parse_queue_name(value: object) -> str:
    """The name of a queue that leaves room for `-poison`, which the host appends. Raises ValueError."""
    return parse_storage_name(value, longest=63 - len("-poison"))


Text = Annotated[str, BeforeValidator(parse_text)]
RawText = Annotated[str, BeforeValidator(parse_raw_text)]
Number = Annotated[float, BeforeValidator(parse_number)]
Integer = Annotated[int, BeforeValidator(parse_integer)]
Flag = Annotated[bool, BeforeValidator(parse_flag)]
Texts = Annotated[tuple[str, ...], BeforeValidator(parse_texts)]
NamedTexts = Annotated[tuple[str, ...], BeforeValidator(parse_named_texts)]
Labels = Annotated[dict[str, str], BeforeValidator(parse_labels)]
Hosts = Annotated[tuple[str, ...], BeforeValidator(parse_hosts)]
JsonList = Annotated[list[Any], BeforeValidator(lambda value: parse_json(value, list))]
JsonObject = Annotated[dict[str, Any], BeforeValidator(lambda value: parse_json(value, dict))]
Address = Annotated[str, BeforeValidator(parse_address)]
HttpsAddress = Annotated[str, BeforeValidator(parse_https_address)]
StorageName = Annotated[str, BeforeValidator(lambda value: parse_storage_name(value))]
QueueName = Annotated[str, BeforeValidator(parse_queue_name)]
