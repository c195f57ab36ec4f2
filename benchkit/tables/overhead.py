"""The cost of each variant, row by row: the table under the sentence.

Every output shows the same columns, scales and terms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from benchkit.comparison import DIRECTIONS, EXACT, MOST_RUNS, REFUSED, Contrast, measure_spreads
from benchkit.comparison.measure import BEFORE_METHOD
from benchkit.listing import list_first
from benchkit.metrics import display_name
from benchkit.sensitivity import Sensitivity, format_reach
from benchkit.tables.average import describe_averages
from benchkit.tables.folding import fold_rows
from benchkit.tables.model import (
    UNNAMED,
    Cell,
    Column,
    Table,
    drop_columns,
    drop_empty,
    fold_constant,
    percent,
)
from benchkit.tables.wording import (
    MARKS,
    describe_word,
    format_bare,
    name_adjustments,
    name_rule,
    name_variant,
    shorten_word,
    write_amount,
    write_change,
    write_interval,
    write_pvalue,
    write_runs,
    write_unit,
    write_value,
)
from benchkit.units import Scale, common_scale, format_number, printable
from benchkit.verdict import Verdict, Verdicts

#: Counts below this are written in full.
_LARGEST_COUNT = 1e12
_SPREADS = ("spread_baseline", "spread_variant")
SECONDARY = "Secondary metrics"
STUB = ("benchmark", "params", "tool", "subject", "metric", "variant")


def primary_tables(verdicts: Verdicts, by: str = "", *, tips: bool = True) -> tuple[Table, ...]:
    """Build the tables of the primary metrics, one per group.

    With tips, which pages show on request, each interval also states the one that holds for all
    rows together.
    """
    rows = verdicts.primary
    family = sum(1 for row in rows if row.contrast.method != EXACT and row.p_adjusted is not None)
    adjusted = "p unadjusted (one test)" if family else ""
    if family > 1:
        how = name_adjustments(rows)
        lacks = (row.sensitivity for row in rows)
        is_open = any(_needed(one).text or _detectable(one, "").text for one in lacks)
        more = ", “runs needed” and “can detect”" if is_open else ""
        adjusted = f"p adjusted for {family} rows ({how}); intervals{more} are per row"
    caption = "; ".join(filter(None, (adjusted, name_rule(rows))))
    groups = _by_group("Primary metrics", rows, by)
    return tuple(_build(title, group, verdicts, caption, tips=tips) for title, group in groups)


def exploratory_tables(
    verdicts: Verdicts,
    by: str = "",
    without: Collection[str] = (),
    most: int | None = None,
    title: str = SECONDARY,
) -> tuple[Table, ...]:
    """Build the tables of all other metrics, one per group.

    With ``most``, each table shows at most that number of rows, and counts the rest.
    """
    rest = [row for row in verdicts.rows if not row.contrast.primary]
    rows = [row for row in rest if row.contrast.metric not in without]
    caption = "secondary: not part of the verdict or the gate; p adjusted (Benjamini–Hochberg)"
    tables = []
    for heading, group in _by_group(title, rows, by):
        kept, folded = fold_rows(_arrange(group), len(group) if most is None else most)
        table = _build(heading, kept, verdicts, caption)
        footer = (*describe_averages(group, verdicts.margin), folded) if folded else table.footer
        tables.append(replace(table, footer=footer))
    return tuple(tables)


def changed_only(table: Table) -> Table:
    """Keep the rows of an overhead table that show a change."""
    marks = {"▲", "▼", "≠"}
    kept = tuple(row for row in table.rows if any(cell.mark in marks for cell in row))
    return replace(table, rows=kept)


def describe_one_sided(verdicts: Verdicts) -> tuple[str, ...]:
    """List what is missing on one side and was therefore not compared; and what has no name."""
    only_in = verdicts.comparisons.only_in.items()
    absent = {variant: list(names) for variant, names in only_in}
    for v, only_there in verdicts.comparisons.params_only_in.items():
        absent.setdefault(v, []).extend(" at ".join(filter(None, pair)) for pair in only_there)
    lines = [
        f"Not compared, because only {v} has {'it' if len(only_there) == 1 else 'them'}: "
        f"{list_first(only_there, 6)}."
        for v, only_there in absent.items()
    ]
    blank = {row.contrast.tool for row in verdicts.rows if not row.contrast.benchmark}
    unnamed = sorted(blank & _list_naming(verdicts))
    if unnamed:
        lines.append(
            f"{UNNAMED}: the file names of {', '.join(unnamed)} contain no benchmark; to name it, "
            'set benchmark = "NAME" in run.toml.'
        )
    return tuple(printable(line) for line in lines)


def _by_group(title: str, rows: Iterable[Verdict], by: str) -> Iterator[tuple[str, list[Verdict]]]:
    """Yield the rows of each group with the title of their table."""
    groups: dict[str, list[Verdict]] = {}
    for row in rows:
        parts = (row.contrast.group, f"{by} {_label(row, by)}" if by else "")
        groups.setdefault(", ".join(filter(None, parts)), []).append(row)
    for group, group_rows in groups.items():
        yield f"{title}: {printable(group)}" if group else title, group_rows


def _label(row: Verdict, by: str) -> str:
    """Return a row's value for a column or a param."""
    params = dict(part.split("=", 1) for part in row.contrast.params.split(",") if "=" in part)
    return params.get(by) or str(getattr(row.contrast, by, "")) or "–"


def _build(
    title: str, rows: Sequence[Verdict], verdicts: Verdicts, note: str, *, tips: bool = False
) -> Table:
    ordered = _arrange(rows)
    notes = _Notes(len(ordered))
    for row in ordered:
        notes.gather(row)
    named = _list_naming(verdicts)
    scales = [_scale(row.contrast) for row in ordered]
    spreads = measure_spreads([row.contrast for row in ordered])
    shared = scales[0] if len({scale.label for scale in scales}) == 1 else None
    shown = [Scale(scale.factor, "") for scale in scales] if shared else scales
    table = Table(
        title=title,
        columns=_columns(rows, verdicts, write_unit(shared).strip() if shared else ""),
        rows=tuple(
            (
                *_stub(row, verdicts, named),
                *_numbers(row.contrast, scale, spread),
                *_judged(row, verdicts, notes, tips=tips),
            )
            for row, scale, spread in zip(ordered, shown, spreads, strict=True)
        ),
        notes=notes.numbered,
        footer=describe_averages(rows, verdicts.margin),
    )
    if _pair(rows):  # the headers of the two value columns contain the names
        table = drop_columns(table, {"variant"})
    table, same = _fold(drop_empty(table, (*STUB, *_SPREADS, "needed", "detectable")))
    return replace(table, caption="; ".join(part for part in (*same, note, *notes.shared) if part))


def _fold(table: Table) -> tuple[Table, tuple[str, ...]]:
    """Move what all rows share into the caption, but keep one name column before the numbers."""
    folded, same = fold_constant(table, set(STUB) - {"variant"})
    if folded.columns[0].key not in STUB:
        folded, same = fold_constant(table, set(STUB) - {"variant", "metric"})
        return folded, same
    without = fold_constant(table, set(STUB) - {"variant", "metric"})[1]
    return folded, (*(text for text in same if text not in without), *without)


def _arrange(rows: Sequence[Verdict]) -> list[Verdict]:
    """Group the variants of one metric, and sort its percentiles."""
    place: dict[tuple[str, ...], int] = {}

    def rank(row: Verdict) -> tuple[object, ...]:
        c = row.contrast
        cell = place.setdefault((c.benchmark, c.params, c.tool), len(place))
        metric = place.setdefault((c.benchmark, c.params, c.tool, c.metric), len(place))
        return cell, metric, c.subject, *_rank_stat(c.stat)

    return sorted(rows, key=rank)


def _rank_stat(stat: str) -> tuple[int, float, str]:
    """Sort percentiles first, by level, then the rest by name: max, mean, min."""
    try:
        return 0, float(stat.removeprefix("p")), ""
    except ValueError:
        return 1, 0.0, stat


def _pair(rows: Sequence[Verdict]) -> tuple[str, str] | None:
    """Return baseline and variant if all rows have the same ones."""
    pairs = {(row.contrast.baseline, row.contrast.variant) for row in rows}
    return pairs.pop() if len(pairs) == 1 else None


def _columns(rows: Sequence[Verdict], verdicts: Verdicts, unit: str) -> tuple[Column, ...]:
    baselines = {row.contrast.baseline for row in rows}
    base = printable(baselines.pop()) if len(baselines) == 1 else "base"
    pair = _pair(rows)
    value = printable(pair[1]) if pair else "value"
    confidence = format_bare(verdicts.comparisons.confidence)
    spread = f"half the {confidence} interval of the mean over runs, as a share of the median"
    needed = "runs per side that would give a verdict"
    detects = "the smallest change that these runs would detect four times out of five"
    return (
        *(Column(key, "variant" if key == "variant" else key) for key in STUB),
        Column("baseline", base, unit, "right"),
        Column("spread_baseline", "spread", tip=spread),
        Column("value", value, unit, "right"),
        Column("spread_variant", "spread", tip=spread),
        Column("change", "change", align="right"),
        Column("interval", f"{confidence} interval"),
        Column("p", "p", align="right"),
        Column("n", "runs", align="right"),
        Column("verdict", "verdict"),
        Column("needed", "runs needed", align="right", tip=needed),
        Column("detectable", "can detect", align="right", tip=detects),
    )


def _list_naming(verdicts: Verdicts) -> frozenset[str]:
    """Return the tools with at least one named benchmark."""
    return frozenset(row.contrast.tool for row in verdicts.rows if row.contrast.benchmark)


def _stub(row: Verdict, verdicts: Verdicts, naming: Collection[str]) -> tuple[Cell, ...]:
    c = row.contrast
    blank = UNNAMED if c.tool in naming else ""
    metric = display_name(c.metric, c.stat)
    named = (c.benchmark or blank, c.params, c.tool, c.container, metric)
    return (*(Cell(printable(text)) for text in named), Cell(name_variant(c, verdicts)))


def _scale(contrast: Contrast) -> Scale:
    return common_scale([contrast.center_baseline, contrast.center_variant], contrast.unit)


def _numbers(c: Contrast, scale: Scale, spread: Sequence[float | None]) -> tuple[Cell, ...]:
    """Write the values and the spreads of both sides."""
    baseline = _value(c.center_baseline, c, scale, c.n_baseline)
    variant = _value(c.center_variant, c, scale, c.n_variant)
    return baseline, _spread(spread[0]), variant, _spread(spread[1])


def _spread(share: float | None) -> Cell:
    """Write a spread: ``± 1.9 %``."""
    if share is None or share >= 1:
        return Cell("" if share is None else "too noisy", share)
    text = percent(share).text if share else "0\N{NO-BREAK SPACE}%"
    return Cell(f"±\N{NO-BREAK SPACE}{text}", share)


def _value(value: float, contrast: Contrast, scale: Scale, runs: int) -> Cell:
    if contrast.unit == "1" and abs(value) < _LARGEST_COUNT and float(value).is_integer():
        return Cell(format_number(value, 1), value)
    step = contrast.resolution / (1 if runs % 2 else 2)  # the median of two runs lies between
    return Cell(write_value(value, scale, min(step, abs(value))), value)


def _judged(row: Verdict, verdicts: Verdicts, notes: _Notes, *, tips: bool) -> tuple[Cell, ...]:
    c, margin = row.contrast, verdicts.margin
    word, short = describe_word(row, margin), shorten_word(row, margin)
    tip = _describe_interval(row, margin) if tips else ""
    return (
        Cell(write_change(c, margin), _rank_change(c)),
        Cell(write_interval(c, margin), c.ratio_low, tip=tip),
        Cell(write_pvalue(row), row.p_adjusted),
        Cell(write_runs(c), c.n_variant),
        Cell(word, mark=MARKS[row.word], notes=notes.numbers(row), short=short),
        _needed(row.sensitivity),
        _detectable(row.sensitivity, c.unit),
    )


def _describe_interval(row: Verdict, margin: float) -> str:
    """State what the interval of a row covers, and the interval for all rows at once."""
    if row.family < 2:
        return ""
    c, (low, high) = row.contrast, row.simultaneous
    alone = f"{format_bare(c.confidence)} interval of this row alone"
    if low is None or high is None:
        return f"{alone}; too few runs for an interval that covers all {row.family} rows together"
    if c.ratio is None:
        wide = replace(c, difference_low=low, difference_high=high)
    else:
        wide = replace(c, ratio_low=low, ratio_high=high)
    return f"{alone}; for all {row.family} rows together {write_interval(wide, margin)}"


def _rank_change(contrast: Contrast) -> float | None:
    """Return the sort key of a change: its ratio; a difference has none, unless it is 0."""
    if contrast.method == REFUSED:
        return None
    if contrast.ratio is None:
        return 1.0 if contrast.shift == 0 else None
    return contrast.ratio


def _needed(sensitivity: Sensitivity) -> Cell:
    if sensitivity.is_wide:
        return Cell("too noisy", MOST_RUNS + 1)
    needed = sensitivity.runs_needed
    return Cell(f"{needed}" if needed else "", needed)


def _detectable(sensitivity: Sensitivity, unit: str) -> Cell:
    """Write the smallest change that the runs of an undecided row would usually detect."""
    seen, amount = sensitivity.detectable, sensitivity.detectable_difference
    if seen is not None:
        written = format_reach(seen)
        return Cell(written if written[0] == "±" else f"{format_number(1 + seen)}×", seen)
    if amount is not None:
        return Cell(write_amount(amount, unit), amount)
    return Cell("")


@dataclass
class _Notes:
    """Footnotes without repetition; notes of every row move to the caption.

    They are numbered after all rows have been collected.
    """

    rows: int
    by_row: dict[int, tuple[str, ...]] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)

    def gather(self, row: Verdict) -> None:
        """Add the notes of a row; for a secondary row only the reason why it has no verdict."""
        notes = tuple(map(printable, row.contrast.notes))
        rest = [note for note in row.notes if note not in row.contrast.notes]
        why = printable("; ".join(rest) if row.contrast.primary else row.obstacle)
        ranked = sorted(notes, key=lambda note: not note.startswith(BEFORE_METHOD))
        reasons = (*ranked, why) if row.contrast.method in DIRECTIONS else (why, *ranked)
        self.by_row[id(row)] = tuple(filter(None, reasons))
        for note in filter(None, (*notes, why)):
            self.count[note] = self.count.get(note, 0) + 1

    @cached_property
    def shared(self) -> tuple[str, ...]:
        """Notes that apply to every row."""
        return tuple(n for n, times in self.count.items() if times == self.rows and self.rows > 1)

    @cached_property
    def numbered(self) -> tuple[str, ...]:
        """One combined footnote for each row with notes, in the order of the rows."""
        return tuple(dict.fromkeys(filter(None, map(self._choose, self.by_row.values()))))

    def numbers(self, row: Verdict) -> tuple[int, ...]:
        """Return the number of a row's footnote, if any."""
        note = self._choose(self.by_row[id(row)])
        return (self._order[note],) if note else ()

    def _choose(self, notes: tuple[str, ...]) -> str:
        """Return the notes that apply to a row alone; JSON contains every note."""
        return next((note for note in notes if note not in self.shared), "")

    @cached_property
    def _order(self) -> dict[str, int]:
        return {note: number for number, note in enumerate(self.numbered, 1)}
