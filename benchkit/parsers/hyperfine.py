r"""hyperfine's JSON: every command's wall times, each of them one run.

A file, verbatim (hyperfine 1.15, ``--export-json``; lists shortened)::

    {"results": [{"command": "count", "mean": 0.0143, "stddev": 0.0098, "median": 0.0113,
      "user": 0.0023, "system": 0.0009, "min": 0.0038, "max": 0.0367,
      "times": [0.003872519, 0.036750331], "exit_codes": [0, 0], "parameters": {"n": "1000"}}]}

What the numbers are: ``times`` are seconds of one execution each, the shell's start subtracted
unless ``-N`` was given; mean, spread and extremes are of the same times and are not kept. ``user``
and ``system`` are means over executions, so that no run has its own; they are not kept.

Not recorded: when it ran, the version, the commands of ``--prepare``, the number of warm-ups.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import line_of, read_documents

_SIGNS = (re.compile(r'"results"\s*:\s*\['), re.compile(r'"command"\s*:\s*"'))


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and all(sign.search(head.text) for sign in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per execution.

    Examples
    --------
    >>> text = b'{"results": [{"command": "ls", "times": [0.25, 0.5], "exit_codes": [0, 2]}]}'
    >>> [(each.benchmark, each.status) for each in _parse(Source(None, "ls.json", text))]
    [('ls', 'complete'), ('ls', 'failed')]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        results = document.get("results") if isinstance(document, dict) else None
        if not isinstance(results, list) or not results:
            yield Diagnostic(source.label, line, "the file holds no result", "run it again")
            continue
        for result in results:
            yield from _read(source.label, result, line)


def _read(label: str, result: object, line: int) -> Iterator[Record]:
    """Yield the executions of one command."""
    fields = result if isinstance(result, dict) else {}
    command, times = fields.get("command"), fields.get("times")
    if not isinstance(command, str) or not isinstance(times, list) or not times:
        what = f"the result of {command!r} has no `times`" if command else "a result has no command"
        hint = "give the file that --export-json wrote"
        yield Diagnostic(label, line_of(result, line), what, hint)
        return
    exits = fields.get("exit_codes")
    scanned = fields.get("parameters")
    params = {k: str(v) for k, v in scanned.items()} if isinstance(scanned, dict) else {}
    for turn, time in enumerate(times):
        here = line_of(time, line)
        if not isinstance(time, int | float) or isinstance(time, bool) or not 0 <= time < 1e9:
            yield Diagnostic(label, here, f"{time!r} is no time and was left out", "run it again")
            continue
        code = exits[turn] if isinstance(exits, list) and turn < len(exits) else 0
        reading = Reading(
            tool="hyperfine",
            form="json",
            line=here,
            last_line=here,
            benchmark=_name(command, params),
            params=params,
            status="failed" if code else "complete",
            remark=f"{here}: the command ended with exit code {code}" if code else "",
        )
        reading.add("time_per_op", "sample", float(time), "s", here, n=1)
        yield reading


def _name(command: str, params: Mapping[str, str]) -> str:
    """Put the parameters' names back into a command, so that a scan is one benchmark.

    Examples
    --------
    >>> _name("make -j 8 all8", {"jobs": "8"})
    'make -j {jobs} all8'
    """
    for name, value in params.items():
        command = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"{{{name}}}", command)
    return command


JSON = Format(
    name="hyperfine",
    tools=("hyperfine",),
    summary="hyperfine's JSON: every time of every command",
    forms=(
        Form(
            name="json",
            signature='{"results": [{"command": …, "times": [… ], "exit_codes": […]}]}',
            versions="1.0 on, --export-json",
            not_recorded="when it ran, the version, --prepare, CPU time of one execution",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"command"',),
)

TOOLS = (
    Tool(
        name="hyperfine",
        formats=(JSON,),
        role="microbenchmark",
        primaries=(("time_per_op", "sample"),),
    ),
)
