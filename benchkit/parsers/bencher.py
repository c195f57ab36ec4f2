r"""Bencher's metric format (BMF): measures of benchmarks, one value each.

A file of the usual kind (``bencher run --adapter json``, ``bencher mock``)::

    {"bencher::mock_0": {"latency": {"value": 2.07, "lower_value": 1.86, "upper_value": 2.28}}}

What the numbers are: ``latency`` is nanoseconds, ``throughput`` operations per second, the other
measures that Bencher knows are seconds and bytes; a measure of the user's own is a metric without
unit or direction. The bounds mean what the adapter meant by them, so they are not kept.

Not recorded: when it ran, the tool, repetitions; name files so that each is a run.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.parsers.base import Diagnostic, Form, Format, Head, Reading, Record, Source, Tool
from benchkit.parsers.documents import Fact, add_fact, is_amount, line_of, read_documents
from benchkit.regexes import regex

_NUMBER = r"-?\d{1,18}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?"
_FIELD = rf'"(?:value|lower_value|upper_value)"\s*:\s*(?:{_NUMBER}|null)\s*'
_OPENING = regex(rf'\{{\s*"[^"]{{1,999}}"\s*:\s*\{{\s*"[^"]{{1,99}}"\s*:\s*\{{\s*{_FIELD}[,}}]')
_HINT = "use the file that bencher read"
_MEASURES = {
    "latency": Fact("time_per_op", "sample", "s", exponent=-9),
    "throughput": Fact("operation_rate", "sample", "1/s"),
}


def _recognises(head: Head) -> bool:
    return head.is_start and _OPENING.match(head.text.lstrip()) is not None


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per benchmark.

    Examples
    --------
    >>> text = b'{"sort": {"latency": {"value": 88.0}, "hits": {"value": 3}}}'
    >>> (run,) = _parse(Source(None, "a.json", text))
    >>> [row[1:5] for row in run.rows]
    [('time_per_op', 'sample', 8.8e-08, 's'), ('hits', 'sample', 3.0, '1')]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        for name, measures in document.items() if isinstance(document, dict) else ():
            run = Reading(tool="bencher", form="json", line=line, benchmark=name)
            if not isinstance(measures, dict):
                yield Diagnostic(source.label, line, f"{name} has no measures by name", _HINT)
                continue
            for measure, metric in measures.items():
                value = metric.get("value") if isinstance(metric, dict) else None
                at = line_of(value, line)
                if not is_amount(value):
                    message = f"{measure} of {name} has no valid value"
                    yield Diagnostic(source.label, at, message, _HINT)
                    continue
                fact = _MEASURES.get(measure) or Fact(measure, "sample")
                add_fact(run, fact, value, line)
            if run.rows:
                run.line, run.last_line = run.rows[0][9], run.rows[-1][9]
                yield run


BMF = Format(
    name="bencher",
    tools=("bencher",),
    summary="Bencher's metric format: measures of benchmarks, one value each",
    forms=(
        Form(
            name="json",
            signature='{"benchmark": {"measure": {"value": …}}}',
            versions="BMF, for bencher run --adapter json",
            not_recorded="when it ran, the tool, repetitions; not read: the bounds",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"value"',),
)

TOOLS = (
    Tool(
        name="bencher",
        formats=(BMF,),
        role="microbenchmark",
        metrics={"time_per_op": "", "operation_rate": ""},
        primaries=(("time_per_op", "sample"), ("operation_rate", "sample")),
    ),
)
