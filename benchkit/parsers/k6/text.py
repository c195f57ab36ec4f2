"""k6's end-of-test summary and console lines, from 0.2x to 2.x.

Most people keep this text.

      █ THRESHOLDS
        http_req_duration
        ✓ 'p(95)<50' p(95)=335.44µs

      █ TOTAL RESULTS
        checks_total.......: 15001   500.012577/s
        checks_succeeded...: 100.00% 15001 out of 15001
        checks_failed......: 0.00%   0 out of 15001

        HTTP
        http_req_duration..............: avg=225.81µs min=61.15µs med=151.59µs max=10.31ms p(90)=…
          { expected_response:true }...: avg=225.81µs min=61.15µs med=151.59µs max=10.31ms p(90)=…
        http_req_failed................: 0.00%  0 out of 15001
        http_reqs......................: 15001  500.012577/s

        NETWORK
        data_received..................: 3.1 MB 102 kB/s

    running (0m30.0s), 000/050 VUs, 15001 complete and 0 interrupted iterations
    shorten ✓ [ 100% ] 000/050 VUs  30s  500.00 iters/s

Versions: 0.2x to 0.59 and ``--summary-mode=legacy`` of 1.x (metrics in one list sorted by name),
compact and full from 1.0 on (blocks; full repeats every metric per scenario and group; these are
read as subsets, never as totals), with any ``--summary-time-unit`` and ``--summary-trend-stats``.

Not recorded by the tool: the URL, the version, the start of the run, raw samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from benchkit.parsers.base import (
    Diagnostic,
    Head,
    Reading,
    Record,
    Source,
    find_command,
    strip_prefix,
)
from benchkit.parsers.k6.lines import (
    RUNNING,
    Console,
    Line,
    drop_doubtful,
    is_rest,
    is_trend,
    match_line,
    read_value,
    understand,
)
from benchkit.parsers.k6.words import (
    BUILTIN,
    Crossing,
    Measure,
    complete,
    is_metric_name,
    record,
    split_name,
    stat_name,
)
from benchkit.reading.heading_lines import begins_section
from benchkit.reading.remarks import Remark, list_lines, report_incomplete
from benchkit.reading.source import UntilDamage
from benchkit.redaction import show_part
from benchkit.regexes import regex

_KNOWN = regex(
    r"(?:(?<!\w)(?:browser|http_req)\w*+|iterations|iteration_duration|data_(?:received|sent)"
    r"|vus(?:_max)?|checks(?:_total|_succeeded|_failed)?|group_duration)(?:\.{3}|…)[.…]*+:\s+\S"
)
_BANNER = regex(r"^execution:\s+(?:local|cloud)\b")
_SCENARIOS = regex(r"^scenarios: \(\d")
_FENCE = regex(r"\s*(?:```|~~~)")
_BLOCK = regex(r"^█ (THRESHOLDS|TOTAL RESULTS)$")
_SCOPE = regex(r"[█↳] (?P<kind>GROUP|SCENARIO): (?P<name>\S.*)")
_THRESHOLD = regex(r"^(?P<mark>[✓✗]) '(?P<rule>.*)' (?P<key>[a-z]+(?:\([\d.]+\))?)=(?P<text>.+)")
#: A run begins at a line that matches one of these, unless one is open.
_HEADS = (_BANNER, _SCENARIOS, _BLOCK, RUNNING, _KNOWN)
#: Prefixes that logs, containers or CI systems put before a line.
_LOG = regex(r"^(?:[\w.-]+ +\| |\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)? +)(?=\s*\S)")
_HINT = "widen the terminal or write to a file; --summary-export has every digit"
_CUT = Remark("{name}{tags} is truncated ({end}); {fate}", _HINT, is_remark=False)
_UNNAMED = Remark(
    "{name} is not the name of a k6 metric; this line is ignored{more}",
    "remove the prefix before k6's output on each line",
    is_remark=False,
)
_PARTED = Remark(
    "no line of a metric stands directly above the values of {name}; this line is ignored{more}",
    "use k6's whole summary as it was printed",
    is_remark=False,
)
_ENDLESS = Remark(
    "a k6 run that ends before its summary",
    "keep k6's whole output, or use --summary-export",
    "error",
    is_remark=False,
)
_BARE = Remark(
    "k6's console output has no summary, so only duration and iterations are known",
    "also give the run's --summary-export or handleSummary file",
    "note",
    is_remark=False,
)


@dataclass(slots=True)
class _Run:
    """One run while its lines are read."""

    reading: Reading
    console: Console = field(default_factory=Console)
    lines: dict[tuple[str, str], Line] = field(default_factory=dict)
    thresholds: dict[tuple[str, str], dict[str, tuple[str, int]]] = field(default_factory=dict)
    verdicts: list[tuple[str, int]] = field(default_factory=list)
    crossed: list[Crossing] = field(default_factory=list)
    scope: list[tuple[int, str]] = field(default_factory=list)
    block: str = ""
    metric: str = ""
    above: str = ""  # the values of the metric's main line, for the lines of its subsets below
    is_fenced_off: bool = False  # whether a code fence ended its metrics
    is_parted: bool = False  # whether a heading ended its metrics
    first: str = ""  # the first character of its last metric line
    last: tuple[str, str] | None = None  # key of the line that may continue on the next one
    ragged: int = 0  # number of the line where a truncated file ends
    ignored: dict[Remark, list[tuple[int, str]]] = field(default_factory=dict)

    @property
    def is_modern(self) -> bool:
        """Return whether the summary has blocks, as from 1.0 on."""
        return self.block != "" or ("checks_total", "") in self.lines

    def is_followed(self, text: str) -> bool:
        """Return whether another run begins at a line."""
        if _BANNER.match(text) or (self.lines and _SCENARIOS.match(text)):
            return True
        if self.lines and RUNNING.search(text):
            is_ended = self.is_fenced_off or self.is_parted
            return is_ended or self.console.is_of_next(text)
        if block := _BLOCK.match(text):
            return bool(self.lines) or self.block == block[1]
        line = match_line(text)
        is_known = not self.scope and line is not None and (line[0], "") in self.lines
        return is_known or (self.is_parted and line is not None)

    def take(self, raw: str, text: str, number: int) -> None:
        """Process a line."""
        block, scope = _BLOCK.match(text), _SCOPE.search(raw)
        self.is_fenced_off |= bool(self.lines and _FENCE.match(raw))
        is_commented = raw.lstrip()[:1] == self.first  # like the metric lines
        self.is_parted |= bool(self.lines) and not is_commented and begins_section(raw)
        if block:
            self.block, self.scope, self.metric = block[1], [], ""
        elif scope and self.is_modern:  # scenario or group, nested by indentation
            label = f"{scope['kind'].lower()}:{scope['name'].rstrip()}"
            outer = [each for each in self.scope if each[0] < scope.start()]
            self.scope = [*outer, (scope.start(), label)]
        elif self.block == "THRESHOLDS":
            self.take_threshold(text, number)
        elif not self.console.take(text, number) and not self.take_metric(raw, text, number):
            return
        self.reading.last_line = number

    def take_metric(self, raw: str, text: str, number: int) -> bool:
        """Process a metric line; return False for any other line."""
        line = match_line(text)
        if line is None:
            is_taken = self.take_rest(text, number)
            if text and not is_taken:  # later subset lines do not belong to the metric above
                self.metric = ""
            return is_taken
        name, tags = split_name(line[0])
        if name and not is_metric_name(name):
            self.metric = ""
            return self.ignore(_UNNAMED, name, number)
        if name:
            self.metric, self.above = name, line[1]
        elif not self.metric or is_trend(self.above) != is_trend(line[1]):
            return self.ignore(_PARTED, line[0], number)
        if text.lstrip().startswith("✗"):  # before 1.0 the summary shows only the mark
            self.crossed.append(Crossing(number, self.metric + _braced(tags)))
        tags = ",".join([label for _, label in self.scope] + [tags] * bool(tags))
        width, self.first = len(raw.rstrip()), raw.lstrip()[:1]
        key = self.metric, tags
        self.last = key if key not in self.lines else None
        self.lines.setdefault(key, Line(number, width, self.metric, tags, line[1]))
        return True

    def ignore(self, why: Remark, name: str, number: int) -> bool:
        """Remember an ignored line for the report; always return False."""
        self.ignored.setdefault(why, []).append((number, name))
        return False

    def take_rest(self, text: str, number: int) -> bool:
        """Append a wrapped end of a metric line; return False for any other line."""
        line = self.lines.get(self.last) if self.last else None
        if line is None or number != line.last + 1 or not is_rest(text):
            return False
        rest = f"{line.rest} {text.strip()}"
        whole = line._replace(width=-number, rest=rest)
        self.lines[line.name, line.tags] = whole
        return True

    def take_threshold(self, text: str, number: int) -> None:
        """Read the name of a metric in the block of thresholds, or one of its rules."""
        rule = _THRESHOLD.match(text)
        if rule is None:
            name, tags = split_name(text)
            self.metric = (name or split_name(self.metric)[0]) + _braced(tags)
            return
        self.verdicts.append((rule["mark"], number))
        if rule["mark"] == "✗":
            self.crossed.append(Crossing(number, f"{self.metric} {rule['rule']}"))
        known = self.thresholds.setdefault(split_name(self.metric), {})
        known[rule["key"]] = rule["text"], number


def _braced(tags: str) -> str:
    return f"{{{tags}}}" if tags else ""


def recognises(head: Head) -> bool:
    """Return whether a text has a metric line or a progress line of k6."""
    return bool(_KNOWN.search(head.text) or RUNNING.search(head.text))


def parse(source: Source) -> Iterator[Record]:
    """Yield a reading per run, each followed by diagnostics about its lines.

    Raises
    ------
    UnreadableError
        If gzip data is damaged; the run before has been yielded, as partial.
    """
    run, command, number = None, None, 0
    lines = UntilDamage(source.lines())
    for number, line in lines:
        raw = line.replace("…", "...")  # word processors change dots
        text = strip_prefix(_LOG.sub("", raw, count=1)).rstrip()
        command = find_command(raw, "k6 run") or command
        if run is None or run.is_followed(text):
            yield from _finish(run, source)
            run = None
            if any(pattern.search(text) for pattern in _HEADS):
                run = _Run(Reading(tool="k6", form="text", line=number, command=command))
                command = None
        if run is not None:
            run.take(raw, text, number)
    if run is not None and (lines.damage or not source.is_ended):
        run.ragged = number
    yield from _finish(run, source)
    lines.raise_damage()


def _finish(run: _Run | None, source: Source) -> Iterator[Record]:
    """Read the lines of a run and yield its reading and problems."""
    if run is None:
        return
    reading, console, label = run.reading, run.console, source.label
    problems = _read_lines(run, label)
    for why, ((number, name), *others) in run.ignored.items():
        more = f", and {len(others)} more line{'s' * (len(others) > 1)}" * bool(others)
        problems.append(why.at(label, number, name=show_part(name), more=more))
    if not reading.rows and not console.finished:
        yield _ENDLESS.at(label, reading.line)
        yield from problems
        return
    _judge_thresholds(run)
    problems += complete(reading, label, run.crossed or console.crossed)
    console.describe(reading)
    if not run.lines:
        reading.form = "console"
        problems.append(_BARE.at(label, reading.line))
    elif reading.status == "complete":
        if missing := _name_missing(run):
            problems.append(report_incomplete(reading, label, missing))
        if missing or any(problem.line == run.ragged for problem in problems):
            reading.status = "partial"
    yield reading
    yield from problems


def _name_missing(run: _Run) -> str:
    """Return the name of the last line of the summary or console if it is missing."""
    last = "data_sent"
    if not run.is_modern:  # sorted by name; a run shorter than a second has no users
        last = "vus_max" if ("vus", "") in run.lines else "iterations"
    if (last, "") not in run.lines:
        return list_lines([last])
    is_over = run.console.finished or run.console.is_idle or not run.console.state
    return "" if is_over else "last progress line"


def _read_lines(run: _Run, label: str) -> list[Diagnostic]:
    """Add the rows of all metric lines; lines as wide as a truncated one count as truncated."""
    read = [(line, *understand(line)) for line in run.lines.values()]
    cut_at = {line.width for line, _, lost in read if lost is not None}
    problems, measures = [], []
    for line, measure, lost in read:
        is_at_edge = line.last == run.ragged or line.width in cut_at
        key = drop_doubtful(measure) if measure and lost is None and is_at_edge else lost
        known = run.thresholds.get((line.name, line.tags), {})
        if key is not None and (measure or line.name in BUILTIN):
            remark, fate = _CUT, f"{key or 'the truncated value'} is left out"
            if measure and key in known:
                remark = _CUT._replace(severity="note")
                fate = f"{key} was taken from THRESHOLDS, line {known[key][1]}"
            tags = f" {_braced(line.tags)}" * bool(line.tags)
            end = show_part(line.rest[-16:])
            words = {"name": line.name, "tags": tags, "end": end, "fate": fate}
            problems.append(remark.at(label, line.number, **words))
        if measure:
            _restore(measure, known)
            measures.append(measure)
    record(run.reading, measures)
    return problems


def _restore(measure: Measure, known: dict[str, tuple[str, int]]) -> None:
    """Add statistics that only THRESHOLDS shows because they were truncated or are not a column."""
    for key, (text, number) in known.items() if measure.kind == "trend" else ():
        if key not in measure.numbers and stat_name(key):
            with suppress(ValueError):
                value, unit = read_value(text, number)
                if unit == measure.unit:
                    measure.numbers[key] = value


def _judge_thresholds(run: _Run) -> None:
    add = partial(run.reading.add, "thresholds_crossed", "count", unit="1", origin="computed")
    if run.verdicts and run.block == "TOTAL RESULTS":  # so the block of thresholds is complete
        crossed = sum(mark == "✗" for mark, _ in run.verdicts)
        add(value=crossed, line=run.verdicts[-1][1], n=len(run.verdicts))
    elif listed := run.console.crossed:
        add(value=len(listed), line=listed[0].line)
