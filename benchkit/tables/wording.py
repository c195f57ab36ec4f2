"""The words and marks of a verdict, and the formats of changes.

The sentence and every table use the same words, which name a direction and never a colour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from benchkit.comparison import DIRECTIONS, EXACT, HISTORY, REFUSED, WITHIN, Contrast, margin_bounds
from benchkit.intervals import TOO_WIDE, format_ends, format_interval, is_wide, is_wide_difference
from benchkit.listing import list_names
from benchkit.metrics import Wording, display_name, lookup
from benchkit.units import (
    FACTOR_DOWN,
    Scale,
    common_scale,
    format_change,
    format_number,
    format_pvalue,
    format_stepped,
    printable,
)
from benchkit.verdict import (
    CHANGED,
    EQUIVALENT,
    IMPROVEMENT,
    INCONCLUSIVE,
    REGRESSION,
    UNCHANGED,
    Verdict,
    Verdicts,
)

MARKS = {
    REGRESSION: "▲",
    IMPROVEMENT: "▼",
    EQUIVALENT: "=",
    UNCHANGED: "=",
    CHANGED: "≠",
    INCONCLUSIVE: "~",
}
#: The words of JSON mapped to those of people; `word_change` describes a change.
WORDS = {
    EQUIVALENT: "no meaningful difference",
    UNCHANGED: "no meaningful difference",
    INCONCLUSIVE: "inconclusive",
}
NOTHING = "–"


def describe_word(verdict: Verdict, margin: float) -> str:
    """Describe a verdict in a word or two: ``slower, by at least 3 %``.

    Examples
    --------
    >>> WORDS["equivalent"]
    'no meaningful difference'
    """
    if verdict.word in WORDS:
        return WORDS[verdict.word]
    word = shorten_word(verdict, margin)
    is_directed = verdict.word in {REGRESSION, IMPROVEMENT}
    if is_directed and is_beyond(verdict.contrast, margin):
        return f"{word}, by at least {format_bare(margin)}"
    return word


def shorten_word(verdict: Verdict, margin: float) -> str:
    """Describe a verdict for a narrow screen: ``slower``, ``within ±3 %``."""
    if verdict.word == EQUIVALENT:
        return f"within ±{format_bare(margin)}"
    wording = find_wording(verdict.contrast)
    change = wording.up if is_more(verdict.contrast) else wording.down
    return WORDS.get(verdict.word, change)


def find_wording(contrast: Contrast) -> Wording:
    """Return the phrases in which sentences describe changes of a row's metric."""
    return lookup(contrast.metric).wording


def is_more(contrast: Contrast) -> bool:
    """Return whether the estimate is an increase."""
    return contrast.delta > 0 if contrast.ratio is None else contrast.ratio > 1


def is_beyond(contrast: Contrast, margin: float) -> bool:
    """Return whether the whole interval lies beyond the margin, on one side."""
    low, high = contrast.ratio_low, contrast.ratio_high
    if low is None or high is None:
        return False
    least, most = margin_bounds(margin)
    return low >= most or high <= least


def format_bare(fraction: float) -> str:
    """Write a share without a sign, and without decimals if it has none."""
    percent = round(fraction * 100, 4)
    return f"{percent:g}\N{NO-BREAK SPACE}%"


def name_metric(contrast: Contrast) -> str:
    """Name the metric of a row: ``median latency``, ``mean CPU (/bench/server)``."""
    name = display_name(contrast.metric, contrast.stat)
    return printable(f"{name} ({contrast.container})" if contrast.subject else name)


def name_variant(contrast: Contrast, verdicts: Verdicts) -> str:
    """Name the variant, with its baseline if the comparison has several."""
    baselines = {baseline for baseline, _ in verdicts.comparisons.pairs}
    if len(baselines) > 1:
        return printable(f"{contrast.variant} vs. {contrast.baseline}")
    return printable(contrast.variant)


def write_change(contrast: Contrast, margin: float) -> str:
    """Write the change: ``−13.1 %``, ``3.40×``, or a difference if there is no ratio."""
    if contrast.method == REFUSED:
        return NOTHING
    if contrast.ratio is None:
        return _write_signed(contrast.shift, common_scale([contrast.shift], contrast.unit))
    return format_change(contrast.ratio, _limits(margin))


def write_interval(contrast: Contrast, margin: float) -> str:
    """Write the interval of the change, or a dash if there is none."""
    if contrast.difference_low is not None and contrast.difference_high is not None:
        return _write_amounts(contrast, contrast.difference_low, contrast.difference_high)
    low, high = contrast.ratio_low, contrast.ratio_high
    if low is None or high is None or low == high:
        return NOTHING
    method = _INTERVALS.get(contrast.method, "")
    text = format_interval(low, high, _limits(margin), ratio=contrast.ratio)
    return text if text == TOO_WIDE else f"{text}{method}"


def _write_amounts(contrast: Contrast, low: float, high: float) -> str:
    """Write an interval in the unit: ``[−1.20, +3.40 ms]``."""
    if low == high:
        return NOTHING
    if is_wide_difference(low, high, contrast.center_baseline):
        return TOO_WIDE
    scale = common_scale([max(abs(low), abs(high))], contrast.unit)
    ends = _write_signed(low, Scale(scale.factor, "")), _write_signed(high, scale)
    return f"[{', '.join(ends)}]"


def _write_signed(value: float, scale: Scale) -> str:
    return f"{'+' if value > 0 else ''}{write_value(value, scale)}"


#: Adjustments of the p-values of a family, as written in the header of a table.
_ADJUSTMENTS = {
    "holm": "Holm",
    "max-t": "permutation of whole runs, max-T",
    "holm-welch": "Holm on Welch's test with conservative degrees of freedom",
    "holm-paired": "Holm on the t-test of the paired rounds",
}


def name_adjustment(word: str) -> str:
    """Name the adjustment of p-values of rows that are decided together.

    Examples
    --------
    >>> name_adjustment("max-t")
    'permutation of whole runs, max-T'
    """
    return _ADJUSTMENTS[word]


def name_rule(rows: Iterable[Verdict]) -> str:
    """List the metrics by which each of several tools is judged, if they differ."""
    named: dict[str, dict[str, None]] = {}
    for c in (row.contrast for row in rows):
        named.setdefault(c.tool, {})[display_name(c.metric, c.stat)] = None
    if len({frozenset(names) for names in named.values()}) < 2:
        return ""
    listed = (f"{tool} by {list_names([*names])}" for tool, names in named.items())
    return f"each tool is judged by its own metrics: {', '.join(listed)}"


def name_adjustments(rows: Sequence[Verdict]) -> str:
    """Name the adjustment of the primary rows' p-values."""
    used = dict.fromkeys(row.adjustment for row in rows)
    return "; ".join(name for word, name in _ADJUSTMENTS.items() if word in used)


#: Prefixes of intervals that are not confidence intervals of the change.
_INTERVALS = {WITHIN: " within-run", HISTORY: " prediction"}


def write_size(contrast: Contrast, margin: float) -> str:
    """Write the size of a change without its direction: ``13.1 %``, ``80.0×``."""
    if contrast.ratio is not None and 0 < contrast.ratio <= FACTOR_DOWN:
        return format_change(1 / contrast.ratio)
    return write_change(contrast, margin).lstrip("+\N{MINUS SIGN}±")


def write_share(contrast: Contrast, size: str) -> str:
    """Write the factors of a decrease as fractions, ``1/3.40 to 1/27.6``, except speed-ups."""
    bare = size.replace("\N{MULTIPLICATION SIGN}", "")
    if bare == size or is_more(contrast) or find_wording(contrast).down == "faster":
        return size
    for link in (" to ", "\N{EN DASH}"):
        bare = bare.replace(link, f"{link}1/")
    return f"1/{bare}"


def write_sureness(contrast: Contrast, *, signed: bool = False) -> str:
    """Write the interval in the sentence, in the direction of its estimate or with signs.

    ``(95 % CI 11.1–14.8 %)``, ``(95 % CI −2.3 to +2.7 %)`` if it includes no change, or a note that
    it is too wide to read; empty without an interval.
    """
    low, high, ratio = contrast.ratio_low, contrast.ratio_high, contrast.ratio
    if low is None or high is None or ratio is None or low == high:
        return ""
    if is_wide(low, high):
        return f"({TOO_WIDE} how much)"
    ends = write_share(contrast, format_ends(low, high, ratio, signed=signed))
    return f"({format_bare(contrast.confidence)} CI {ends})"


def write_value(value: float, scale: Scale, step: float = 0.0) -> str:
    """Write one value with a scale chosen for its row: ``690 µs``, ``10 531/s``.

    A ``step``, in the unit, is the source's resolution; digits beyond it are not written.
    """
    return f"{format_stepped(value / scale.factor, step / scale.factor)}{write_unit(scale)}"


def write_amount(value: float, unit: str) -> str:
    """Write one value in the scale that fits it; whole numbers of bytes or counts stay whole.

    Examples
    --------
    >>> write_amount(8.0, "B"), write_amount(1.0, "1"), write_amount(0.5, "1")
    ('8\N{NO-BREAK SPACE}B', '1', '0.500')
    """
    is_whole = unit in {"B", "1"} and value != 0 and float(value).is_integer()
    return write_value(value, common_scale([value], unit), 1.0 if is_whole else 0.0)


def write_unit(scale: Scale) -> str:
    """Write a scale's unit in the form that follows a number."""
    if scale.label.startswith("1/"):
        return scale.label[1:]
    return f"\N{NO-BREAK SPACE}{scale.label}" if scale.label else ""


def write_pvalue(verdict: Verdict) -> str:
    """Write the adjusted p-value; empty for exact metrics."""
    if verdict.contrast.method == EXACT:
        return "exact"
    if verdict.contrast.method in DIRECTIONS or verdict.p_adjusted is None:
        return NOTHING
    return format_pvalue(verdict.p_adjusted) if math.isfinite(verdict.p_adjusted) else NOTHING


def write_runs(contrast: Contrast) -> str:
    """Write the number of runs of both sides: ``8``, or ``8 + 7``."""
    left, right = contrast.n_baseline, contrast.n_variant
    return f"{left}" if left == right else f"{left} + {right}"


def _limits(margin: float) -> tuple[float, ...]:
    return (0.0, margin, -margin)


def count_of(number: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> count_of(1, "run"), count_of(8, "run")
    ('1 run', '8 runs')
    """
    return f"{format_number(number, 1)} {noun}{'' if number == 1 else 's'}"
