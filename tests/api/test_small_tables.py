"""First steps of a pandas user: three columns, a list of files, a mapping of labels to files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import benchkit as bk
from benchkit.errors import ConfigError, ExitCode

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"


@pytest.fixture(scope="module")
def rates() -> pd.DataFrame:
    read = bk.load(WRK).observations
    return read[(read["metric"] == "request_rate").to_numpy()]


def test_variant_metric_and_value_are_enough(rates: pd.DataFrame) -> None:
    reference = bk.compare(rates, baseline="none").frame
    small = bk.compare(rates[["variant", "metric", "value"]]).frame
    for column in ("variant", "n_baseline", "ratio", "ratio_low", "p", "verdict", "unit", "stat"):
        assert small[column].tolist() == reference[column].tolist(), column


def test_runs_are_read_from_an_index_named_run(rates: pd.DataFrame) -> None:
    by_run = rates.set_index("run")[["variant", "metric", "value"]]
    loaded = bk.load(by_run[by_run.index != 3])
    assert sorted(set(loaded.observations["run"].tolist())) == [1, 2, 4, 5, 6, 7, 8]


def test_custom_metric_is_compared() -> None:
    table = pd.DataFrame(
        {
            "variant": ["none"] * 4 + ["otlp"] * 4,
            "metric": "render_time",
            "value": [1.0, 1.1, 1.05, 1.02, 2.0, 2.1, 2.05, 2.02],
        }
    )
    [row] = bk.compare(table).frame.to_dict("records")
    assert (row["metric"], row["stat"], row["n_baseline"]) == ("render_time", "mean", 4)
    assert row["ratio"] == pytest.approx(1.96, abs=0.02)


def test_paths_may_be_a_list_or_a_mapping_of_labels() -> None:
    none, otlp = WRK / "none", WRK / "otlp"
    assert bk.load([none, otlp]).variants == ["none", "otlp"]
    labelled = bk.load({"before": none, "after": [otlp / "wrk-1.txt", otlp / "wrk-2.txt"]})
    assert labelled.variants == ["before", "after"]
    assert len(labelled.runs.query("variant == 'after' and role == 'measured'")) == 2
    with pytest.raises(ConfigError, match="expected a path after "):
        bk.load({"none": pd.DataFrame()})


def test_comparison_is_gated_and_written(rates: pd.DataFrame, tmp_path: Path) -> None:
    comparison = bk.compare(rates, variant="otlp")
    assert comparison.gate().exit_code is ExitCode.REGRESSION
    assert comparison.to_frame().equals(comparison.frame)
    target = tmp_path / "rows.csv"
    assert comparison.to_csv(target) == target.read_text()
    assert pd.read_csv(target)["verdict"].tolist() == comparison.frame["verdict"].tolist()
