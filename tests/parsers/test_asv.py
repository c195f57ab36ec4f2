"""airspeed velocity: a file is a run of a commit, combinations of parameters are benchmarks."""

from __future__ import annotations

from pathlib import Path

from benchkit import load
from benchkit.errors import Diagnostic
from benchkit.labels.stems import ToolNames
from benchkit.labels.tree import read_tree
from benchkit.parsers.asv import JSON
from benchkit.parsers.base import Reading, Source
from benchkit.selection import SIDE_NAMES

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def read(text: str) -> list[Reading | Diagnostic]:
    records = JSON.parse(Source(None, "x.json", text.encode()))
    return [each for each in records if isinstance(each, Reading | Diagnostic)]


def test_each_combination_is_a_benchmark_and_may_fail() -> None:
    tracked, *runs = read((FIXTURES / "asv/none-1.json").read_text(encoding="utf-8"))
    assert isinstance(tracked, Diagnostic)
    named = {run.benchmark: run for run in runs if isinstance(run, Reading)}
    assert len(named) == len(runs) == 10
    keys = named["benchmarks.TimeSuite.time_keys(100)"]
    assert keys.rows[0][1:3] == ("time_per_op", "median")
    assert keys.env["cpu"] == "AMD EPYC"
    assert len(keys.env["commit"]) == 40
    assert keys.env["date"].startswith("2026-11-25T")
    assert named["benchmarks.TimeSuite.mem_dict(10)"].rows[0][1:5] == (
        "memory_usage",
        "mean",
        352.0,
        "B",
    )
    assert named["benchmarks.time_fail"].status == "failed"


def test_last_parameter_varies_fastest() -> None:
    head = '{"result_columns": ["result", "params"], "results": '
    runs = read(head + '{"a.time_b": [[1, 2, 3, NaN], [["1", "2"], ["x", "y"]]]}}')
    assert [(run.benchmark, run.rows[0][3]) for run in runs if isinstance(run, Reading)] == [
        ("a.time_b(1, x)", 1.0),
        ("a.time_b(1, y)", 2.0),
        ("a.time_b(2, x)", 3.0),
    ]


def test_results_that_do_not_match_their_parameters_are_reported() -> None:
    head = '{"result_columns": ["result", "params"], "results": '
    (problem,) = read(head + '{"a.time_b": [[1, 2, 3], [["1", "2"]]]}}')
    assert isinstance(problem, Diagnostic)
    assert problem.what == "a.time_b lacks results for some combinations of parameters"
    (problem,) = read('{"commit_hash": "a", "env_name": "", "results": [1]}')
    assert isinstance(problem, Diagnostic)
    assert problem.what == "the file has no results"


def test_result_too_large_for_a_float_is_reported() -> None:
    head = '{"result_columns": ["result", "params"], "results": '
    records = read(head + '{"a.track_b": [[1.5], []], "a.track_c": [[1' + "0" * 400 + "], []]}}")
    assert [run.benchmark for run in records if isinstance(run, Reading)] == ["a.track_b"]
    problems = [each.what for each in records if isinstance(each, Diagnostic)]
    assert any(each.startswith("the result of a.track_c is '1000") for each in problems)


def test_results_from_before_version_0_4_2_are_read() -> None:
    levels = '"params": [["1", "2"]], "result": [0.5, null]'
    text = f'{{"results": {{"a.time_b": {{{levels}, "stats": [{{"ci_99": [0.4, 0.6]}}, null]}}, '
    text += f'"a.time_old": {{{levels}}}, "a.time_c": 0.25, "a.mem_d": 352, "a.time_e": null}}, '
    text += '"commit_hash": "e1b8", "date": 1381882948000, "params": {"cpu": "x"}, '
    text += '"python": "2.7", "requirements": {"numpy": "1.6"}, "version": 1}'
    assert JSON.recognises(Source(None, "x.json", text.encode()).head())
    runs = [run for run in read(text) if isinstance(run, Reading)]
    assert [(run.benchmark, run.status, *(row[1:5] for row in run.rows)) for run in runs] == [
        ("a.time_b(1)", "complete", ("time_per_op", "median", 0.5, "s")),
        ("a.time_b(2)", "failed"),
        ("a.time_old(1)", "complete", ("time_per_op", "min", 0.5, "s")),
        ("a.time_old(2)", "failed"),
        ("a.time_c", "complete", ("time_per_op", "min", 0.25, "s")),
        ("a.mem_d", "complete", ("memory_usage", "mean", 352.0, "B")),
        ("a.time_e", "failed"),
    ]
    assert runs[0].env["commit"] == "e1b8"


def test_two_variants_are_compared() -> None:
    frame = load(FIXTURES / "asv").compare(baseline="none").frame
    primary = frame[frame["primary"]]
    assert set(primary["metric"]) == {"time_per_op"}
    assert len(primary) == 4


def test_tracked_numbers_without_benchmarks_json_get_the_default_unit() -> None:
    """A file of accuracies alone was refused, and numbers next to times were left out."""
    rows = '"a.Net.track_top1": [[0.71]], "a.Net.track_top5": [null], "a.time_b": [[2]]'
    warning, *runs = read(f'{{"result_columns": ["result"], "results": {{{rows}}}}}')
    assert isinstance(warning, Diagnostic)
    assert warning.severity == "warning"
    assert "without their units, which are in benchmarks.json" in warning.what
    assert [
        (run.benchmark, run.status, *(row[1:5] for row in run.rows))
        for run in runs
        if isinstance(run, Reading)
    ] == [
        ("a.Net.track_top1", "complete", ("unit", "sample", 0.71, "1")),
        ("a.Net.track_top5", "failed"),
        ("a.time_b", "complete", ("time_per_op", "median", 2.0, "s")),
    ]
    assert not read('{"result_columns": ["result"], "results": {}}')


def test_tracked_numbers_get_their_unit_from_benchmarks_json(tmp_path: Path) -> None:
    results = tmp_path / "results/vm"
    results.mkdir(parents=True)
    rows = '"a.track_loss": [[-0.5, null], [["x", "y"]]], "a.track_new": [[3]], "a.time_b": [[2]]'
    text = f'{{"result_columns": ["result", "params"], "results": {{{rows}}}}}'
    (results / "e1b8-py3.json").write_text(text, encoding="utf-8")
    listed = '{"a.track_loss": {"unit": "nats"}, "a.time_b": {"unit": "seconds"}, "version": 2}'
    (tmp_path / "results/benchmarks.json").write_text(listed, encoding="utf-8")
    warning, *runs = JSON.parse(Source.load(results / "e1b8-py3.json"))
    assert isinstance(warning, Diagnostic)  # for the benchmark missing from the list
    assert [
        (run.benchmark, run.status, *(row[1:5] for row in run.rows))
        for run in runs
        if isinstance(run, Reading)
    ] == [
        ("a.track_loss(x)", "complete", ("nats", "sample", -0.5, "1")),
        ("a.track_loss(y)", "failed"),
        ("a.track_new", "complete", ("unit", "sample", 3.0, "1")),
        ("a.time_b", "complete", ("time_per_op", "median", 2.0, "s")),
    ]


def test_all_digit_commit_hash_is_not_a_run_number() -> None:
    """`22928258-py3.10.json` was read as run 22,928,258 of the variant `py3.10`."""
    paths = ["m/22928258-py3.10.json", "m/97441423-py3.8.json", "m/1c6b3169-py3.9.json"]
    read_paths = read_tree(paths, SIDE_NAMES, ToolNames(), root_name="results")
    assert [(labels.variant, labels.run) for labels in read_paths] == [
        ("22928258-py3.10", None),
        ("97441423-py3.8", None),
        ("1c6b3169-py3.9", None),
    ]
