"""User-made tables: mistakes that would silently skew a comparison are refused with a reason."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import benchkit as bk
from benchkit import schema
from benchkit.errors import ConfigError, SchemaError
from benchkit.ingestion.roles import name_load

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def read() -> pd.DataFrame:
    results = bk.load(FIXTURES / "tracing-wrk")
    return results.where(variant=["none", "otlp"]).observations


@pytest.mark.parametrize("far", [1 << 32, -(1 << 32), 1 << 31])
def test_overflowing_run_numbers_are_refused(read: pd.DataFrame, far: int) -> None:
    with pytest.raises(
        SchemaError, match=r"column 'run' is not of type i32: a number is outside the range"
    ):
        bk.load(read.assign(run=read["run"].astype("int64") + far))


def test_run_with_two_values_is_refused(read: pd.DataFrame) -> None:
    other = read[read["variant"] == "otlp"].assign(value=lambda rows: rows["value"] * 2)
    for joined in ([read, other], [other, read]):
        with pytest.raises(
            SchemaError, match=r"run: 8 runs with two different .* otlp 1 .*run numbers: second"
        ):
            pd.concat(joined).pipe(bk.compare, baseline="none")


def test_joined_sessions_need_distinct_run_numbers(read: pd.DataFrame) -> None:
    later = read.assign(
        value=read["value"] * 1.01, source="tuesday/" + read["source"].astype("object")
    )
    with pytest.raises(SchemaError, match="two different values"):
        bk.load(pd.concat([read, later]))
    second = later.assign(run=later["run"] + read["run"].max())
    rows = pd.concat([read, second]).pipe(bk.compare, baseline="none").frame.query("primary")
    assert rows["n_variant"].tolist() == [16]


def test_duplicate_rows_count_once(read: pd.DataFrame) -> None:
    assert bk.load(pd.concat([read, read])).observations.equals(bk.load(read).observations)


def test_row_order_does_not_change_the_verdict(read: pd.DataFrame) -> None:
    mixed = read.sample(frac=1, random_state=7)
    assert (
        mixed.pipe(bk.compare, baseline="none").verdict
        == read.pipe(bk.compare, baseline="none").verdict
    )


@pytest.mark.parametrize(
    "folder", ["k6-edge", "nginx-ab", "shorturl-k6", "skywalking-vegeta", "tracing-costs"]
)
def test_forms_of_a_run_and_samples_can_be_loaded_again(folder: str) -> None:
    read = bk.load(FIXTURES / folder, samples=True).observations
    assert bk.load(read).observations.equals(read)


def test_simultaneous_events_are_not_duplicates() -> None:
    read = bk.load(FIXTURES / "vegeta-single", samples=True).observations
    same = read.assign(value=1.0, source="mine", time=None).query("stat == 'sample'")
    assert len(bk.load(same).observations) == len(same) > 1000


def test_known_metric_requires_its_unit(read: pd.DataFrame) -> None:
    late = read["metric"] == "latency"
    stated = read.assign(
        value=read["value"].where(~late, read["value"] * 1e3),
        unit=read["unit"].where(~late, "ms"),
    )
    with pytest.raises(SchemaError, match=r"unit: latency has unit 'ms'; its unit must be 's'"):
        bk.load(stated)


def test_custom_metric_has_a_single_unit(read: pd.DataFrame) -> None:
    rates = read[read["metric"] == "request_rate"].assign(metric="wait", unit="furlong")
    assert len(bk.load(rates).observations) == 16
    mixed = rates.assign(unit=rates["unit"].where(rates["variant"] == "none", "ms"))
    with pytest.raises(SchemaError, match="wait has unit 'ms' and 'furlong'; convert one unit"):
        bk.load(mixed)


def test_csv_export_can_be_loaded_again(read: pd.DataFrame) -> None:
    text = read.to_csv()
    for again in (
        pd.read_csv(io.StringIO(text)),
        pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False),
    ):
        assert bk.load(again).observations.equals(read.reset_index(drop=True))


def test_load_models_can_be_loaded_again() -> None:
    """They were dropped, so the median latency became primary instead of the rate."""
    results = bk.load(FIXTURES / "shorturl-k6")
    frame = name_load(results.observations, results.runs)
    again = bk.load(frame)
    assert sorted(again.runs["load_model"]) == sorted(results.runs["load_model"])
    renamed = frame.rename(columns={"load_model": "loop"})
    named = bk.load(renamed, columns={"load_model": "loop", "variant": "variant"})
    assert named.runs["load_model"].equals(again.runs["load_model"])
    with pytest.raises(SchemaError, match="load_model: unknown load model 'half'; expected one"):
        bk.load(frame.assign(load_model="half"))
    with pytest.raises(SchemaError, match="load_model: a run has two load models; keep one"):
        bk.load(pd.concat([frame.assign(load_model=each) for each in ("open", "closed")]))


def test_optional_columns_may_be_omitted(read: pd.DataFrame) -> None:
    nullable = [column.name for column in schema.COLUMNS if column.nullable]
    lean = bk.load(read.drop(columns=nullable))
    assert list(lean.observations.columns) == schema.column_names()
    assert lean.observations[nullable].isna().all(axis=None)
    with pytest.raises(SchemaError, match="column 'variant' has a missing value"):
        bk.load(read.assign(variant=None))


def test_duplicate_column_is_named(read: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match=r"duplicate columns in the table: \['value'\]"):
        bk.load(pd.concat([read, read[["value"]]], axis=1))


def test_arrow_and_polars_tables_are_accepted(read: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(read.reset_index(drop=True))
    for frame in (table, pl.from_pandas(read)):
        assert bk.load(frame).observations.equals(read.reset_index(drop=True))
        assert bk.compare(frame, baseline="none").verdict == bk.load(read).compare().verdict


@pytest.mark.parametrize("source", [None, 5, b"", {"results"}, [5], object()])
def test_source_must_be_a_path_or_table(source: object) -> None:
    with pytest.raises(
        ConfigError, match=r"load: expected a path or a table, got \w+; (pass|write)"
    ):
        bk.load(source)  # type: ignore[arg-type]


def test_frame_is_loaded_without_options_or_other_sources(read: pd.DataFrame) -> None:
    with pytest.raises(
        ConfigError, match=r"only argument; .*pandas\.concat and give the runs of each"
    ):
        bk.load(read, samples=True)
    with pytest.raises(ConfigError, match="their own numbers"):
        bk.load(read, read)


def test_facts_missing_from_a_user_table_are_finding_b107(read: pd.DataFrame) -> None:
    results = bk.load(read)
    findings = results.check(baseline="none")
    assert [finding.numbers["runs"] for finding in findings if finding.code == "B107"] == [16]
    assert "B107" in {finding.code for finding in results.compare(baseline="none").findings}
    assert "B107" not in {finding.code for finding in bk.load(FIXTURES / "tracing-wrk").check()}


def user_table(
    tools: tuple[str, str], metric: str, stat: str, unit: str = "s", per_run: int = 1
) -> pd.DataFrame:
    """Return 8 runs of two variants, the second 15 % above the first."""
    rows = [
        {
            "group": "", "variant": variant, "benchmark": "/ping", "params": "", "run": run,
            "metric": metric, "stat": stat, "unit": unit, "tool": tool, "origin": "reported",
            "source": "table.csv", "value": level * (1 + run / 1000 + event / 1e5),
        }
        for variant, tool, level in (("main", tools[0], 1.0), ("pr", tools[1], 1.15))
        for run in range(1, 9)
        for event in range(per_run)
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize("tool", ["mybench", "", "wrk"])
@pytest.mark.parametrize(
    ("metric", "stat", "unit"),
    [
        ("latency", "p50", "s"),
        ("request_rate", "mean", "1/s"),
        ("boot_time", "mean", "s"),
        ("boot_time", "value", "s"),
    ],
)
def test_tool_name_does_not_matter(tool: str, metric: str, stat: str, unit: str) -> None:
    comparison = bk.load(user_table((tool, tool), metric, stat, unit)).compare(baseline="main")
    (row,) = comparison.frame.itertuples()
    assert (row.primary, row.n_baseline, row.n_variant) == (True, 8, 8)
    assert row.ratio == pytest.approx(1.15)


@pytest.mark.parametrize("per_run", [1, 5])
@pytest.mark.parametrize("metric", ["time_per_op", "boot_time", "latency"])
def test_samples_of_an_unknown_tool_are_summarised_per_run(metric: str, per_run: int) -> None:
    table = user_table(("mybench", "mybench"), metric, "sample", per_run=per_run)
    (row,) = bk.load(table).compare(baseline="main").frame.itertuples()
    assert (row.primary, row.n_baseline) == (True, 8)
    assert row.ratio == pytest.approx(1.15)


def test_variants_of_two_tools_are_compared_and_named() -> None:
    comparison = bk.load(user_table(("ab", "hey"), "latency", "p50")).compare(baseline="main")
    (row,) = comparison.frame.itertuples()
    assert row.primary
    (finding,) = [finding for finding in comparison.findings if finding.code == "B108"]
    assert "main was measured by ab, pr was measured by hey" in finding.message
    same = bk.load(user_table(("ab", "ab"), "latency", "p50")).compare(baseline="main")
    assert "B108" not in [finding.code for finding in same.findings]


def test_tools_of_one_variant_are_kept_apart() -> None:
    both = [user_table((tool, tool), "latency", "p50") for tool in ("ab", "hey")]
    frame = bk.load(pd.concat(both)).compare(baseline="main", metrics="latency.p50").frame
    assert len(frame) == 2


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), r"columns: column 't' has no value at index 1; .*dropna\(subset=\['t'\]\)"),
        (None, "columns: column 't' has no value at index 1; "),
        ("soon", "columns: column 't' has a value that is not a number at index 1: 'soon'$"),
        (float("inf"), "columns: column 't' has a value that is not a number at index 1: 'inf'$"),
    ],
)
def test_invalid_value_is_named_with_its_row(value: object, problem: str) -> None:
    """The error quoted `nane-3`, a value that nobody wrote, and no row."""
    frame = pd.DataFrame({"side": ["a", "b"], "t": [1.5, value], "of": ["ms", "ms"]})
    with pytest.raises(SchemaError, match=problem):
        bk.load(frame, columns={"variant": "side", "value": "t", "unit": "of"})


@pytest.mark.parametrize("column", ["none", {"constant": "latency"}])
def test_unknown_column_is_named(column: object) -> None:
    frame = pd.DataFrame({"side": ["a", "b"], "t": [1.0, 2.0]})
    with pytest.raises(SchemaError, match=r"no column .*; the table has side, t"):
        bk.load(frame, columns={"variant": "side", "value": "t", "metric": column})  # type: ignore[dict-item]
