"""What notebooks import: load results, compare them, look at them.

The command line and notebooks use the same functions.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from benchkit.api.answer import Comparison as Comparison
from benchkit.api.inputs import Arrowed, adopt, choose_headline, expand, flatten
from benchkit.api.runset import RunSet as RunSet
from benchkit.codes import spell_out
from benchkit.config import DEFAULT_BLOCKS, DEFAULT_METHOD
from benchkit.derived.saturation import DEFAULT as KNEE
from benchkit.errors import ConfigError
from benchkit.ingestion import loading
from benchkit.ingestion.discovery import Options
from benchkit.outputs import save
from benchkit.parsers import registry
from benchkit.parsers.base import Format
from benchkit.parsers.mapped import TOOL

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.labels.splitting import NameSplit
    from benchkit.schema import Observations


#: A path, or a user's table.
Loadable: TypeAlias = "str | os.PathLike[str] | pd.DataFrame | Arrowed"


def load(
    *paths: Loadable | Mapping[str, Loadable | Sequence[Loadable]] | Sequence[Loadable],
    layout: str | None = None,
    variant: str | None = None,
    rename: str | Sequence[str] = (),
    as_format: str | None = None,
    samples: bool = False,
    options: Options | None = None,
    store: str | None = None,
    origin: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> RunSet:
    """Load raw files and folders, a store, or your own table.

    Parameters
    ----------
    *paths : str, path or table
        Files, folders, globs (``results/**/wrk-*.txt``), folders of a commit (``git:REF:results``)
        or behind a URL (``s3://…``, ``https://….zip``), each optionally as ``label=path``; a list
        of them, or a mapping of labels to them (``{"none": a, "otlp": b}``). A single folder or URL
        that is a store (``s3://bucket/results``) is read as one; without a path, the default store
        is read. A single frame (or Arrow table, or any object with ``to_pandas``) has columns of
        `benchkit.schema.COLUMNS`: ``variant``, ``metric`` and ``value`` are enough; other columns
        except ``load_model`` are ignored; each of its runs counts as measured.
    layout, variant : str, optional
        A pattern for paths, ``"{variant}/{run}.txt"``; the variant of everything that is read.
    rename : str or sequence of str
        Renames benchmarks: ``"s#old#new#"``.
    as_format : str, optional
        The format of everything that is read, a name of `formats`, instead of recognition.
    samples : bool
        Whether raw samples are loaded, too.
    options : Options, optional
        Replaces these four.
    store : str, optional
        Folder or URL of the store, default ``.benchkit``.
    origin : str or sequence of str
        The CI job or machine (or the beginning of its name) whose runs of a store are loaded, the
        preferred one first; needed for variants that several origins have.
    columns : mapping of str to str, optional
        For a single frame: which of its columns is ``variant``, ``benchmark``, ``run``, ``metric``,
        ``value``, ``unit`` or another label, as in ``{"variant": "build", "value": "ms"}``. Values
        in a known unit such as ``ms`` are converted; without a column ``metric``, the column of
        values determines it.

    Returns
    -------
    RunSet

    Raises
    ------
    DataError
        If there is nothing to load.
    SchemaError
        If a frame lacks a column, a value or a unit is invalid, or a run has two different values.
    ConfigError
        If a frame is combined with other paths or with options, or something is neither path nor
        table.

    Examples
    --------
    >>> import benchkit as bk
    >>> bk.load("fixtures/tracing-wrk").variants
    ['apm', 'none', 'otlp', 'skywalking', 'zipkin']
    >>> bk.load("fixtures/tracing-wrk/otlp/wrk-*.txt").variants
    ['otlp']
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"build": ["old", "old", "new", "new"], "ms": [12, 13, 15, 14]})
    >>> bk.load(frame, columns={"variant": "build", "value": "ms"}).observations.value.tolist()
    [0.012, 0.013, 0.015, 0.014]
    """
    names: list[str] = []
    renames = (rename,) if isinstance(rename, str) else tuple(rename)
    from_arguments = Options(layout=layout, variant=variant, rename=renames, as_format=as_format)
    for path in flatten(paths):
        if not isinstance(path, (str, os.PathLike)):
            has_options = layout or variant or rename or as_format or options or store or samples
            has_options = has_options or origin
            return adopt(path, columns, alone=len(paths) == 1 and not has_options)
        names.append(os.fspath(path))
    if columns is not None:
        hint = "load the table with pandas first, or pass a map: `benchkit help maps`"
        raise ConfigError("columns= needs a table, got paths", where="load", hint=hint)
    origins = (origin,) if isinstance(origin, str) else tuple(origin)
    runset = read(names, options or from_arguments, store, samples=samples, origins=origins)
    return replace(
        runset,
        observations=spell_out(runset.observations),
        runs=spell_out(runset.runs),
        series=None if runset.series is None else spell_out(runset.series),
    )


def read(
    paths: Sequence[str],
    options: Options,
    store: str | None,
    *,
    samples: bool = False,
    origins: Sequence[str] = (),
    light: bool = False,
) -> RunSet:
    """Load results like `load`, with texts as codes: many runs take a third of the memory.

    Small results may be in `benchkit.light` frames.
    """
    names = [name for path in paths for name in expand(path)]
    loaded = loading.load(names, options, store, samples=samples, origins=origins, light=light)
    observations = loaded.observations
    is_mapped = observations["tool"].eq(TOOL).any()
    return RunSet(
        observations=observations,
        runs=loaded.runs,
        series=loaded.series,
        contested=loaded.contested,
        stale=loaded.stale,
        problems=loaded.findings,
        diagnostics=loaded.diagnostics,
        reports=loaded.reports,
        first_variant=loaded.first_variant,
        headline=choose_headline(observations, loaded.runs) if is_mapped else (),
        again=partial(_read_split, paths, options, store, origins),
    )


def _read_split(
    paths: Sequence[str],
    options: Options,
    store: str | None,
    origins: Sequence[str],
    split: NameSplit,
) -> RunSet:
    """Load results again, with the benchmark names split differently."""
    from benchkit.ingestion.layout import suppose

    runset = read(paths, suppose(options, split), store, origins=origins)
    return replace(runset, again=None)


def compare(
    observations: Observations | pd.DataFrame | Arrowed,
    *,
    baseline: str | None = None,
    variant: str | Sequence[str] | None = None,
    confidence: float | str = 0.95,
    margin: float | str = 0.03,
    metrics: str | Sequence[str] = (),
    blocks: str = DEFAULT_BLOCKS,
    method: str = DEFAULT_METHOD,
    knee: str = KNEE,
) -> Comparison:
    """Compare the variants in your own table of observations.

    Parameters
    ----------
    observations : Observations or DataFrame
        With columns of `benchkit.schema.COLUMNS`, values in base units. ``variant``, ``metric`` and
        ``value`` are enough: runs come from the index of that name, or are numbered.
    baseline : str, optional
        Inferred from the names by default.
    variant : str or sequence of str, optional
        All others by default.
    confidence : float or str
        Of each interval: ``0.95`` or ``"95%"``.
    margin : float or str
        The smallest change that matters, as a share of the baseline: ``0.03`` or ``"3%"``.
    metrics : str or sequence of str
        ``metric`` or ``metric.stat``: the primaries. By default those of the tool; for an unknown
        tool, operation times, request rates and median latencies, or the only metric.
    blocks, method, knee : str
        As in `RunSet.compare`.

    Returns
    -------
    Comparison

    Raises
    ------
    SchemaError
        If a column is missing, a value or unit is invalid, or a run has two different values.
    SelectionError, DataError
        If a name does not exist, or there are no two variants.
    ConfigError
        If a share is not between 0 and 1, or an option is unknown.

    Examples
    --------
    >>> import benchkit as bk
    >>> frame = bk.load("fixtures/tracing-wrk").observations
    >>> small = frame[frame["metric"] == "request_rate"][["variant", "metric", "value"]]
    >>> bk.compare(small, variant="otlp").frame.ratio.round(3).tolist()
    [0.869]
    >>> late = frame.query("run > 2").pipe(bk.compare, baseline="none", variant="otlp")
    >>> late.frame.query("primary").ratio.round(3).tolist()
    [0.864]
    """
    return adopt(observations).compare(
        baseline=baseline,
        variant=variant,
        confidence=confidence,
        margin=margin,
        metrics=metrics,
        blocks=blocks,
        method=method,
        knee=knee,
    )


def report(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    templates: str | os.PathLike[str] | None = None,
) -> Path:
    """Write the report of a comparison to a file.

    Parameters
    ----------
    comparison : Comparison
    path : str or path
        Its extension determines the format: ``.html``, ``.md``, ``.json``, or ``.csv`` for the rows
        alone.
    title : str
    templates : str or path, optional
        A folder whose templates override those of the page, or the name of a plug-in.

    Returns
    -------
    Path
        The written file.

    Raises
    ------
    ConfigError
        If the extension is unknown, a template is invalid, the file cannot be written, or this is
        not a comparison.

    Examples
    --------
    >>> import benchkit as bk
    >>> from tempfile import gettempdir
    >>> comparison = bk.load("fixtures/tracing-wrk").compare(baseline="none")
    >>> bk.report(comparison, f"{gettempdir()}/report.md").name
    'report.md'
    """
    if not isinstance(comparison, Comparison):
        raise ConfigError(
            f"expected a comparison, got {type(comparison).__name__}",
            where="report",
            hint="pass the result of compare: bk.report(results.compare(baseline=…), path)",
        )
    target = _require_path(path)
    form = target.suffix.removeprefix(".").lower()
    folder = None if templates is None else Path(templates)
    text = comparison.render(form, title=title, templates=folder)
    save(target, lambda path: path.write_text(text, encoding="utf-8"))
    return target


def _require_path(path: object) -> Path:
    if isinstance(path, (str, os.PathLike)):
        return Path(path)
    name = type(path).__name__
    raise ConfigError(
        f"expected a path, got {name}",
        where="report",
        hint="give a file name, for example report.html",
    )


def formats() -> tuple[Format, ...]:
    """Return all readable formats, including those of plug-ins.

    Returns
    -------
    tuple of Format
        Each with ``name``, ``tools``, ``summary`` and ``forms``.

    Examples
    --------
    >>> import benchkit as bk
    >>> [format.name for format in bk.formats()][:3]
    ['wrk', 'ab', 'ab_tsv']
    """
    return registry.formats()
