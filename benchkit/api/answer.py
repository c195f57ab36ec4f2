"""A comparison and its views: frame, figures, report.

Every view of a comparison is an attribute, and is computed when it is first used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from benchkit.api.excerpt import join_shown, shorten, tabulate_findings
from benchkit.comparison import Comparisons
from benchkit.derived.saturation import DEFAULT as KNEE
from benchkit.errors import BenchkitError, Diagnostic, Finding
from benchkit.verdict import Verdicts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from benchkit.derived.amounts import Amounts
    from benchkit.derived.timeline import Track
    from benchkit.gating.result import GateResult
    from benchkit.plots.drawing import Plots
    from benchkit.plots.kinds import Material
    from benchkit.schema import Observations, Runs
    from benchkit.tables.derived import Part


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The comparison and everything it shows.

    Parameters
    ----------
    verdicts : Verdicts
    runs : Runs
    findings : tuple of Finding
    observations : Observations, optional
        The compared observations; without them there are no tables of sweeps, resources and spans.
    series : Observations, optional
        Samples of containers over time.
    knee, reason
        The rule for the knee of a sweep; the reason if nothing was compared.
    diagnostics : tuple of Diagnostic
        Problems with sources; the report lists them next to the files.

    Examples
    --------
    >>> import benchkit as bk
    >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
    >>> " ".join(comparison.verdict.split(" (")[0].split())
    '▲ otlp serves 13.1 % fewer requests/s than none'
    """

    verdicts: Verdicts
    runs: Runs
    findings: tuple[Finding, ...] = field(default=())
    observations: Observations | None = None
    series: Observations | None = None
    knee: str = KNEE
    reason: BenchkitError | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def comparisons(self) -> Comparisons:
        """The statistics alone.

        Ratios, intervals, p-values and effects, without margin or verdict; values are in base
        units.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.comparisons.pairs
        (('none', 'otlp'),)
        """
        return self.verdicts.comparisons

    @cached_property
    def verdict(self) -> str:
        """The verdict in one sentence.

        A mark and the results of the primary metrics; the sentence names what it has no room for,
        and ``print(comparison)`` shows it. Percentages are changes against the baseline.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.verdict[:6]
        '▲ otlp'
        """
        from benchkit.tables.derived import lead

        return lead(self.verdicts, self.parts, self.findings)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per comparison, with the columns of ``compare --format csv``.

        Identity of the row: group, benchmark, params, subject, metric, stat, unit, better, primary,
        baseline, variant. Measured values, in the base unit of ``unit``: n_baseline, n_variant
        (runs), center_baseline, center_variant (medians over runs) and delta, center_variant −
        center_baseline. Estimates: ratio, variant ÷ baseline (1.05 is +5 %) with ratio_low and
        ratio_high; rank methods estimate the median ratio over pairs of runs (Hodges and Lehmann),
        which differs slightly from center_variant ÷ center_baseline. Amounts around zero have no
        ratio, but difference, difference_low and difference_high. Evidence: method, p, p_adjusted,
        verdict, runs_needed, notes, detectable. Unknown numbers are NaN or None.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.frame.query("primary")[["metric", "ratio", "verdict"]].round(3).values
        array([['request_rate', 0.869, 'regression']], dtype=object)
        """
        return self._frame.copy()

    @cached_property
    def _frame(self) -> pd.DataFrame:
        """The original of every `frame`, which is a copy, so users can change theirs."""
        import pandas as pd

        from benchkit.reporting.to_json import row_values

        return pd.DataFrame([{**row_values(row), "notes": row.notes} for row in self.verdicts.rows])

    @property
    def findings_frame(self) -> pd.DataFrame:
        """The findings, one row each, with the columns of `RunSet.findings`.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.findings_frame.columns[:3].tolist()
        ['code', 'severity', 'message']
        """
        return tabulate_findings(self.findings)

    @property
    def plot(self) -> Plots:
        """The figures: ``plot.forest()``, ``plot.percentiles(ax=ax)``.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.plot.runs().axes[0].get_title(loc="left")
        'requests/s'
        """
        from benchkit.plots.drawing import Plots

        return Plots(self.material)

    @property
    def material(self) -> Material:
        """The data of the figures."""
        from benchkit.plots.kinds import Material

        return Material(
            verdicts=self.verdicts,
            runs=self.runs,
            observations=self.observations,
            series=self.series,
            knee=self.knee,
        )

    def render(
        self, form: str, *, title: str = "", command: str = "", templates: Path | None = None
    ) -> str:
        """Return the report.

        Parameters
        ----------
        form : {'html', 'md', 'json'}
        title : str
        command : str
            The command line that created it, for the section on method.
        templates : Path, optional
            A folder whose templates override those of the page.

        Returns
        -------
        str

        Raises
        ------
        ConfigError
            If the format is unknown or a template is invalid.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> "<title>Tracing" in comparison.render("html", title="Tracing")
        True
        """
        from benchkit import __version__
        from benchkit.reporting.formats import render
        from benchkit.reporting.model import build

        built = build(
            self.verdicts,
            self.runs,
            self.findings,
            title=title,
            command=command,
            version=__version__,
            parts=self.parts,
            tracks=self.tracks,
            diagnostics=self.diagnostics,
            amounts=self.wide,
        )
        return render(built, form, templates)

    def to_markdown(self) -> str:
        """Return the report as Markdown.

        Returns
        -------
        str

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.to_markdown() == comparison.render("md")
        True
        """
        return self.render("md")

    def to_html(self) -> str:
        """Return the report as one self-contained page.

        Returns
        -------
        str
            HTML that loads nothing from elsewhere.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.to_html()[:15]
        '<!doctype html>'
        """
        return self.render("html")

    def _repr_html_(self) -> str:
        from benchkit.reporting.model import build
        from benchkit.reporting.to_html import to_fragment

        built = build(self.verdicts, self.runs, self.findings, parts=self.parts)
        return to_fragment(built)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """The tables next to the comparison: doses, sweeps, resources and spans.

        By name, ``dose``, ``held``, ``sweep``, ``resources`` and ``spans``: the tables shown,
        sentences, or the reason why there are none (``missing``).

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> [name for name, part in comparison.parts.items() if part.tables]
        []
        >>> comparison.parts["sweep"].missing
        'No sweep: no benchmark has 3 levels of load or more.'
        """
        from benchkit.tables.derived import build_parts

        return build_parts(self.verdicts, self.runs, self.observations, self.knee)

    def to_frame(self) -> pd.DataFrame:
        """Return `frame`.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.to_frame().query("primary").ratio.round(3).tolist()
        [0.869]
        """
        return self.frame

    def to_csv(self, path: str | Path | None = None) -> str:
        """Return the rows as ``compare --format csv`` writes them.

        Parameters
        ----------
        path : str or Path, optional
            A file to write them to.

        Returns
        -------
        str

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.to_csv()[:24]
        'group,benchmark,params,s'
        """
        from benchkit.reporting.to_json import to_csv

        return to_csv(self.verdicts, path)

    def gate(self, policy: Mapping[str, object] | str | Path | None = None) -> GateResult:
        """Check the comparison against a policy, like `benchkit.gate`.

        Parameters
        ----------
        policy : mapping or path, optional
            ``benchkit.toml``, or its content; without one, any significant regression fails.

        Returns
        -------
        GateResult

        Raises
        ------
        ConfigError
            If the policy cannot be read.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.gate().has_passed
        False
        """
        from benchkit.gating.run import gate

        return gate(self, {} if policy is None else policy)

    @property
    def wide(self) -> Amounts:
        """One row per variant, as benchmark authors publish it: the cells of ``compare --wide``.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> [variant for _, variant in comparison.wide]
        ['none', 'otlp']
        """
        from benchkit.derived.amounts import list_amounts

        if self.observations is None:
            return {}
        return list_amounts(self.observations, self.runs, self.comparisons.confidence)

    @cached_property
    def tracks(self) -> list[Track]:
        """Latency, CPU and memory over the course of each run.

        One `Track` per run and quantity, in base units against seconds since the start of the run;
        empty if no request has a time and no container was sampled.

        Examples
        --------
        >>> import benchkit as bk
        >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none", variant="otlp")
        >>> comparison.tracks
        []
        """
        from benchkit.derived.record import list_measured
        from benchkit.derived.timeline import find_tracks

        if self.observations is None:
            return []
        return find_tracks(self.observations, list_measured(self.runs), self.series)

    def __str__(self) -> str:
        """Write the verdict, the primary rows and the most severe findings as plain text."""
        from benchkit.reporting.head import write_lines
        from benchkit.tables.findings import IN_PYTHON, summarise_findings
        from benchkit.tables.overhead import primary_tables

        lines = write_lines(self.verdicts, self.runs, self.parts, self.findings)
        side_tables = [table for part in self.parts.values() for table in part.tables]
        tables = [str(shorten(each)) for each in primary_tables(self.verdicts, "") or side_tables]
        return join_shown(lines, tables, summarise_findings(self.findings, rest=IN_PYTHON))

    __repr__ = __str__
