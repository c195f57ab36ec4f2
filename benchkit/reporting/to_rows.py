"""The table of observations and the table of runs as CSV, JSON and Parquet.

Floats are the shortest that round-trip, times are RFC 3339 in UTC, and unknown values are empty.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from benchkit import schema
from benchkit.reporting.json_text import format_json
from benchkit.reporting.to_json import write_cell

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations, Runs

FORMAT_VERSION = 1


def write_csv(frames: Iterable[Observations], out: IO[str]) -> None:
    """Write the observations as CSV, frame by frame, columns in their public order."""
    writer = csv.writer(out, lineterminator="\n")
    for number, frame in enumerate(frames):
        if not number:
            writer.writerow(frame.columns)
        writer.writerows(map(_cells, _rows(frame)))


def write_json(frames: Iterable[Observations], out: IO[str]) -> None:
    """Write the observations as JSON: ``{"format_version": 1, "observations": [{…}]}``."""
    out.write(f'{{"format_version": {FORMAT_VERSION}, "observations": [')
    before = "\n"
    for frame in frames:
        for row in _rows(frame):
            line = dict(zip(frame.columns, row, strict=True))
            out.write(before + format_json(line, None))
            before = ",\n"
    out.write("\n]}\n")


def to_parquet(frames: Iterable[Observations], path: Path) -> None:
    """Write the observations as a Parquet file; they are held in memory completely."""
    import pandas as pd

    pd.concat(list(frames)).to_parquet(path, index=False, engine="pyarrow")


def runs_to_csv(runs: Runs) -> str:
    """Write the runs as CSV; sources and maps as JSON texts."""
    names = schema.column_names(schema.RUN_COLUMNS)
    flat = (
        [format_json(v, None) if isinstance(v, (dict, list)) else v for v in row]
        for row in _rows(runs)
    )
    return rows_to_csv(names, flat)


def runs_to_json(runs: Runs) -> str:
    """Write the runs as JSON: ``{"format_version": 1, "runs": [{…}]}``."""
    names = schema.column_names(schema.RUN_COLUMNS)
    rows = [dict(zip(names, row, strict=True)) for row in _rows(runs)]
    return _json({"format_version": FORMAT_VERSION, "runs": rows})


def _rows(frame: pd.DataFrame) -> Iterator[list[Any]]:
    columns = [[_plain(value) for value in frame[name].tolist()] for name in frame.columns]
    return (list(row) for row in zip(*columns, strict=True))


def _cells(row: list[Any]) -> list[Any]:
    """Return a row for CSV; its texts are harmless in spreadsheets and terminals."""
    return [_write_text(value) if isinstance(value, str) else value for value in row]


_write_text = lru_cache(1 << 12)(write_cell)  # labels are the same in thousands of rows


def _plain(value: object) -> object:
    """Return a value for JSON; None if it is unknown."""
    if value is None or isinstance(value, (str, int, list, dict)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime) and value == value:  # noqa: PLR0124 - NaT differs from itself
        return value.isoformat().replace("+00:00", "Z")
    return None


def rows_to_csv(names: Sequence[str], rows: Iterable[list[Any]]) -> str:
    """Write rows as CSV below their names; no text is read as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(map(_cells, rows))
    return out.getvalue()


def _json(document: dict[str, Any]) -> str:
    return format_json(document, 1)
