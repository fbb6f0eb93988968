"""The one parser of OData filters: precedence and calls as Azure AI Search documents them.

From the tightest: `not`, comparisons, `and`, `or`. Nesting is bounded, so no text can exhaust the stack.
"""

from __future__ import annotations

from typing import cast

from .ast import (
    And,
    Boolean,
    Compare,
    Comparison,
    Distance,
    Intersects,
    Lambda,
    Literal,
    Node,
    Not,
    Or,
    Path,
    Point,
    Polygon,
    SearchIn,
    SearchIsMatch,
)
from .lexer import FilterSyntax, Token, tokens

MAX_DEPTH = 100
_COMPARISONS = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})
_CALLS = frozenset({"search.in", "search.ismatch", "search.ismatchscoring", "geo.distance", "geo.intersects"})
_DEFAULT_DELIMITERS = " ,"

Operand = Node | Path | Literal | Distance


def parse(text: str) -> Node:
    """The tree of one filter that stands by itself. Raises FilterSyntax (an InvalidFilter) without the text's values.

    Linear in the length of the text; nesting deeper than `MAX_DEPTH` is refused.
    """
    return _Parser(text).filter()


class _Parser:
    def __init__(self, text: str) -> None:
        # Cut on demand, so that the first fault of the text is the one reported.
        self._source = tokens(text)
        self._tokens: list[Token] = []
        self._next = 0
        self._depth = 0
        self._variables: list[str] = []

    def filter(self) -> Node:
        """The whole text."""
        if self._peek().kind == "end":
            raise self._error("the filter is blank.")
        node = self._any_of()
        if self._peek().kind != "end":
            raise self._error("this does not continue the filter; join conditions with 'and' or 'or' and quote text.")
        return node

    def _any_of(self) -> Node:
        first, more = self._all_of(), []
        while self._take("or"):
            more.append(self._predicate(self._all_of()))
        return Or((self._predicate(first), *more)) if more else self._predicate(first)

    def _all_of(self) -> Operand:
        first, more = self._comparison(), []
        while self._take("and"):
            more.append(self._predicate(self._comparison()))
        return And((self._predicate(first), *more)) if more else first

    def _comparison(self) -> Operand:
        left = self._operand()
        word = self._peek().value
        if self._peek().kind != "word" or word not in _COMPARISONS:
            return left
        if isinstance(left, Not):
            raise self._error("'not' binds tighter than a comparison; write not (field eq value).")
        self._next += 1
        return self._compared(cast(Comparison, word), left, self._operand())

    def _compared(self, operator: Comparison, left: Operand, right: Operand) -> Node:
        if isinstance(left, SearchIn | SearchIsMatch | Intersects) or isinstance(
            right, SearchIn | SearchIsMatch | Intersects
        ):
            return self._truth(operator, left, right)
        if not isinstance(left, Path | Literal | Distance) or not isinstance(right, Path | Literal | Distance):
            raise self._error("a comparison stands between a field and a value.", back=1)
        if isinstance(left, Literal) == isinstance(right, Literal):
            if isinstance(left, Literal):
                raise self._error("a comparison needs a field on one side.", back=1)
            raise self._error(
                "a bare word stands where a value belongs; put text in single quotes, as in state eq 'VA'.", back=1
            )
        if operator in ("eq", "ne") and (isinstance(left, Distance) or isinstance(right, Distance)):
            raise self._error("a distance is compared with lt, le, gt or ge.", back=1)
        return Compare(operator, left, right)

    def _truth(self, operator: Comparison, left: Operand, right: Operand) -> Node:
        """A call that is already true or false, compared with true or false."""
        call, constant = (right, left) if isinstance(left, Literal) else (left, right)
        if not isinstance(constant, Literal) or not isinstance(constant.value, bool) or operator not in ("eq", "ne"):
            raise self._error("this call is true or false by itself; compare it with nothing.", back=1)
        positive = constant.value == (operator == "eq")
        return self._predicate(call) if positive else Not(self._predicate(call))

    def _predicate(self, operand: Operand) -> Node:
        if isinstance(operand, Distance) or (isinstance(operand, Literal) and not isinstance(operand.value, bool)):
            raise self._error("a value alone is no condition; compare it with a field.", back=1)
        return Boolean(operand) if isinstance(operand, Path | Literal) else operand

    def _operand(self) -> Operand:
        token = self._advance()
        if isinstance(token.value, Literal):
            return token.value
        if token.value == "not" and token.kind == "word":
            self._enter()
            negated = Not(self._predicate(self._operand()))
            self._depth -= 1
            return negated
        if token.value == "(":
            return self._group()
        if token.kind != "word":
            raise self._error("a field, a value or a condition is missing here.", back=1)
        if token.value in _CALLS and self._peek().value == "(":
            return self._call(str(token.value))
        return self._path_or_lambda(token)

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._error(f"the filter is nested deeper than {MAX_DEPTH} levels.")

    def _group(self) -> Operand:
        self._enter()
        inside = self._all_of()
        if self._peek().value == "or":
            first, more = self._predicate(inside), []
            while self._take("or"):
                more.append(self._predicate(self._all_of()))
            inside = Or((first, *more))
        self._expect(")")
        self._depth -= 1
        return inside

    def _path_or_lambda(self, first: Token) -> Path | Lambda:
        parts = [self._name(first)]
        while self._take("/", kind="sign"):
            word = self._advance()
            if word.value in ("any", "all") and self._peek().value == "(":
                return self._lambda(str(word.value), Path(tuple(parts)))
            parts.append(self._name(word))
        if self._peek().value == "(":
            raise self._error("the search service knows no such function.")
        return Path(tuple(parts))

    def _name(self, token: Token) -> str:
        if token.kind != "word" or "." in str(token.value):
            raise self._error("this is no field name.", back=1)
        return str(token.value)

    def _lambda(self, kind: str, path: Path) -> Lambda:
        self._expect("(")
        if kind == "any" and self._take(")", kind="sign"):
            return Lambda("any", path, None, None)
        variable = self._name(self._advance())
        if variable in self._variables:
            raise self._error("this range variable is already in use.", back=1)
        self._expect(":")
        self._enter()
        self._variables.append(variable)
        predicate = self._any_of()
        self._variables.pop()
        self._depth -= 1
        self._expect(")")
        return Lambda("any" if kind == "any" else "all", path, variable, predicate)

    def _call(self, name: str) -> Distance | SearchIn | SearchIsMatch | Intersects:
        arguments = self._arguments()
        if name == "geo.distance":
            return self._distance(arguments)
        if name == "geo.intersects":
            match arguments:
                case [Path() as path, Polygon() as polygon]:
                    return Intersects(path, polygon)
            raise self._error("geo.intersects takes a field and a polygon.", back=1)
        if name == "search.in":
            return self._search_in(arguments)
        return self._is_match(name, arguments)

    def _arguments(self) -> list[Path | Point | Polygon | str]:
        self._expect("(")
        found = [self._argument()]
        while self._take(",", kind="sign"):
            found.append(self._argument())
        self._expect(")")
        return found

    def _argument(self) -> Path | Point | Polygon | str:
        token = self._advance()
        if isinstance(token.value, Literal) and isinstance(token.value.value, str):
            return token.value.value
        if isinstance(token.value, Point | Polygon):
            return token.value
        path = self._path_or_lambda(token)
        if isinstance(path, Lambda):
            raise self._error("a condition cannot be an argument.", back=1)
        return path

    def _distance(self, arguments: list[Path | Point | Polygon | str]) -> Distance:
        match arguments:
            case [Path() as left, Point() as right]:
                return Distance(left, right)
            case [Point() as left, Path() as right]:
                return Distance(left, right)
        raise self._error("geo.distance takes a field and a point.", back=1)

    def _search_in(self, arguments: list[Path | Point | Polygon | str]) -> SearchIn:
        match arguments:
            case [Path() as path, str() as values]:
                return SearchIn(path, _split(values, _DEFAULT_DELIMITERS), None)
            case [Path() as path, str() as values, str() as delimiters] if delimiters:
                return SearchIn(path, _split(values, delimiters), delimiters)
        raise self._error("search.in takes a field, a quoted list and, quoted, its delimiters.", back=1)

    def _is_match(self, name: str, arguments: list[Path | Point | Polygon | str]) -> SearchIsMatch:
        texts = [argument for argument in arguments if isinstance(argument, str)]
        if len(texts) != len(arguments) or len(texts) not in (1, 2, 4):
            raise self._error(
                f"{name} takes one, two or four quoted texts: search, fields, query type and search mode.", back=1
            )
        if len(texts) == 4 and (texts[2] not in ("simple", "full") or texts[3] not in ("any", "all")):
            raise self._error("the query type is 'simple' or 'full', the search mode 'any' or 'all'.", back=1)
        if self._variables:
            raise self._error(f"{name} cannot stand inside any or all.", back=1)
        return SearchIsMatch(name == "search.ismatchscoring", *texts)

    def _peek(self) -> Token:
        if self._next == len(self._tokens):
            self._tokens.append(next(self._source))
        return self._tokens[self._next]

    def _advance(self) -> Token:
        token = self._peek()
        if token.kind == "end":
            raise self._error("the filter ends too early.")
        self._next += 1
        return token

    def _take(self, value: str, *, kind: str = "word") -> bool:
        token = self._peek()
        if token.kind != kind or token.value != value:
            return False
        self._next += 1
        return True

    def _expect(self, sign: str) -> None:
        if not self._take(sign, kind="sign"):
            raise self._error(f"'{sign}' is missing here.")

    def _error(self, message: str, *, back: int = 0) -> FilterSyntax:
        place = self._tokens[self._next - back] if back else self._peek()
        return FilterSyntax(message, place.end)


def _split(values: str, delimiters: str) -> tuple[str, ...]:
    for delimiter in delimiters[1:]:
        values = values.replace(delimiter, delimiters[0])
    return tuple(value for value in values.split(delimiters[0]) if value)
