"""Variants without a readable value are named in the first line, however their files failed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit import cli
from benchkit.cli.console import render_comparison
from benchkit.errors import DataError

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
NOTICE = "no readable requests/s: skywalking, zipkin."


def damage(path: Path, how: str) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:100] if how == "cut" else how, encoding="utf-8")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return the results of five variants, eight runs each."""
    return shutil.copytree(FIXTURE, tmp_path / "results")


@pytest.mark.parametrize("how", ["no benchmark at all\n", ""])
def test_variants_are_named_however_their_files_were_damaged(results: Path, how: str) -> None:
    for name in ("skywalking", "zipkin"):
        for path in results.glob(f"{name}/wrk-[0-9].txt"):
            damage(path, how)
    assert bk.load(results).compare(baseline="none").verdict.endswith(NOTICE)


def test_variants_of_damaged_files_are_named_in_every_output(results: Path) -> None:
    measured = sorted(results.glob("*/wrk-[0-9].txt"))
    lost = [p for p in measured if p.parent.name in {"skywalking", "zipkin"}]
    lost += [p for p in measured if p.parent.name in {"apm", "otlp"} and p.stem != "wrk-4"]
    for path in lost:
        damage(path, "cut")
    assert len(lost) == 30

    comparison = bk.load(results).compare(baseline="none")

    assert comparison.verdict.endswith(NOTICE)
    assert f"\n### {comparison.verdict}".replace("_", "") in comparison.to_markdown().replace(
        "_", ""
    )
    assert comparison.verdict in comparison.to_html().replace("&gt;", ">")
    assert render_comparison(comparison.verdicts).startswith(comparison.verdict)
    assert json.loads(comparison.render("json"))["lacking"] == {
        "skywalking": ["request_rate mean"],
        "zipkin": ["request_rate mean"],
    }


def test_variants_with_only_warm_ups_or_no_file_are_named(results: Path) -> None:
    for path in results.glob("zipkin/wrk-[0-9].txt"):
        path.unlink()
    for path in results.glob("skywalking/wrk-w*.txt"):
        path.unlink()
    for path in results.glob("skywalking/wrk-*.txt"):
        damage(path, "")
    assert bk.load(results).compare(baseline="none").verdict.endswith(NOTICE)


def test_value_missing_from_the_baseline_is_attributed_to_it() -> None:
    frame = bk.load(FIXTURE).where(variant=["none", "otlp"]).observations
    kept = frame[(frame["variant"] == "otlp") | (frame["metric"] != "request_rate")]
    comparison = bk.compare(kept, baseline="none")
    assert comparison.verdict.startswith(
        "~ No verdict: the two sides have no primary metric in common"
    )
    assert comparison.verdict.endswith("No readable requests/s: none.")


def test_unselected_variants_are_not_reported_missing(results: Path) -> None:
    for path in results.glob("zipkin/wrk-[0-9].txt"):
        damage(path, "")
    (results / "notes").mkdir()
    (results / "notes" / "to-do.txt").write_text("measure again", encoding="utf-8")
    loaded = bk.load(results)
    assert "no readable requests/s: zipkin." in loaded.compare(baseline="none").verdict
    assert "readable" not in loaded.compare(baseline="none", variant="otlp").verdict
    narrow = loaded.where(variant=["none", "otlp", "apm"])
    assert "readable" not in narrow.compare(baseline="none").verdict


def test_lost_variants_are_named_if_only_one_is_left(results: Path) -> None:
    for name in ("apm", "otlp", "skywalking", "zipkin"):
        for path in results.glob(f"{name}/wrk-w*.txt"):
            path.unlink()
        for path in results.glob(f"{name}/wrk-*.txt"):
            damage(path, "")
    with pytest.raises(DataError, match="no measured run of apm, otlp, skywalking, zipkin"):
        bk.load(results).compare()


def test_copies_are_named_if_nothing_is_left_to_compare(tmp_path: Path) -> None:
    line = "pkg: x\nBenchmarkA-8 \t 1000000\t 10{}.0 ns/op\n"
    failed = "panic: no\nFAIL\tx\t0.5s\n"
    for variant in ("old", "new"):
        (tmp_path / variant).mkdir()
        for run in range(1, 4):
            (tmp_path / variant / f"run{run}.txt").write_text(line.format(run))
    (tmp_path / "new/run3.txt").write_text(line.format(9) + failed)
    with pytest.raises(DataError, match=r"new has no measured runs, only failed .*identical to"):
        bk.load(tmp_path / "old", tmp_path / "new").compare()


def test_failure_of_every_run_names_tool_and_list_command(
    tmp_path: Path,
) -> None:
    """Results of asv in a broken environment were reported as an unknown format."""
    path = tmp_path / "1c6b3169-py3.9.json"
    text = '{"result_columns": ["result"], "env_name": "py3.9", "commit_hash": "1c6b", '
    path.write_text(text + '"results": {"a.time_b": [null]}}', encoding="utf-8")
    with pytest.raises(DataError, match="every run of asv failed") as raised:
        bk.load(path).compare()
    assert f"`benchkit runs {path}`" in raised.value.hint


def test_metric_in_another_unit_is_named_and_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        f"{variant},{run},{metric},{100 + run},{unit}\n"
        for variant, other in (("a", "ms"), ("b", "KiB"))
        for run in (1, 2)
        for metric, unit in (("cost", other), ("latency", "ms"))
    ]
    keys = ("variant", "run", "metric", "value", "unit")
    table, columns = tmp_path / "costs.csv", tmp_path / "map.toml"
    columns.write_text("".join(f'{key} = "{key}"\n' for key in keys), encoding="utf-8")
    command = ["compare", str(table), "--map", str(columns), "--baseline", "a"]
    table.write_text("".join([f"{','.join(keys)}\n", *rows]), encoding="utf-8")
    assert cli.run(command) == 0
    out, err = capsys.readouterr()
    assert "mean latency" in out
    assert "cost is not compared: it has 's' in 'a' and 'B' in 'b'" in out + err
    mixed = [row.replace("b,2,cost,102,KiB", "b,2,cost,102,ms") for row in rows]
    table.write_text("".join([f"{','.join(keys)}\n", *mixed]), encoding="utf-8")
    assert cli.run(command) == 0
    assert "'s' in 'a' and 'B' and 's' in 'b'" in "".join(capsys.readouterr())
    table.write_text("".join([f"{','.join(keys)}\n", *rows[::2]]), encoding="utf-8")
    assert cli.run(command) == 3
    assert "cost has different units: 's' and 'B'" in capsys.readouterr().err
