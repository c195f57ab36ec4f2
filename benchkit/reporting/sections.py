"""The sections of the report, one builder each; missing data are mentioned instead of shown.

A new section is a function and a line in `_BUILDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.derived.timeline import CPU, LATENCY, Track
from benchkit.errors import Diagnostic, Finding, rank
from benchkit.plots import forest, percentiles, runs, shift, sweep, timeline
from benchkit.reporting.figures import show
from benchkit.reporting.method import describe_method
from benchkit.reporting.section import Plot, Section
from benchkit.tables.derived import Part, shown_apart
from benchkit.tables.environment import (
    environment_tables,
    problems_table,
    read_sources,
    sources_table,
)
from benchkit.tables.model import Table
from benchkit.tables.overhead import (
    SECONDARY,
    describe_one_sided,
    exploratory_tables,
    primary_tables,
)
from benchkit.tables.runs import runs_table
from benchkit.tables.wide import wide_table
from benchkit.tables.wording import count_of, format_bare
from benchkit.units import printable
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from benchkit.derived.amounts import Amounts
    from benchkit.schema import Runs

_CURVES = (
    "Each line joins the measured percentiles (medians over runs); faint lines are "
    "individual runs. Both axes are logarithmic, so the tail takes as much space as the "
    "middle."
)
_MOVES = (
    "Change of each percentile vs. the baseline. Shaded: its {confidence} interval over "
    "runs, for each percentile separately; a single run has none. Grey band: ±{margin}."
)
_SWEPT = "Medians over runs."
_RING = " Ring: the knee by {rule}."
_BOUNDS = (
    " Dotted: the two upper bounds of the rate (linear growth from the lowest level; the best "
    "rate)."
)
_UNSEEN = " Shaded: the range in which they cross; no level was measured there."
_COSTS = " Latency against the rate; the labels are the levels."
_TIMES = "Medians over runs; faint lines are individual runs."
_STRETCHES = " Latencies: each point is one of up to twenty parts of the run."
_LOOKS = " CPU: each value is for the time between two readings of the counter."
_AROUND = " Shaded: before and after the measured run."
_DOTS = "Each mark is one run, each bar the median of its variant."


#: Number of secondary rows above which phases and tags get a separate section.
_MANY = 60


@dataclass(frozen=True, slots=True)
class _Inputs:
    verdicts: Verdicts
    runs: Runs | None
    findings: tuple[Finding, ...]
    sources: tuple[tuple[str, str], ...]
    parts: Mapping[str, Part]
    tracks: tuple[Track, ...]
    problems: tuple[Diagnostic, ...]
    amounts: Amounts


def write_sections(
    verdicts: Verdicts,
    runs: Runs | None,
    findings: Sequence[Finding],
    sources: Sequence[tuple[str, str]] | None,
    parts: Mapping[str, Part],
    tracks: Sequence[Track] = (),
    diagnostics: Sequence[Diagnostic] = (),
    amounts: Amounts | None = None,
) -> tuple[Section, ...]:
    """Build every section for which there are data; the method names the others and the reasons."""
    known = sources if sources is not None else read_sources(runs) if runs is not None else ()
    problems = tuple(problem for problem in diagnostics if problem.severity != "note")
    inputs = _Inputs(
        verdicts, runs, rank(findings), tuple(known), parts, tuple(tracks), problems, amounts or {}
    )
    sections: list[Section] = []
    omitted: list[str] = []
    for build in _BUILDERS:
        section = build(inputs)
        if isinstance(section, Section):
            sections.append(section)
        else:
            omitted += [section] if section else []
    place = next(i for i, section in enumerate(sections) if section.id == "method")
    method = sections[place]
    sections[place] = Section(
        id=method.id, title=method.title, text=(*method.text, *omitted), is_detail=True
    )
    return tuple(sections)


def _overhead(inputs: _Inputs) -> Section | str:
    drawn = forest.data(inputs.verdicts)
    if not drawn.rows:
        return "No forest plot: no primary metric has a ratio to its baseline."
    margin, confidence = format_bare(drawn.margin), format_bare(drawn.confidence)
    legend = (
        f"Diamond and bar: estimate with its {confidence} interval (hollow: one run, no "
        "interval). Dots: individual runs, of the variant above the bar, of the baseline "
        f"below it. Band: ±{margin}."
    )
    if drawn.cut:
        legend += f" Shown: {drawn.cut}; the table has all rows."
    if drawn.left_out > drawn.smaller:
        rest = count_of(drawn.left_out - drawn.smaller, "row")
        legend += f" {rest} without a ratio are not drawn (see the table)."
    plot = Plot(
        name="forest",
        title="Overhead of each variant",
        description=forest.describe(drawn),
        legend=legend,
        svg=lambda: _draw_forest(inputs.verdicts, forest.describe(drawn)),
    )
    return Section(id="overhead", title="Overhead", plots=(plot,))


def _draw_forest(verdicts: Verdicts, description: str) -> str:
    from benchkit.plots.svg import to_svg

    figure = forest.draw(verdicts)
    tips = forest.list_tips(verdicts, figure)
    return to_svg(figure, "Overhead of each variant", description, prefix="forest", tips=tips)


def _comparison(inputs: _Inputs) -> Section | str:
    text = describe_one_sided(inputs.verdicts)
    if not inputs.verdicts.rows and not text:
        return "No comparison: the variants share no combination of benchmark, metric and level."
    return Section(
        id="comparison",
        title="Comparison",
        text=text,
        tables=primary_tables(inputs.verdicts),
        folded=_other_tables(inputs),
    )


def _other_tables(inputs: _Inputs) -> tuple[Table, ...]:
    """Return the secondary rows; if there are very many, separate those of phases and tags."""
    without = shown_apart(inputs.parts)
    tables = exploratory_tables(inputs.verdicts, without=without)
    if sum(len(table.rows) for table in tables) <= _MANY:
        return tables
    built: list[Table] = []
    for title, has_subject in (
        (SECONDARY, False),
        (f"{SECONDARY} by tag, phase or container", True),
    ):
        rows = [r for r in inputs.verdicts.rows if bool(r.contrast.subject) is has_subject]
        some = replace(inputs.verdicts, rows=tuple(rows))
        built += exploratory_tables(some, without=without, title=title)
    return tuple(built)


def _variants(inputs: _Inputs) -> Section | str:
    if not inputs.amounts or not inputs.verdicts.comparisons.pairs:
        return ""
    table = wide_table(inputs.amounts, inputs.verdicts)
    return Section(id="variants", title="Variants", tables=(table,))


def _part(name: str) -> Callable[[_Inputs], Section | str]:
    """Return the builder of a part next to the comparison."""

    def build(inputs: _Inputs) -> Section | str:
        part = inputs.parts.get(name)
        if part is None or not part.tables:
            return part.missing if part else ""
        return Section(
            id=name, title=part.title, text=part.lines, tables=part.tables, folded=part.folded
        )

    return build


def _load(inputs: _Inputs) -> Section | str:
    section = _part("sweep")(inputs)
    if not isinstance(section, Section):
        return section
    saturations = inputs.parts["sweep"].saturations
    pairs = inputs.verdicts.comparisons.pairs
    chart = sweep.data(saturations, pairs[0][0] if pairs else "")
    rule = printable(saturations[0].rule.text)
    legends = (
        (_RING.format(rule=rule), any(each.level for each in saturations)),
        (_BOUNDS, any(each.bounds[0] for each in saturations)),
        (_UNSEEN, any(panel.shade for panel in chart.panels)),
        (_COSTS, any(line.labels for panel in chart.panels for line in panel.lines)),
    )
    legend = _SWEPT + "".join(text for text, is_shown in legends if is_shown)
    return replace(section, plots=(show(chart, "sweep-pair", legend),))


def _latency(inputs: _Inputs) -> Section | str:
    curves, moves = percentiles.data(inputs.verdicts), shift.data(inputs.verdicts)
    if not curves.panels:
        return "No percentile curve: no metric has two percentiles on both sides."
    margin = format_bare(inputs.verdicts.margin)
    confidence = format_bare(inputs.verdicts.comparisons.confidence)
    plots = [show(curves, "percentiles", _CURVES)]
    if moves.panels:
        legend = _MOVES.format(confidence=confidence, margin=margin)
        plots.append(show(moves, "shift", legend))
    return Section(id="latency", title="Latency", plots=tuple(plots))


def _ecdf(_: _Inputs) -> Section | str:
    return (
        "`benchkit plot ecdf` draws the distribution of individual requests, if the tool recorded "
        "them."
    )


def _time(inputs: _Inputs) -> Section | str:
    chart = timeline.data(inputs.tracks, inputs.verdicts.comparisons.pairs)
    if not chart.panels:
        return (
            "No figure over time: no request has a time, and no container sample lies within a run."
        )
    labels = [panel.y.label for panel in chart.panels]
    legends = (
        (_STRETCHES, any(label.startswith(LATENCY) for label in labels)),
        (_LOOKS, any(label.startswith(CPU) for label in labels)),
        (_AROUND, any(min(line.x) < p.window[0] for p in chart.panels for line in p.lines)),
    )
    plot = show(chart, "timeline", _TIMES + "".join(text for text, is_shown in legends if is_shown))
    return Section(id="time", title="Over time", plots=(plot,))


def _runs(inputs: _Inputs) -> Section | str:
    if inputs.runs is None or not len(inputs.runs):
        return "No list of runs: they are not recorded."
    is_run = inputs.runs["role"] != "companion"
    table = runs_table(schema.runs(inputs.runs[is_run]))
    dots = runs.data(inputs.verdicts, inputs.runs)
    plots = (show(dots, "runs", _DOTS),) if dots.panels else ()
    companions = len(inputs.runs) - int(is_run.sum())
    more = f"; {count_of(companions, 'source')} recorded under load" if companions else ""
    again = sum(max(len(sources) - 1, 0) for sources in inputs.runs["sources"].tolist())
    more += (
        (f"; {count_of(again, 'file')} more with the same results in another format")
        if again
        else ""
    )
    text = (f"{table.caption}{more}.",)
    return Section(id="runs", title="Runs", text=text, plots=plots, folded=(table,))


def _findings(inputs: _Inputs) -> Section | str:
    if not inputs.findings:
        return "No findings."
    return Section(id="findings", title="Findings", findings=inputs.findings)


def _environment(inputs: _Inputs) -> Section | str:
    tables = environment_tables(inputs.runs) if inputs.runs is not None else ()
    if not tables:
        return "No environment: nothing about the machine is recorded."
    differs, common = [[t for t in tables if (t.title[0] == "D") is d] for d in (True, False)]
    text = () if differs else ("No recorded fact differs between the variants.",)
    return Section(
        id="environment",
        title="Environment",
        text=text,
        tables=tuple(differs),
        folded=tuple(common),
        is_detail=True,
    )


def _method(inputs: _Inputs) -> Section | str:
    return Section(
        id="method", title="Method", text=describe_method(inputs.verdicts), is_detail=True
    )


def _data(inputs: _Inputs) -> Section | str:
    if not inputs.sources and not inputs.problems:
        return "No list of files: the sources are not recorded."
    tables = [sources_table(inputs.sources)] if inputs.sources else []
    tables += [problems_table(inputs.problems)] if inputs.problems else []
    text = tuple(f"{table.caption}." for table in tables)
    folded = tuple(reversed(tables))  # the long list of files last
    return Section(id="data", title="Data", text=text, folded=folded, is_detail=True)


_BUILDERS: tuple[Callable[[_Inputs], Section | str], ...] = (
    _overhead,
    _comparison,
    _variants,
    _part("dose"),
    _part("held"),
    _load,
    _part("resources"),
    _part("spans"),
    _latency,
    _ecdf,
    _time,
    _runs,
    _findings,
    _environment,
    _method,
    _data,
)
