"""Which fields of a document are returned: those of `$select`, in the order of the index, and never a hidden one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import invalid_expression
from ..schema.definition import IndexDefinition
from ..schema.fields import Field

Tree = dict[str, "Tree | None"]


def read_select(definition: IndexDefinition, text: str | None) -> Tree:
    """The tree of the fields to return; None as a branch means the whole field."""
    wanted = [each.strip() for each in (text or "*").split(",") if each.strip()]
    if not wanted or "*" in wanted:
        return dict.fromkeys((field.name for field in definition.fields), None)
    tree: Tree = {}
    for path in wanted:
        _check(definition, path)
        _add(tree, path.split("/"))
    return tree


def _check(definition: IndexDefinition, path: str) -> None:
    field = definition.by_path.get(path)
    if field is None:
        kind = "search.document" if "/" not in path else f"search.complex.{path.rsplit('/', 1)[0].replace('/', '.')}"
        raise invalid_expression("$select", f"Could not find a property named '{path.split('/')[-1]}' on type '{kind}'.")
    if not field.complex and not field.retrievable:
        raise invalid_expression("$select", f"The field '{path}' is not retrievable.")


def _add(tree: Tree, steps: list[str]) -> None:
    first, rest = steps[0], steps[1:]
    if not rest:
        tree[first] = None
    elif first not in tree or tree[first] is not None:
        branch = tree.setdefault(first, {})
        if branch is not None:
            _add(branch, rest)


def project(document: Mapping[str, Any], fields: Iterable[Field], tree: Tree) -> dict[str, Any]:
    """The members of a document that were selected."""
    return {
        field.name: _value(document.get(field.name), field, tree[field.name])
        for field in fields
        if field.name in tree and (field.complex or field.retrievable)
    }


def _value(value: Any, field: Field, branch: Tree | None) -> Any:
    if not field.complex or value is None:
        return value
    inner = branch if branch is not None else dict.fromkeys((each.name for each in field.fields), None)
    if isinstance(value, list):
        return [project(each, field.fields, inner) for each in value]
    return project(value, field.fields, inner)
