"""k6's end-of-test summary and console lines, from 0.2x to 2.x.

The text is what people keep.

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

Versions: 0.2x to 0.59 and ``--summary-mode=legacy`` of 1.x (metrics in one list by name), compact
and full of 1.0 on (blocks; full repeats every metric per scenario and group, which are subsets
here, never totals), any ``--summary-time-unit`` and ``--summary-trend-stats``.

Not recorded by the tool: the URL, the version, when the run began, raw samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchkit.parsers.base import (
    Diagnostic,
    Head,
    Reading,
    Record,
    Source,
    find_command,
    strip_prefix,
)
from benchkit.parsers.k6.console import RUNNING, Console
from benchkit.parsers.k6.lines import CutError, Line, match_line, read_value, understand
from benchkit.parsers.k6.words import (
    Crossing,
    Measure,
    builtin_kind,
    complete,
    describe_crossed,
    is_metric_name,
    record,
    split_name,
    stat_name,
)
from benchkit.reading.source import UntilDamage

_KNOWN = re.compile(
    r"(?:(?<!\w)http_req\w*+|iterations|iteration_duration|data_(?:received|sent)|vus(?:_max)?"
    r"|checks(?:_total|_succeeded|_failed)?|group_duration)\.{3,}:\s+\S"
)
_BANNER = re.compile(r"^execution:\s+(?:local|cloud)\b")
_SCENARIOS = re.compile(r"^scenarios: \(\d")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BLOCK = re.compile(r"^█ (THRESHOLDS|TOTAL RESULTS)$")
_SCOPE = re.compile(r"[█↳] (?P<kind>GROUP|SCENARIO): (?P<name>\S.*)")
_THRESHOLD = re.compile(r"^([✓✗]) '(?P<rule>.*)' (?P<key>[a-z]+(?:\([\d.]+\))?)=(?P<text>.+)")
#: What a log, a container or a CI system puts before a line.
_LOG = re.compile(r"^(?:[\w.-]+ +\| |\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)? +)(?=\s*\S)")
_CUT_HINT = "widen the terminal or write to a file; --summary-export has every digit"


@dataclass(slots=True)
class _Run:
    """One run while its lines come in."""

    reading: Reading
    console: Console = field(default_factory=Console)
    lines: dict[tuple[str, str], Line] = field(default_factory=dict)
    thresholds: dict[tuple[str, str], dict[str, tuple[str, int]]] = field(default_factory=dict)
    verdicts: list[tuple[str, int]] = field(default_factory=list)
    crossed: list[Crossing] = field(default_factory=list)
    scope: list[tuple[int, str]] = field(default_factory=list)
    block: str = ""
    metric: str = ""
    is_fenced_off: bool = False  # whether the fence of a document ended its metrics
    ragged: int = 0  # the line that a cut file ends in
    unnamed: list[tuple[int, str]] = field(default_factory=list)  # lines of no metric of k6's

    @property
    def modern(self) -> bool:
        """Whether the summary is in blocks, as from 1.0 on."""
        return self.block != "" or ("checks_total", "") in self.lines

    def tags(self, inner: str = "") -> str:
        """Name the subset that the current block and line are about."""
        return ",".join([label for _, label in self.scope] + [inner] * bool(inner))


def recognises(head: Head) -> bool:
    """Whether a metric line or a progress line of k6 stands in the text."""
    return bool(_KNOWN.search(head.text) or RUNNING.search(head.text))


def parse(source: Source) -> Iterator[Record]:
    """Yield a reading per run, each followed by diagnostics about its lines.

    Raises
    ------
    UnreadableError
        At damaged gzip; the run before it has been yielded, as partial.
    """
    run, command, number = None, None, 0
    lines = UntilDamage(source.lines())
    for number, raw in lines:
        text = strip_prefix(_LOG.sub("", raw, count=1)).rstrip()
        command = find_command(raw, "k6 run") or command
        if run is None or _begins_anew(run, text):
            yield from _finish(run, source)
            run = _begin(text, number)
            if run is not None:
                run.reading.command, command = command, None
        if run is not None:
            _take(run, raw, text, number)
    if run is not None and (lines.damage or not source.is_ended):
        run.ragged = number
    yield from _finish(run, source)
    lines.raise_damage()


def _begin(text: str, number: int) -> _Run | None:
    is_head = _BANNER.match(text) or _SCENARIOS.match(text) or _BLOCK.match(text)
    if is_head or RUNNING.search(text) or _KNOWN.search(text):
        return _Run(Reading(tool="k6", form="text", line=number))
    return None


def _begins_anew(run: _Run, text: str) -> bool:
    if _BANNER.match(text) or (run.lines and _SCENARIOS.match(text)):
        return True
    if run.lines and RUNNING.search(text):
        return run.is_fenced_off or run.console.is_of_next(text)
    block = _BLOCK.match(text)
    if block:
        return bool(run.lines) or run.block == block[1]
    found = match_line(text)
    return found is not None and not run.scope and (found[0], "") in run.lines


def _take(run: _Run, raw: str, text: str, number: int) -> None:
    """Give a line to whom it concerns."""
    block, scope = _BLOCK.match(text), _SCOPE.search(raw)
    run.is_fenced_off |= bool(run.lines and _FENCE.match(raw))
    if block:
        run.block, run.scope = block[1], []
    elif scope and run.modern:
        _enter(run, scope)
    elif run.block == "THRESHOLDS":
        _take_threshold(run, text, number)
    elif not run.console.hear(text, number) and not _take_metric(run, raw, text, number):
        return
    run.reading.last_line = number


def _take_metric(run: _Run, raw: str, text: str, number: int) -> bool:
    found = match_line(text)
    if found is None:
        return False
    name, tags = split_name(found[0])
    if name and not is_metric_name(name):
        run.unnamed.append((number, name))
        return False
    run.metric = name or run.metric
    if run.metric:
        if text.lstrip().startswith("✗"):  # before 1.0 the mark is all that the summary shows
            run.crossed.append(Crossing(number, f"{run.metric}{{{tags}}}" if tags else run.metric))
        line = Line(number, len(raw.rstrip()), run.metric, run.tags(tags), found[1])
        run.lines.setdefault((line.name, line.tags), line)
    return bool(run.metric)


def _enter(run: _Run, scope: re.Match[str]) -> None:
    """Note that what follows is about a scenario or a group, by its indentation within others."""
    while run.scope and run.scope[-1][0] >= scope.start():
        run.scope.pop()
    run.scope.append((scope.start(), f"{scope['kind'].lower()}:{scope['name'].rstrip()}"))


def _take_threshold(run: _Run, text: str, number: int) -> None:
    rule = _THRESHOLD.match(text)
    if rule is None:
        name, tags = split_name(text)
        run.metric = f"{name or split_name(run.metric)[0]}{{{tags}" if tags else name or run.metric
        return
    run.verdicts.append((rule[1], number))
    if rule[1] == "✗":
        run.crossed.append(Crossing(number, f"{run.metric} {rule['rule']}"))
    run.thresholds.setdefault(split_name(run.metric), {})[rule["key"]] = (rule["text"], number)


def _finish(run: _Run | None, source: Source) -> Iterator[Record]:
    """Read a run's lines and yield what came of it."""
    if run is None:
        return
    reading = run.reading
    measures, problems = _understand(run, source)
    problems += _describe_unnamed(run, source)
    for measure in measures:
        record(reading, measure)
    if not reading.rows and not run.console.finished:
        yield _endless(source, reading)
        yield from problems
        return
    _judge_thresholds(run)
    problems += complete(reading, source.label)
    if reading.status != "failed":
        reading.remark = describe_crossed(run.crossed or run.console.crossed)
    run.console.describe(reading)
    if not run.lines:
        reading.form = "console"
        problems.append(_bare(source, reading))
    elif reading.status == "complete" and not _whole(run, problems):
        reading.status = "partial"
    yield reading
    yield from problems


def _whole(run: _Run, problems: list[Diagnostic]) -> bool:
    """Whether the summary reaches the metrics that end it, and the console its end."""
    ends = ("data_sent",) if run.modern else ("iterations", "vus_max", "vus")
    reached = any((name, "") in run.lines for name in ends)
    left = run.console.state is None or run.console.finished
    return reached and left and not any(problem.line == run.ragged for problem in problems)


def _understand(run: _Run, source: Source) -> tuple[list[Measure], list[Diagnostic]]:
    """Read every metric line; lines as wide as one that is cut are cut there, too."""
    cut_at = {line.width for line in run.lines.values() if _is_cut(line)}
    measures, problems = [], []
    for line in run.lines.values():
        at_edge = line.number == run.ragged or line.width in cut_at
        try:
            measures.append(understand(line, doubtful=at_edge))
        except CutError as error:
            if error.measure is not None:
                measures.append(error.measure)
            elif builtin_kind(line.name) is None:
                continue
            problems.append(_describe_cut(run, source, line, error))
        except ValueError as error:
            what = f"{line.name} cannot be read: {error}"
            problems.append(Diagnostic(source.label, line.number, what, _CUT_HINT, "warning"))
    for measure in measures:
        _restore(measure, run.thresholds.get((measure.name, measure.tags), {}))
    return measures, problems


def _is_cut(line: Line) -> bool:
    try:
        understand(line)
    except ValueError:
        return True
    return False


def _restore(measure: Measure, told: dict[str, tuple[str, int]]) -> None:
    """Take the statistics that only THRESHOLDS shows: cut off, or not among the columns."""
    if measure.kind != "trend":
        return
    for key, (text, number) in told.items():
        if key not in measure.numbers and stat_name(key):
            try:
                value, unit = read_value(text, number)
            except ValueError:
                continue
            if unit == measure.unit:
                measure.numbers[key] = value


def _describe_cut(run: _Run, source: Source, line: Line, error: CutError) -> Diagnostic:
    told = run.thresholds.get((line.name, line.tags), {}).get(error.key)
    where = f" {{{line.tags}}}" if line.tags else ""
    what = f"{line.name}{where} is not whole at its end ({line.rest[-16:]!r})"
    if told and error.measure is not None:
        what = f"{what}; {error.key} was taken from THRESHOLDS, line {told[1]}"
        return Diagnostic(source.label, line.number, what, _CUT_HINT, "note")
    lost = f"; {error.key} is left out" if error.key else "; what is cut is left out"
    return Diagnostic(source.label, line.number, what + lost, _CUT_HINT, "warning")


def _judge_thresholds(run: _Run) -> None:
    if run.verdicts and run.block == "TOTAL RESULTS":  # so the block of thresholds is whole
        crossed = sum(mark == "✗" for mark, _ in run.verdicts)
        last = run.verdicts[-1][1]
        run.reading.add(
            "thresholds_crossed", "count", crossed, "1", last,
            n=len(run.verdicts), origin="computed",
        )  # fmt: skip
    elif listed := run.console.crossed:
        run.reading.add(
            "thresholds_crossed", "count", len(listed), "1", listed[0].line, origin="computed"
        )


def _describe_unnamed(run: _Run, source: Source) -> list[Diagnostic]:
    if not run.unnamed:
        return []
    number, name = run.unnamed[0]
    more = f", and {len(run.unnamed) - 1} more lines" if len(run.unnamed) > 1 else ""
    what = f"{name[:60]!r} is not the name of a k6 metric; this line was passed over{more}"
    hint = "remove what stands before k6's output on each line"
    return [Diagnostic(source.label, number, what, hint, "warning")]


def _endless(source: Source, reading: Reading) -> Diagnostic:
    what = "a k6 run that ends before its summary"
    hint = "keep k6's whole output, or use --summary-export"
    return Diagnostic(source.label, reading.line, what, hint)


def _bare(source: Source, reading: Reading) -> Diagnostic:
    what = "k6's console without a summary: duration and iterations are all it tells"
    hint = "take the run's --summary-export or handleSummary file as well"
    return Diagnostic(source.label, reading.line, what, hint, "note")
