"""Loaded results: displayed, narrowed down, compared, checked.

One object holds everything that belongs together, and its frames are ordinary pandas frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from benchkit import config
from benchkit.api.answer import Comparison
from benchkit.api.excerpt import (
    QUICK,
    UNSEEN,
    Excerpt,
    join_shown,
    keep_variants,
    list_texts,
    narrow,
    require_label,
    select_labels,
    summarise,
    tabulate_findings,
)
from benchkit.api.sides import (
    list_names,
    list_pairs,
    list_unmeasured,
    name_unmeasured,
    pair_up,
    require_metrics,
    require_pairs,
)
from benchkit.audit import audit, check
from benchkit.audit.names import explain_nothing
from benchkit.audit.order import take_out_drift
from benchkit.comparison import Comparisons, Plan
from benchkit.comparison import compare as compare_rows
from benchkit.derived.record import keep_measured, leave_out_excerpts
from benchkit.derived.saturation import DEFAULT as KNEE
from benchkit.derived.saturation import parse_rule, require_stat
from benchkit.derived.sweep import is_only_swept
from benchkit.errors import BaselineError, BenchkitError, DataError, rank
from benchkit.ingestion.origins import refuse_contested
from benchkit.metrics import split_metric
from benchkit.starvation import find_starved_runs
from benchkit.verdict import judge

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.api.suggestions import Again
    from benchkit.errors import Diagnostic, Finding, SourceReport
    from benchkit.schema import Observations, Runs
    from benchkit.selection import Label


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RunSet:
    """Loaded results.

    Its answers depend on its frames, so change a copy and load that.

    Parameters
    ----------
    observations : Observations
        One row per measured value of the measured runs.
    runs : Runs
        One row per run, of every role.
    series : Observations or None
        Samples over time of the containers that ran during the load.
    contested : mapping of str to tuple of str
        Variants left out because several origins of the store have them: load with ``origin=``.
    stale : mapping of str to DataError
        Variants that the last ingest of their folder, or this CI job, did not measure.
    problems : tuple of Finding
        Findings while loading; `findings` has them and those of `check` as a frame.
    diagnostics : tuple of Diagnostic
        Problems with sources.
    reports : tuple of SourceReport
        The outcome of each source.
    first_variant : str or None
        That of the first named file: the baseline if no name suggests one.
    headline : tuple of (metric, stat)
        The primaries of a user's table whose tools have none.
    again : callable or None
        Loads the results again with their names split.

    Examples
    --------
    >>> import benchkit as bk
    >>> results = bk.load("fixtures/tracing-wrk").where(variant=["none", "otlp"])
    >>> results.variants
    ['none', 'otlp']
    >>> results.compare(baseline="none").frame.query("primary").verdict.tolist()
    ['regression']
    >>> [finding.code for finding in results.check(baseline="none")]
    ['B310', 'B310', 'B415', 'B303', 'B332', 'B319']
    >>> results.findings.severity.value_counts().to_dict()
    {'info': 4, 'warning': 2}
    """

    observations: Observations
    runs: Runs
    series: Observations | None = None
    contested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    stale: Mapping[str, DataError] = field(default_factory=dict)
    problems: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reports: tuple[SourceReport, ...] = ()
    first_variant: str | None = None
    headline: tuple[tuple[str, str], ...] = ()
    again: Again | None = None
    #: The findings of `check`, by the requested baseline.
    _found: dict[str | None, tuple[Finding, ...]] = field(
        default_factory=dict, init=False, compare=False
    )

    @property
    def findings(self) -> pd.DataFrame:
        """The findings of `check`, one row each: code, severity, message, remedy, where, numbers.

        ``numbers`` maps names to the numbers in the message, in base units.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk")
        >>> results.findings.severity.value_counts().to_dict()
        {'info': 7, 'warning': 5}
        """
        return tabulate_findings(self.check())

    @property
    def variants(self) -> list[str]:
        """The variants with measured runs, in the order of the data.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk")
        >>> results.variants
        ['apm', 'none', 'otlp', 'skywalking', 'zipkin']
        """
        return list(dict.fromkeys(keep_measured(self.runs)["variant"].tolist()))

    def where(self, **labels: Label | Sequence[Label]) -> RunSet:
        """Keep only results with these labels, as in ``where(benchmark="/ping")``.

        Parameters
        ----------
        **labels : str, int or sequence of them
            A column of `runs` or `observations`, and the value or values to keep.

        Returns
        -------
        RunSet

        Raises
        ------
        SelectionError
            If a label or a value does not occur.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk")
        >>> results.where(variant=["none", "otlp"], run=[1, 2]).variants
        ['none', 'otlp']
        """
        reports, contested = self.reports, self.contested
        if requested := labels.get("variant"):
            names = list_texts(requested)
            contested = {name: origins for name, origins in contested.items() if name in names}
            refuse_contested(contested)
            reports = tuple(report for report in reports if report.variant in {"", *names})
        observations, runs = select_labels(self.observations, self.runs, labels)
        return replace(
            self, observations=observations, runs=runs, reports=reports, contested=contested,
            again=self.again and partial(narrow, self.again, labels),
        )  # fmt: skip

    def require_label(self, name: str) -> None:
        """Refuse a name that is neither a label nor a param of the compared rows.

        Raises
        ------
        SelectionError
            With the likely intended name, and all names.
        """
        require_label(self.runs, name)

    def compare(
        self,
        *,
        baseline: str | None = None,
        variant: str | Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] = (),
        confidence: float | str = 0.95,
        margin: float | str = 0.03,
        metrics: str | Sequence[str] = (),
        blocks: str = config.DEFAULT_BLOCKS,
        method: str = config.DEFAULT_METHOD,
        knee: str = KNEE,
    ) -> Comparison:
        """Compare variants with a baseline.

        Parameters
        ----------
        baseline : str, optional
            Inferred from the names by default.
        variant : str or sequence of str, optional
            All others by default.
        pairs : sequence of (baseline, variant)
            Replaces both.
        confidence : float or str
            Of each interval: ``0.95`` or ``"95%"``.
        margin : float or str
            The smallest change that matters, as a share of the baseline: ``0.03`` or ``"3%"``.
        metrics : str or sequence of str
            ``metric`` or ``metric.stat``: the primaries.
        blocks : {'auto', 'never'}
            Whether variants measured in complete rounds are compared round by round.
        method : {'auto', 'rank', 'welch', 'history'}
            How rows are compared if their runs allow it.
        knee : str
            The rule for the knee of a sweep; see `benchkit.derived.saturation.parse_rule`.

        Returns
        -------
        Comparison
            Without rows and with a `reason` if the variants share only a sweep.

        Raises
        ------
        SelectionError, BaselineError, DataError
        ConfigError
            If ``blocks``, ``method`` or ``knee`` is unknown, or two of them select a method; if the
            knee needs a latency that no sweep has; if a share is not between 0 and 1.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk")
        >>> results.compare(baseline="none", margin=0.17).frame.query("primary").verdict.tolist()
        ['equivalent', 'equivalent', 'equivalent', 'inconclusive']
        """
        confidence = config.parse_fraction(confidence, where="confidence")
        margin = config.parse_fraction(margin, where="margin")
        require_stat(parse_rule(knee), self.observations, self.runs)
        whole = leave_out_excerpts(self.observations)
        reason: BenchkitError | None = None
        try:
            chosen = list_pairs(pairs) or self.choose_pairs(baseline, variant)
        except (BaselineError, DataError) as error:
            if baseline or variant or not is_only_swept(self.observations, self.runs):
                raise
            chosen, reason = (), error
        refuse_contested(self.contested, chosen)
        require_pairs(chosen, self.variants)
        primaries = tuple(map(split_metric, list_names(metrics))) or self.headline
        primaries = require_metrics(self.observations, primaries)
        plan = Plan(confidence=confidence, primaries=primaries, blocks=blocks, method=method)
        comparisons = Comparisons(pairs=(), contrasts=(), confidence=confidence)
        if reason is None:
            comparisons = compare_rows(whole, self.runs, chosen, plan)
            comparisons = take_out_drift(comparisons, self.runs)
            if variant is None and not pairs:
                lost = list_unmeasured(self.variants, self.runs, self.reports)
                comparisons = name_unmeasured(comparisons, lost)
        verdicts = judge(comparisons, margin)
        shown = Excerpt(self.observations, self.runs, self.series, self.problems, self.diagnostics)
        shown = keep_variants(shown, {name for pair in chosen for name in pair})
        findings = (
            *shown.problems,
            *explain_nothing(reason),
            *audit(comparisons, shown.runs, shown.observations),
            *find_starved_runs(verdicts, shown.observations, shown.runs, plan),
        )
        return Comparison(
            verdicts=verdicts, runs=shown.runs, findings=rank(findings),
            observations=leave_out_excerpts(shown.observations), series=shown.series, knee=knee,
            reason=reason, diagnostics=shown.diagnostics,
        )  # fmt: skip

    def check(self, *, baseline: str | None = None) -> tuple[Finding, ...]:
        """Apply every audit rule to the runs, and to each variant compared with its baseline.

        Parameters
        ----------
        baseline : str, optional
            Inferred from the names by default; if that is impossible, or the sides have nothing in
            common, finding B200 says that the rules over two sides were skipped.

        Returns
        -------
        tuple of Finding
            The most severe first.

        Raises
        ------
        SelectionError
            If the requested baseline does not exist.

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk").where(variant=["none", "otlp"])
        >>> [finding.code for finding in results.check(baseline="none")]
        ['B310', 'B310', 'B415', 'B303', 'B332', 'B319']
        """
        if baseline not in self._found:
            findings = check(self.observations, self.runs, self._oppose(baseline))
            self._found[baseline] = rank((*self.problems, *findings))
        return self._found[baseline]

    def _oppose(self, baseline: str | None) -> Comparisons | BenchkitError | None:
        """Compare all variants with the baseline, or return the reason why that is impossible."""
        refuse_contested(self.contested)
        if not self.variants:
            return None
        try:
            return compare_rows(self.observations, self.runs, self.choose_pairs(baseline))
        except (BaselineError, DataError) as error:
            return error

    def choose_pairs(
        self, baseline: str | None = None, variant: str | Sequence[str] | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs to compare; a series has a baseline, else it is inferred from the names.

        Raises
        ------
        DataError
            If there are no two variants with measured runs.
        SelectionError, BaselineError
            If a name does not exist, or no baseline can be inferred.
        """
        variants = [*self.variants, *self.contested]
        if not variants or (len(variants) == 1 and variant is None):
            from benchkit.api.suggestions import explain_no_variant, explain_single_variant

            raise explain_single_variant(self, baseline) if variants else explain_no_variant(self)
        pairs = pair_up(variants, baseline, variant, first=self.first_variant, runs=self.runs)
        refuse_contested(self.contested, pairs)
        return pairs

    def holding(self, observations: Observations) -> RunSet:
        """Return the same runs with other observations.

        Parameters
        ----------
        observations : Observations
            With the columns of the table of observations.

        Returns
        -------
        RunSet

        Examples
        --------
        >>> import benchkit as bk
        >>> results = bk.load("fixtures/tracing-wrk")
        >>> rates = results.observations.query("metric == 'request_rate'")
        >>> len(results.holding(rates).observations)
        40
        """
        return replace(self, observations=observations)

    def __repr__(self) -> str:
        return f"<RunSet: {self._summarise(None)}>"

    def __str__(self) -> str:
        from benchkit.tables.overview import overview_table

        findings = self.check() if self._is_quick else None
        summary = self._summarise(findings) + (f". {UNSEEN}" if findings is None else "")
        return join_shown([summary], [str(overview_table(self.runs))], ())

    def _repr_html_(self) -> str:
        from benchkit.reporting.page import Card
        from benchkit.reporting.to_html import to_card
        from benchkit.tables.findings import IN_PYTHON, summarise_findings
        from benchkit.tables.overview import overview_table

        findings = self.check() if self._is_quick else None
        lines = (UNSEEN,) if findings is None else summarise_findings(findings, rest=IN_PYTHON)
        table = overview_table(self.runs)
        return to_card(Card(sentence=self._summarise(findings), table=table, lines=lines))

    @property
    def _is_quick(self) -> bool:
        """Whether an audit is fast enough for a display, and the sides are known."""
        return len(self.runs) <= QUICK and not self.contested

    def _summarise(self, findings: Sequence[Finding] | None) -> str:
        return summarise(self.runs, findings, self.first_variant, self.reports, self.contested)
