"""Errors for files that no format claims, with a guess at the content and the next step.

A known kind of file that is not read is named. Otherwise the error names the nearest format with
the differences, or else the content: a table, a JSON document, or a first line.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchkit.errors import Diagnostic, ForeignError, UnknownFormatError
from benchkit.parsers.base import (
    Format,
    Head,
    Reading,
    Record,
    Samples,
    Source,
    bare,
    find_command,
)
from benchkit.parsers.unread import BINARIES, FAILED, FAILURES, TEXTS
from benchkit.reading.remarks import with_article
from benchkit.reading.signs import begins_json, list_anchors
from benchkit.reading.source import HEAD_BYTES
from benchkit.redaction import show_opening, show_part
from benchkit.regexes import regex

_AS = "if you know the format, name it with --as FORMAT; `benchkit formats` lists them"
_MAP = f"to read its columns, run `benchkit map FILE` and pass the result with --map; {_AS}"
_PATTERN = "check the -bench pattern and the packages, then run the benchmarks again"
AGAIN = "check what the command printed, then run the command again"
#: Maximum number of lines above a result, and of quoted names of columns and keys.
_ABOVE, _QUOTED = 20, 6
#: The share of a signature's words that a file of a near format has.
_NEAR = 0.6
#: Number of a signature's words that JSON and any other text may have by chance.
_CHANCE, _CHANCE_OF_TEXT = 1, 2
_WORD = regex(r"[A-Za-z][\w/%#+-]{3,}")
_NAME = regex(r"[A-Za-z]{1,20}(?:[ _./-][A-Za-z]{1,20}){0,8}")
_KEY = regex(r'"([^"\\\n]{1,60})"\s{0,9}:')
#: The beginning of a cell that is no name of a column, as ``90%_line`` is.
_VALUE = regex(r"\d(?!\d?(?:\.\d{1,3})?%[_ ]?[A-Za-z])")
#: A row of docker stats with user-defined columns.
_STATS = regex(r"[\w.:/-]{1,200}[\t ,;|]{1,9}\d{1,9}(?:\.\d{1,4})?%(?![^\t ,;|])")
#: Parts of a command that a sentence about the tool does not have.
_ARGUMENTS = regex(r"://| -{1,2}\w| run \S")
_LONGEST = 1000
_DELIMITERS = ",;\t|"
#: Number of lines within which the words of a report appear; in prose they are further apart.
_CLOSE = 60
#: Lines of go test that name no benchmark, and those that end a package.
_PACKAGE = regex(r"(?:goos|goarch|pkg|cpu): \S|testing: warning: no tests to run$")
_ENDED = regex(r"PASS$|ok\s+\S|\?\s+\S+\s+\[no test files\]$")


class _Reason(NamedTuple):
    """Why a file is rejected, and what to do."""

    what: str
    hint: str = _AS
    is_foreign: bool = False
    line: int = 0


def explain(head: Head, formats: Sequence[Format]) -> UnknownFormatError:
    """Return the error for a source that none of the formats claims."""
    what, hint, is_foreign, line = _describe(head, formats)
    kind = ForeignError if is_foreign else UnknownFormatError
    where = f"{head.name}:{line}" if line else head.name
    error = kind(what, where=where, hint=hint)
    error.line = line
    return error


def _describe(head: Head, formats: Sequence[Format]) -> _Reason:
    if not (head.text or head.data).strip():
        return _Reason(f"the file is {'blank' if head.data else 'empty'}", AGAIN)
    if not head.text:
        return _find_binary(head) or _Reason("the file is binary, in an unknown format")
    if _ran_nothing(head.text):
        return _Reason("go test ran no benchmark", _PATTERN)
    return (
        _find_binary(head)
        or _find_below(head, formats)
        or _find_unread(head)
        or _find_begun(head, formats)
        or _find_stats(head)
        or _find_nearest(head, formats)
        or _find_command(head, formats)
        or _describe_text(head)
    )


def _find_binary(head: Head) -> _Reason | None:
    """Return the reason for a file whose first bytes show a known kind that is not read."""
    for opening, kind, instead in BINARIES:
        if head.data.startswith(opening):
            return _Reason(f"{kind}, which benchkit does not read", instead)
    return None


def _find_unread(head: Head) -> _Reason | None:
    """Return the reason for a file whose words show a known kind that is not read."""
    for kind, words, instead in TEXTS:
        if all(word in head.text for word in words):
            place = head.text.find(words[0])
            line = head.text.count("\n", 0, place) + 1
            what = f"{kind}, which benchkit does not read"
            return _Reason(what, instead, line=line if line > _ABOVE else 0)
    return None


def _find_below(head: Head, formats: Sequence[Format]) -> _Reason | None:
    """Return the reason for a result below lines of another kind, or without its first bracket."""
    text = head.text.lstrip()
    place, first = 0, text[:1]
    if first == "[" and (name := _claim(head, text[1:].lstrip(), formats)):
        what = f"a list of JSON results that look like {name}, which is read one result a file"
        return _Reason(what, "write each result of the list to a file of its own")
    for count in range(1, _ABOVE):
        place = head.text.find("\n", place) + 1
        if not place:
            break
        if name := _claim(head, head.text[place:], formats):
            opening = show_opening(head.text.split("\n", 1)[0])
            lines = "line 1" if count == 1 else f"lines 1 to {count}"
            what = f"looks like {name}, except for {lines} ({opening})"
            return _Reason(what, f"remove {lines}")
    for bracket, inner in ('{"', "[{"):
        if first == inner and (name := _claim(head, bracket + head.text, formats)):
            what = f"looks like {name}, except that its first {bracket!r} is missing"
            return _Reason(what, "give the whole file")
    return None


def _find_begun(head: Head, formats: Sequence[Format]) -> _Reason | None:
    """Return the reason for a line that only some tools print, without a result after it."""
    tools = {form.name: form.tools[0] for form in formats if form.embeds and form.tools}
    anchors = [each for each in list_anchors(frozenset(tools)) if not each[2].match("")]
    for number, line in enumerate(map(bare, head.text.split("\n")), 1):
        printing = dict.fromkeys(
            tools[name]
            for name, word, rest in anchors
            if line.startswith(word) and rest.match(line[:_LONGEST], len(word))
        )
        if printing:
            names = " or ".join(printing)
            what = f"this line looks like output of {names}, but no complete report is here"
            hint = "give the whole output of the run; the results come at its end"
            return _Reason(what, hint, line=number)
    return None


def _find_command(head: Head, formats: Sequence[Format]) -> _Reason | None:
    """Return the reason for a tool's command without a report."""
    printing = (form for form in formats if form.embeds and not form.is_companion)
    tools = {tool for form in printing for tool in form.tools}
    for number, line in enumerate(head.text.split("\n"), 1):
        for tool in sorted(each for each in tools if f"{each} " in line):
            command = find_command(line[:_LONGEST], re.escape(tool))
            if command and _ARGUMENTS.search(command):
                shown = with_article(tool)
                what = f"this line shows {shown} command, but no complete report follows it"
                hint = f"give the whole output of {tool}"
                return _Reason(what, hint, is_foreign=True, line=number)
    return None


def _claim(head: Head, text: str, formats: Iterable[Format]) -> str:
    """Return the name of the format that claims a whole text."""
    part = Head(head.name, text.encode(), text)
    names = (each.name for each in formats if not each.embeds and each.claims(part))
    return next(names, "")


def _find_stats(head: Head) -> _Reason | None:
    """Return the reason for rows of docker stats without their header, even below the command."""
    lines = [line.strip() for line in head.text.split("\n") if line.strip()]
    rows = lines[1:] if "docker stats " in lines[0] else lines
    if not rows or not all(map(_STATS.match, rows[:_QUOTED])):
        return None
    opening = show_opening(rows[0])
    what = f"unknown format: rows like those of docker stats ({opening}), without a header"
    hint = (
        "start docker's --format with `table `, such as "
        '--format "table {{.Name}}\\t{{.CPUPerc}}\\t{{.MemUsage}}", or use --format json; or add a '
        "header line, run `benchkit map FILE` and pass the result with --map"
    )
    return _Reason(what, hint)


def _find_nearest(head: Head, formats: Sequence[Format]) -> _Reason | None:
    """Return the reason for a text with most words of a signature, with the differences.

    A word has less weight the more forms contain it.
    """
    is_json = begins_json(head.text)
    signatures = [
        (each, set(_WORD.findall(form.signature)))
        for each in formats
        for form in each.forms
        if is_json or not begins_json(form.signature)
    ]
    common = Counter(word for _, words in signatures for word in words)

    def weigh(words: Iterable[str]) -> float:
        return sum(1 / common[word] for word in words)

    windows = [[set(_WORD.findall(head.text))]] if is_json else _list_windows(head.text)
    chance = _CHANCE if is_json else _CHANCE_OF_TEXT
    near = [
        (weigh(words & present), each, sorted(words - present))
        for lines in windows
        for present in (set[str]().union(*lines),)
        for each, words in signatures
        if len(words & present) > chance
        and weigh(words & present) >= _NEAR * weigh(words)
        and any(len(words & line) > 1 for line in lines)  # in prose they are scattered
    ]
    if not near:
        return None
    _, nearest, missing = max(near, key=lambda item: item[0])
    return _compare(head, nearest, missing)


def _list_windows(text: str) -> list[list[set[str]]]:
    """Return the words of each line, in windows of neighbouring lines."""
    lines = [set(_WORD.findall(line)) for line in text.split("\n")]
    starts = range(0, max(len(lines) - _CLOSE // 2, 1), _CLOSE // 2)
    return [lines[at : at + _CLOSE] for at in starts]


def _compare(head: Head, nearest: Format, missing: Sequence[str]) -> _Reason | None:
    """Return how a text differs from its nearest format; None if that is unknown."""
    records = _parse_whole(head, nearest)
    problem = next((r for r in records if isinstance(r, Diagnostic) and r.line), None)
    if damage := _find_damage(head):
        misfit = f"except that {damage}"
    elif problem:
        misfit = f"except for line {problem.line}: {problem.what}"
    elif missing:
        misfit = f"except that it lacks {_list(missing)}"
    else:
        return None
    is_read = any(isinstance(r, Samples) or (isinstance(r, Reading) and r.rows) for r in records)
    more = f", or read what fits with --as {nearest.name}" if is_read else ""
    return _Reason(f"looks like {nearest.name}, {misfit}", f"give the whole file{more}")


def _is_whole(head: Head) -> bool:
    return len(head.data) < HEAD_BYTES


def _parse_whole(head: Head, nearest: Format) -> list[Record]:
    """Return the records of a format for a text; empty if the text is longer than its head."""
    if not _is_whole(head):
        return []
    try:
        return list(nearest.parse(Source(None, head.name, head.data)))
    except (Exception, SystemExit):  # noqa: BLE001 - a plug-in may fail in any way
        return []


def _find_damage(head: Head) -> str:
    """Return where a JSON document is damaged; empty for a sound or long one, or other text."""
    text = head.text
    if not begins_json(text) or not _is_whole(head):
        return ""
    start = len(text) - len(text.lstrip())
    try:
        json.JSONDecoder().raw_decode(text, start)
    except RecursionError:
        return "its JSON is nested too deeply"
    except json.JSONDecodeError as error:
        is_cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        how = "is cut off" if is_cut else f"is not valid JSON ({error.msg})"
        return f"line {error.lineno} {how}"
    except ValueError:  # Python converts no more than 4,300 digits
        return "a number has too many digits"
    return ""


def _describe_text(head: Head) -> _Reason:
    """Return the reason for a text of no known format, describing its content."""
    lines = [line.strip() for line in head.text.split("\n") if line.strip()]
    opening = show_opening(lines[0])
    if any(word in lines[0] for word in FAILURES):
        return _Reason(f"{FAILED} (it printed {opening})", AGAIN)
    if lines[0][0] in "{[" and (keys := list(dict.fromkeys(_KEY.findall(head.text)))):
        what = f"unknown format: JSON with {_list(keys)}"
        damage = _find_damage(head)
        if damage:
            return _Reason(f"{what}, but {damage}", "give the whole file")
        return _Reason(what, _MAP, is_foreign=True)
    if columns := _find_columns(lines):
        what = f"unknown format: a table with the columns {_list(columns)}"
        return _Reason(what, _MAP, is_foreign=True)
    return _Reason(f"unknown format (it starts with {opening})", is_foreign=True)


def _ran_nothing(text: str) -> bool:
    """Return whether a text is go test's whole output for packages without a benchmark to run."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    is_ended = [bool(_ENDED.match(line)) for line in lines]
    return any(is_ended) and all(
        ended or _PACKAGE.match(line) for ended, line in zip(is_ended, lines, strict=True)
    )


def _find_columns(lines: Sequence[str]) -> list[str]:
    """Return the names in the header of a table; a row of values is not a header."""
    for delimiter in _DELIMITERS:
        first, *rest = ([*map(_bare, line.strip("|").split(delimiter))] for line in lines[:3])
        is_header = all(cell and not _VALUE.match(cell) for cell in first)
        if len(first) > 1 and is_header and rest and all(len(row) == len(first) for row in rest):
            return first
    return []


def _bare(cell: str) -> str:
    return cell.strip(' "')


def _list(names: Sequence[str]) -> str:
    """Quote the first of some names; plain words are not secrets."""
    shown = (
        name if _NAME.fullmatch(name) else show_part(name).strip("'\"") for name in names[:_QUOTED]
    )
    return ", ".join(shown) + (", …" if len(names) > _QUOTED else "")
