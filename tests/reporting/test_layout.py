"""The layout of findings and folded tables on the page."""

from __future__ import annotations

import pytest

from benchkit.errors import Finding
from benchkit.reporting.templating import gather, is_long, lay_out, mark_code
from benchkit.tables.model import Cell, Column, Table


def finding(code: str, where: str, remedy: str = "run again", severity: str = "warning") -> Finding:
    return Finding(code=code, severity=severity, message="", remedy=remedy, where=where, numbers={})


def test_findings_with_the_same_remedy_are_grouped() -> None:
    findings = [
        finding("B310", "apm"),
        finding("B310", "otlp"),
        finding("B425", "apm"),
        finding("B310", "zipkin"),
        finding("B310", "none", remedy="something else"),
        finding("B310", "none", severity="info"),
    ]
    assert [[each.where for each in group] for group in gather(findings)] == [
        ["apm", "otlp", "zipkin"],
        ["apm"],
        ["none"],
        ["none"],
    ]


@pytest.mark.parametrize(("rows", "long"), [(40, False), (41, True)])
def test_more_than_forty_rows_are_too_long_to_print(rows: int, long: bool) -> None:
    assert is_long(Table("t", (Column("a", "a"),), ((Cell("x"),),) * rows)) is long


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("see `benchkit runs`", "see <code>benchkit runs</code>"),
        ("`<script>`", "<code>&lt;script&gt;</code>"),
        ("a ` alone & <b>", "a ` alone &amp; &lt;b&gt;"),
        ("plain", "plain"),
    ],
)
def test_code_is_marked_and_everything_is_escaped(text: str, html: str) -> None:
    assert str(mark_code(text)) == html


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell("+4.1 %", mark="▲"), "▲~+4.1 %"),
        (Cell("costs, at least 3 %", mark="▲"), "▲~costs, at least 3 %"),
        (Cell("[+1.0, +6.5 %]"), "[+1.0,~+6.5~%]"),
        (Cell("> 1000"), ">~1000"),
        (Cell("a name of several words"), "a name of several words"),
    ],
)
def test_mark_and_interval_do_not_wrap(cell: Cell, text: str) -> None:
    ((place,),) = lay_out(Table("t", (Column("a", "a"),), ((cell,),)))
    assert place.text.replace("\N{NO-BREAK SPACE}", "~") == text
