"""Patterns for the lines of the Go benchmark format.

Recognising, surveying and reading a source must agree on the form of a result.
"""

from __future__ import annotations

from collections.abc import Callable

from benchkit.parsers.base import strip_prefix
from benchkit.regexes import regex

NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
#: The values that `-benchmem` adds to a result, alone on a line.
REST = regex(r"(?:\d[\d.]*+\s++(?:B|allocs)/op(?:\s++|\Z))++")
#: A number that go test did not write: go test puts a tab on both sides of the iterations.
_PRINTED = regex(r"\S++[ ]*+\t\s*+[0-9]++ ")
_STAMP = regex(r"\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\s")

#: A whole result: name, iterations, a number, and a unit with a letter in it.
RESULT = regex(rf"Benchmark(?![a-z])\S++\s++[0-9]++\s++{NUMBER}\s++(?=\S*[^\W\d_])[^\s|]+(?:\s|$)")
#: A name with a result after it, on this line or (after go test's tab) on a later one.
NAMED = regex(r"Benchmark(?![a-z])(\S++)(?:\s++[0-9]|[ ]*+\t|\s++$)")
#: A name as go test writes it before the benchmark runs.
STARTED = regex(r"Benchmark(?![a-z])\S++[ ]*+\t")
#: A name followed by the result or by nothing.
INNER = regex(r"Benchmark(?![a-z])\S++[ ]*+\t(?:$|\s*[0-9]+\t)")
#: A result without its name; output of the benchmark separates them.
CONTINUED = regex(rf"([0-9]++)\s++({NUMBER} ns/op(?!\S).*)")
#: The same after a text without a newline. The count is padded to eight columns, so a blank before
#: it proves that no digit of it belongs to the text.
GLUED = regex(rf" (?=[ ]{{0,6}}[0-9]{{1,7}}\t)([ 0-9]{{6}}[0-9])\t\s*+({NUMBER} ns/op(?!\S).*)")
#: The head of a benchcmp table, and a row, which compares two results.
COMPARING = regex(r"benchmark\s++old \S++\s++new ")
COMPARED = regex(
    rf"Benchmark\S++(?:\s++{NUMBER}){{2}}\s++(?:[+-](?:[0-9.]++|Inf)%|NaN%|[0-9.]++x)$"
)
FAILED = regex(r"\s*+(?:\S++\s++)?--- FAIL: Benchmark(\S+)")
SKIPPED = regex(r"\S++\s++--- SKIP: Benchmark\S+\s*$")
#: A command after a prompt, with its environment, the program that runs it, and any version of Go.
COMMAND = regex(
    r"[$%#>❯➜]\s+((?:(?:env|time|sudo|perflock|nice|taskset(?: -\w+)? \S+|"
    r"\w++=(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']*+))\s+){0,8}+(?:[\w.~$/-]*/)?go(?:tip|[\d.]++\w*+)?\s+test\s.*)"
)
CONFIG = regex(r"([^\s:]++):(?:[ \t]++(.*))?$")
_WORD = regex(r"\S*+")
#: The cells that make a row a result: name, iterations, measurements with units.
_ROW = regex(
    rf"Benchmark(?![a-z])[^\s`*]++ [0-9]++ {NUMBER} ns/op(?: {NUMBER} (?=\S*[^\W\d_])[^\s`*]+)*+"
)


def find_name(match: Callable[[str, int], object], text: str, start: int = 0) -> int:
    r"""Return the index of a name that a pattern's method matches, tried once per word; else -1.

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
    """Remove the prefix that a log, a comment or a quotation puts before a line.

    Examples
    --------
    >>> unquote("2026-11-21T00:46:00.5Z BenchmarkGet-2   100   12 ns/op")
    'BenchmarkGet-2   100   12 ns/op'
    """
    stamp = _STAMP.match(text)
    return strip_prefix(text[stamp.end() :] if stamp else text)


def read_row(text: str) -> str:
    """Return the result in the cells of a table row, or any other text unchanged.

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
    """Return whether a line is a row of a Markdown table and not a quoted line."""
    return text.rstrip().endswith("|")


def shows_result(text: str, *, closed: bool = True) -> bool:
    """Return whether a line is a whole result, at its beginning or after a prefix.

    In a line without its end, a leading bar may begin a table row.
    """
    text = read_row(text)
    if is_table_row(text) or (not closed and text.lstrip().startswith("|")):
        return False
    return RESULT.match(unquote(text)) is not None


def is_printed(text: str, words: list[str]) -> bool:
    r"""Return whether the words after a name look like a result but are the benchmark's output.

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
