"""JMH's CSV and printed table, which have means only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source, bare
from benchkit.parsers.jmh import (
    HINT,
    MODES,
    PERCENTILE,
    name_part,
    shorten,
)
from benchkit.parsers.jmh.units import TIMES, find_scale
from benchkit.reading import reports
from benchkit.reading.cleaning import NOTE, read_note
from benchkit.reading.delimited import header_of, read_rows
from benchkit.reading.remarks import Remark
from benchkit.reading.reports import Fields, Line
from benchkit.regexes import regex
from benchkit.units import step

_COLUMNS = ["Benchmark", "Mode", "Threads", "Samples", "Score"]
_COARSE = Remark(
    "the score of {name} is {score}, too coarse to compare, and was left out",
    "run it with a finer unit, such as -tu ns",
    is_remark=False,
)
_RAGGED = Remark(
    "this row has {cells} of the {columns} params that its header names, and was left out",
    "use the unchanged table from JMH, which shows N/A where a benchmark lacks a param",
    is_remark=False,
)


_HEADLESS = Remark(
    "no header above this row names its params, so it was left out",
    "keep the line `Benchmark (param) Mode Cnt Score Error Units` above the rows",
    is_remark=False,
)


class _Means:
    """Results that have only the mean over all iterations, by benchmark and mode."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.runs: list[tuple[str, Reading]] = []
        self._latest: dict[tuple[str, str], Reading] = {}
        self.coarse: list[tuple[int, str, str]] = []

    def take(
        self,
        name: str,
        params: dict[str, str],
        fields: Sequence[str | None],
        unit: str,
        line: int,
        *,
        note: str = "",
    ) -> None:
        """Add a score of a benchmark, or of a profiler, method or percentile after a colon.

        A score that the last result of its benchmark already has begins another result.
        """
        mode, count, score = fields
        name, _, part = name.partition(":")
        part = name_part(part)
        percentile = PERCENTILE.fullmatch(part)
        if percentile:  # for the benchmark, or another method of its group
            method, level = percentile.groups()
            part = "" if method in (None, name.rsplit(".", 1)[-1]) else method
        known = find_scale(unit, "" if percentile else part)
        if known is None or score is None:
            return
        score = score.replace(",", ".")
        is_exact = _SCORE.fullmatch(score) is not None
        value = float(score) if is_exact else 0.0
        if not value and not known.is_profilers:
            self.coarse.append((line, name, score))
            return
        params = {**params, "mode": str(mode)}
        subject = part if part and not known.is_profilers else None
        stat = _name_level(float(level)) if percentile else known.stat or "mean"
        key = name, str(sorted(params.items()))
        run = self._latest.get(key)
        if run is None or (subject, known.metric, stat) in {row[:3] for row in run.rows}:
            run = Reading(tool="jmh", form=self.form, line=line, params=params, note=note)
            self._latest[key] = run
            self.runs.append((name, run))
        if known.metric == "bytes_per_op":
            run.assume[known.metric] = "nothing"
        elif count and not part and mode != "sample":  # in mode sample it is an outcome
            run.env["iterations"] = count
        run.add(
            known.metric, stat, known.apply(value), known.unit, line, subject=subject,
            n=int(count) if count and not part and not percentile else None,
            resolution=known.apply(step(score) if is_exact else _ROUNDED),
        )  # fmt: skip
        run.last_line = line

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the results and diagnostics about them."""
        names = shorten([name for name, _ in self.runs] + [name for _, name, _ in self.coarse])
        for name, run in self.runs:
            run.benchmark = names[name]
            yield run
        for line, name, score in self.coarse:
            yield _COARSE.at(label, line, name=names[name], score=score)


def _name_level(level: float) -> str:
    """Return the stat of a percentile.

    Examples
    --------
    >>> _name_level(0.0), _name_level(0.9999), _name_level(1.0)
    ('min', 'p99.99', 'max')
    """
    return {0.0: "min", 1.0: "max"}.get(level) or f"p{round(level * 100, 6):g}"


def recognises_csv(head: Head) -> bool:
    """Return whether a source begins with the header of JMH's CSV."""
    return head.is_start and header_of(head.text)[: len(_COLUMNS)] == _COLUMNS


def parse_csv(source: Source) -> Iterator[Record]:
    """Yield a result per row and mode."""
    means = _Means("csv")
    for line, row in read_rows(source, "JMH", _COLUMNS):
        if isinstance(row, Diagnostic):
            yield row
            continue
        params = {key[7:]: cell for key, cell in row.items() if key.startswith("Param: ") and cell}
        if row["Threads"] != "1":
            params["threads"] = row["Threads"]
        count = row["Samples"] if row["Samples"].isdecimal() else None
        fields = (row["Mode"], count, row["Score"])
        is_score = _SCORE.fullmatch(row["Score"].replace(",", "."))
        if row["Mode"] not in MODES or not is_score or _GROUPED.fullmatch(row["Score"]):
            what = f"{row['Score'][:30]!r} in mode {row['Mode'][:30]!r} is not a score: left out"
            yield Diagnostic(source.label, line, what, HINT, "warning")
            continue
        means.take(row["Benchmark"], params, fields, row.get("Unit", ""), line)
    yield from means.finish(source.label)


#: A score shown as ``≈ 10⁻⁶`` has no digit before its third decimal.
_ROUNDED = 1e-3
_SCORE = regex(r"\d{1,18}(?:\.\d{1,20})?(?:E-?\d{1,2})?", re.ASCII)
#: A spreadsheet's group of thousands, which would be read as a decimal comma.
_GROUPED = regex(r"\d{1,3},\d{3}", re.ASCII)
_SHOWN = r"(≈ (?:0|10\S{0,4})|\d{1,18}(?:[.,]\d{1,12})?(?:E-?\d{1,2})?)"
_UNITS = rf"((?:{TIMES})/op|ops/(?:{TIMES})|B/op|\S{{1,20}})"
_COUNT = r"(?:\s+(\d{1,15}))?"
#: The sign as JMH prints it, and as read from a file or terminal in an encoding other than UTF-8.
_SPREAD = "(?:±|[\N{REPLACEMENT CHARACTER}⢀-⣿]|Â±|┬?▒|\\?|\\+-)"
_MODE = "|".join(MODES)
#: The name and its parameters end before a mode with numbers after it, because a parameter may
#: equal a mode.
_NAME = rf"((?:\S++\s++(?!(?:{_MODE})\s++(?:≈|\d\S*+\s++(?!(?:{_MODE})\s))))*+\S++)"
#: A note that a user wrote after a row: ``--- 4.2x slower``.
_NOTE = rf"(?:\s++({NOTE}))?+"
#: The error, which old versions print without a sign.
_ERROR = rf"(?:\s+(?:{_SPREAD}\s*\S{{1,20}}|\d{{1,18}}(?:[.,]\d{{1,12}})?))?"
_ROW = rf"{_NAME}\s++({_MODE}){_COUNT}\s+{_SHOWN}{_ERROR}\s+{_UNITS}{_NOTE}"
_HEADS = (
    r"Benchmark((?:\s+\([^()\s]{1,100}\))*)\s+Mode\s+"
    r"(?:(?:Cnt|Samples)\s+)?(?:Score|Mean)\s+(?:(?:(?:Score|Mean)\s+)?[Ee]rror\s+)?Units"
)
_ENDED = regex(rf".*(?:/op|ops/(?:{TIMES}))")


class Report(reports.Report):
    """A table of results."""

    TOOL = "JMH"
    NUMBERS = regex(
        rf"\A(?!.*\sNaN\s++---$)\S.*\s(?:(?:{_MODE})\s|ops/(?:{TIMES})$|(?:{TIMES}|B)/op$)"
    )
    LINES = (
        Line("heads", _HEADS, is_opening=True, is_proof=True),
        Line("row", _ROW, is_opening=True, is_repeated=True, is_proof=True),
    )

    def __init__(self, line: int, command: str | None) -> None:
        super().__init__(line, command)
        self.means = _Means("text")
        self.names: list[str] = []
        self.ragged: list[tuple[int, int]] = []

    @property
    def is_proven(self) -> bool:
        """Return whether it has a row that is read or reported."""
        return bool(self.means.runs or self.means.coarse or self.ragged)

    def _take_heads(self, _: Line, fields: Fields, _number: int) -> None:
        self.names = re.findall(r"\(([^()]*)\)", fields[0])

    def _take_row(self, _: Line, fields: Fields, number: int) -> None:
        is_row = "heads" in self.seen or self.is_proven or _is_unit(fields[4])
        if not is_row:
            return
        cells = re.split(r"\s{2,}", fields[0])
        cells = cells if len(cells) == len(self.names) + 1 else fields[0].split()
        if len(cells) == 1:  # values that print nothing
            cells += [""] * len(self.names)
        if len(cells) == len(self.names) + 1:
            pairs = zip(self.names, cells[1:], strict=True)
            params = {name: cell for name, cell in pairs if cell != "N/A"}
            note = read_note(fields[5] or "")
            self.means.take(cells[0], params, fields[1:4], fields[4], number, note=note)
        else:
            self.ragged.append((number, len(cells) - 1))

    def finish(self, label: str) -> Iterator[Record]:
        """Yield the results, and diagnostics for rows with too few or too many params."""
        yield from self.means.finish(label)
        remark = _RAGGED if "heads" in self.seen else _HEADLESS
        for line, cells in self.ragged:
            yield remark.at(label, line, cells=cells, columns=len(self.names))


class Reader(reports.Reader):
    """The open table."""

    NAMES = "JMH"
    EXECUTABLES = "java"
    KIND = Report
    #: The row of a profiler whose text is above the table.
    FURNITURE = regex(r".*\sNaN\s++---$")
    IS_LIST = True

    @staticmethod
    def may_be_cut(text: str) -> bool:
        """Return whether a cut may have shortened a line unnoticed."""
        return _ENDED.fullmatch(text.rstrip()) is None


_LONE = regex(_ROW, re.ASCII)
_MODED = regex(rf"\s(?:{_MODE})\s")
_HEADER = regex(rf"^.*{_HEADS}[ \t\r#|*`]*$", re.MULTILINE)


def recognises_text(head: Head) -> bool:
    """Return whether a text has the head of a JMH table, or a row of one."""
    return _HEADER.search(head.text) is not None or any(
        _is_row(bare(line)) for line in head.text.split("\n") if _MODED.search(line)
    )


def _is_row(line: str) -> bool:
    """Return whether a line alone is recognisable as a row.

    Examples
    --------
    >>> _is_row("Sort.ints  avgt  5  0.1 ± 0.2  us/op"), _is_row("take a sample  5 minutes")
    (True, False)
    """
    match = _LONE.fullmatch(line)
    return match is not None and _is_unit(match[5])


def _is_unit(text: str | None) -> bool:
    """Return whether a unit is one of time, rate or memory, so that a row needs no header."""
    return text == "B/op" or find_scale(text) is not None


def parse_text(source: Source) -> Iterator[Record]:
    """Yield the results of the tables of a text."""
    return Reader.parse(source)
