"""benchkit's exports are read back unchanged, in each format."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import benchkit as bk
from benchkit import schema
from benchkit.cli import run
from benchkit.errors import Diagnostic, ExitCode
from benchkit.parsers.base import Reading
from benchkit.parsers.exported import EXPORT
from benchkit.reading.source import Source
from benchkit.redaction.commands import redact_label
from benchkit.reporting import to_rows

FIXTURES = Path(__file__).parents[2] / "fixtures"
Captured = pytest.CaptureFixture[str]

names = (
    st.text(alphabet="ab=+-@' /,.\"é1", max_size=8)
    .map(str.strip)
    .filter(lambda name: redact_label(name) == name)  # for example the credentials in `//a@`
)
labels = st.fixed_dictionaries(
    {
        "group": names,
        "variant": st.sampled_from(["none", "=otlp", "'-a", "b c"]),
        "benchmark": names,
        "params": st.dictionaries(
            st.sampled_from("abc"), st.text(alphabet="x1-+", min_size=1, max_size=4)
        ).map(schema.format_params),
        "run": st.integers(0, (1 << 31) - 1),
        "subject": st.none() | st.sampled_from(["server", "-x", "a,b"]),
        "metric": st.sampled_from(["latency", "own-unit"]),
        "stat": st.sampled_from(["p50", "mean", "sample"]),
        "value": st.just(0.0) | st.floats(1e-30, 1e300),
        "unit": st.just("s"),
        "n": st.none() | st.integers(0, 1 << 40),
        "time": st.none()
        | st.datetimes(pd.Timestamp("1990-01-01"), pd.Timestamp("2090-01-01")).map(
            lambda time: pd.Timestamp(time, tz="UTC")
        ),
        "resolution": st.none() | st.sampled_from([1e-9, 0.5]),
        "origin": st.sampled_from(["reported", "computed"]),
        "tool": st.sampled_from(["wrk", "gobench", "k6", "cadvisor", "of my own"]),
        "source": st.sampled_from(["a/b.txt:3", "c.json:19"]),
    }
)


def write(frame: schema.Observations, path: Path) -> None:
    """Write observations as `benchkit export` does."""
    if path.suffix == ".parquet":
        to_rows.to_parquet([frame], path)
        return
    write_text = to_rows.write_csv if path.suffix == ".csv" else to_rows.write_json
    with path.open("w", encoding="utf-8", newline="") as out:
        write_text([frame], out)


def sorted_rows(frame: pd.DataFrame) -> list[str]:
    """Return the rows as texts, sorted."""
    plain = frame[schema.column_names()].astype("object")
    plain = plain.where(plain.notna(), None)
    return sorted(map(repr, plain.itertuples(index=False, name=None)))


@pytest.fixture(params=["csv", "json", "parquet"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@settings(max_examples=15)
@given(rows=st.lists(labels, min_size=1, max_size=12))
def test_any_exported_table_is_read_back(
    rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    columns = {name: [row[name] for row in rows] for name in schema.column_names()}
    frame = schema.observations(columns)
    for ending in ("csv", "json", "parquet"):
        path = tmp_path_factory.mktemp("exported") / f"none-2.{ending}"
        write(frame, path)
        read = bk.load(path, samples=True).observations
        assert sorted_rows(read) == sorted_rows(frame), ending


@pytest.mark.parametrize(
    ("scenario", "form"),
    [
        ("tracing-wrk", "csv"),
        ("tracing-wrk", "parquet"),
        ("tracing-costs", "json"),
        ("shorturl-k6", "json"),
        ("shorturl-k6", "parquet"),
        ("gatling", "csv"),
    ],
)
def test_export_of_real_results_gives_the_same_comparison(
    scenario: str, form: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / f"all.{form}"
    raw = str(FIXTURES / scenario)
    assert run(["export", raw, "-o", str(path), "--quiet"]) == ExitCode.DONE
    exports = []
    for place in (raw, str(path)):
        capsys.readouterr()
        assert run(["export", place, "--quiet"]) == ExitCode.DONE
        rows = capsys.readouterr().out.splitlines()
        cells = (row.rsplit(",", 2) for row in rows)
        exports.append(sorted((values, load) for values, _, load in cells))  # all but the source
    assert exports[0] == exports[1]
    sentences = [bk.load(place).compare().verdict for place in (raw, path)]
    assert sentences[0] == sentences[1]


def test_load_models_are_read_back(form: str, tmp_path: Path) -> None:
    """They were unknown, and so the primary metric of a closed loop was wrong."""
    path = tmp_path / f"all.{form}"
    raw = FIXTURES / "shorturl-k6"
    assert run(["export", str(raw), "-o", str(path)]) == ExitCode.DONE
    models = [sorted(bk.load(place).runs["load_model"]) for place in (raw, path)]
    assert models[0] == models[1]
    assert set(models[0]) - {"unknown"}


def test_roles_are_read_back(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"all.{form}"
    raw = FIXTURES / "tracing-wrk"
    roles = ["--role", "measured", "--role", "warmup"]
    assert run(["export", str(raw), *roles, "-o", str(path)]) == ExitCode.DONE
    counts = bk.load(path).runs["role"].value_counts().to_dict()
    assert counts == bk.load(raw).runs["role"].value_counts().to_dict()


def test_export_next_to_its_results_adds_no_run(form: str, tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "tracing-wrk", tmp_path / "raw")
    path = tmp_path / "raw" / f"all.{form}"
    assert run(["export", str(tmp_path / "raw"), "-o", str(path)]) == ExitCode.DONE
    frames = [bk.load(place).compare(baseline="none").frame for place in (path.parent, path)]
    for frame in frames:
        assert set(frame["n_baseline"]) == {8}
    key = ["variant", "metric", "stat", "ratio"]
    assert frames[0][key].values.tolist() == frames[1][key].values.tolist()


def test_all_formats_have_the_same_runs() -> None:
    runs = bk.load(FIXTURES / "export").runs
    assert len(runs) == 16
    assert set(runs["variant"]) == {"none", "otlp"}


def test_parquet_file_with_other_columns_is_not_an_export(tmp_path: Path, capsys: Captured) -> None:
    export = pd.read_parquet(FIXTURES / "export/tracing.parquet")
    many = pd.concat([export.assign(value=export["value"] + more) for more in range(99)])
    many.assign(run=range(len(many))).to_parquet(tmp_path / "large.parquet", index=False)
    assert (tmp_path / "large.parquet").stat().st_size > 1 << 17
    assert len(bk.load(tmp_path / "large.parquet").runs) == len(many)
    many.rename(columns={"metric": "m"}).to_parquet(tmp_path / "other.parquet", index=False)
    assert run(["runs", str(tmp_path / "other.parquet")]) == ExitCode.DATA
    assert "a Parquet file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda text: text.replace(",unit,", ",units,", 1),
            "x.csv:1: no results were read: the header lacks unit",
        ),
        (
            lambda text: text.replace(",otlp,", ",otlp", 1),
            ("cells, but the header has 16; the row is left out"),
        ),
        (lambda text: text.replace(",0.0", ",x0.0", 1), "not a finite number; this row is left"),
        (lambda text: text.replace(',8"', ',8",1', 1)[:900], "has no line end"),
    ],
)
def test_invalid_csv_is_reported_with_its_line(
    change: Callable[[str], str], problem: str, tmp_path: Path, capsys: Captured
) -> None:
    text = (FIXTURES / "export/tracing.csv").read_text(encoding="utf-8")
    (tmp_path / "x.csv").write_text(change(text), encoding="utf-8")
    run(["runs", str(tmp_path / "x.csv")])
    assert problem in capsys.readouterr().err


def test_row_with_a_value_of_another_type_is_left_out() -> None:
    """Each gave a traceback, another value, or a store that could not be opened."""
    texts = {"tool": "wrk", "variant": "none", "metric": "latency", "stat": "p50", "unit": "s"}
    more = {"benchmark": "/x", "run": 1, "value": 0.5, "role": "", "load_model": ""}
    row: dict[str, object] = {**dict.fromkeys(schema.column_names()), **texts, **more}
    numbers = {"run", "value", "n", "resolution"}
    values: list[object] = [True, False, {"a": 1}, [1], []]
    wrong: list[tuple[str, object]] = [(name, each) for name in row for each in values]
    wrong += [(name, "x" if name in numbers else 5) for name in row]
    wrong += [("n", 2.5), ("n", -1), ("n", 1e99), ("metric", None), ("stat", None)]
    lines = (10**14 - 1, 1 << 53, 10**18 - 1, 10**30)  # no file has longer ones
    valid: list[tuple[str, object]] = [
        *(("source", f"x:{line}") for line in lines),
        ("n", 1 << 53),
        ("variant", None),
    ]
    for changes, is_read in ((valid, True), (wrong, False)):
        for name, each in changes:
            head = '{"format_version": 1, "observations": [\n'
            text = f"{head}{json.dumps(row | {name: each})}\n]}}\n"
            (record,) = EXPORT.parse(Source(None, "x.json", text.encode()))
            assert isinstance(record, Reading if is_read else Diagnostic), (name, each)
            assert record.line == 2


def test_a_time_beyond_the_calendar_costs_its_row_and_nanoseconds_cost_none(
    tmp_path: Path,
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(FIXTURES / "export/tracing.parquet")
    place, path = table.schema.get_field_index("time"), tmp_path / "a.parquet"
    for unit, number in (("us", 1 << 62), ("ns", 1_700_000_000_000_000_001)):
        times = pa.array([number, *[None] * (len(table) - 1)], pa.timestamp(unit, "UTC"))
        pq.write_table(table.set_column(place, "time", times), path)
        records = EXPORT.parse(Source(path, "a"))
        problems = [str(each) for each in records if isinstance(each, Diagnostic)]
        assert len(problems) == (unit == "us")
        assert all("a:1: Invalid isoformat string: '4611686018427387904" in p for p in problems)


@pytest.mark.parametrize(("rows", "text"), [(2_000_000, "a"), (2_000, "a" * 200_000)])
def test_small_parquet_file_that_unpacks_to_gigabytes_is_refused(
    tmp_path: Path, rows: int, text: str
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    codes = pa.array([0] * (rows // 20), pa.int32())
    short, long = (pa.DictionaryArray.from_arrays(codes, [each]) for each in ("a", text))
    batch = pa.table({**dict.fromkeys(schema.column_names(), short), "variant": long})
    with pq.ParquetWriter(tmp_path / "a.parquet", batch.schema, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(batch)
    with pytest.raises(bk.DataError, match="unpacks to far more than a file of its size"):
        bk.load(tmp_path / "a.parquet")
