r"""criterion.rs: the estimates and samples of a benchmark, and its printed output.

``target/criterion/GROUP/FUNCTION/new/estimates.json``, verbatim (criterion 0.5; shortened)::

    {"mean": {"confidence_interval": {"confidence_level": 0.95, "lower_bound": 100.38,
      "upper_bound": 101.05}, "point_estimate": 100.66, "standard_error": 0.17},
     "median_abs_dev": {"point_estimate": 0.4},
     "slope": {"point_estimate": 100.52}, "std_dev": {"point_estimate": 0.5}}

and ``sample.json`` in the same folder::

    {"sampling_mode": "Linear", "iters": [466654.0, 933308.0], "times": [9031252.0, 17971566.0]}

Meaning of the numbers: times are nanoseconds. A sample is a batch of iterations in one process, so
all samples together are one run; for a verdict, run ``cargo bench`` several times and keep each
``target/criterion``. The value of the run is the one that criterion prints: the slope of times over
iterations or, if all batches have the same size (``Flat``), the mean. ``benchmark.json`` in the
same folder names the benchmark; without it, the folders do.

The terminal shows the value between the bounds of its 95 % interval::

    roots/sum/10            time:   [19.254 ns 19.416 ns 19.682 ns]

With ``--output-format bencher`` (and for ``#[bench]`` functions) it is the median::

    test roots/sum/10 ... bench:          19 ns/iter (+/- 0)

Not recorded: the start of the run, the version, settings. Not read: changes, outliers, throughput.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import fsum, isfinite
from operator import mul
from pathlib import PurePath
from typing import Any, TypeGuard

from benchkit.config.files import read_file
from benchkit.parsers.base import (
    Diagnostic,
    Form,
    Format,
    Head,
    Reading,
    Record,
    Source,
    Tool,
    bare,
)
from benchkit.parsers.documents import line_of, read_documents
from benchkit.reading.heading_lines import FENCE
from benchkit.reading.remarks import Remark
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import parse_time, scale, step

#: Old versions capitalise the names of estimates.
_SIGNS = (('"point_estimate"', '"median_abs_dev"'), ('"point_estimate"', '"MedianAbsDev"'),
          ('"point_estimate"', '"standard_error"'),
          ('"sampling_mode"', '"iters"', '"times"'))  # fmt: skip
_HINT = "use the whole file that criterion wrote"
_RELATIVE = "criterion's comparison with an earlier run, which has relative changes and no times"
_TIMES = "give `new/estimates.json` of the same benchmark"
_SIDES = ("new", "base", "change")
#: The only keys in the file of a comparison; its numbers are ratios. A file of times has more keys.
_CHANGES = ({"mean", "median"}, {"Mean", "Median"})


def _recognises(head: Head) -> bool:
    is_document = head.is_start and head.text.lstrip().startswith("{")
    return is_document and any(all(sign in head.text for sign in signs) for signs in _SIGNS)


def _parse(source: Source) -> Iterator[Record]:
    r"""Yield the run of a file.

    Examples
    --------
    >>> text = b'{"sampling_mode": "Linear", "iters": [1.0, 2.0], "times": [5.0, 10.0]}'
    >>> (run,) = _parse(Source(None, "sample.json", text))
    >>> run.rows[0][1:6]
    ('time_per_op', 'sample', 5e-09, 's', 2)
    """
    for line, document in read_documents(source):
        if isinstance(document, Diagnostic):
            yield document
            continue
        fields = document if isinstance(document, dict) else {}
        if fields.keys() in _CHANGES:
            yield Diagnostic(source.label, line, _RELATIVE, _TIMES)
            continue
        form, read = (
            ("estimates", _add_estimates)
            if {"mean", "Mean"} & fields.keys()
            else ("samples", _add_samples)
        )
        run = Reading(tool="criterion", form=form, line=line, benchmark=_find_name(source))
        problems = list(read(run, fields, line))
        is_read = any(row[2] == "sample" for row in run.rows)
        if is_read:
            run.last_line = max(row[9] for row in run.rows)
            yield run
        for what in problems:
            yield Diagnostic(source.label, line, what, _HINT, "warning" if is_read else "error")


def _find_name(source: Source) -> str:
    """Return the benchmark's name from the file next to this one, or from the folders."""
    if source.path is not None:
        named = source.path.with_name("benchmark.json")
        # A planted link must not reveal the content of another file.
        with suppress(OSError, ValueError, RecursionError):
            fields = {} if named.is_symlink() else json.loads(read_file(named))
            name = fields.get("full_id") if isinstance(fields, dict) else None
            if isinstance(name, str) and name.strip():
                return name
    folders = PurePath(source.label).parts[:-1]
    folders = folders[:-1] if folders and folders[-1] in _SIDES else ()
    start = folders.index("criterion") + 1 if "criterion" in folders else len(folders) - 1
    return "/".join(folders[max(start, 0) :])


def _add_estimates(run: Reading, fields: Mapping[str, Any], line: int) -> Iterator[str]:
    """Add criterion's estimates; yield a reason for each invalid one."""
    estimates = (fields.get(name) for name in ("slope", "Slope", "mean", "Mean"))
    estimate = next((each for each in estimates if isinstance(each, dict)), {})
    ends = estimate.get("confidence_interval")
    low, high = (
        (ends.get(name) if isinstance(ends, dict) else None)
        for name in ("lower_bound", "upper_bound")
    )
    values = {"sample": estimate.get("point_estimate"), "ci_low": low, "ci_high": high}
    for stat, value in values.items():
        if _is_time(value):
            at = line_of(value, line)
            run.add("time_per_op", stat, scale(repr(float(value)), -9), "s", at)
        elif stat == "sample":
            yield "no valid estimate of the mean"
        elif value is not None:
            yield f"an end of its interval is {show_part(str(value))}, not a time; it is left out"


def _add_samples(run: Reading, fields: Mapping[str, Any], line: int) -> Iterator[str]:
    """Add the value that criterion computes from the samples, or yield why it cannot."""
    counts, times = fields.get("iters"), fields.get("times")
    if not isinstance(counts, list) or not isinstance(times, list) or len(counts) != len(times):
        yield "`iters` and `times` are not lists of the same length"
        return
    if not times or not all(map(_is_time, times)) or not all(map(_is_time, counts)):
        yield "the samples are not all valid numbers, or there are none"
        return
    if not all(counts):
        yield "a sample has no iterations"
        return
    if fields.get("sampling_mode") == "Flat":
        value = fsum(time / n for time, n in zip(times, counts, strict=True)) / len(times)
    else:
        value = fsum(map(mul, times, counts)) / fsum(n * n for n in counts)
    if not isfinite(value):
        yield "the times are too large"
        return
    at = line_of(times[0], line)
    run.add("time_per_op", "sample", scale(repr(value), -9), "s", at, n=len(times),
            origin="computed")  # fmt: skip


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e30


_TIME = r"(\d{1,9}(?:\.\d{1,4})? (?:ps|ns|[uµμ]s|ms|s))"
#: A name is all words up to the time; possessive, so the steps stay linear on any line.
_SHOWN = regex(
    r"(?:((?:\S++\s++(?!time:\s++\[))*+\S++)\s++)?+"
    rf"time:\s++\[{_TIME} {_TIME} {_TIME}\]",
    re.ASCII,
)
_PER_ITERATION = r"((?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,9})?) ([pnuµμm]?s)/iter"
_SPREAD = r" \(\+/- [\d,.]{1,20}\)"
#: The line of a benchmark, of which some people keep only name and time.
_BENCHER = regex(
    rf"(?:test )?((?:\S++\s++(?!\.\.\. bench:))*+\S++)\s++\.\.\. bench:\s++{_PER_ITERATION}"
    rf"(?:{_SPREAD})?(?: = .*)?|(?:test )?(\S++)\s++{_PER_ITERATION}{_SPREAD}",
    re.ASCII,
)
#: A name and a time whose meaning is not shown.
_SIGN = regex(r"(?:\s|\A)(?:time:\s{1,99}\[(?!.*%)|\.\.\. bench:)")
_BARE = regex(rf"(?:test )?\S++\s++{_PER_ITERATION}", re.ASCII)
_UNCLEAR = Remark(
    "{text} shows neither `... bench:` nor a spread, so it is not read",
    "use the line as `cargo bench` printed it",
)
#: Lines above a time that are not the name of a benchmark.
_OTHER = regex(
    r"(?:Benchmarking|Found|Performance|No change|Change within|Warning|thrpt|change|time)\b.*"
    r"|\d+ \(.*|.*:"
)

#: Output of criterion other than times, and of cargo and the test harness.
_CHATTER = regex(
    r"\A(?:\s*(?:change|thrpt|slope|mean|median):?\s+\[.*|\s*Found \d+ outliers? .*"
    r"|\s*\d+ \([\d.]+%\) (?:low|high) (?:mild|severe)"
    r"|\s*(?:Change within noise threshold|No change in performance detected"
    r"|Performance has (?:improved|regressed))\."
    r"|Benchmarking .*: (?:Warming up|Collecting|Analyzing)\b.*|Gnuplot not found, .*"
    r"|\s*Compiling \S+ v\d.*|\s*(?:Finished|Building) .*\btarget\(s\).*"
    r"|\s*(?:Downloading|Downloaded) \S+ (?:v\d|crate).*|\s*Updating (?:crates\.io|registry|git) .*"
    r"|\s*Blocking waiting for file lock .*|\s*Locking \d+ packages? .*"
    r"|running \d+ tests?|test result: .*|test \S+ \.\.\. (?:ok|ignored|FAILED))\Z"
    r"| \(target(?:/[\w.-]+){1,9}\)"
)


def _recognises_text(head: Head) -> bool:
    return any(
        _read_line(_bare(line))
        for line in head.text.split("\n")
        if "time:" in line or "/iter" in line
    )


def _parse_text(source: Source) -> Iterator[Record]:
    """Yield a run per benchmark."""
    lines, above, is_empty = UntilDamage(source.ended_lines()), "", True
    for number, text, is_ended in lines:  # a whole line ends with a bracket
        line = _bare(text)
        if (shown := _SHOWN.fullmatch(line)) is not None:
            name, *times = shown.groups()
            run = Reading(tool="criterion", form="text", line=number, last_line=number)
            run.benchmark = name or above
            for stat, time in zip(("ci_low", "sample", "ci_high"), times, strict=True):
                _add_text(run, stat, time, number)
            is_empty = False
            yield run
        elif (shown := _BENCHER.fullmatch(line)) is not None:
            run = Reading(tool="criterion", form="text", line=number, last_line=number)
            run.benchmark, time, unit = (each for each in shown.groups() if each)
            _add_text(run, "median", f"{time.replace(',', '')} {unit}", number)
            is_empty = False
            yield run
        elif _BARE.fullmatch(line):
            is_empty = False
            yield _UNCLEAR.at(source.label, number, text=show_part(line))
        elif FENCE.match(text):
            above = ""
        elif _SIGN.search(line) or not (is_empty or is_ended or _is_chatter(line)):
            what = f"{line[:60]!r} has no valid time and was left out"
            yield Diagnostic(source.label, number, what, "fix the file or measure again", "warning")
        elif line and not _OTHER.fullmatch(line):
            above = line
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no result of criterion here", "give the whole output")


def _is_chatter(line: str) -> bool:
    """Return whether a last line is complete and of a kind that is not read."""
    return _CHATTER.search(line) is not None and line.count("[") == line.count("]")


def _bare(text: str) -> str:
    """Return a line without its prefix and suffix, and with a word processor's ellipses as dots."""
    return bare(text).replace("… bench:", "... bench:")


def _read_line(line: str) -> re.Match[str] | None:
    return _SHOWN.fullmatch(line) or _BENCHER.fullmatch(line) or _BARE.fullmatch(line)


def _add_text(run: Reading, stat: str, text: str, number: int) -> None:
    """Add a time with its unit."""
    time = parse_time(text) if not text.endswith("ps") else None
    if time is None:  # times below a nanosecond
        picoseconds = text.removesuffix(" ps")
        run.add("time_per_op", stat, scale(picoseconds, -12), "s", number,
                resolution=step(picoseconds, -12))  # fmt: skip
    else:
        run.add("time_per_op", stat, time.value, "s", number, resolution=time.resolution)


JSON = Format(
    name="criterion",
    tools=("criterion",),
    summary="criterion.rs: estimates and samples of one benchmark",
    forms=(
        Form(
            name="estimates",
            signature='{"mean": {"confidence_interval": …, "point_estimate": …}, "slope": …}',
            versions="0.3 on, target/criterion/…/estimates.json",
            not_recorded="when it ran, the version (the name is in the path or in benchmark.json)",
        ),
        Form(
            name="samples",
            signature='{"sampling_mode": …, "iters": [… ], "times": [… ]}',
            versions="0.3.4 on, target/criterion/…/sample.json",
            not_recorded="same as for the estimates",
        ),
    ),
    recognises=_recognises,
    parse=_parse,
    repeating=(
        ("benchmark.json", "estimates.json"),
        ("sample.json", "estimates.json"),
        ("tukey.json", "estimates.json"),
        ("change/estimates.json", "../new/estimates.json"),
        ("change/estimates.json", "../base/estimates.json"),
        ("raw.csv", "estimates.json"),
        ("report/index.html", "../**/new/estimates.json"),
    ),
    copying=(
        ("base/estimates.json", "../new/estimates.json"),  # after each run without --baseline
        ("new/estimates.json", "../*/estimates.json"),  # by --save-baseline
    ),
    words=('"point_estimate"', '"sampling_mode"'),
)

TEXT = Format(
    name="criterion_text",
    tools=("criterion",),
    summary="output of criterion.rs and `cargo bench`: one time per benchmark",
    forms=(
        Form(
            name="text",
            signature="… time: [19.254 ns 19.416 ns 19.682 ns]",
            versions="0.1 on",
            not_recorded="when it ran, the version; not read: changes, outliers, throughput",
        ),
        Form(
            name="bencher",
            signature="test … bench: 1,234 ns/iter (+/- 5)",
            versions="--output-format bencher; cargo bench of #[bench] functions",
            not_recorded="same as for the text; not read: the spread",
        ),
    ),
    recognises=_recognises_text,
    parse=_parse_text,
    words=("time:", "/iter"),
    anchors=(
        ("test ", r"\S[^\n]{0,400}? \.\.\. bench: {1,40}[\d,.]{1,40} ns/iter"),
        (" time: ", rf"\s*\[{_TIME} {_TIME} {_TIME}\]"),
        ("Benchmarking ", r"\S[^\n]{0,400}: (?:Warming up for|Collecting|Analyzing)"),
    ),
    embeds=True,
    chatter=_CHATTER,
)

TOOLS = (
    Tool(
        name="criterion",
        formats=(JSON, TEXT),
        command="cargo bench",
        role="microbenchmark",
        metrics={"time_per_op": ""},
        primaries=(("time_per_op", "sample"), ("time_per_op", "median")),
        keeps_runs="criterion overwrites `base`: before you change the code, save a run with "
        "`cargo bench -- --save-baseline before`; measure again after the change",
    ),
)
