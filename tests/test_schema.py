"""The single schema: valid tables are typed and ordered, others refused by column name."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import benchkit as bk
from benchkit import schema
from benchkit.comparison.model import ROW_KEY
from benchkit.derived.record import Run
from benchkit.errors import SchemaError
from benchkit.ingestion.frames import runs as runs_of_rows
from benchkit.ingestion.parts import Part
from benchkit.ingestion.rows import parts_table, read_parts
from benchkit.labels.pieces import Piece
from benchkit.labels.run_toml import Sidecar
from benchkit.reading.records import Reading
from benchkit.store.columns import plain

WRK = Path(__file__).resolve().parent.parent / "fixtures" / "tracing-wrk"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)

Data = dict[str, list[Any]]


@pytest.fixture
def row() -> Data:
    return {
        "group": [""],
        "variant": ["otlp"],
        "benchmark": ["/api"],
        "params": ["connections=8"],
        "run": [1],
        "subject": [None],
        "metric": ["latency"],
        "stat": ["p50"],
        "value": [0.001],
        "unit": ["s"],
        "n": [None],
        "time": [None],
        "resolution": [None],
        "origin": ["reported"],
        "tool": ["wrk"],
        "source": ["otlp/wrk-1.txt:4"],
    }


@pytest.fixture
def run() -> Data:
    known: Data = {
        "run": [1],
        "role": ["measured"],
        "load_model": ["closed"],
        "sources": [[{"path": "a.txt", "sha256": "0" * 64}]],
        "env": [{"cpu": "Xeon"}],
        "units": [{}],
    }
    names = schema.column_names(schema.RUN_COLUMNS)
    nullable = {column.name for column in schema.RUN_COLUMNS if column.nullable}
    return {name: known.get(name, [None if name in nullable else ""]) for name in names}


def test_order_of_the_columns_is_stable() -> None:
    assert ",".join(schema.column_names()) == (
        "group,variant,benchmark,params,run,subject,metric,stat,"
        "value,unit,n,time,resolution,origin,tool,source"
    )


def test_columns_are_ordered_and_typed(row: Data) -> None:
    shuffled = dict(sorted(row.items()))
    frame = schema.observations(shuffled)
    assert list(frame.columns) == schema.column_names()
    assert frame["run"].dtype == np.int32
    assert frame["value"].dtype == np.float64
    assert str(frame["n"].dtype) == "Int64"
    assert str(frame["time"].dtype) == "datetime64[us, UTC]"


def test_frame_is_accepted_like_a_mapping(row: Data) -> None:
    frame = schema.observations(pd.DataFrame(row))
    pd.testing.assert_frame_equal(frame, schema.observations(row))
    pd.testing.assert_frame_equal(frame, schema.observations(frame))


def test_empty_table_is_valid() -> None:
    frame = schema.observations({name: [] for name in schema.column_names()})
    assert len(frame) == 0
    assert frame["value"].dtype == np.float64


def test_unknown_values_stay_unknown(row: Data) -> None:
    frame = schema.observations(row)
    assert frame[["subject", "n", "time", "resolution"]].isna().all(axis=None)
    assert "None" not in frame.to_csv()


def test_times_become_utc(row: Data) -> None:
    row["time"] = [NOON.astimezone(timezone(timedelta(hours=2)))]
    assert schema.observations(row)["time"].iloc[0] == NOON


@pytest.mark.parametrize("name", schema.column_names())
def test_a_missing_column_is_named(row: Data, name: str) -> None:
    del row[name]
    with pytest.raises(SchemaError, match=rf"lacks the columns \['{name}'\]"):
        schema.observations(row)


def test_an_unknown_column_is_named(row: Data) -> None:
    row["colour"] = ["red"]
    with pytest.raises(SchemaError, match=r"unknown columns.*colour.*; the columns are group, "):
        schema.observations(row)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), None])
def test_value_must_be_finite(row: Data, value: float | None) -> None:
    row["value"] = [value]
    with pytest.raises(SchemaError, match=r"finite|missing value"):
        schema.observations(row)


@pytest.mark.parametrize("name", [c.name for c in schema.COLUMNS if not c.nullable])
def test_required_columns_must_have_values(row: Data, name: str) -> None:
    row[name] = [None]
    with pytest.raises(SchemaError, match=name):
        schema.observations(row)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("value", "fast"),
        ("run", "first"),
        ("run", 1.5),
        ("run", float("inf")),
        ("run", 1 + (1 << 32)),
        ("n", "many"),
        ("n", 2.5),
        ("time", "noon"),
        ("time", NOON.replace(tzinfo=None)),
    ],
)
def test_wrong_type_is_refused(row: Data, name: str, value: object) -> None:
    row[name] = [value]
    with pytest.raises(SchemaError, match=rf"column '{name}' is not of type"):
        schema.observations(row)


def test_columns_of_different_lengths_are_refused(row: Data) -> None:
    row["value"] = [0.001, 0.002]
    with pytest.raises(SchemaError, match="lengths"):
        schema.observations(row)


def test_runs_are_typed(run: Data) -> None:
    frame = schema.runs(run)
    assert list(frame.columns) == schema.column_names(schema.RUN_COLUMNS)
    assert frame["env"].iloc[0] == {"cpu": "Xeon"}
    assert frame["connections"].isna().all()


@pytest.mark.parametrize("role", schema.ROLES)
def test_roles(run: Data, role: str) -> None:
    run["role"] = [role]
    assert schema.runs(run)["role"].tolist() == [role]


def test_an_unknown_role_is_refused(run: Data) -> None:
    run["role"] = ["rehearsal"]
    with pytest.raises(SchemaError, match="'rehearsal'; expected one of measured, "):
        schema.runs(run)


def test_params_are_written_in_a_fixed_order() -> None:
    written = schema.format_params({"threads": "2", "connections": "8"})
    assert written == schema.format_params({"connections": "8", "threads": "2"})
    assert written == "connections=8,threads=2"
    assert schema.format_params({}) == ""


@pytest.mark.parametrize("is_reloaded", [False, True], ids=["as loaded", "of a frame"])
def test_both_frames_are_readable_as_parquet_by_other_tools(
    tmp_path: Path, is_reloaded: bool
) -> None:
    results = bk.load(WRK)
    results = bk.load(results.observations) if is_reloaded else results
    for name in ("observations", "runs"):
        pq.write_table(schema.to_arrow(getattr(results, name)), tmp_path / f"{name}.parquet")
    query = "SELECT env['host'], count(*) FROM read_parquet($path) GROUP BY ALL"
    rows = duckdb.execute(query, {"path": str(tmp_path / "runs.parquet")}).fetchall()
    assert rows == ([(None, 40)] if is_reloaded else [("127.0.0.1:8080", 80)])
    again = bk.load(pd.read_parquet(tmp_path / "observations.parquet")).observations
    assert again.equals(results.observations.reset_index(drop=True))
    with pytest.raises(SchemaError, match=r"missing columns: \['value'\]"):
        schema.to_arrow(results.observations.drop(columns="value"))


def test_units_and_machines_keep_their_entries_in_arrow() -> None:
    runs = bk.load(WRK.parent / "redis-gobench/baseline.txt").runs
    table = schema.to_arrow(runs)
    for name in ("units", "env"):
        assert list(map(dict, table.column(name).to_pylist())) == runs[name].tolist()
    assert table.column("sources").to_pylist() == runs["sources"].tolist()
    assert any(runs["env"])


#: Part of the facts, for a specific reason.
SELECTIONS = {
    "audit/facts.py": "facts that differ between repeats",
    "capture/resume.py": "what `capture` itself observes",
    "ingestion/outputs.py": "what a command line decides",
    "parsers/plow.py": "what the reports of one run share",
    "labels/run_toml.py": "other names for keys",
    "tables/environment.py": "what a table shows",
}


@pytest.mark.parametrize("owner", [Reading, Piece, Part, Sidecar, Run])
def test_run_facts_are_inherited_not_repeated(owner: type[schema.RunFacts]) -> None:
    facts = {fact.name for fact in schema.FACTS}
    assert issubclass(owner, schema.RunFacts)
    bases = owner.__mro__[: owner.__mro__.index(schema.RunFacts)]
    assert not facts & {name for base in bases for name in inspect.get_annotations(base)}
    assert facts <= {column.name for column in schema.RUN_COLUMNS}


def test_no_module_has_a_second_list_of_run_facts() -> None:
    package = Path(schema.__file__).parent
    facts = {fact.name for fact in schema.FACTS}
    lists = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if any(len(facts & names) > 3 for names in _list_names(path))
    }
    assert lists == {"schema.py", *SELECTIONS}


def _list_names(path: Path) -> Iterator[set[object]]:
    """Yield the fields of each class and the texts of each literal."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            fields = (part.target for part in node.body if isinstance(part, ast.AnnAssign))
            yield {field.id for field in fields if isinstance(field, ast.Name)}
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            yield {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}


def test_facts_of_a_reading_reach_the_store_and_the_table_of_runs() -> None:
    stated = {
        "str": "closed", "str?": "stated", "f64?": 1.5, "i64?": 3, "map": {"cpu": "Xeon"},
        "time?": NOON,
    }  # fmt: skip
    facts: dict[str, Any] = {fact.name: stated[fact.type] for fact in schema.FACTS}
    part = Part(path="a.txt", label="a.txt", tool="wrk", sha256="0", **facts)
    [again] = read_parts(plain(parts_table([part])))
    [row] = runs_of_rows(parts_table([again])).to_dict("records")
    assert {name: getattr(again, name) for name in facts} == facts
    assert {name: row[name] for name in facts} == facts


def test_labels_have_a_named_type_not_a_bare_tuple() -> None:
    package = Path(schema.__file__).parent
    aliases = re.compile(r"^_?\w+ = (?:Mapping\[)?tuple\[(?:str, ){3}", re.MULTILINE)
    texts = {
        path.relative_to(package).as_posix(): path.read_text() for path in package.rglob("*.py")
    }
    readers = ("parsers/", "reading/")
    modules = {name for name, text in texts.items() if aliases.search(text)}
    assert {name for name in modules if not name.startswith(readers)} == set()
    columns = {column.name: column.type for column in schema.COLUMNS}
    kinds = (schema.Labels, schema.Side, schema.Trial, schema.Workload)
    for names in (*(kind._fields for kind in kinds), ROW_KEY):
        assert set(names) <= columns.keys()
    labels = schema.Labels("g", "v", "b", "p=1", 2, "wrk")
    assert labels.side.labels(2) == labels
    assert labels.side.workload.side("v") == labels.side
    assert labels.trial == ("g", "v", 2)
