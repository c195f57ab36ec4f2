from __future__ import annotations

import re
from functools import cache
from time import process_time

import pytest

from benchkit.errors import BenchkitError
from benchkit.parsers import registry
from benchkit.parsers.base import Source
from soak import patterns

uses = cache(patterns.collect)
#: Texts on which a reader once took seconds or minutes.
COSTLY = {
    "a server's log": "Processed " + "\n" * 20_000,
    "lines of nothing behind a word": "Processed 1 request" + "\n" * 60_000,
    "the head of a histogram": "Bucket  #  %  Histogram" + "\n" * 60_000,
    "tabs before a line of ab": "\t" * 20_000 + "Complete requests: (be patient)",
    "a line of quotation marks for wrk": "1 threads and 1 connections" + ">" * 20_000 + " test @ ",
    "k6's dots": "http_reqs" + "." * 20_000 + " ...:",
    "types of k6's points": '{"metric": "data"' + '{a"type" : "Metric"a}' * 12_000 + "x",
    "a name of criterion": "a" + " " * 50_000 + "time:" + " " * 50_000 + "x",
    "a name of its other form": "test a" + " " * 50_000 + "bench:",
    "a row of JMH": "Benchmark  Mode  Cnt  Score  Error  Units\na" + " " * 100_000 + "1 us/op",
    "words of Go": "Benchmark" * 20_000 + " \t",
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_a_text_made_to_hurt_costs_less_than_a_second(text: str) -> None:
    start = process_time()
    source = Source(None, "hostile.txt", text.encode())
    try:
        for form in registry.identify(source):
            list(form.parse(source))
    except BenchkitError:
        pass
    assert process_time() - start < 1


def test_no_expression_is_slower_than_linear() -> None:
    assert [str(slow) for slow in patterns.slow(uses(), limit=30)] == []


def test_every_kind_of_expression_is_collected() -> None:
    modules = {use.module for use in uses()}
    assert {
        "benchkit.parsers.ab.reader",
        "benchkit.parsers.hey.report",
        "benchkit.units",
    } <= modules
    assert ("benchkit.parsers.urls", "split") in {(use.module, use.method) for use in uses()}


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"^[\s#]*(?:\w+ \| *)*Processed", "search"),
        (r"(\d+\.?\d*)ns", "fullmatch"),
        (r"<b>.*?</b>", "sub"),
        (r"(?:a+)+b", "match"),
    ],
)
def test_a_slow_expression_is_caught(expression: str, method: str) -> None:
    use = patterns.Use("here", re.compile(expression, re.MULTILINE), method)
    (slow,) = patterns.slow([use], limit=90)
    assert slow.ratio > patterns.LIMIT
    assert "characters" in str(slow)
