r"""JMH's JSON, CSV and table, in which forks are runs, each the mean of its iterations.

A result in the JSON, verbatim (JMH 1.37, ``-rf json``; settings, percentiles and forks omitted)::

    [{"jmhVersion": "1.37", "benchmark": "bench.Squares.roots", "mode": "avgt", "threads": 1,
      "forks": 2, "jdkVersion": "17.0.15", "params": {"size": "10"},
      "primaryMetric": {"score": 0.127, "scoreError": "NaN", "scoreUnit": "us/op",
        "rawData": [[0.1271, 0.1269], [0.1273, 0.1268]]},
      "secondaryMetrics": {"gc.alloc.rate.norm": {"scoreUnit": "B/op", "rawData": [[24.0]]}}}]

Meaning of the numbers: ``rawData`` has the scores of the iterations of each fork, which is a
separate JVM. Iterations share their JVM's compiled code and heap, so a fork is the run: its value
is the mean of its iterations, as JMH's score is the mean of all. ``avgt``, ``sample`` and ``ss``
(single shots) are times per operation, ``thrpt`` is operations per time of all threads. ``sample``
has a histogram of single times instead of scores. From profilers, only allocated bytes per
operation are kept.

CSV and table have only the mean over all iterations, which are not runs; they use the names in
JMH's JSON, the table without the package::

    Benchmark      (size)  Mode  Cnt   Score     Error  Units
    Squares.roots      10  avgt   15   0.127 ±   0.001  us/op

Not recorded: the start of the run; failed benchmarks. Not read: errors, warm-up iterations.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum, isfinite
from typing import Any

from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    late,
)
from benchkit.parsers.documents import line_of, read_documents
from benchkit.parsers.jmh.units import find_scale
from benchkit.regexes import regex

MODES = ("thrpt", "avgt", "sample", "ss")
#: Before 1.36 the method precedes it, as in ``sort·p0.99``.
PERCENTILE = regex(r"(?:([\w$]++)[^\w$]{1,3})?p([01]\.\d{1,6})")
_DOT = regex(r"\A[^\w+%-]+")
#: Settings that may distinguish results of one benchmark, and the param for each.
_SETTINGS = {
    "jdkVersion": "jdk",
    "jvmArgs": "jvm_args",
    "measurementIterations": "iterations",
    "measurementTime": "iteration_time",
    "measurementBatchSize": "batch_size",
    "warmupIterations": "warmup_iterations",
    "warmupTime": "warmup_time",
    "warmupBatchSize": "warmup_batch_size",
    "forks": "forks",
    "vmName": "vm",
    "vmVersion": "vm_version",
    "jvm": "jvm",
    "jmhVersion": "jmh",
}
HINT = "use the whole file that JMH wrote"


def _recognises(head: Head) -> bool:
    signs = ('"benchmark"', '"mode"', '"primaryMetric"')
    is_list = head.is_start and head.text.lstrip().startswith("[")
    return is_list and all(sign in head.text for sign in signs)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield a reading per fork.

    Examples
    --------
    >>> text = (
    ...     b'[{"benchmark": "b.Sort.ints", "mode": "avgt", "primaryMetric":'
    ...     b'{"scoreUnit": "ms/op", "rawData": [[2, 4], [5, 5]]}}]'
    ... )
    >>> [(each.benchmark, each.rows[0][3]) for each in _parse(Source(None, "a.json", text))]
    [('Sort.ints', 0.003), ('Sort.ints', 0.005)]
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
        elif not isinstance(document, list) or not document:
            yield Diagnostic(
                source.label, line, "the file has no results", "run the benchmark again"
            )
        else:
            results = [result if isinstance(result, dict) else {} for result in document]
            full = [result.get("benchmark") for result in results]
            names = shorten(name for name in full if isinstance(name, str))
            for result, settings in zip(results, list_differences(results), strict=True):
                yield from _read(source.label, result, line, names, settings)


def _read(
    label: str,
    fields: Mapping[str, Any],
    line: int,
    names: Mapping[str, str],
    settings: Mapping[str, str],
) -> Iterator[Record]:
    """Yield the forks of one benchmark in one mode."""
    line = line_of(fields.get("threads", fields.get("forks")), line)
    name, mode, metric = (fields.get(key) for key in ("benchmark", "mode", "primaryMetric"))
    if not isinstance(name, str) or mode not in MODES or not isinstance(metric, dict):
        what = "a result needs a benchmark, a known mode and a primaryMetric"
        yield Diagnostic(label, line, what, HINT)
        return
    forks = _list_forks(metric)
    if not forks or find_scale(metric.get("scoreUnit")) is None:
        unit = metric.get("scoreUnit")
        why = f"the unit {unit!r}, which is unknown" if forks else "no raw data of its forks"
        yield Diagnostic(label, line, f"{name} has {why}", HINT)
        return
    others = fields.get("secondaryMetrics")
    parts = others if isinstance(others, dict) else {}
    for turn, fork in enumerate(forks):
        run = _begin(fields, names[name], str(mode))
        run.params.update(settings)
        damage = _find_damage(fork, fields.get("measurementIterations"))
        if not damage:
            _add_fork(run, "", metric, turn, line)
        if not run.rows:
            why = damage or "has an invalid score"
            what = f"fork {turn + 1} of {name} {why} and was left out"
            yield Diagnostic(label, line, what, "run the benchmark again")
            continue
        for part, values in parts.items():  # percentiles cover all forks
            if not PERCENTILE.fullmatch(name_part(part)):
                _add_fork(run, name_part(part), values, turn, line)
        run.line, run.last_line = run.rows[0][9], max(row[9] for row in run.rows)
        yield run


def name_part(text: str) -> str:
    """Return the name of a profiler, without the dot before it in JMH before 1.36.

    Examples
    --------
    >>> name_part("·gc.alloc.rate"), name_part("L1-dcache-loads:u")
    ('gc.alloc.rate', 'L1-dcache-loads:u')
    """
    return _DOT.sub("", text)


def _begin(fields: Mapping[str, Any], name: str, mode: str) -> Reading:
    """Return a run with the facts about it."""
    run = Reading(tool="jmh", form="json", line=1, benchmark=name)
    params = fields.get("params")
    if isinstance(params, dict):
        run.params = {key: str(value) for key, value in params.items()}
    run.params["mode"] = mode
    threads = fields.get("threads")
    if isinstance(threads, int) and threads > 1:
        run.params["threads"] = str(threads)
    version, jdk = fields.get("jmhVersion"), fields.get("jdkVersion")
    run.tool_version = version if isinstance(version, str) else None
    run.env = {"jdk": jdk} if isinstance(jdk, str) else {}
    return run


def list_differences(results: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the settings of each result that differ among results of equal name, mode and params.

    Examples
    --------
    >>> list_differences([{"forks": 1, "jdkVersion": "17"}, {"forks": 1, "jdkVersion": "21"}])
    [{'jdk': '17'}, {'jdk': '21'}]
    """
    named: dict[str, list[tuple[Mapping[str, Any], dict[str, str]]]] = defaultdict(list)
    settings: list[dict[str, str]] = [{} for _ in results]
    for result, differences in zip(results, settings, strict=True):
        key = repr([result.get(name) for name in ("benchmark", "mode", "threads", "params")])
        named[key].append((result, differences))
    for same in named.values():
        for key, name in _SETTINGS.items() if len(same) > 1 else ():
            values = [_write(result.get(key)) for result, _ in same]
            apart = [tuple(differences.items()) for _, differences in same]
            if len(set(zip(apart, values, strict=True))) > len(set(apart)):
                for (_, differences), value in zip(same, values, strict=True):
                    differences.update({name: value} if value else {})
    return settings


def _write(setting: object) -> str:
    """Return a setting as the value of a param; empty if it is not recorded."""
    text = " ".join(map(str, setting)) if isinstance(setting, list) else str(setting)
    return "" if setting is None else text


def shorten(names: Iterable[str]) -> dict[str, str]:
    """Return benchmarks' names without their packages, as in JMH's table.

    Names that differ only in their packages keep them.

    Examples
    --------
    >>> shorten(["org.openjdk.Sort.ints", "o.o.Sort.longs", "sort"])
    {'org.openjdk.Sort.ints': 'Sort.ints', 'o.o.Sort.longs': 'Sort.longs', 'sort': 'sort'}
    >>> shorten(["a.Sort.ints", "b.Sort.ints"])
    {'a.Sort.ints': 'a.Sort.ints', 'b.Sort.ints': 'b.Sort.ints'}
    """
    short = {name: _drop_package(name) for name in names}
    count = Counter(short.values())
    return {name: each if count[each] == 1 else name for name, each in short.items()}


def _drop_package(name: str) -> str:
    parts = name.split(".")
    first = next((at for at, part in enumerate(parts) if part[:1].isupper()), 0)
    return ".".join(parts[first:])


def _list_forks(metric: object) -> list[Any]:
    """Return the scores of each fork: one per iteration, or pairs of a time and its count."""
    fields = metric if isinstance(metric, dict) else {}
    raw = fields.get("rawData", fields.get("rawDataHistogram"))
    return raw if isinstance(raw, list) else []


def _add_fork(run: Reading, part: str, metric: object, turn: int, line: int) -> None:
    """Add the mean of a fork's iterations, if all its scores are valid."""
    forks = _list_forks(metric)
    known = find_scale(metric.get("scoreUnit"), part) if isinstance(metric, dict) else None
    if known is None or turn >= len(forks) or not (pairs := _weigh(forks[turn])):
        return
    total = sum(count for _, count in pairs)
    score = fsum(score * count for score, count in pairs) / (1 if known.stat else total)
    value, origin = known.apply(score), "reported" if len(pairs) == 1 else "computed"
    subject = part if part and not known.is_profilers else None
    if known.metric == "bytes_per_op":
        run.assume[known.metric] = "nothing"  # it depends on other activity of the JVM
    if isfinite(value):
        at = line_of(pairs[0][0], line)
        run.add(known.metric, known.stat or "sample", value, known.unit, at, subject=subject,
                n=None if known.stat else total, origin=origin)  # fmt: skip


def _find_damage(fork: object, iterations: object) -> str:
    """Return why a fork's scores are not as JMH wrote them: a decimal comma splits a score."""
    is_known = isinstance(iterations, int) and isinstance(fork, list)
    scores = len(fork) if isinstance(fork, list) and is_known else iterations
    return "" if scores == iterations else f"has {scores} scores of {iterations} iterations"


def _weigh(fork: object) -> list[tuple[Any, int]]:
    """Return the scores of a fork with their counts; empty if one of them is invalid."""
    pairs: list[tuple[Any, int]] = []
    for iteration in fork if isinstance(fork, list) else ():
        for item in iteration if isinstance(iteration, list) else [[iteration, 1]]:
            score, count = item if isinstance(item, list) and len(item) == 2 else (None, 0)
            is_valid = (
                type(score) is not bool and isinstance(score, int | float) and 0 <= score < 1e300
            )
            if not is_valid or not isinstance(count, int) or not 0 < count < 1 << 53:
                return []
            pairs.append((score, count))
    return pairs


#: The log of a run, without information about the JVM and the settings.
_CHATTER = regex(
    r"\A(?:# (?:Run (?:progress|complete)|(?:Warmup )?Fork|Warmup Iteration)\b.*"
    r"|# (?:Benchmark|Parameters): .*"
    r"|Iteration +\d+: .*|(?:Secondary r|R)esult(?: \"|:).*|[\s\d.,]*±\(.*"
    r"|\s*(?:Statistics: )?\(min, avg, max\) .*|\s*(?:CI|Confidence interval) \(.*"
    r"|\s+(?:N|mean) = .*|\s+(?:Histogram|Percentiles|Samples), .*"
    r"|\s+\[ *[\d.]+, [^)\n]*+\) = .*|\s+p\([\d.]+\) = .*|\s+·?\w+(?:\.\w+)+: .*)\Z"
)

JSON = Format(
    name="jmh",
    tools=("jmh",),
    summary="JMH's JSON: every fork of every benchmark",
    forms=(
        Form(
            name="json",
            signature='[{"benchmark": …, "mode": …, "primaryMetric": {"rawData": [[…]]}}]',
            versions="1.0 on, -rf json",
            not_recorded="when it ran, failed benchmarks; not read: JVM arguments",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    words=('"primaryMetric"',),
)

CSV = Format(
    name="jmh_csv",
    tools=("jmh",),
    summary="JMH's CSV: the mean of every benchmark",
    forms=(
        Form(
            name="csv",
            signature='"Benchmark","Mode","Threads","Samples","Score","Score Error (99.9%)","Unit"',
            versions="1.0 on, -rf csv",
            not_recorded="forks, iterations, when it ran, the version; not read: errors",
        ),
    ),
    recognises=late("benchkit.parsers.jmh.tables:recognises_csv"),
    parse=late("benchkit.parsers.jmh.tables:parse_csv"),
    words=("Samples",),
)

TEXT = Format(
    name="jmh_text",
    tools=("jmh",),
    summary="the table that JMH prints at the end of a run: the mean of every benchmark",
    forms=(
        Form(
            name="text",
            signature="Benchmark (param) Mode Cnt Score Error Units",
            versions="1.0 on",
            not_recorded="forks, when it ran, packages, threads; not read: errors, the log above",
        ),
    ),
    recognises=late("benchkit.parsers.jmh.tables:recognises_text"),
    parse=late("benchkit.parsers.jmh.tables:parse_text"),
    words=("Score", *MODES),
    anchors=(
        ("Benchmark ", r"[^\n]{0,400}\sMode\s+(?:(?:Cnt|Samples)\s+)?Score\s"),
        ("JMH version: ", r"\d"),
        ("Run progress: ", r"[\d.]+% complete, ETA"),
    ),
    embeds=True,
    chatter=_CHATTER,
)

TOOLS = (
    Tool(
        name="jmh",
        formats=(JSON, CSV, TEXT),
        command="java -jar benchmarks.jar -f 10 -rf json -rff result.json",
        role="microbenchmark",
        metrics={"time_per_op": "", "operation_rate": "thrpt", "bytes_per_op": "-prof gc"},
        primaries=(
            ("time_per_op", "sample"),
            ("operation_rate", "sample"),
            ("time_per_op", "mean"),
            ("operation_rate", "mean"),
        ),
    ),
)
