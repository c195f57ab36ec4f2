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

from benchkit import config, metrics, schema, selection
from benchkit.audit import audit
from benchkit.comparison import Comparisons, Plan
from benchkit.comparison import compare as compare_rows
from benchkit.errors import ConfigError, DataError, Diagnostic, Finding, SourceReport
from benchkit.ingestion import loading
from benchkit.ingestion.discovery import Options
from benchkit.parsers import registry
from benchkit.parsers.base import Format
from benchkit.verdict import Verdicts, judge

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs
    from benchkit.selection import Label


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
        What was found while loading; `findings` is the same as a frame.
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
        """The findings, one row each: code, severity, message, remedy, where, numbers."""
        import pandas as pd

        names = [field.name for field in fields(Finding)]
        rows = [[getattr(finding, name) for name in names] for finding in self.problems]
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

        Raises
        ------
        SelectionError, BaselineError, DataError
        ConfigError
            If ``blocks`` is not known.
        """
        chosen = tuple(pairs) or self.choose_pairs(baseline, variant)
        for pair in chosen:
            for name in pair:
                selection.require(name, self.variants, "variant")
        primaries = tuple(map(split_metric, metrics))
        plan = Plan(confidence=confidence, primaries=primaries, blocks=blocks)
        self._require_metrics(plan)
        for base, other in chosen:
            if base == other:
                raise ConfigError(f"{base!r} with itself", where="pair", hint="name two variants")
        comparisons = compare_rows(self.observations, self.runs, chosen, plan)
        verdicts = judge(comparisons, margin)
        findings = (*self.problems, *audit(comparisons, self.runs, self.observations))
        return Comparison(verdicts=verdicts, runs=self.runs, findings=findings)

    def holding(self, observations: Observations) -> RunSet:
        """Return the same runs with other observations."""
        return replace(self, observations=observations)

    def choose_pairs(
        self, baseline: str | None, variant: str | Sequence[str] | None
    ) -> tuple[tuple[str, str], ...]:
        """Return who is compared with whom; a baseline that is not named is guessed from names."""
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
    """

    verdicts: Verdicts
    runs: Runs
    findings: tuple[Finding, ...] = field(default=())

    @property
    def comparisons(self) -> Comparisons:
        """The evidence alone."""
        return self.verdicts.comparisons

    @cached_property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from benchkit.tables.sentence import headline

        return headline(self.verdicts)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per comparison, with the columns of ``compare --format csv``."""
        import pandas as pd

        from benchkit.report.to_json import row_values

        return pd.DataFrame([row_values(row) for row in self.verdicts.rows])

    def render(self, form: str, *, title: str = "", command: str = "") -> str:
        """Return the report.

        Parameters
        ----------
        form : {'html', 'md', 'json'}
        title : str
        command : str
            The command line that made it, for the section on method.
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
        )
        return render(built, form)

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        return self.render("md")

    def to_html(self) -> str:
        """Return the report as one self-contained page."""
        return self.render("html")

    def _repr_html_(self) -> str:
        from benchkit.report.model import build
        from benchkit.report.to_html import to_fragment

        return to_fragment(build(self.verdicts, self.runs, self.findings))

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
    runset = RunSet(observations=frame, runs=_runs_of(frame))
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


def _runs_of(frame: Observations) -> Runs:
    """Tell of each run what observations alone tell."""
    keys = frame[list(schema.RUN_KEY)].drop_duplicates()
    rows = [
        {
            **dict.fromkeys(schema.column_names(schema.RUN_COLUMNS)),
            **dict(zip(schema.RUN_KEY, key, strict=True)),
            "role": "measured",
            "load_model": metrics.load_model(key[schema.RUN_KEY.index("tool")]),
            "units": {},
            "env": {},
            "sources": [],
        }
        for key in keys.itertuples(index=False, name=None)
    ]
    names = schema.column_names(schema.RUN_COLUMNS)
    return schema.runs({name: [row[name] for row in rows] for name in names})
