"""A table of one's own: what would be compared wrongly without a word is refused in words."""

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
def test_run_numbers_that_would_wrap_are_refused(read: pd.DataFrame, far: int) -> None:
    with pytest.raises(
        SchemaError, match=r"column 'run' is not of type i32: a number is outside the range"
    ):
        bk.load(read.assign(run=read["run"].astype("int64") + far))


def test_a_run_with_two_values_is_refused(read: pd.DataFrame) -> None:
    other = read[read["variant"] == "otlp"].assign(value=lambda rows: rows["value"] * 2)
    for joined in ([read, other], [other, read]):
        with pytest.raises(
            SchemaError, match=r"run: 8 runs with two different .* otlp 1 .*run numbers: second"
        ):
            pd.concat(joined).pipe(bk.compare, baseline="none")


def test_two_sessions_are_joined_under_numbers_of_their_own(read: pd.DataFrame) -> None:
    later = read.assign(
        value=read["value"] * 1.01, source="tuesday/" + read["source"].astype("object")
    )
    with pytest.raises(SchemaError, match="two different values"):
        bk.load(pd.concat([read, later]))
    second = later.assign(run=later["run"] + read["run"].max())
    rows = pd.concat([read, second]).pipe(bk.compare, baseline="none").frame.query("primary")
    assert rows["n_variant"].tolist() == [16]


def test_rows_that_are_there_twice_count_once(read: pd.DataFrame) -> None:
    assert bk.load(pd.concat([read, read])).observations.equals(bk.load(read).observations)


def test_a_row_order_of_ones_own_changes_no_verdict(read: pd.DataFrame) -> None:
    mixed = read.sample(frac=1, random_state=7)
    assert (
        mixed.pipe(bk.compare, baseline="none").verdict
        == read.pipe(bk.compare, baseline="none").verdict
    )


@pytest.mark.parametrize(
    "folder", ["k6-edge", "nginx-ab", "shorturl-k6", "skywalking-vegeta", "tracing-costs"]
)
def test_forms_of_one_run_and_samples_go_back_in(folder: str) -> None:
    read = bk.load(FIXTURES / folder, samples=True).observations
    assert bk.load(read).observations.equals(read)


def test_events_of_one_moment_are_no_copies() -> None:
    read = bk.load(FIXTURES / "vegeta-single", samples=True).observations
    same = read.assign(value=1.0, source="mine", time=None).query("stat == 'sample'")
    assert len(bk.load(same).observations) == len(same) > 1000


def test_a_word_of_the_vocabulary_has_its_unit(read: pd.DataFrame) -> None:
    late = read["metric"] == "latency"
    told = read.assign(
        value=read["value"].where(~late, read["value"] * 1e3),
        unit=read["unit"].where(~late, "ms"),
    )
    with pytest.raises(SchemaError, match=r"unit: latency has unit 'ms'; its unit must be 's'"):
        bk.load(told)


def test_a_metric_of_ones_own_has_one_unit(read: pd.DataFrame) -> None:
    rates = read[read["metric"] == "request_rate"].assign(metric="wait", unit="furlong")
    assert len(bk.load(rates).observations) == 16
    mixed = rates.assign(unit=rates["unit"].where(rates["variant"] == "none", "ms"))
    with pytest.raises(SchemaError, match="wait has unit 'ms' and 'furlong'; convert one unit"):
        bk.load(mixed)


def test_csv_comes_back(read: pd.DataFrame) -> None:
    text = read.to_csv()
    for again in (
        pd.read_csv(io.StringIO(text)),
        pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False),
    ):
        assert bk.load(again).observations.equals(read.reset_index(drop=True))


def test_load_models_go_back_in() -> None:
    """They were left out, so that the median latency was primary in place of the rate."""
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


def test_what_may_be_unknown_may_be_left_out(read: pd.DataFrame) -> None:
    nullable = [column.name for column in schema.COLUMNS if column.nullable]
    lean = bk.load(read.drop(columns=nullable))
    assert list(lean.observations.columns) == schema.column_names()
    assert lean.observations[nullable].isna().all(axis=None)
    with pytest.raises(SchemaError, match="column 'variant' has a missing value"):
        bk.load(read.assign(variant=None))


def test_a_column_that_is_there_twice_is_named(read: pd.DataFrame) -> None:
    with pytest.raises(SchemaError, match=r"duplicate columns in the table: \['value'\]"):
        bk.load(pd.concat([read, read[["value"]]], axis=1))


def test_arrow_and_polars_go_in(read: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(read.reset_index(drop=True))
    for own in (table, pl.from_pandas(read)):
        assert bk.load(own).observations.equals(read.reset_index(drop=True))
        assert bk.compare(own, baseline="none").verdict == bk.load(read).compare().verdict


@pytest.mark.parametrize("given", [None, 5, b"", {"results"}, [5], object()])
def test_what_is_neither_path_nor_table_is_refused(given: object) -> None:
    with pytest.raises(
        ConfigError, match=r"load: expected a path or a table, got \w+; (pass|write)"
    ):
        bk.load(given)  # type: ignore[arg-type]


def test_a_frame_has_the_samples_that_it_has(read: pd.DataFrame) -> None:
    with pytest.raises(
        ConfigError, match=r"only argument; .*pandas\.concat and give the runs of each"
    ):
        bk.load(read, samples=True)
    with pytest.raises(ConfigError, match="their own numbers"):
        bk.load(read, read)


def test_a_table_says_what_it_does_not_tell(read: pd.DataFrame) -> None:
    own = bk.load(read)
    told = own.check(baseline="none")
    assert [finding.numbers["runs"] for finding in told if finding.code == "B107"] == [16]
    assert "B107" in {finding.code for finding in own.compare(baseline="none").findings}
    assert "B107" not in {finding.code for finding in bk.load(FIXTURES / "tracing-wrk").check()}


def own_table(
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
def test_the_name_of_the_tool_does_not_matter(tool: str, metric: str, stat: str, unit: str) -> None:
    comparison = bk.load(own_table((tool, tool), metric, stat, unit)).compare(baseline="main")
    (row,) = comparison.frame.itertuples()
    assert (row.primary, row.n_baseline, row.n_variant) == (True, 8, 8)
    assert row.ratio == pytest.approx(1.15)


@pytest.mark.parametrize("per_run", [1, 5])
@pytest.mark.parametrize("metric", ["time_per_op", "boot_time", "latency"])
def test_samples_of_an_unknown_tool_stand_for_their_runs(metric: str, per_run: int) -> None:
    table = own_table(("mybench", "mybench"), metric, "sample", per_run=per_run)
    (row,) = bk.load(table).compare(baseline="main").frame.itertuples()
    assert (row.primary, row.n_baseline) == (True, 8)
    assert row.ratio == pytest.approx(1.15)


def test_two_tools_of_two_variants_are_compared_and_named() -> None:
    comparison = bk.load(own_table(("ab", "hey"), "latency", "p50")).compare(baseline="main")
    (row,) = comparison.frame.itertuples()
    assert row.primary
    (finding,) = [finding for finding in comparison.findings if finding.code == "B108"]
    assert "main was measured by ab, pr was measured by hey" in finding.message
    same = bk.load(own_table(("ab", "ab"), "latency", "p50")).compare(baseline="main")
    assert "B108" not in [finding.code for finding in same.findings]


def test_a_variant_of_two_tools_keeps_them_apart() -> None:
    both = [own_table((tool, tool), "latency", "p50") for tool in ("ab", "hey")]
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
def test_a_value_that_is_missing_or_no_number_is_named_with_its_row(
    value: object, problem: str
) -> None:
    """The error quoted `nane-3`, which nobody wrote, and no row."""
    frame = pd.DataFrame({"side": ["a", "b"], "t": [1.5, value], "of": ["ms", "ms"]})
    with pytest.raises(SchemaError, match=problem):
        bk.load(frame, columns={"variant": "side", "value": "t", "unit": "of"})


@pytest.mark.parametrize("column", ["none", {"constant": "latency"}])
def test_what_is_no_column_of_a_table_is_named(column: object) -> None:
    frame = pd.DataFrame({"side": ["a", "b"], "t": [1.0, 2.0]})
    with pytest.raises(SchemaError, match=r"no column .*; the table has side, t"):
        bk.load(frame, columns={"variant": "side", "value": "t", "metric": column})  # type: ignore[dict-item]
