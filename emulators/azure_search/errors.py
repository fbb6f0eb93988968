"""Errors as the service words them: a status, a code (often empty) and a message, sometimes with details."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """A refusal that becomes an HTTP answer; `details` holds pairs of code and message."""

    def __init__(self, status: int, code: str, message: str, details: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details

    def body(self) -> dict[str, Any]:
        """The JSON body of the answer."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.details:
            error["details"] = [{"code": code, "message": message} for code, message in self.details]
        return {"error": error}


def invalid_expression(parameter: str, text: str) -> ServiceError:
    """An OData expression (`$filter`, `$orderby`, `$select`) that cannot be used; recorded with an empty code."""
    return ServiceError(400, "", f"Invalid expression: {text}\r\nParameter name: {parameter}")


def invalid_parameter(parameter: str, code: str, message: str, *, kind: str = "InvalidRequestParameter") -> ServiceError:
    """A request parameter out of range or unknown; the detail's code names the rule that it broke."""
    return ServiceError(400, kind, f"{message}\r\nParameter name: {parameter}", ((code, message),))


def invalid_syntax(column: int) -> ServiceError:
    """A query text that the full syntax cannot read, with the place where reading stopped (from 1)."""
    message = (
        f"Failed to parse query string at line 1, column {column}. "
        "See https://aka.ms/azure-search-full-query for supported syntax."
    )
    return ServiceError(400, "InvalidRequestParameter", message, (("InvalidSearchSyntax", message),))


def invalid_request(where: str, text: str, code: str = "") -> ServiceError:
    """A body that does not fit its type: an unknown member, a value of the wrong type."""
    return ServiceError(400, code, f"The request is invalid. Details: {where} : {text}")


def index_missing(name: str, service: str) -> ServiceError:
    """The 404 of a call to an index that does not exist."""
    return ServiceError(404, "", f"No index with the name '{name}' was found in the service '{service}'.")
