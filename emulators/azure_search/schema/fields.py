"""The fields of an index: types, attributes and the defaults of attributes that a definition leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import ServiceError, invalid_request

SIMPLE = frozenset(
    {
        "Edm.String",
        "Edm.Boolean",
        "Edm.Int32",
        "Edm.Int64",
        "Edm.Double",
        "Edm.DateTimeOffset",
        "Edm.GeographyPoint",
    }
)
VECTOR_ELEMENTS = frozenset({"Edm.Single", "Edm.Half", "Edm.Int16", "Edm.SByte"})
COMPLEX = "Edm.ComplexType"
NUMERIC = frozenset({"Edm.Int32", "Edm.Int64", "Edm.Double"})

_MEMBERS_TEXT = """
name type key searchable filterable sortable facetable retrievable hidden stored analyzer searchAnalyzer
indexAnalyzer normalizer synonymMaps dimensions vectorSearchProfile vectorEncoding fields permissionFilter
sensitivityLabel
"""
MEMBERS = frozenset(_MEMBERS_TEXT.split())


NOT_OFFERED = ("normalizer", "synonymMaps", "vectorEncoding", "sensitivityLabel")


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field; `path` is its full name (`address/city`), `depth` the number of collections above and in it."""

    name: str
    path: str
    type: str
    key: bool = False
    searchable: bool = False
    filterable: bool = False
    sortable: bool = False
    facetable: bool = False
    retrievable: bool = True
    analyzer: str | None = None
    search_analyzer: str | None = None
    dimensions: int | None = None
    vector_profile: str | None = None
    permission: str | None = None
    fields: tuple[Field, ...] = ()

    @cached_property
    def collection(self) -> bool:
        """True when the field holds a list."""
        return self.type.startswith("Collection(")

    @cached_property
    def element(self) -> str:
        """The type without `Collection(…)`."""
        return self.type[11:-1] if self.collection else self.type

    @cached_property
    def complex(self) -> bool:
        """True when the field has members of its own."""
        return self.element == COMPLEX

    @cached_property
    def vector(self) -> bool:
        """True when the field holds an embedding."""
        return self.dimensions is not None


def walk(fields: tuple[Field, ...]) -> Iterator[Field]:
    """Every field, a complex one before its members."""
    for field in fields:
        yield field
        yield from walk(field.fields)


def read_fields(raw: object, prefix: str = "") -> tuple[Field, ...]:
    """The fields of a definition, checked one by one."""
    if not isinstance(raw, list) or not raw:
        raise invalid_request("index", "The collection of fields cannot be null or empty.")
    fields = tuple(_read_field(item, prefix) for item in raw)
    names = [field.name.lower() for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise invalid_request("index", f"Fields in the same collection cannot have the same name. Field: '{name}'.")
    return fields


def _read_field(raw: object, prefix: str) -> Field:
    if not isinstance(raw, Mapping):
        raise invalid_request("index", "A field must be an object.")
    unknown = next((key for key in raw if key not in MEMBERS and not key.startswith("@odata.")), None)
    if unknown is not None:
        raise unknown_member(unknown, "search.field")
    name, kind = raw.get("name"), raw.get("type")
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 128:
        raise invalid_request(
            "index", f"Invalid field name: {name!r}. A name starts with a letter; letters, digits and _ follow."
        )
    if not isinstance(kind, str):
        raise invalid_request("index", f"The field '{name}' needs a type.")
    path = prefix + name
    for member in NOT_OFFERED:
        if raw.get(member):
            raise invalid_request("index", f"The member '{member}' of the field '{path}' is not offered here.")
    return _complex_field(raw, path, kind) if _element(kind) == COMPLEX else _simple_field(raw, path, kind)


def _element(kind: str) -> str:
    return kind[11:-1] if kind.startswith("Collection(") and kind.endswith(")") else kind


def _complex_field(raw: Mapping[str, Any], path: str, kind: str) -> Field:
    return Field(name=raw["name"], path=path, type=kind, fields=read_fields(raw.get("fields"), path + "/"))


def _simple_field(raw: Mapping[str, Any], path: str, kind: str) -> Field:
    element, many = _element(kind), kind.startswith("Collection(")
    if element in VECTOR_ELEMENTS and many:
        return _vector_field(raw, path, kind)
    if element not in SIMPLE:
        raise invalid_request("index", f"The type '{kind}' of the field '{path}' is not supported.")
    text = element == "Edm.String"
    for member in ("analyzer", "searchAnalyzer", "indexAnalyzer"):
        if not isinstance(raw.get(member), str | None):
            raise invalid_request("index", f"The member '{member}' of the field '{path}' must be a text.")
    on = _attributes(raw, path)
    if on["searchable"] and not text:
        raise invalid_request("index", f"The field '{path}' of type '{kind}' cannot be searchable.")
    if on["sortable"] and many:
        raise invalid_request("index", f"The field '{path}' is a collection and cannot be sortable.")
    if on["facetable"] and element == "Edm.GeographyPoint":
        raise invalid_request("index", f"The field '{path}' is a geography point and cannot be facetable.")
    return Field(
        name=raw["name"],
        path=path,
        type=kind,
        key=bool(raw.get("key")),
        searchable=_default(on["searchable"], text),
        filterable=_default(on["filterable"], True),
        sortable=_default(on["sortable"], not many),
        facetable=_default(on["facetable"], element != "Edm.GeographyPoint"),
        retrievable=_default(on["retrievable"], not raw.get("hidden")),
        analyzer=raw.get("analyzer") or raw.get("indexAnalyzer"),
        search_analyzer=raw.get("searchAnalyzer") or raw.get("analyzer") or raw.get("indexAnalyzer"),
        permission=_permission(raw, path, kind),
    )


def _permission(raw: Mapping[str, Any], path: str, kind: str) -> str | None:
    value = raw.get("permissionFilter")
    if value is None:
        return None
    if value not in ("userIds", "groupIds"):
        raise invalid_request("index", f"The permission filter of the field '{path}' must be userIds or groupIds.")
    if kind not in ("Collection(Edm.String)", "Edm.String"):
        raise invalid_request("index", f"The permission filter field '{path}' must hold strings.")
    return str(value)


def _default(value: bool | None, otherwise: bool) -> bool:
    return otherwise if value is None else value


def _attributes(raw: Mapping[str, Any], path: str) -> dict[str, bool | None]:
    found: dict[str, bool | None] = {}
    for name in ("searchable", "filterable", "sortable", "facetable", "retrievable", "key"):
        value = raw.get(name)
        if value is not None and not isinstance(value, bool):
            raise invalid_request("index", f"The attribute '{name}' of the field '{path}' must be true or false.")
        found[name] = value
    return found


def _vector_field(raw: Mapping[str, Any], path: str, kind: str) -> Field:
    on, size = _attributes(raw, path), raw.get("dimensions")
    if any(on[name] for name in ("filterable", "sortable", "facetable", "key")):
        raise invalid_request("index", f"The vector field '{path}' cannot be filterable, sortable, facetable or a key.")
    if not isinstance(size, int) or isinstance(size, bool) or not 2 <= size <= 4096:
        raise invalid_request(
            "index", f"The vector field '{path}' must have the property 'dimensions' set, between 2 and 4096."
        )
    if not raw.get("vectorSearchProfile"):
        raise invalid_request("index", f"The vector field '{path}' must have the property 'vectorSearchProfile' set.")
    return Field(
        name=raw["name"],
        path=path,
        type=kind,
        searchable=True,
        retrievable=_default(on["retrievable"], not raw.get("hidden")),
        dimensions=size,
        vector_profile=str(raw["vectorSearchProfile"]),
    )


def unknown_member(name: str, type_name: str) -> ServiceError:
    """The 400 of a member that a type does not have."""
    return ServiceError(
        400,
        "",
        f"The request is invalid. Details: The property '{name}' does not exist on type '{type_name}' or is not present in "
        "the API version. Make sure to only use property names that are defined by the type.",
    )
