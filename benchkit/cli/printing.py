"""The output of commands: lines, results and problems.

No line can control a terminal or a pipeline's runner, whatever names it contains.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, TextIO

from benchkit.errors import Diagnostic, Finding
from benchkit.outputs import save
from benchkit.regexes import regex

if TYPE_CHECKING:
    from benchkit.tables.model import Table

#: Characters that lay out a text on a terminal, and those that colour it.
_LAID_OUT = regex(r"([\n\t])")
_COLOURED = regex(r"([\n\t]|\x1b\[[\d;]{0,20}m)")


def print_line(text: str, *, err: bool = False) -> None:
    """Print a line on stdout or stderr, with secrets masked."""
    from benchkit.cli.console import plain
    from benchkit.redaction import redact_message

    file = sys.stderr if err else sys.stdout
    if err:
        with survive(sys.stdout):
            sys.stdout.flush()  # a pending result is printed above it
    with survive(file):
        file.write(plain(redact_message(text), file) + "\n")


def print_done(line: str, facts: Mapping[str, object], format: str, *, quiet: bool) -> None:
    """Report what a command did: in a line on stderr unless quiet, or as JSON on stdout."""
    if format == "json":
        from benchkit.redaction import redact_message
        from benchkit.reporting.json_text import format_json

        document = {"format_version": 1, **facts, "message": redact_message(line)}
        write(format_json(document), None)
    elif not quiet:
        print_line(line, err=True)


@contextmanager
def survive(stream: TextIO) -> Iterator[None]:
    """Drop a stream without a reader: a closed pipe changes no exit code."""
    try:
        yield
    except BrokenPipeError:
        discard(stream)


def discard(stream: TextIO) -> None:
    """Redirect a stream to nowhere, so Python does not flush it at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def show_problems(problems: Sequence[Diagnostic | Finding], limit: int = 20) -> None:
    """Print problems on stderr, grouping places with equal messages; notes only with ``-v``."""
    with survive(sys.stdout):
        sys.stdout.flush()  # a pending result is printed above them
    alike: dict[tuple[str, ...], list[Diagnostic | Finding]] = {}
    for problem in problems:
        alike.setdefault(_say(problem), []).append(problem)
    for (severity, *_), same in list(alike.items())[:limit]:
        more = f" (and {_count_more(len(same) - 1)} like this one)" if len(same) > 1 else ""
        print_line(f"{severity}: {same[0]}{more}", err=True)
    if len(alike) > limit:
        rest = _count_more(len(alike) - limit)
        print_line(f"… and {rest}; list them with `benchkit ingest -v`", err=True)


def _count_more(number: int) -> str:
    return f"{number} more problem{'' if number == 1 else 's'}"


def _say(problem: Diagnostic | Finding) -> tuple[str, ...]:
    """Return the text of a problem, without its place."""
    if isinstance(problem, Finding):
        return problem.severity, problem.code, problem.remedy
    return problem.severity, problem.what, problem.hint


def write(text: str, output: Path | None, *, is_plain: bool = False) -> None:
    """Write a result to a file, or to stdout if none or ``-`` is named.

    On a terminal, names are shown without effect; other text keeps its colours unless it is plain.
    """
    text = text if not text or text.endswith("\n") else text + "\n"
    if is_shown(output) and not is_plain:
        text = _neutralise(text, _COLOURED, sys.stdout)
    if output is not None and str(output) != "-":
        save(output, lambda path: path.write_text(text, "utf-8", "backslashreplace"))
        return
    with survive(sys.stdout):
        try:
            sys.stdout.write(text)
        except UnicodeEncodeError:  # JSON and Markdown are UTF-8 in any locale
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def write_record(
    name: str,
    record: object,
    lines: Sequence[str],
    tables: Callable[[], Sequence[Table]],
    format: str,
    output: Path | None,
    **more: object,
) -> None:
    """Write a record as JSON, or as the lines and tables that people read."""
    if format == "json":
        from benchkit.reporting.to_evidence import to_json

        text = to_json(name, record, lines, **more)
    else:
        from benchkit.cli.console import render_tables

        to_file = output is not None
        text = render_tables(lines, tables(), markdown=format == "md", to_file=to_file)
    write(text, output)


def is_shown(output: Path | None) -> bool:
    """Return whether a result is written to a terminal."""
    return (output is None or str(output) == "-") and sys.stdout.isatty()


def neutralise(text: str, output: Path | None) -> str:
    """Escape what would control a terminal or a runner, in a text without our own colours."""
    return _neutralise(text, _LAID_OUT, sys.stdout if is_shown(output) else None)


def _neutralise(text: str, kept: re.Pattern[str], file: TextIO | None) -> str:
    """Escape what would control a terminal, except line breaks, columns and other kept text."""
    from benchkit.cli.console import plain

    parts = kept.split(text)  # kept parts are at odd positions
    return "".join(part if at % 2 else plain(part, file) for at, part in enumerate(parts))


def write_stream(produce: Callable[[IO[str]], None], output: Path | None) -> None:
    """Write what ``produce`` writes to a file or to stdout, as it arrives."""
    if output is None or str(output) == "-":
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        produce(sys.stdout)
        return

    def fill(path: Path) -> None:
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
            produce(out)

    save(output, fill)
