"""Errors in the shape of the Azure services, as the retrieve routes answer them."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Problem


def azure_error(code: str, message: str, problems: Sequence[Problem] = ()) -> dict[str, object]:
    """`{"error": {code, message, target?, details[]?}}`: `target` is the path of the only problem, `details` names each."""
    error: dict[str, object] = {"code": code, "message": message}
    if len(problems) == 1:
        error["target"] = problems[0].path
    if problems:
        error["details"] = [{"code": p.code, "message": p.message, "target": p.path} for p in problems]
    return {"error": error}
