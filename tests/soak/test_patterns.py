from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache

import pytest
from scaling import assert_linear

from benchkit.errors import BenchkitError
from benchkit.parsers import registry
from benchkit.parsers.base import Source
from soak import patterns

uses = cache(patterns.collect)
#: Texts on which a reader once took seconds or minutes, by their length.
COSTLY: dict[str, Callable[[int], str]] = {
    "a server's log": lambda size: "Processed " + "\n" * size,
    "lines of nothing behind a word": lambda size: "Processed 1 request" + "\n" * size,
    "the head of a histogram": lambda size: "Bucket  #  %  Histogram" + "\n" * size,
    "tabs before a line of ab": lambda size: "\t" * size + "Complete requests: (be patient)",
    "a line of quotation marks for wrk": lambda size: (
        "1 threads and 1 connections" + ">" * size + " test @ "
    ),
    "k6's dots": lambda size: "http_reqs" + "." * size + " ...:",
    "types of k6's points": lambda size: (
        '{"metric": "data"' + '{a"type" : "Metric"a}' * (size // 4) + "x"
    ),
    "a name of criterion": lambda size: "a" + " " * size + "time:" + " " * size + "x",
    "a name of its other form": lambda size: "test a" + " " * size + "bench:",
    "a row of JMH": lambda size: (
        "Benchmark  Mode  Cnt  Score  Error  Units\na" + " " * size + "1 us/op"
    ),
    "lines without a test of redis-benchmark": lambda size: "\n" * size + "- requests per second",
    "words of Go": lambda size: "Benchmark" * (size // 4) + " \t",
}


@pytest.mark.parametrize("name", COSTLY)
def test_adversarial_text_takes_linear_time(name: str) -> None:
    def read(text: str) -> None:
        source = Source(None, "hostile.txt", text.encode())
        with suppress(BenchkitError):
            for form in registry.identify(source):
                list(form.parse(source))

    assert_linear(COSTLY[name], read, 60_000)


def test_every_expression_is_linear() -> None:
    assert [str(slow) for slow in patterns.slow(uses(), limit=30)] == []


def test_every_kind_of_expression_is_collected() -> None:
    modules = {use.module for use in uses()}
    assert {
        "benchkit.parsers.ab.reader",
        "benchkit.parsers.hey.report",
        "benchkit.units",
    } <= modules
    assert ("benchkit.reading.urls", "split") in {(use.module, use.method) for use in uses()}


@pytest.mark.parametrize(
    ("expression", "method"),
    [
        (r"^[\s#]*(?:\w+ \| *)*Processed", "search"),
        (r"(\d+\.?\d*)ns", "fullmatch"),
        (r"<b>.*?</b>", "sub"),
        (rf"^[\s#]*(?:{'|'.join(f'WORD_{n}' for n in range(30))})$", "search"),
        (r"(?:a+)+b", "match"),
    ],
)
def test_slow_expression_is_detected(expression: str, method: str) -> None:
    use = patterns.Use("here", re.compile(expression, re.MULTILINE), method)
    (slow,) = patterns.slow([use], limit=90)
    assert slow.ratio > patterns.LIMIT
    assert "characters" in str(slow)
