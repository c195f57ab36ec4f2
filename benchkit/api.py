"""What notebooks import: load results, compare them, look at them.

In: paths, a store, or frames of one's own. Out: `RunSet` and `Comparison`.
Why: the command line and the notebook are two doors to the same rooms.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from benchkit import config, schema, selection
from benchkit.audit import audit, check
from benchkit.audit.names import explain_nothing
from benchkit.comparison import Comparisons, Plan
from benchkit.comparison import compare as compare_rows
from benchkit.derived.knee import DEFAULT as KNEE
from benchkit.derived.knee import parse_rule
from benchkit.derived.sweep import is_only_swept
from benchkit.errors import (
    BaselineError,
    BenchkitError,
    ConfigError,
    DataError,
    Diagnostic,
    Finding,
    SourceReport,
    rank,
)
from benchkit.ingestion import loading
from benchkit.ingestion.discovery import Options
from benchkit.parsers import registry
from benchkit.parsers.base import Format
from benchkit.starvation import find_starved_runs
from benchkit.verdict import Verdicts, judge

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from benchkit.plots.drawing import Plots
    from benchkit.schema import Observations, Runs
    from benchkit.selection import Label
    from benchkit.tables.derived import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSet:
    """Results, as they were loaded.

    Parameters
    ----------
    observations : Observations
        One row per measured value of the measured runs.
    runs : Runs
        One row per run, of every role.
    problems : tuple of Finding
        What was found while loading; `findings` has them, and what `check` finds, as a frame.
    diagnostics : tuple of Diagnostic
        What could not be read.
    reports : tuple of SourceReport
        What became of each source.
    first_variant : str or None
        That of the first file that was named, the baseline if no name tells.
    """

    observations: Observations
    runs: Runs
    problems: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reports: tuple[SourceReport, ...] = ()
    first_variant: str | None = None

    @property
    def findings(self) -> pd.DataFrame:
        """What `check` finds, one row each: code, severity, message, remedy, where, numbers."""
        import pandas as pd

        names = [field.name for field in fields(Finding)]
        rows = [[getattr(finding, name) for name in names] for finding in self.check()]
        return pd.DataFrame(rows, columns=names)

    @property
    def variants(self) -> list[str]:
        """The variants with measured runs, in the order of the data."""
        measured = self.runs[self.runs["role"] == "measured"]
        return list(dict.fromkeys(measured["variant"].tolist()))

    def where(self, **labels: Label | Sequence[Label]) -> RunSet:
        """Keep only what has these labels, ``where(benchmark="/ping")``.

        Raises
        ------
        SelectionError
            If a label or a value does not occur.
        """
        of_runs = {k: v for k, v in labels.items() if k in self.runs.columns}
        rest = {k: v for k, v in labels.items() if k not in of_runs}
        runs = selection.select(self.runs, **of_runs)
        measured = runs[runs["role"] == "measured"][list(schema.RUN_KEY)]
        rows = self.observations.merge(measured.drop_duplicates(), on=list(schema.RUN_KEY))
        observations = schema.observations(rows[schema.column_names()])
        return replace(self, observations=selection.select(observations, **rest), runs=runs)

    def compare(
        self,
        *,
        baseline: str | None = None,
        variant: str | Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] = (),
        confidence: float = 0.95,
        margin: float = 0.03,
        metrics: Sequence[str] = (),
        blocks: str = config.DEFAULT_BLOCKS,
        method: str = config.DEFAULT_METHOD,
        knee: str = KNEE,
    ) -> Comparison:
        """Compare variants with a baseline.

        Parameters
        ----------
        baseline : str, optional
            Guessed from the names if not given.
        variant : str or sequence of str, optional
            All others if not given.
        pairs : sequence of (baseline, variant)
            In place of both.
        confidence : float
            Of each interval.
        margin : float
            The smallest change that matters.
        metrics : sequence of str
            ``metric`` or ``metric.stat``: the primaries.
        blocks : {'auto', 'never'}
            Whether variants measured in complete blocks are compared block by block.
        method : {'auto', 'rank', 'welch', 'history'}
            How rows are compared wherever their runs allow it.
        knee : str
            The rule for the knee of a sweep, as `benchkit.derived.knee.parse_rule` reads it.

        Returns
        -------
        Comparison
            Without rows, and with a `reason`, where variants have nothing in common but a sweep.

        Raises
        ------
        SelectionError, BaselineError, DataError
        ConfigError
            If ``blocks``, ``method`` or ``knee`` is not known, or two ask for a method.
        """
        parse_rule(knee)
        reason: BenchkitError | None = None
        try:
            chosen = tuple(pairs) or self._pairs(baseline, variant)
        except (BaselineError, DataError) as error:
            if baseline or variant or not is_only_swept(self.observations, self.runs):
                raise
            chosen, reason = (), error
        for pair in chosen:
            for name in pair:
                selection.require(name, self.variants, "variant")
        primaries = tuple(map(split_metric, metrics))
        plan = Plan(confidence=confidence, primaries=primaries, blocks=blocks, method=method)
        self._require_metrics(plan)
        for base, other in chosen:
            if base == other:
                raise ConfigError(f"{base!r} with itself", where="pair", hint="name two variants")
        comparisons = Comparisons(pairs=(), contrasts=(), confidence=confidence)
        if reason is None:
            comparisons = compare_rows(self.observations, self.runs, chosen, plan)
        verdicts = judge(comparisons, margin)
        findings = rank(
            (
                *self.problems,
                *explain_nothing(reason),
                *audit(comparisons, self.runs, self.observations),
                *find_starved_runs(verdicts, self.observations, self.runs, plan),
            )
        )
        return Comparison(
            verdicts=verdicts,
            runs=self.runs,
            findings=findings,
            observations=self.observations,
            knee=knee,
            reason=reason,
        )

    def check(self, *, baseline: str | None = None) -> tuple[Finding, ...]:
        """Apply every audit rule: to the runs, and to each variant beside the baseline.

        Parameters
        ----------
        baseline : str, optional
            Guessed from the names if not given; where none can be told, or the sides have nothing
            in common, finding B200 says that the rules over two sides were passed over.

        Returns
        -------
        tuple of Finding
            The gravest first.

        Raises
        ------
        SelectionError
            If the baseline that was named is not there.
        """
        sides: Comparisons | BenchkitError | None = None
        if len(self.variants) > 1:
            try:
                sides = compare_rows(self.observations, self.runs, self._pairs(baseline, None))
            except (BaselineError, DataError) as error:
                sides = error
        return rank((*self.problems, *check(self.observations, self.runs, sides)))

    def _pairs(
        self, baseline: str | None, variant: str | Sequence[str] | None
    ) -> tuple[tuple[str, str], ...]:
        if not self.variants:
            raise DataError("no measured run was found", hint="see `benchkit formats`")
        if len(self.variants) == 1 and variant is None:
            raise self._single_variant()
        base = selection.choose_baseline(self.variants, baseline, first=self.first_variant)
        if variant is None:
            others = [name for name in self.variants if name != base]
        else:
            others = [variant] if isinstance(variant, str) else list(variant)
        return tuple((base, other) for other in others)

    def _single_variant(self) -> DataError:
        """Say why there is but one variant."""
        lost = sorted(set(self.runs["variant"]) - set(self.variants))
        if lost:
            return DataError(
                f"nothing to compare: {', '.join(lost)} has no measured run, only failed ones "
                "or warm-ups",
                hint="see `benchkit runs`",
            )
        copies = sum(finding.code == "B103" for finding in self.problems)
        also = f" ({copies} files are copies and counted once)" if copies else ""
        return DataError(
            f"nothing to compare: {self.variants[0]!r} is the only variant{also}",
            hint="name files as label=path, or put each variant in a folder of its own",
        )

    def _require_metrics(self, plan: Plan) -> None:
        known = self.observations[["metric", "stat"]].drop_duplicates()
        for metric, stat in plan.primaries:
            selection.require(metric, known["metric"].drop_duplicates(), "metric")
            if stat:
                of_metric = known[known["metric"] == metric]["stat"]
                selection.require(stat, of_metric, f"stat of {metric}")


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What was compared, and what it shows.

    Parameters
    ----------
    verdicts : Verdicts
    runs : Runs
    findings : tuple of Finding
    observations : Observations, optional
        What was compared; without them there are no tables of sweeps, resources and spans.
    knee, reason
        The rule for the knee of a sweep; why nothing was compared, if so.
    """

    verdicts: Verdicts
    runs: Runs
    findings: tuple[Finding, ...] = field(default=())
    observations: Observations | None = None
    knee: str = KNEE
    reason: BenchkitError | None = None

    @property
    def comparisons(self) -> Comparisons:
        """The evidence alone."""
        return self.verdicts.comparisons

    @cached_property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from benchkit.tables.derived import lead

        return lead(self.verdicts, self.parts)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per comparison, with the columns of ``compare --format csv``."""
        import pandas as pd

        from benchkit.report.to_json import row_values

        return pd.DataFrame([row_values(row) for row in self.verdicts.rows])

    @property
    def plot(self) -> Plots:
        """The figures: ``plot.forest()``, ``plot.percentiles(ax=ax)``."""
        from benchkit.plots.drawing import Plots

        return Plots(self.verdicts, self.runs)

    def render(
        self, form: str, *, title: str = "", command: str = "", templates: Path | None = None
    ) -> str:
        """Return the report.

        Parameters
        ----------
        form : {'html', 'md', 'json'}
        title : str
        command : str
            The command line that made it, for the section on method.
        templates : Path, optional
            A folder whose templates stand before those of the page.
        """
        from benchkit import __version__
        from benchkit.report.formats import render
        from benchkit.report.model import build

        built = build(
            self.verdicts,
            self.runs,
            self.findings,
            title=title,
            command=command,
            version=__version__,
            parts=self.parts,
        )
        return render(built, form, templates)

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return self.render("md")

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return self.render("html")

    def _repr_html_(self) -> str:
        from benchkit.report.model import build
        from benchkit.report.to_html import to_fragment

        built = build(self.verdicts, self.runs, self.findings, parts=self.parts)
        return to_fragment(built)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """What is shown beside the comparison: sweeps, resources and spans."""
        from benchkit.tables.derived import build_parts

        return build_parts(self.verdicts, self.runs, self.observations, self.knee)

    def __str__(self) -> str:
        return self.verdict


def load(
    *paths: str | os.PathLike[str],
    layout: str | None = None,
    variant: str | None = None,
    samples: bool = False,
    options: Options | None = None,
    store: str | None = None,
) -> RunSet:
    """Load raw files and folders, or a store.

    Parameters
    ----------
    *paths : str or path
        Files, folders or ``label=path``. A single folder that is a store is read as one; with no
        path the store is.
    layout, variant : str, optional
        As ``--layout`` and ``--variant``.
    samples : bool
        Whether raw samples come along.
    options : Options, optional
        In place of both.
    store : str, optional
        Folder or URL of the store, default ``.benchkit``.

    Raises
    ------
    DataError
        If there is nothing to load.
    """
    found = loading.load(
        [os.fspath(path) for path in paths],
        options or Options(layout=layout, variant=variant),
        store,
        samples=samples,
    )
    return RunSet(
        observations=found.observations,
        runs=found.runs,
        problems=found.findings,
        diagnostics=found.diagnostics,
        reports=found.reports,
        first_variant=found.first_variant,
    )


def compare(
    observations: Observations | pd.DataFrame,
    *,
    baseline: str,
    variant: str | Sequence[str] | None = None,
    confidence: float = 0.95,
    margin: float = 0.03,
) -> Comparison:
    """Compare the variants in a table of observations of one's own.

    Parameters
    ----------
    observations : Observations or DataFrame
        With the columns of `benchkit.schema.COLUMNS`.
    baseline : str
    variant : str or sequence of str, optional
        All others if not given.
    confidence, margin : float

    Raises
    ------
    SchemaError
        If a column is missing or a value does not fit.
    """
    frame = schema.observations(observations)
    runset = RunSet(observations=frame, runs=schema.runs_of(frame))
    return runset.compare(baseline=baseline, variant=variant, confidence=confidence, margin=margin)


def formats() -> tuple[Format, ...]:
    """Return every format that can be read, plug-ins included."""
    return registry.formats()


def split_metric(text: str) -> tuple[str, str]:
    """Part ``metric.stat``; the stat is empty where only a metric is named.

    Examples
    --------
    >>> split_metric("latency.p99.9"), split_metric("request_rate")
    (('latency', 'p99.9'), ('request_rate', ''))
    """
    metric, _, stat = text.partition(".")
    return metric, stat
