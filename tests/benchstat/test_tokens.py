"""Regular expressions and quoted words have the meaning that benchstat gives them."""

from __future__ import annotations

import pytest

from benchkit.benchstat.filters import parse_filter
from benchkit.benchstat.projections import parse_projection
from benchkit.benchstat.reader import Measurement, Result
from benchkit.benchstat.tokens import ExpressionError

RESULT = Result("f.txt", (("cpu", 'a "b" \u00b5/c'),), "Abc/size=4-2", (Measurement(1, "B/op"),))


@pytest.mark.parametrize(
    ("query", "matched"),
    [
        (r".fullname:/[[:upper:]]b/", True),
        (r".fullname:/\pL(b|x)\Qc\E/", True),
        (r".fullname:/b(?i)C/", True),
        (r".fullname:/(c/s)ize/", True),
        (r".fullname:/c[/]s/", True),
        (r".fullname:/size$/", False),
        (r"pkg:/^$/", True),
        (r'cpu:"a \"b\" \u00b5/c"', True),
        (r'cpu:"a \x22b\042 \302\xb5/c"', True),
        (r"/gomaxprocs:2 AND -(.unit:/ns/ OR /size:(5 OR 6))", True),
    ],
)
def test_filters(query: str, matched: bool) -> None:
    assert parse_filter(query)(RESULT, RESULT.values[0]) is matched


@pytest.mark.parametrize(
    ("query", "message", "mark"),
    [
        ("a:/(?=b)/", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`", 2),
        ("a:/*b/", "error parsing regexp: missing argument to repetition operator: `*`", 2),
        ("a:/b/c", 'regexp must be followed by space or an operator (unescaped "/"?)', 5),
        ("a:/(b/", 'missing close "/"', 2),
        ('a:"b', "missing end quote", 2),
        (r'a:"\q"', "bad escape sequence", 2),
        ("a:b )", 'unexpected ")"', 4),
        ("(a:b", 'missing ")"', 4),
        ("a:(b c)", "value list must be separated by OR", 5),
        ("a:(b OR )", "expected value", 8),
        ("a", "expected key:value", 0),
        ("", "expected key:value or subexpression", 0),
        ("\u00b5s:1 .config:b", ".config is only allowed in projections", 5),
    ],
)
def test_refused_filters(query: str, message: str, mark: int) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_filter(query)
    assert str(refused.value) == f"syntax error: {message}\n\t{query}\n\t{' ' * mark}^"


@pytest.mark.parametrize(
    ("query", "message", "mark"),
    [
        ("a@(", "missing )", 3),
        ("a@()", "nothing to match", 3),
        ("a,,b", "expected key", 2),
        ("a@", "expected named sort order or parenthesized list", 2),
        ("a@up", 'unknown order "up"', 2),
        (".unit", ".unit is only allowed in filters", 0),
        (".config@(a)", "fixed order not allowed for .config", 8),
        ('b,""', "key must not be empty", 2),
    ],
)
def test_refused_projections(query: str, message: str, mark: int) -> None:
    with pytest.raises(ExpressionError) as refused:
        parse_projection(query)
    assert str(refused.value) == f"syntax error: {message}\n\t{query}\n\t{' ' * mark}^"
