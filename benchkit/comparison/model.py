"""The parts of a comparison: the plan, one contrast, all contrasts.

Evidence is frozen data with notes, and contains no margin, alpha or limit.

Names of the methods by which two samples of runs are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from benchkit.config import BLOCKS, DEFAULT_BLOCKS, DEFAULT_METHOD, METHODS
from benchkit.derived.containers import shorten
from benchkit.errors import ConfigError
from benchkit.schema import Side, Workload
from benchkit.stats.location import relative_reaches
from benchkit.stats.sample import LARGEST
from benchkit.stats.spending import SequentialDesign

EXACT, RANK, ALIGNED, SIGNED, WELCH, HISTORY, SINGLE, WITHIN, REFUSED, DIFFERENCE = (
    "exact",
    "hodges-lehmann",
    "aligned",
    "signed-rank",
    "welch",
    "prediction",
    "single run",
    "within-run",
    "too few events",
    "difference",
)
#: Methods of an early-stopping series: its rounds so far, or the reason why they give no verdict.
SEQUENTIAL, UNJUDGED = "sequential", "incomplete series"
#: Methods that decide several rows together: see `benchkit.stats.families`.
MAX_T, LEAST_WELCH, PAIRED_T = "max-t", "least-welch", "paired-t"
#: Methods that report a direction at most: nothing is known about variation between runs.
DIRECTIONS = frozenset({SINGLE, WITHIN, REFUSED, UNJUDGED})


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare and with what confidence; no margin, no limit.

    Parameters
    ----------
    confidence : float
        The confidence of each interval, 0.5 < confidence < 1.
    primaries : tuple of (metric, stat)
        The pairs that the user named; if empty, the tool and load model decide. An empty stat means
        the metric's default headline stat.
    metrics : tuple of (metric, stat)
        Additional pairs to show although they are not compared by default.
    blocks : {'auto', 'never'}
        ``auto``: variants that were measured in complete rounds are compared round by round, unless
        a method is named.
    method : {'auto', 'rank', 'welch', 'history'}
        ``auto``: chosen from the data. Otherwise this method, wherever the runs allow it.

    Raises
    ------
    ConfigError
        If ``blocks`` or ``method`` is unknown, or the confidence is out of range.
    """

    confidence: float = 0.95
    primaries: tuple[tuple[str, str], ...] = ()
    metrics: tuple[tuple[str, str], ...] = ()
    blocks: str = DEFAULT_BLOCKS
    method: str = DEFAULT_METHOD

    def __post_init__(self) -> None:
        """Reject unknown options."""
        for name, known in (("blocks", BLOCKS), ("method", METHODS)):
            word = getattr(self, name)
            if word not in known:
                hint = f"use {', '.join(known)}"
                raise ConfigError(f"unknown value {word!r}", where=name, hint=hint)
        if not 0.5 < self.confidence < 1:
            hint = "use 0.95 or 95%"
            what = f"expected a confidence above 0.5 and below 1, got {self.confidence:g}"
            raise ConfigError(what, where="confidence", hint=hint)

    @property
    def uses_blocks(self) -> bool:
        """Whether to look for blocks: an explicitly named method takes precedence."""
        return self.blocks == "auto" and self.method == DEFAULT_METHOD


@dataclass(frozen=True, slots=True)
class Drift:
    """The effect of the order of the runs on a change.

    Parameters
    ----------
    change : float
        The change of the means, as a fraction, after removing a linear trend over the session.
    plain : float
        The change of the means without that correction.
    """

    change: float
    plain: float


@dataclass(frozen=True, slots=True)
class Row:
    """A statistic of a metric of a workload: the key of a row of a comparison."""

    group: str
    benchmark: str
    params: str
    tool: str
    subject: str
    metric: str
    stat: str

    @property
    def workload(self) -> Workload:
        """Its labels without the variant."""
        return Workload(self.group, self.benchmark, self.params, self.tool)

    @property
    def labels(self) -> dict[str, Any]:
        """Its labels by column, without the fields of a subclass."""
        return {name: getattr(self, name) for name in ROW_KEY}

    @property
    def key(self) -> Row:
        """The same row, without the fields of a subclass."""
        return Row(**self.labels)


ROW_KEY = tuple(label.name for label in fields(Row))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Row):
    """One metric of one benchmark: a variant compared with its baseline.

    Parameters
    ----------
    called : str
        The name in `containers.json` of a subject that is an id; empty if it has none.
    primary : bool
        Whether the row is used by the headline and the gate.
    baseline_values, variant_values : tuple of float
        One value per run in the base unit, in run order.
    baseline_runs, variant_runs : tuple of int
        The numbers of these runs; empty if unknown.
    center_baseline, center_variant : float
        Medians over runs.
    ratio, ratio_low, ratio_high : float or None
        Variant / baseline with its interval at ``confidence``; None if there is none.
    equivalence_low, equivalence_high : float or None
        The interval at ``1 - 2 (1 - confidence)``, which the equivalence test needs.
    difference, difference_low, difference_high : float or None
        Variant - baseline in the unit with its interval, if the values are not all positive and
        have no ratio; else None.
    method : str
        ``hodges-lehmann``, ``aligned``, ``signed-rank``, ``welch``, ``max-t``, ``least-welch``,
        ``paired-t``, ``prediction``, ``within-run``, ``single run``, ``too few events``,
        ``sequential``, ``incomplete series``, ``difference`` or ``exact``.
    repeats : tuple of (baseline's, variant's)
        The number of runs of a side whose values are the medians of its files; 0 if each run is a
        value.
    resolution : float
        The coarsest rounding step among the values, in the unit; 0 if unknown.
    failed_baseline, failed_variant : float
        Shares of failed requests over all runs; 0 if none are reported.
    is_failed_bound : bool
        Whether these shares are upper bounds.
    other_answers : str
        How the responses of the two sides differ, so that no value is comparable; empty if they do
        not.
    remarks : tuple of str
        The notes that are about the method of the row.
    arranged : tuple of (baseline's, variant's)
        Logarithms as complete blocks arrange them, for tests against a limit; empty without blocks.
    is_paired : bool
        Whether these are the pairs of rounds with two variants.
    drift : Drift, optional
        The effect of drift, if the runs drift enough over the session to move the change.
    difference_inner : tuple of (low, high)
        The interval of the difference at ``1 - 2 (1 - confidence)``, which the equivalence test
        needs.
    amount : tuple of (estimate, low, high), optional
        For latencies: variant - baseline in the unit with its interval, by the method of the row.
    is_ranked : bool
        Whether a difference without a ratio is by ranks rather than by Welch's test.
    stopping : SequentialDesign, optional
        The design of an early-stopping series; ``arranged`` then contains its pairs of rounds.
    """

    unit: str
    better: str
    primary: bool
    baseline: str
    variant: str
    baseline_values: tuple[float, ...]
    variant_values: tuple[float, ...]
    center_baseline: float
    center_variant: float
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    equivalence_low: float | None
    equivalence_high: float | None
    method: str
    pvalue: float | None
    confidence: float
    baseline_runs: tuple[int, ...] = ()
    variant_runs: tuple[int, ...] = ()
    repeats: tuple[int, int] = (0, 0)
    resolution: float = 0.0
    failed_baseline: float = 0.0
    failed_variant: float = 0.0
    is_failed_bound: bool = False
    other_answers: str = ""
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    arranged: tuple[tuple[float, ...], ...] = ()
    is_paired: bool = False
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    difference_inner: tuple[float | None, float | None] = (None, None)
    called: str = ""
    drift: Drift | None = None
    amount: tuple[float, float | None, float | None] | None = None
    is_ranked: bool = False
    stopping: SequentialDesign | None = None

    @property
    def side(self) -> Side:
        """The labels of the variant's runs."""
        return self.workload.side(self.variant)

    @property
    def container(self) -> str:
        """The display name of the subject."""
        return self.called or shorten(self.subject)

    @property
    def delta(self) -> float:
        """Difference of the centres in the unit."""
        return self.center_variant - self.center_baseline

    @property
    def shift(self) -> float:
        """The change in the unit: the test's estimate, else the difference of the centres."""
        return self.delta if self.difference is None else self.difference

    @property
    def spread_baseline(self) -> float | None:
        """Half the interval of the baseline's mean over runs, as a share of its median."""
        return measure_spreads([self])[0][0]

    @property
    def spread_variant(self) -> float | None:
        """Like `spread_baseline`, for the variant."""
        return measure_spreads([self])[0][1]

    @property
    def n_baseline(self) -> int:
        """Number of runs of the baseline."""
        return len(self.baseline_values)

    @property
    def n_variant(self) -> int:
        """Number of runs of the variant."""
        return len(self.variant_values)


def measure_spreads(rows: Sequence[Contrast]) -> list[tuple[float | None, float | None]]:
    """Measure the spread of both sides of each row of a comparison.

    Summaries and individual runs have no known spread.
    """
    sides = [
        () if c.method in DIRECTIONS or max(map(abs, values), default=0.0) > LARGEST else values
        for c in rows
        for values in (c.baseline_values, c.variant_values)
    ]
    spreads = relative_reaches(sides, rows[0].confidence) if rows else []
    return list(zip(spreads[::2], spreads[1::2], strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped(Row):
    """A row that the variant does not have, or not in the baseline's unit; without a subject.

    Parameters
    ----------
    primary : bool
        Whether it would be a headline.
    units : tuple of (baseline's, variant's)
        The two units if the variant has another one; else empty.
    """

    baseline: str
    variant: str
    primary: bool
    units: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Adjusted:
    """The p-value of a row adjusted within its family, and how it was adjusted."""

    pvalue: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """The whole comparison.

    Parameters
    ----------
    pairs : tuple of (baseline, variant)
    contrasts : tuple of Contrast
        In the order of the data, pair by pair.
    only_in : mapping of variant to benchmarks
        Names that the other side of a pair does not have.
    params_only_in : mapping of variant to (benchmark, params)
        Levels of common benchmarks that the other side does not have.
    lacking : mapping of variant to (metric, stat)
        Primary metrics without any value for this variant, although its counterpart has some; all
        of them for a variant without measured runs, which is in no pair.
    dropped : tuple of Dropped
        Rows that the baseline of a pair has and its variant does not, pair by pair.
    method : {'auto', 'rank', 'welch', 'history'}
        The method of the plan.
    known : list
        The cached result of `families.decide` for these rows.
    """

    pairs: tuple[tuple[str, str], ...]
    contrasts: tuple[Contrast, ...]
    confidence: float
    only_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    params_only_in: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    lacking: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    method: str = DEFAULT_METHOD
    known: list[tuple[Comparisons, tuple[Adjusted | None, ...]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
