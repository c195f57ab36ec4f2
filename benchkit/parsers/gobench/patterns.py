"""The lines that the Go benchmark format is made of, as patterns.

Recognising a source, surveying it and reading it must agree on what a result looks like.
"""

from __future__ import annotations

from collections.abc import Callable

from benchkit.parsers.base import strip_prefix
from benchkit.regexes import regex

NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
#: What `-benchmem` adds to a result, alone on its line.
REST = regex(r"(?:\d[\d.]*+\s++(?:B|allocs)/op(?:\s++|\Z))++")
#: A number that go test did not write: it puts a tab on both sides of the iterations.
_PRINTED = regex(r"\S++[ ]*+\t\s*+[0-9]++ ")
_STAMP = regex(r"\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s")

#: A whole result: name, iterations, one number and a unit with a letter in it.
RESULT = regex(rf"Benchmark(?![a-z])\S++\s++[0-9]++\s++{NUMBER}\s++(?=\S*[^\W\d_])[^\s|]+(?:\s|$)")
#: A name that a result follows: on this line, or (go test has written the tab) on a later one.
NAMED = regex(r"Benchmark(?![a-z])(\S++)(?:\s++[0-9]|[ ]*+\t|\s++$)")
#: A name as go test writes it before the benchmark runs.
STARTED = regex(r"Benchmark(?![a-z])\S++[ ]*+\t")
#: A name that the result or nothing follows.
INNER = regex(r"Benchmark(?![a-z])\S++[ ]*+\t(?:$|\s*[0-9]+\t)")
#: A result without its name: what a benchmark printed stands between them.
CONTINUED = regex(rf"([0-9]++)\s++({NUMBER} ns/op(?!\S).*)")
#: The same behind a text without a line end: the count is padded to eight columns, so that a
#: blank before it proves that no digit of it belongs to the text.
GLUED = regex(rf" (?=[ ]{{0,6}}[0-9]{{1,7}}\t)([ 0-9]{{6}}[0-9])\t\s*+({NUMBER} ns/op(?!\S).*)")
#: The head of a table of benchcmp, and a row, which compares two results.
COMPARING = regex(r"benchmark\s++old \S++\s++new ")
COMPARED = regex(
    rf"Benchmark\S++(?:\s++{NUMBER}){{2}}\s++(?:[+-](?:[0-9.]++|Inf)%|NaN%|[0-9.]++x)$"
)
FAILED = regex(r"\s*+(?:\S++\s++)?--- FAIL: Benchmark(\S+)")
SKIPPED = regex(r"\S++\s++--- SKIP: Benchmark\S+\s*$")
#: A command behind a prompt, with its environment, what it runs under and which Go it is.
COMMAND = regex(
    r"[$%#>❯➜]\s+((?:(?:env|time|sudo|perflock|nice|taskset(?: -\w+)? \S+|"
    r"\w++=(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']*+))\s+){0,8}+(?:[\w.~$/-]*/)?go(?:tip|[\d.]++\w*+)?\s+test\s.*)"
)
CONFIG = regex(r"([^\s:]++):(?:[ \t]++(.*))?$")
_WORD = regex(r"\S*+")
#: All that the cells of a row must hold to be a result: name, iterations, measurements with units.
_ROW = regex(
    rf"Benchmark(?![a-z])[^\s`*]++ [0-9]++ {NUMBER} ns/op(?: {NUMBER} (?=\S*[^\W\d_])[^\s`*]+)*+"
)


def find_name(match: Callable[[str, int], object], text: str, start: int = 0) -> int:
    r"""Return where a name stands that a pattern's method matches, one in each word, or -1.

    Examples
    --------
    >>> find_name(STARTED.match, "a log lineBenchmarkGet-8 \t")
    10
    """
    while (start := text.find("Benchmark", start)) >= 0:
        if match(text, start):
            return start
        is_name = not text[start + 9 : start + 10].islower()
        start = _WORD.match(text, start).end() if is_name else start + 9  # type: ignore[union-attr]
    return -1


def unquote(text: str) -> str:
    """Drop what a log, a comment or a quotation put before a line.

    Examples
    --------
    >>> unquote("2026-11-21T00:46:00.5Z BenchmarkGet-2   100   12 ns/op")
    'BenchmarkGet-2   100   12 ns/op'
    """
    stamp = _STAMP.match(text)
    return strip_prefix(text[stamp.end() :] if stamp else text)


def read_row(text: str) -> str:
    """Return the result that the cells of a table's row are together; any other text as it is.

    Examples
    --------
    >>> read_row("| `BenchmarkGet-2` | **100** | 12 ns/op |")
    'BenchmarkGet-2 100 12 ns/op'
    >>> read_row("| BenchmarkGet-2 | 12 | 0 |")
    '| BenchmarkGet-2 | 12 | 0 |'
    """
    if "|" not in text or "Benchmark" not in text:
        return text
    if text.lstrip().startswith("|") and not is_table_row(text):
        return text
    joined = " ".join(" ".join(cell.strip(" \t`*") for cell in text.split("|")).split())
    return joined if _ROW.fullmatch(joined) else text


def is_table_row(text: str) -> bool:
    """Tell a row of a Markdown table, whatever stands in its cells, from a quoted line."""
    return text.rstrip().endswith("|")


def shows_result(text: str, *, closed: bool = True) -> bool:
    """Tell whether a line is a whole result, at its beginning or behind a prefix.

    Where the end of the line is not there, a bar in front may begin a row of a table.
    """
    text = read_row(text)
    if is_table_row(text) or (not closed and text.lstrip().startswith("|")):
        return False
    return RESULT.match(unquote(text)) is not None


def is_printed(text: str, words: list[str]) -> bool:
    r"""Tell whether the words behind a name look like a result, but were printed by the benchmark.

    Examples
    --------
    >>> is_printed("BenchmarkX-8 \t20 1.5 MB", ["20", "1.5", "MB"])
    True
    """
    return _PRINTED.match(text) is not None and words[2:3] != ["ns/op"]


def split_config(text: str) -> tuple[str, str] | None:
    """Split a configuration line ``key: value``; an empty value deletes the key.

    Examples
    --------
    >>> split_config("goos: linux"), split_config("Warning: slow"), split_config("http://host")
    (('goos', 'linux'), None, None)
    """
    if not text[:1].islower():
        return None
    match = CONFIG.match(text)
    if match is None or match[1] != match[1].lower():
        return None
    return match[1], (match[2] or "").strip()
