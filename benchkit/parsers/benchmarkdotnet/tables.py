"""BenchmarkDotNet's summary as Markdown or CSV, in which a row is the mean of one benchmark."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.benchmarkdotnet import unquote
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.reports import IS_CUT
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, parse_time

_CENTRES = ("Mean", "Median")
_PRIMARIES = {("time_per_op", "mean"), ("time_per_op", "median")}
_FACTS = {
    "Mean": ("time_per_op", "mean", "s"), "Median": ("time_per_op", "median", "s"),
    "StdDev": ("time_per_op", "stdev", "s"), "Min": ("time_per_op", "min", "s"),
    "Max": ("time_per_op", "max", "s"), "Allocated": ("bytes_per_op", "mean", "B"),
    "Allocated Memory/Op": ("bytes_per_op", "mean", "B"),
}  # fmt: skip
#: Columns that may be the first one after the parameters.
_STATISTICS = (*_FACTS, "Error", "StdErr", "StdError", "Scaled", "Ratio", "Rank", "Op/s")
#: Settings of a job, which are levels of the workload only if they differ between rows.
_SETTINGS = frozenset(
    re.findall(
        r"\w+",
        "Job AnalyzeLaunchVariance EvaluateOverhead MaxAbsoluteError MaxRelativeError Affinity Jit "
        "MinInvokeCount MinIterationTime OutlierMode RemoveOutliers MaxStdErrRelative IsMutator "
        "AnalyzeOverhead EnvironmentVariables LargeAddressAware Platform PowerPlanMode Runtime "
        "Framework AllowVeryLargeObjects Concurrent CpuGroups Force HeapAffinitizeMask HeapCount "
        "NoAffinitize RetainVm Server Arguments BuildConfiguration Clock EngineFactory Toolchain "
        "NuGetReferences InvocationCount IterationCount IterationTime LaunchCount RunStrategy "
        "MaxIterationCount MaxTargetIterationCount MaxWarmupIterationCount MemoryRandomization "
        "MinIterationCount MinTargetIterationCount MinWarmupIterationCount TargetCount "
        "UnrollFactor WarmupCount ConsumeTasksSynchronously JitTieringMode",
    )
)
_NUMBER = r"[0-9]{1,15}(?:[.,'’ \u00a0\u202f][0-9]{1,15}){0,6}"
_TIME = regex(rf"({_NUMBER})\s?(ns|us|μs|µs|ms|s|m|h)")
_SIZE = regex(rf"({_NUMBER})\s?([KMGT]?B)")
_PLAIN = regex(_NUMBER)
_SIGNS = regex("[.,]")
#: Digits in groups of three, or in some cultures of two before the last group.
_WHOLE = regex("[0-9]+|[0-9]{1,3}([.,'’ \u00a0\u202f])(?:[0-9]{2,3}\\1)*+[0-9]{3}")
_UNIT = regex(r"(.{1,60}?)\s*\[(\S{1,3})\]")
_RANDOM_JOB = regex(r"Job-[A-Z]{6}")
_PAIR = regex(r"(\S{1,100})=([^\s=][^=]{0,200}?)(?:\s{2,}|$)")
_VERSION = regex(r".{0,40}?BenchmarkDotNet[ =]v(\d\S{0,40}?),\s*(?:OS=)?(.{1,200})")
_CPU = regex(r"(?:Processor=)?(\S.{3,120}?), (?:\d++ CPU, (\d++) logical|ProcessorCount=(\d++)).*+")
_PREFIX = regex(r"[\s#>/*!;-]*")
#: Maximum length of a line with common parameters.
_LONGEST = 2000
_NAMES = {"Type", "Method"}
_NO_VALUE = ("NA", "N/A", "?", "-", "")
_HINT = "give the table as BenchmarkDotNet wrote it, or the JSON of `--exporters fulljson`"


def _split(text: str) -> list[str]:
    """Return the cells of a Markdown row without their markup.

    Examples
    --------
    >>> _split("> | **Quick** | **1.5 ns** |"), _split(" Quick | 1.5 ns |")
    (['Quick', '1.5 ns'], ['Quick', '1.5 ns'])
    """
    line = _bare(text).removeprefix("|").removesuffix("|").replace(r"\|", "\0")
    return [_clean(cell.replace("\0", "|")) for cell in line.split("|")]


def _bare(text: str) -> str:
    return text[_PREFIX.match(text).end() :].strip()  # type: ignore[union-attr]


def _clean(cell: str) -> str:
    return unquote(html.unescape(cell).strip().strip("*").strip())


def _is_header(cells: Sequence[str]) -> bool:
    return "Method" in cells and any(name.partition(" [")[0] in _CENTRES for name in cells)


def _is_row(columns: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a row below a header has a time as its mean, or NA because all failed."""
    return any(
        _TIME.fullmatch(cell)
        or (name.endswith("]") and _PLAIN.fullmatch(cell))
        or (cell == "NA" and "Error" in columns)
        for name, cell in zip(columns, cells, strict=False)
        if name.partition(" [")[0] in _CENTRES
    )


def _find_decimal(times: Sequence[str], sizes: Sequence[str]) -> str:
    """Return the decimal sign of a table's culture, or an empty text if it is ambiguous.

    Times that BenchmarkDotNet writes have one to four decimals, and sizes two at most.

    Examples
    --------
    >>> _find_decimal(["1,234.5", "7.250"], []), _find_decimal(["1,250"], ["2,000"])
    ('.', '.')
    >>> _find_decimal(["1.234,5"], []), _find_decimal(["1,234", "2,345"], [])
    (',', '')
    >>> _find_decimal(["1,234", "0,143"], ["25"]), _find_decimal(["1,234"], ["25"])
    (',', '')
    """
    numbers = [(number, _SIGNS.findall(number)) for number in (*times, *sizes)]
    certain, seen = set(), {sign for _, signs in numbers for sign in signs}
    for number, signs in numbers:
        is_decimal = len({*signs}) > 1 or number.startswith("0")
        if signs and (is_decimal or len(number.rpartition(signs[-1])[2]) != 3):
            certain.add(signs[-1])
        elif signs and number in sizes:
            certain |= {".", ","} - {*signs}
    if not certain:
        is_open = len(seen) > 1 or ("," in seen and all(map(_SIGNS.search, times)))
        return "" if is_open else "."
    return certain.pop() if len(certain) == 1 else ""


class _Summary:
    """The rows of one table, which are read once the table is complete.

    The run of a row is a copy of ``above``, which has the facts from the lines above the table.
    """

    def __init__(self, label: str, columns: Sequence[str], above: Reading) -> None:
        self.label, self.above = label, replace(above)
        matches = [_UNIT.fullmatch(name) for name in columns]
        names = zip(columns, matches, strict=True)
        self.columns = [match[1] if match else name for name, match in names]
        self.units = [f" {match[2]}" if match else "" for match in matches]
        starts = [n for n, name in enumerate(self.columns) if name in _STATISTICS]
        self.labels = self.columns[: min(starts, default=0)]
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.problems: list[Diagnostic] = []

    def take(self, line: int, cells: Sequence[str]) -> None:
        """Add a row; skip rules and blank rows between groups."""
        if len(cells) == len(self.columns) and "".join(cells).strip("-: "):
            amounts = zip(self.columns, cells, self.units, strict=True)
            row = {key: cell + unit * bool(_PLAIN.fullmatch(cell)) for key, cell, unit in amounts}
            self.rows.append((line, row))
        elif "".join(cells).strip("-: "):
            what = f"this row has {len(cells)} cells, but the header has {len(self.columns)}"
            self.leave_out(line, what)

    def leave_out(self, line: int, what: str) -> None:
        """Record a row that is not read."""
        what = f"{what}; the row is left out"
        self.problems.append(Diagnostic(self.label, line, what, _HINT, "warning"))

    def finish(self) -> Iterator[Record]:
        """Yield a reading per row, and diagnostics for rows that are not read."""
        cells = [cell for _, row in self.rows for cell in row.values()]
        times, sizes = (list(filter(None, map(kind.fullmatch, cells))) for kind in (_TIME, _SIZE))
        decimal = _find_decimal([each[1] for each in times], [each[1] for each in sizes])
        settings = {
            name
            for name in self.labels
            if name in _SETTINGS and len({row[name] for _, row in self.rows}) > 1
        }
        runs = [self._begin(line, row, settings) for line, row in self.rows]
        counts = Counter(map(_identity, runs))
        for run, (line, row) in zip(runs, self.rows, strict=True):
            if not decimal:
                what = "it is not clear whether the commas of this table part thousands or decimals"
                self.leave_out(line, what)
            elif (count := counts[_identity(run)]) > 1:
                self.leave_out(line, f"{count} rows of this table are called {run.benchmark}")
            elif _fill(run, row, decimal):
                yield run
                self.problems += self._name_unreadable(line, row, decimal)
            else:
                self.leave_out(line, f"{run.benchmark} has no valid mean or median")
        yield from self.problems

    def _name_unreadable(
        self, line: int, row: Mapping[str, str], decimal: str
    ) -> Iterator[Diagnostic]:
        """Yield diagnostics for cells that should have a time or size but do not."""
        for name, (_, _, unit) in _FACTS.items():
            cell = row.get(name, "")
            if cell not in _NO_VALUE and not _read(cell, unit, decimal):
                kind = "size" if unit == "B" else "time"
                what = f"{name} is {show_part(cell)}, which is not a {kind}; it is left out"
                yield Diagnostic(self.label, line, what, _HINT, "warning")

    def _begin(self, line: int, row: Mapping[str, str], settings: set[str]) -> Reading:
        """Return the run of a row, with the job settings that differ between rows as params."""
        kept = set(settings)
        if len(settings) > 1 and _RANDOM_JOB.fullmatch(row.get("Job", "")):
            kept.discard("Job")  # a random name for the settings that are params as well
        levels = [name for name in self.labels if name not in _SETTINGS - kept | _NAMES]
        params = {"job" if name == "Job" else name: row[name] for name in levels}
        run = replace(self.above, line=line, last_line=line, params=params | self.above.params)
        run.benchmark = ".".join(row[name] for name in ("Type", "Method") if row.get(name))
        run.env, run.rows = dict(run.env), []
        return run


def _identity(run: Reading) -> tuple[str, tuple[tuple[str, str], ...]]:
    return run.benchmark, tuple(sorted(run.params.items()))


def _fill(run: Reading, row: Mapping[str, str], decimal: str) -> bool:
    """Add the values of a row; return False if it has neither mean nor median."""
    for name, (metric, stat, unit) in _FACTS.items():
        if amount := _read(row.get(name, ""), unit, decimal):
            step = amount.resolution
            run.add(metric, stat, amount.value, unit, run.line, resolution=step)
        elif unit == "B" and row.get(name) == "-" and run.rows:
            run.add(metric, stat, 0.0, unit, run.line, origin="computed")
    if any(each[1:3] in _PRIMARIES for each in run.rows):
        return True
    if any(row.get(name) in _NO_VALUE for name in _CENTRES):
        run.status, run.remark = "failed", f"{run.line}: {run.benchmark} has no results"
        return True
    return False


def _kind(unit: str) -> re.Pattern[str]:
    return _SIZE if unit == "B" else _TIME


def _read(cell: str, unit: str, decimal: str) -> Quantity | None:
    """Return the time or size in a cell, ignoring the separators between thousands."""
    amount = _kind(unit).fullmatch(cell)
    if amount is None:
        return None
    whole, _, part = amount[1].partition(decimal)
    if not _WHOLE.fullmatch(whole) or (part and not part.isdecimal()):
        return None  # a damaged number, or the separators of another culture than the table's
    text = f"{''.join(filter(str.isdigit, whole))}.{part}".removesuffix(".") + amount[2]
    return parse_bytes(text, binary=True) if unit == "B" else parse_time(text)


def recognises_markdown(head: Head) -> bool:
    """Return whether a text has the head of a summary with a row below it."""
    lines = head.text.split("\n")
    for number, text in enumerate(lines):
        if "Method" in text and "|" in text and _is_header(columns := _split(text)):
            below = (_split(line) for line in lines[number + 1 : number + 6])
            if any(len(cells) == len(columns) and _is_row(columns, cells) for cells in below):
                return True
    return False


def parse_markdown(source: Source) -> Iterator[Record]:
    r"""Yield a reading per row of each summary of a text.

    Examples
    --------
    >>> text = b"| Method | N | Mean | Error |\n|---|---|---:|---:|\n| Quick | 8 | 1.5 ns | 0 ns |"
    >>> (run,) = parse_markdown(Source(None, "x", text))
    >>> run.benchmark, run.params, run.rows[0][3]
    ('Quick', {'N': '8'}, 1.5e-09)
    """
    lines, table, is_empty = UntilDamage(source.ended_lines()), None, True
    above = Reading(tool="benchmarkdotnet", form="markdown", line=0)
    columns, is_apart = list[str](), False
    for number, text, is_ended in lines:
        if table and not text.strip():  # pages put blank lines between rows
            is_apart = True
            continue
        is_whole = is_ended or text.rstrip().endswith("|")
        cells = _split(text) if "|" in text and is_whole else []
        if (
            table
            and not is_whole
            and ("|" in text or (not is_apart and IS_CUT.match(text.strip())))
        ):
            table.leave_out(number, "this last row is cut")
            continue
        is_header = _is_header(cells)
        is_row = not is_apart or _is_row(columns, cells) or not "".join(cells).strip("-: ")
        is_apart = False
        if table and cells and not is_header and is_row:
            is_noted = not text.rstrip().endswith("|") and len(cells) == len(table.columns) + 1
            table.take(number, cells[:-1] if is_noted else cells)
            continue
        if table:
            yield from table.finish()
        if is_header:
            table, columns, is_empty = _Summary(source.label, cells, above), cells, False
        else:
            above.params = {} if table else above.params
            table = None
            _describe(above, _bare(text))
    if table:
        yield from table.finish()
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no complete table of BenchmarkDotNet here", _HINT)


def _describe(above: Reading, line: str) -> None:
    """Set the version, machine and common parameters from the lines above a table."""
    if version := _VERSION.fullmatch(line):
        above.tool_version, above.env, above.params = version[1], {"os": version[2]}, {}
    elif above.tool_version and "cpu" not in above.env and (cpu := _CPU.fullmatch(line)):
        above.env = {**above.env, "cpu": cpu[1], "cpus": cpu[2] or cpu[3]}
    elif above.tool_version and "=" in line and len(line) < _LONGEST:
        levels = {name: value for name, value in _PAIR.findall(line) if name not in _SETTINGS}
        above.params = above.params | (levels if _PAIR.sub("", line) == "" else {})


def recognises_csv(head: Head) -> bool:
    """Return whether a source is a summary as CSV."""
    first, _, rest = head.text.lstrip().partition("\n")
    columns = header_of(first)
    is_known = "[" in first or _SETTINGS & {*columns[1:]} or _TIME.search(rest)
    return head.is_start and _is_header(columns) and bool(is_known)


def parse_csv(source: Source) -> Iterator[Record]:
    """Yield a reading per row."""
    above = Reading(tool="benchmarkdotnet", form="csv", line=0)
    table: _Summary | None = None
    for line, row in read_rows(source, "BenchmarkDotNet", ["Method"]):
        if isinstance(row, Diagnostic):
            yield row
            continue
        table = table or _Summary(source.label, list(row), above)
        table.take(line, [_clean(cell) for cell in row.values()])
    yield from table.finish() if table else ()
