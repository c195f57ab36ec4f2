"""The inputs of `load`: paths, possibly with wildcards, and data frames.

A shell expands wildcards, Python does not; and a table made or changed with pandas is as good as
one that was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from benchkit import schema
from benchkit.api.runset import RunSet
from benchkit.errors import ConfigError, DataError, Finding
from benchkit.ingestion.addresses import split_label
from benchkit.labels.walk import path_key
from benchkit.listing import list_first
from benchkit.metrics import PERCENTILES, VOCABULARY
from benchkit.parsers import registry

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

#: The primary metrics if the tool does not decide.
_HEADLINES = (("time_per_op", "sample"), ("time_per_op", "mean"), ("request_rate", "mean"),
              ("latency", "p50"))  # fmt: skip
#: The preferred statistic of a primary metric.
_STATS = ("sample", "p50", "median", *PERCENTILES, "mean")
#: Maximum number of variants that the finding names.
_SHOWN = 4


class Arrowed(Protocol):
    """A table of Arrow, Polars or another library that pandas can convert."""

    def to_pandas(self) -> pd.DataFrame:
        """Convert it to pandas."""
        ...


def expand(path: str) -> list[str]:
    """Return the paths that match a wildcard, in natural order; any other path unchanged.

    Parameters
    ----------
    path : str
        ``results/**/wrk-*.txt``, also as ``label=path``; an existing path of exactly this name
        takes precedence.

    Raises
    ------
    DataError
        If nothing matches.

    Examples
    --------
    >>> expand("fixtures/redis-gobench")
    ['fixtures/redis-gobench']
    >>> expand("fixtures/redis-gobench/[bd]*.txt")
    ['fixtures/redis-gobench/baseline.txt', 'fixtures/redis-gobench/disabled.txt']
    """
    label, pattern = split_label(path)
    if not has_magic(pattern) or Path(pattern).exists() or "://" in pattern:
        return [path]
    names = sorted(glob(pattern, recursive=True), key=path_key)  # noqa: PTH207 - as it was written
    if not names:
        raise DataError("no file or folder matches", where=pattern, hint="check the wildcard")
    return [f"{label}={name}" if label else name for name in names]


def flatten(paths: Iterable[object]) -> Iterator[object]:
    """Yield paths and tables one by one; those of a mapping as ``label=path``.

    Raises
    ------
    ConfigError
        If a mapping has a label for something other than a path.

    Examples
    --------
    >>> [*flatten([["a.txt", "b.txt"], {"none": "c.txt"}])]
    ['a.txt', 'b.txt', 'none=c.txt']
    """
    for path in paths:
        if isinstance(path, Mapping):
            for label, labelled in path.items():
                for each in flatten([labelled]):
                    if not isinstance(each, (str, PathLike)):
                        name = type(each).__name__
                        hint = "add a column: table.assign(variant=…)"
                        message = f"expected a path after {label!r}, got {name}"
                        raise ConfigError(message, where="load", hint=hint)
                    yield f"{label}={fspath(each)}"
        elif isinstance(path, (list, tuple)):
            yield from flatten(path)
        else:
            yield path


def adopt(table: object, columns: Mapping[str, str] | None = None, *, alone: bool = True) -> RunSet:
    """Create results from a user's table; each of its runs counts as measured.

    Parameters
    ----------
    table : DataFrame, or what has ``to_pandas``
        With the columns of `benchkit.schema.COLUMNS`; others are left out.
    columns : mapping of str to str, optional
        Maps the names of these columns to its own.
    alone : bool
        Whether nothing else was requested.

    Raises
    ------
    SchemaError
        If a column is missing, a value or unit is invalid, or a run has two different values.
    ConfigError
        If it is not a table, or something else was requested, too.
    """
    from benchkit.api.frames import name_columns, take

    frame = read_table(table)
    if not alone:
        raise ConfigError(
            "a frame already has labels and samples, so it must be the only argument",
            where="load",
            hint="change its columns with pandas; to join frames, use pandas.concat and give the "
            "runs of each frame their own numbers",
        )
    frame = frame if columns is None else name_columns(frame, columns)
    taken, models = take(frame)
    observations, problems = join_tools(taken)
    joined = zip(schema.list_labels(taken), schema.list_labels(observations), strict=True)
    names = dict(joined) if models else {}
    runs = _list_runs(observations, {names[labels]: models[labels] for labels in models})
    return RunSet(
        observations=observations,
        runs=runs,
        problems=(_report_unknown(len(runs)), *problems),
        headline=choose_headline(observations),
    )


def _report_unknown(runs: int) -> Finding:
    """B107: a table has values, but facts about its runs are in another one."""
    return Finding(
        code="B107",
        severity="info",
        message="this table has no run metadata, so the rules about order, length, machine, "
        "version, command and containers were skipped",
        remedy="to apply these rules, compare what bk.load(path) returns, and select runs with "
        ".where(…)",
        numbers={"runs": runs},
    )


def read_table(table: object) -> pd.DataFrame:
    """Return a table as pandas: a DataFrame, or one converted from Arrow or Polars.

    Raises
    ------
    ConfigError
        If it is not a table.
    """
    import pandas as pd

    convert = getattr(table, "to_pandas", None)
    frame = convert() if callable(convert) else table
    if isinstance(frame, pd.DataFrame):
        return frame
    hint = "pass each str, Path or DataFrame as its own argument"
    if isinstance(table, (set, frozenset)):
        hint = "write bk.load(*paths)"
    elif isinstance(table, RunSet):
        hint = "the results are already loaded: results.compare(baseline=…)"
    elif isinstance(table, (str, PathLike)):  # load would take it for a path
        hint = "bk.load(path).compare(baseline=…)"
    name = type(table).__name__
    raise ConfigError(f"expected a path or a table, got {name}", where="load", hint=hint)


def join_tools(observations: Observations) -> tuple[Observations, tuple[Finding, ...]]:
    """Give variants that each have a single tool a common tool, so they can be compared.

    Returns
    -------
    tuple of (Observations, findings)
        Unchanged if a variant has several tools, or all have the same.
    """
    pairs = observations[["variant", "tool"]].drop_duplicates()
    tools = dict(zip(pairs["variant"].tolist(), pairs["tool"].tolist(), strict=True))
    names = sorted({tool for tool in tools.values() if tool})
    if len(tools) < len(pairs) or len(set(tools.values())) < 2:
        return observations, ()
    joined: Observations = observations.assign(tool="+".join(names))
    if len(names) < 2:
        return joined, ()
    listed = [f"{variant} was measured by {tool}" for variant, tool in tools.items() if tool]
    finding = Finding(
        code="B108",
        severity="warning",
        message=f"{list_first(listed, _SHOWN)}: a difference between the tools looks like a "
        "difference between the variants",
        remedy="measure both variants with one tool; if both names mean the same tool, use one "
        "name",
        numbers={"tools": len(names)},
    )
    return joined, (finding,)


def _rank(stat: str) -> int:
    return _STATS.index(stat) if stat in _STATS else len(_STATS)


def choose_headline(
    observations: Observations, runs: Runs | None = None
) -> tuple[tuple[str, str], ...]:
    """Choose primary metrics for a table whose tools lack the usual ones.

    Returns
    -------
    tuple of (metric, stat)
        Empty if the tools have theirs. Otherwise the usual ones, the only metric, or those of
        several whose better direction is known or recorded, each with one statistic.
    """
    whole = observations[observations["subject"].isna() | (observations["subject"] == "")]
    rows = whole[["tool", "metric", "stat"]].drop_duplicates()
    measured = list(rows.itertuples(index=False, name=None))
    if any(
        (metric, stat) in registry.tool(tool).find_primaries(registry.tool(tool).load_model)
        for tool, metric, stat in measured
    ):
        return ()
    known = dict.fromkeys((metric, stat) for _, metric, stat in measured)
    if usual := tuple(pair for pair in _HEADLINES if pair in known):
        return usual
    stats: dict[str, list[str]] = {}
    for metric, stat in known:
        stats.setdefault(metric, []).append(stat)
    directed = {word.name for word in VOCABULARY.values() if word.better != "none"}
    if runs is not None:
        directed |= {name for units in runs["units"].tolist() for name in units or ()}
    return tuple(
        (metric, min(each, key=_rank))
        for metric, each in stats.items()
        if len(stats) == 1 or metric in directed
    )


def _list_runs(observations: Observations, models: Mapping[schema.Labels, str]) -> Runs:
    """Create the table of runs from observations and load models; all are measured."""
    names = schema.column_names(schema.RUN_COLUMNS)
    rows = [
        {
            **dict.fromkeys(names),
            **labels._asdict(),
            "role": "measured",
            "load_model": models.get(labels, registry.tool(labels.tool).load_model),
            **{column.name: {} for column in schema.FACTS if column.type == "map"},
            "sources": [],
        }
        for labels in dict.fromkeys(schema.list_labels(observations))
    ]
    return schema.runs({name: [row[name] for row in rows] for name in names})
