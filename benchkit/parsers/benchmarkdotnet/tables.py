"""BenchmarkDotNet's summary, as Markdown or CSV: a row is the mean of one benchmark."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.reading.delimited import read_rows
from benchkit.reading.source import UntilDamage
from benchkit.regexes import regex
from benchkit.units import Quantity, parse_bytes, parse_time

_STATS = {"Mean": "mean", "Median": "median", "StdDev": "stdev", "Min": "min", "Max": "max"}
_CENTRES = ("Mean", "Median")
_MEMORY = ("Allocated", "Allocated Memory/Op")
#: The first column of a kind that stands behind the parameters.
_STATISTICS = (*_STATS, "Error", "StdErr", "StdError", "Scaled", "Ratio", "Rank", "Op/s", *_MEMORY)
#: Settings of a job: not levels of the workload, but for those that differ between rows.
_SETTINGS = frozenset(
    re.findall(
        r"\w+",
        """
    Job AnalyzeLaunchVariance EvaluateOverhead MaxAbsoluteError MaxRelativeError MinInvokeCount
    MinIterationTime OutlierMode RemoveOutliers MaxStdErrRelative AnalyzeOverhead Affinity
    EnvironmentVariables Jit LargeAddressAware Platform PowerPlanMode Runtime Framework
    AllowVeryLargeObjects Concurrent CpuGroups Force HeapAffinitizeMask HeapCount NoAffinitize
    RetainVm Server Arguments BuildConfiguration Clock EngineFactory NuGetReferences Toolchain
    IsMutator InvocationCount IterationCount IterationTime LaunchCount MaxIterationCount
    MaxTargetIterationCount MaxWarmupIterationCount MemoryRandomization MinIterationCount
    MinTargetIterationCount MinWarmupIterationCount RunStrategy TargetCount UnrollFactor
    WarmupCount ConsumeTasksSynchronously JitTieringMode
""",
    )
)
_NUMBER = r"[0-9]{1,15}(?:[.,'’ \u00a0\u202f][0-9]{1,15}){0,6}"
_TIME = regex(rf"({_NUMBER})\s?(ns|us|μs|µs|ms|s|m|h)")
_SIZE = regex(rf"({_NUMBER})\s?([KMGT]?B)")
_PLAIN = regex(_NUMBER)
_SIGNS = regex("[.,]")
_UNIT = regex(r"(.{1,60}?)\s*\[(\S{1,3})\]")
_RANDOM_JOB = regex(r"Job-[A-Z]{6}")
_PAIR = regex(r"(\S{1,100})=([^\s=][^=]{0,200}?)(?:\s{2,}|$)")
_VERSION = regex(r".{0,40}?BenchmarkDotNet[ =]v(\d\S{0,40}?),\s*(?:OS=)?(.{1,200})")
_CPU = regex(r"(?:Processor=)?(\S.{3,120}?), (?:\d++ CPU, (\d++) logical|ProcessorCount=(\d++)).*+")
_PREFIX = regex(r"[\s#>/*!;-]*")
#: A longer line has no common parameters.
_LONGEST = 2000
_NO_VALUE = ("NA", "?", "-", "")
_HINT = "give the table as BenchmarkDotNet wrote it, or the JSON of `--exporters fulljson`"


def _split(text: str) -> list[str]:
    """Return the cells of a row of Markdown, without their markup.

    Examples
    --------
    >>> _split("> | **Quick** | **1.5 ns** |"), _split(" Quick | 1.5 ns |")
    (['Quick', '1.5 ns'], ['Quick', '1.5 ns'])
    """
    line = text[_PREFIX.match(text).end() :].strip()  # type: ignore[union-attr]
    line = line.removeprefix("|").removesuffix("|").replace(r"\|", "\0")
    return [_clean(cell.replace("\0", "|")) for cell in line.split("|")]


def _clean(cell: str) -> str:
    text = html.unescape(cell).strip().strip("*").strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == "'" else text


def _is_header(cells: Sequence[str]) -> bool:
    return "Method" in cells and any(name.partition(" [")[0] in _CENTRES for name in cells)


def _is_row(columns: Sequence[str], cells: Sequence[str]) -> bool:
    """Tell whether a row below a header has a time for a mean, or none where all failed."""
    pairs = [
        (name, cell)
        for name, cell in zip(columns, cells, strict=False)
        if name.partition(" [")[0] in _CENTRES
    ]
    return any(
        _TIME.fullmatch(cell)
        or (name.endswith("]") and _PLAIN.fullmatch(cell))
        or (cell == "NA" and "Error" in columns)
        for name, cell in pairs
    )


def _find_decimal(times: Sequence[str], sizes: Sequence[str]) -> str:
    """Return the decimal sign of a table: of its culture, or empty if that cannot be known.

    Sizes have two decimals at most.

    Examples
    --------
    >>> _find_decimal(["1,234.5", "7.250"], []), _find_decimal(["1,250"], ["2,000"])
    ('.', '.')
    >>> _find_decimal(["1.234,5"], []), _find_decimal(["1,234", "2,345"], [])
    (',', '')
    """
    signs = [_SIGNS.findall(number) for number in (*times, *sizes)]
    certain = set()
    for found, number in zip(signs, (*times, *sizes), strict=True):
        if not found:
            continue
        is_clear = len(number.rpartition(found[-1])[2]) != 3 or len(set(found)) > 1
        if is_clear:
            certain.add(found[-1])
        elif number in sizes:
            certain.add("," if found[-1] == "." else ".")
    if not certain:
        seen = {sign for found in signs for sign in found}
        is_open = len(seen) > 1 or ("," in seen and all(signs))
        return "" if is_open else "."
    return certain.pop() if len(certain) == 1 else ""


class _Summary:
    """The rows of one table, which are read when all are there."""

    def __init__(self, label: str, form: str, columns: Sequence[str]) -> None:
        self.label, self.form = label, form
        named = [(_UNIT.fullmatch(name), name) for name in columns]
        self.columns = [match[1] if match else name for match, name in named]
        self.units = {match[1]: match[2] for match, _ in named if match}
        starts = [n for n, name in enumerate(self.columns) if name in _STATISTICS]
        self.labels = self.columns[: min(starts, default=0)]
        self.rows: list[tuple[int, dict[str, str]]] = []
        self.problems: list[Diagnostic] = []
        self.facts: dict[str, str] = {}
        self.version: str | None = None
        self.common: dict[str, str] = {}

    def take(self, line: int, cells: Sequence[str]) -> None:
        """Take a row; rules and blank rows between groups are none."""
        if not "".join(cells).strip("-: "):
            return
        if len(cells) == len(self.columns):
            self.rows.append((line, dict(zip(self.columns, cells, strict=True))))
        else:
            what = (
                f"this row has {len(cells)} cells, but the header has {len(self.columns)}; the row "
                "is left out"
            )
            self.problems.append(Diagnostic(self.label, line, what, _HINT, "warning"))

    def finish(self) -> Iterator[Record]:
        """Yield a reading per row, and what is not read."""
        yield from self.problems
        cells = [(name, cell) for _, row in self.rows for name, cell in row.items()]
        times = [found[1] for _, cell in cells if (found := _TIME.fullmatch(cell))]
        times += [cell for name, cell in cells if name in self.units and _PLAIN.fullmatch(cell)]
        sizes = [found[1] for _, cell in cells if (found := _SIZE.fullmatch(cell))]
        decimal = _find_decimal(times, sizes)
        varying = {name for name in self.labels if len({row[name] for _, row in self.rows}) > 1}
        runs = [self._begin(line, row, varying) for line, row in self.rows]
        counts = Counter(_identity(run) for run in runs)
        for run, (line, row) in zip(runs, self.rows, strict=True):
            what = ""
            if not decimal:
                what = "it is not clear whether the commas of this table part thousands or decimals"
            elif counts[_identity(run)] > 1:
                what = f"{counts[_identity(run)]} rows of this table are called {run.benchmark}"
            elif self._fill(run, row, line, decimal):
                yield run
            else:
                what = f"{run.benchmark} has no valid mean or median"
            if what:
                yield Diagnostic(self.label, line, f"{what}; the row is left out", _HINT, "warning")

    def _begin(self, line: int, row: Mapping[str, str], varying: set[str]) -> Reading:
        run = Reading(tool="benchmarkdotnet", form=self.form, line=line, last_line=line)
        run.benchmark = ".".join(row[name] for name in ("Type", "Method") if row.get(name))
        settings = varying & _SETTINGS
        for name in self.labels:
            is_level = name not in _SETTINGS and name not in {"Type", "Method"}
            if is_level or (name in settings and not self._is_random(name, row, settings)):
                run.params[name if name != "Job" else "job"] = row[name]
        run.params |= self.common
        run.env, run.tool_version = dict(self.facts), self.version
        return run

    @staticmethod
    def _is_random(name: str, row: Mapping[str, str], settings: set[str]) -> bool:
        """Whether a job has a name by chance, beside the settings that it stands for."""
        return name == "Job" and len(settings) > 1 and _RANDOM_JOB.fullmatch(row[name]) is not None

    def _fill(self, run: Reading, row: Mapping[str, str], line: int, decimal: str) -> bool:
        """Add the values of a row; False if it has neither mean nor median."""
        for name, stat in _STATS.items():
            if time := self._read(row.get(name, ""), name, decimal):
                step = time.resolution
                run.add("time_per_op", stat, time.value, "s", line, resolution=step)
        size = next((row[name] for name in _MEMORY if name in row), "")
        if run.rows and size == "-":
            run.add("bytes_per_op", "mean", 0.0, "B", line, origin="computed")
        elif run.rows and (found := _SIZE.fullmatch(size)):
            amount = parse_bytes(_plain(found[1], decimal) + found[2], binary=True)
            run.add("bytes_per_op", "mean", amount.value, "B", line, resolution=amount.resolution)
        if not run.rows and any(row.get(name) in _NO_VALUE for name in _CENTRES):
            run.status, run.remark = "failed", f"{line}: {run.benchmark} has no results"
            return True
        return any(each[2] in {"mean", "median"} for each in run.rows)

    def _read(self, cell: str, name: str, decimal: str) -> Quantity | None:
        unit = self.units.get(name)
        if unit and _PLAIN.fullmatch(cell):
            cell = f"{cell} {unit}"
        found = _TIME.fullmatch(cell)
        return parse_time(_plain(found[1], decimal) + found[2]) if found else None


def _identity(run: Reading) -> tuple[str, tuple[tuple[str, str], ...]]:
    return run.benchmark, tuple(sorted(run.params.items()))


def _plain(number: str, decimal: str) -> str:
    """Return a number without the signs between thousands."""
    whole, _, part = number.partition(decimal)
    digits = "".join(filter(str.isdigit, whole))
    return f"{digits}.{part}" if part else digits


def recognises_markdown(head: Head) -> bool:
    """Whether a text holds the head of a summary above a row of one."""
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
    preamble = _Summary(source.label, "markdown", ())
    for number, text, is_ended in lines:
        is_whole = is_ended or text.rstrip().endswith("|")
        cells = _split(text) if "|" in text and is_whole else []
        if cells and _is_header(cells):
            if table is not None:
                yield from table.finish()
            table, is_empty = _Summary(source.label, "markdown", cells), False
            table.version, table.facts = preamble.version, dict(preamble.facts)
            table.common = dict(preamble.common)
        elif cells and table is not None:
            is_noted = not text.rstrip().endswith("|") and len(cells) == len(table.columns) + 1
            table.take(number, cells[:-1] if is_noted else cells)
        else:
            if table is not None:
                yield from table.finish()
                table, preamble.common = None, {}
            _describe(preamble, text[_PREFIX.match(text).end() :].strip())  # type: ignore[union-attr]
    if table is not None:
        yield from table.finish()
    lines.raise_damage()
    if is_empty:
        yield Diagnostic(source.label, 0, "no complete table of BenchmarkDotNet here", _HINT)


def _describe(preamble: _Summary, line: str) -> None:
    """Take the version, machine and common parameters that stand above a table."""
    if version := _VERSION.fullmatch(line):
        preamble.version, preamble.facts, preamble.common = version[1], {"os": version[2]}, {}
    elif preamble.version and "cpu" not in preamble.facts and (cpu := _CPU.fullmatch(line)):
        preamble.facts |= {"cpu": cpu[1], "cpus": cpu[2] or cpu[3]}
    elif preamble.version and "=" in line and len(line) < _LONGEST:
        levels = {name: value for name, value in _PAIR.findall(line) if name not in _SETTINGS}
        preamble.common |= levels if _PAIR.sub("", line) == "" else {}


def _find_delimiter(text: str) -> str:
    """Return the delimiter of a CSV whose header is that of a summary; empty for any other."""
    first, _, rest = text.lstrip().partition("\n")
    for delimiter in ",;\t":
        columns = [name.strip('" \r') for name in first.split(delimiter)]
        is_known = "[" in first or _SETTINGS & {*columns[1:]} or _TIME.search(rest)
        if _is_header(columns) and is_known:
            return delimiter
    return ""


def recognises_csv(head: Head) -> bool:
    """Whether a source is a summary as CSV."""
    return head.is_start and bool(_find_delimiter(head.text))


def parse_csv(source: Source) -> Iterator[Record]:
    """Yield a reading per row."""
    delimiter = _find_delimiter(source.head().text) or ","
    table: _Summary | None = None
    for line, row in read_rows(source, "BenchmarkDotNet", ["Method"], delimiter):
        if isinstance(row, Diagnostic):
            yield row
            continue
        table = table or _Summary(source.label, "csv", list(row))
        table.take(line, [_clean(cell) for cell in row.values()])
    if table is not None:
        yield from table.finish()
