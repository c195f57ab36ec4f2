"""What a notebook hands over to be loaded: names with wild cards, and frames of its own.

In: paths and frames. Out: paths, or a `RunSet`. Why: a shell expands wild cards, Python does not;
and a table that was made or changed with pandas is as good as one that was read.
"""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.api.runset import RunSet
from benchkit.errors import ConfigError, DataError
from benchkit.ingestion.discovery import split_label
from benchkit.layout.natural import path_key

if TYPE_CHECKING:
    import pandas as pd


def expand(path: str) -> list[str]:
    """Return the paths that a wild card means, in natural order; any other path as it is.

    Parameters
    ----------
    path : str
        ``results/**/wrk-*.txt``, also as ``label=path``; what exists under its very name is meant.

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
    found = sorted(glob(pattern, recursive=True), key=path_key)  # noqa: PTH207 - as it was written
    if not found:
        raise DataError("no file or folder matches", where=pattern, hint="check the wild card")
    return [f"{label}={name}" if label else name for name in found]


def adopt(observations: pd.DataFrame, *, alone: bool = True) -> RunSet:
    """Make results of a table of one's own; each of its runs counts as measured.

    Parameters
    ----------
    observations : DataFrame
        With the columns of `benchkit.schema.COLUMNS`; others are left out.
    alone : bool
        Whether nothing else was asked for.

    Raises
    ------
    SchemaError
        If a column is missing or a value does not fit.
    ConfigError
        If something else was asked for.
    """
    if not alone:
        raise ConfigError(
            "a frame has its labels already, and stands alone",
            where="load",
            hint="change its columns with pandas, or join frames with pandas.concat",
        )
    own = [name for name in observations.columns if name not in schema.column_names()]
    frame = schema.observations(observations.drop(columns=own))
    return RunSet(observations=frame, runs=schema.runs_of(frame))
