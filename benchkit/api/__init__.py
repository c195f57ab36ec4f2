"""What notebooks import: load results, compare them, look at them.

In: paths, a store, or frames of one's own. Out: `RunSet` and `Comparison`.
Why: the command line and the notebook are two doors to the same rooms.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchkit import schema
from benchkit.api.answer import Comparison as Comparison
from benchkit.api.runset import RunSet as RunSet
from benchkit.ingestion import loading
from benchkit.ingestion.discovery import Options
from benchkit.parsers import registry
from benchkit.parsers.base import Format

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations


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
