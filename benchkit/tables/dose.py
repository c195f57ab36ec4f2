"""The cost of one more unit of a variant's number: a line, its interval, and whether it fits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from benchkit.comparison.dose import Response
from benchkit.intervals import TOO_WIDE, is_wide
from benchkit.metrics import display_name
from benchkit.tables.model import Cell, Column, Table, amount, column, drop_empty, scale_of
from benchkit.tables.resources import PLACE, fold_place
from benchkit.tables.wording import NOTHING, format_bare
from benchkit.units import format_number, format_percent, format_pvalue, format_quantity, printable

#: Maximum number of sentences; the table lists all responses.
_MOST = 5
#: Note on a rate: costs add up in time.
_TIME = "time between requests (1 ÷ rate)"


def slope_table(responses: Sequence[Response]) -> Table:
    """Build the table of the cost of one more unit: a row per metric and number."""
    rows = tuple(
        (
            *_place(response),
            Cell(printable(_name_metric(response))),
            Cell(printable(response.name)),
            Cell(f"{min(response.values):g} to {max(response.values):g}"),
            *(
                Cell(NOTHING if math.isnan(value) else _write(value, response.unit), value)
                for value in (response.line.slope, response.line.low, response.line.high)
            ),
            Cell(_write_misfit(response), response.misfit),
            Cell(f"{response.runs}", response.runs),
        )
        for response in responses
    )
    columns = (
        *(Column(key, key) for key in (*PLACE, "kind")),
        Column("metric", "metric"),
        Column("name", "variable"),
        Column("doses", "range"),
        *(
            Column(key, header, align="right")
            for key, header in (("slope", "change per unit"), ("low", "low"), ("high", "high"))
        ),
        Column("misfit", "p (lack of fit)", align="right"),
        column("runs", "runs"),
    )
    table = drop_empty(Table("Dose and response", columns, rows), (*PLACE, "kind"))
    confidence = format_bare(responses[0].confidence)
    caption = f"straight line through all runs; low and high: {confidence} interval of each row"
    if any(response.is_series for response in responses):
        caption += (
            "; an early-stopping series: complete rounds only, and the intervals allow for testing "
            "after every round, but p (lack of fit) does not"
        )
    return fold_place(table, caption)


def dose_tables(responses: Sequence[Response]) -> tuple[Table, ...]:
    """Build a table per metric: a row per dose, with the median and the fitted value."""
    metrics: dict[tuple[str, str], list[Response]] = {}
    for response in responses:
        metrics.setdefault((_name_metric(response), response.unit), []).append(response)
    return tuple(_tabulate(name, some) for (name, _), some in metrics.items())


def _tabulate(name: str, responses: Sequence[Response]) -> Table:
    scale = scale_of([median(v) for r in responses for v in r.values.values()], responses[0].unit)
    rows = tuple(
        (
            *_place(response),
            Cell(_write_dose(response, dose), dose),
            amount(median(values), scale),
            amount(response.line.at(dose), scale),
            Cell(f"{len(values)}", len(values)),
        )
        for response in responses
        for dose, values in response.values.items()
    )
    columns = (
        *(Column(key, key) for key in (*PLACE, "kind")),
        Column("dose", "dose", align="right"),
        column("median", "median", scale),
        column("line", "on the line", scale),
        column("runs", "runs"),
    )
    table = drop_empty(Table(f"Doses: {printable(name)}", columns, rows), (*PLACE, "kind"))
    return fold_place(table, "medians over runs")


def _place(response: Response) -> tuple[Cell, ...]:
    return tuple(Cell(printable(text)) for text in (*response.row.workload, response.kind))


def _write_misfit(response: Response) -> str:
    misfit = response.misfit
    return NOTHING if math.isnan(misfit) else format_pvalue(misfit)


def describe_doses(responses: Sequence[Response]) -> tuple[str, ...]:
    """Describe each of the first responses in a sentence, and count the rest."""
    more = len(responses) - _MOST
    rest = (f"and {more} more in the table",) if more > 0 else ()
    return (*map(_describe, responses[:_MOST]), *rest)


def _describe(response: Response) -> str:
    """State the cost of one more unit and its precision, or that no line describes the doses."""
    line, name, is_straight = response.line, printable(response.name), response.is_straight
    parts = (response.row.group, response.row.benchmark, response.row.params, response.kind)
    where = printable(", ".join(filter(None, parts))) or "all runs"
    metric = printable(_name_metric(response))
    if is_straight is False:
        (first, low), *_, (last, high) = [(d, median(v)) for d, v in response.values.items()]
        return (
            f"{where}: {metric} does not change linearly with {name} (lack of fit, p "
            f"{format_pvalue(response.misfit)}); from {first:g} to {last:g} it changes by "
            f"{_write(high - low, response.unit)}."
        )
    interval = _write_interval(response)
    if math.isnan(line.low) or line.low <= 0 <= line.high:
        return (
            f"{where}: these runs do not show that {metric} changes with {name} (per unit: "
            f"{interval})."
        )
    lowest = min(response.values)
    start = line.at(lowest)
    at, share = "", format_percent(line.slope / start) if start > 0 else NOTHING
    if share[0] in "+\N{MINUS SIGN}":  # a smaller one would be rounded to 0
        at = f", {share} of its value at {_write_dose(response, lowest)}"
    fit = "" if is_straight is None else "; no departure from a straight line was found"
    return (
        f"{where}: each unit of {name} changes {metric} by {_write(line.slope, response.unit)} "
        f"({interval}{at}){fit}."
    )


def _name_metric(response: Response) -> str:
    name = display_name(response.row.metric, response.row.stat)
    return _TIME if response.is_rate else name


def _write_dose(response: Response, dose: float) -> str:
    return printable(f"{response.name}={dose:g}")


def _write(value: float, unit: str) -> str:
    text = format_quantity(value, unit)
    return f"+{text}" if value > 0 else text


def _write_interval(response: Response) -> str:
    line, confidence = response.line, format_bare(response.confidence)
    if math.isnan(line.low):
        return "too few runs for an interval"
    if line.low * line.high > 0 and is_wide(*sorted(map(abs, (line.low, line.high)))):
        return TOO_WIDE
    scale = scale_of([line.low, line.high], response.unit)
    low, high = (format_number(end / scale.factor) for end in (line.low, line.high))
    return f"{confidence} CI {low} to {high} {scale.label}"
