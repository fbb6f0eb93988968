"""What all bodies share: camelCase names, no unknown members, no silent conversion, limits with their own words."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from shared.retrieval import MAX_ANSWER_CHARACTERS, MAX_QUERY_CHARACTERS, MAX_SOURCES

from ..json import Flaw


class Body(BaseModel):
    """A JSON object of the contract."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel, hide_input_in_errors=True)


def within(least: int, most: int | None = None) -> AfterValidator:
    """A whole number from `least` to `most`; the message names the whole range."""
    words = f"from {least} to {most}" if most is not None else f"of at least {least}"

    def check(value: int) -> int:
        if value < least or (most is not None and value > most):
            raise Flaw("out_of_range", f"This must be a whole number {words}.")
        return value

    return AfterValidator(check)


def at_most(most: int) -> AfterValidator:
    """A text of at most `most` code points; a longer one is too large, not malformed."""

    def check(value: str) -> str:
        if len(value) > most:
            raise Flaw("too_large", f"This text may have at most {most} characters.")
        return value

    return AfterValidator(check)


def _not_blank(value: str) -> str:
    if not value.strip():
        raise Flaw("blank", "This text must not be blank.")
    return value


NotBlank = Annotated[str, AfterValidator(_not_blank)]
Query = Annotated[str, at_most(MAX_QUERY_CHARACTERS), AfterValidator(_not_blank)]
Answer = Annotated[str, at_most(MAX_ANSWER_CHARACTERS)]
Names = Annotated[list[NotBlank], Field(fail_fast=True)]


class SourceBody(Body):
    """A source as `/api/evidence` gives it; further members of such a source are taken and not used."""

    model_config = ConfigDict(extra="ignore")

    number: Annotated[int, within(1)]
    name: NotBlank
    link: str | None = None


Sources = Annotated[list[SourceBody], Field(max_length=MAX_SOURCES)]
