"""Repeats in a file count as runs if files do not differ; otherwise each file counts once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import benchkit.api as bk
from benchkit.comparison.cells import Cell
from benchkit.comparison.files import ONCE, join_files
from benchkit.comparison.model import Row
from benchkit.tables.wide import wide_table

ROW = Row("", "parse", "", "go", "", "time_per_op", "sample")
#: Factors of three files of a variant.
EQUAL, APART = (1.0, 1.001, 0.999), (1.0, 1.06, 0.94)


def write(folder: Path, variant: str, levels: tuple[float, ...], repeats: int = 6) -> None:
    """Write logs of Go benchmarks, each with repeats that differ by half a percent."""
    (folder / variant).mkdir()
    for number, level in enumerate(levels, 1):
        times = (ord(variant) * level * (1 + 0.005 * (-1) ** i * (i % 3)) for i in range(repeats))
        lines = [f"BenchmarkParse-8 100 {time:.3f} ns/op" for time in times]
        (folder / variant / f"go-{number}.txt").write_text("\n".join([*lines, ""]), "utf-8")


@pytest.mark.parametrize(
    ("baseline", "variant", "runs"),
    [
        (EQUAL, EQUAL, (18, 18)),
        (APART, APART, (3, 3)),
        (EQUAL, APART, (3, 3)),
        (APART[:1], APART, (1, 3)),
        (APART[:1], APART[1:2], (6, 6)),
    ],
)
def test_files_count_once_if_they_differ_more_than_their_repeats(
    tmp_path: Path, baseline: tuple[float, ...], variant: tuple[float, ...], runs: tuple[int, int]
) -> None:
    write(tmp_path, "x", baseline)
    write(tmp_path, "y", variant)
    comparison = bk.load(tmp_path).compare(baseline="x")
    (row,) = comparison.frame.query("primary").itertuples()
    assert (row.n_baseline, row.n_variant) == runs
    is_joined = 3 in runs
    assert ([finding.code for finding in comparison.findings].count("B218") > 0) == is_joined
    assert (ONCE in str(row.notes)) == is_joined
    assert row.verdict == "inconclusive" or not is_joined
    table = wide_table(comparison.wide, comparison.verdicts)
    assert tuple(cells[-1].value for cells in table.rows) == runs


def draw(rng: np.random.Generator, share: float, files: int = 3, repeats: int = 10) -> np.ndarray:
    """Return times of repeats in files; ``share`` of their variance lies between files."""
    levels = rng.normal(0, share**0.5, (files, 1))
    return np.exp(0.02 * (levels + rng.normal(0, (1 - share) ** 0.5, (files, repeats))))


def test_identical_programs_seldom_differ_at_any_shared_variance() -> None:
    rng = np.random.default_rng(20261129)
    of_run = {run: run // 10 for run in range(30)}
    files = {ROW.workload.side(name): of_run for name in "ab"}
    for share, most in ((0.1, 0.12), (0.8, 0.08)):
        rejected = 0
        for _ in range(200):
            drawn = {name: draw(rng, share).ravel().tolist() for name in "ab"}
            cells = {n: {ROW: Cell("s", dict(enumerate(v)), 0.0)} for n, v in drawn.items()}
            joined = join_files(cells, files, lambda _row: True)
            sides = [np.log(joined[name][ROW].values()) for name in "ab"]
            rejected += bool(stats.ttest_ind(*sides, equal_var=False).pvalue <= 0.05)
        assert rejected / 200 <= most


def test_single_variant_is_joined_by_a_one_way_f_test() -> None:
    rng = np.random.default_rng(7)
    for share in (0.0, 0.05, 0.1, 0.2):
        drawn = draw(rng, share)
        cells = {"a": {ROW: Cell("s", dict(enumerate(drawn.ravel().tolist())), 0.0)}}
        files = {ROW.workload.side("a"): {run: run // 10 for run in range(30)}}
        joined = join_files(cells, files, lambda _row: True)["a"][ROW]
        is_apart = stats.f_oneway(*np.log(drawn)).pvalue <= 0.25
        assert len(joined.by_run) == (3 if is_apart else 30)
        assert joined.repeats == (30 if is_apart else 0)
