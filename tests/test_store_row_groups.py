"""Samples of many sources in one file: a metric with many samples has its own row groups."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchkit.store import Store
from benchkit.store.batch_files import ALONE, write_files
from benchkit.store.columns import values_schema

TEXTS = {"stat": "sample", "unit": "s", "origin": "reported"}


def make_batch(number: int, counts: dict[str, int]) -> pa.RecordBatch:
    metrics = [metric for metric, count in counts.items() for _ in range(count)]
    rows = {"batch": number, "raw": True, "piece": 0, "line": 1, "value": 1.0, **TEXTS}
    columns = {name: pa.array([value] * len(metrics)) for name, value in rows.items()}
    table = pa.table({**columns, "metric": metrics})
    for field in values_schema():
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(len(table), field.type))
    (batch,) = table.select(values_schema().names).cast(values_schema()).to_batches()
    return batch


def list_groups(path: Path) -> list[tuple[str, str, int]]:
    """Return the first and last metric of each row group, and its number of rows."""
    metadata = pq.ParquetFile(path).metadata
    place = pq.ParquetFile(path).schema_arrow.names.index("metric")
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return [
        (group.column(place).statistics.min, group.column(place).statistics.max, group.num_rows)
        for group in groups
    ]


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ({"a": 10, "b": 20}, [("a", "b", 30)]),
        (
            {"a": 10, "b": ALONE, "c": 5, "d": 6},
            [("a", "a", 10), ("b", "b", ALONE), ("c", "d", 11)],
        ),
        ({"a": ALONE, "b": ALONE}, [("a", "a", ALONE), ("b", "b", ALONE)]),
    ],
)
def test_metric_with_many_samples_has_its_own_row_group(
    tmp_path: Path, counts: dict[str, int], groups: list[tuple[str, str, int]]
) -> None:
    sources = [make_batch(7, {metric: count}) for metric, count in reversed(counts.items())]
    (file,) = write_files(tmp_path, 7, sources)
    assert list_groups(file.path) == groups


def test_merged_files_have_the_same_row_groups(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in (1, 2):
        batch = make_batch(number, {"a": 10, "b": ALONE // 2, "c": 5})
        with store.staging(number) as folder:
            store.add(write_files(folder, number, [batch]))
    named = pa.table({"batch": [1, 2], "piece": [0, 0], "path": ["1", "2"]})
    store.commit_pieces(lambda _: named)
    store.tidy(thoroughly=True)
    (joined,) = Store(str(tmp_path))._values.list_files(store._values.open())  # type: ignore[arg-type]
    assert list_groups(tmp_path / "values" / joined["path"]) == [
        ("a", "a", 20),
        ("b", "b", ALONE),
        ("c", "c", 10),
    ]
