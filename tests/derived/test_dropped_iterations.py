"""k6 omits dropped iterations if there are none: a complete report without them means 0."""

from __future__ import annotations

import shutil
from pathlib import Path

import benchkit.api as bk

SHORTURL = Path(__file__).resolve().parents[2] / "fixtures" / "shorturl-k6"
COUNT, RATE = "dropped_iterations", "dropped_iterations_per_second"


def copy(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SHORTURL / name, folder / name)
    return folder


def dropped(folder: Path, metric: str = COUNT) -> dict[tuple[str, int], tuple[float, str, str]]:
    rows = bk.load(folder).observations
    rows = rows[rows["metric"].eq(metric) & rows["subject"].isna()]
    names = ("variant", "run", "value", "origin", "unit")
    return {
        (variant, run): (value, origin, unit)
        for variant, run, value, origin, unit in zip(
            *(rows[name].tolist() for name in names), strict=True
        )
    }


def test_run_without_a_dropped_count_dropped_none(tmp_path: Path) -> None:
    copy(tmp_path, "baseline/k6-1.txt", "baseline/k6-2.txt", "otel/k6-1.txt", "otel/k6-2.txt")
    none = (0.0, "computed", "1")
    assert dropped(tmp_path) == {
        ("baseline", 1): none,
        ("baseline", 2): (965.0, "reported", "1"),
        ("otel", 1): none,
        ("otel", 2): (86.0, "reported", "1"),
    }
    rates = dropped(tmp_path, RATE)
    assert rates["baseline", 1] == (0.0, "computed", "1/s")
    assert {unit for *_, unit in rates.values()} == {"1/s"}


def test_medians_cover_all_runs(tmp_path: Path) -> None:
    for variant in ("baseline", "otel"):
        copy(tmp_path, *(f"{variant}/k6-{run}.txt" for run in range(1, 6)))
    counts = dropped(tmp_path)
    per_variant = {v: [counts[v, run][0] for run in range(1, 6)] for v in ("baseline", "otel")}
    assert per_variant == {"baseline": [0, 965, 143, 0, 0], "otel": [0, 86, 61, 0, 2]}


def test_value_is_not_invented_if_no_run_reports_it(tmp_path: Path) -> None:
    copy(tmp_path, "baseline/k6-1.txt", "otel/k6-1.txt")
    assert dropped(tmp_path) == {}


def test_export_counts_like_the_text_unless_truncated(tmp_path: Path) -> None:
    copy(tmp_path, "baseline/k6-export-1.json", "baseline/k6-export-2.json")
    assert dropped(tmp_path)["baseline", 1][0] == 0
    whole = tmp_path / "baseline" / "k6-export-1.json"
    text = whole.read_text()
    whole.write_text(text.rstrip().removesuffix("}"))
    assert set(dropped(tmp_path)) == {("baseline", 2)}


def test_console_output_alone_is_not_enough(tmp_path: Path) -> None:
    copy(tmp_path, "baseline/k6-1.txt", "baseline/k6-2.txt")
    text = (tmp_path / "baseline" / "k6-1.txt").read_text()
    lines = text.splitlines(keepends=True)
    console = [line for line in lines if "....:" not in line and "}...:" not in line]
    (tmp_path / "baseline" / "k6-1.txt").write_text("".join(console))
    assert set(dropped(tmp_path)) == {("baseline", 2)}
