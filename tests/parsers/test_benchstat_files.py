"""benchstat's csv and html: equal to the raw runs, to the texts, and to each other."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean, median

import pytest
from benchstat_readings import (
    BENCHSTAT,
    EDGE,
    REDIS,
    Key,
    as_source,
    centers,
    readings,
    records,
    remarks,
    sizes,
)

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.benchstat import files
from benchkit.parsers.gobench import LOG as GOBENCH
from benchkit.reading.source import Source


def medians(variants: dict[str, str]) -> dict[Key, float]:
    """Return the medians of raw files by variant, benchmark and metric."""
    samples: dict[Key, list[float]] = defaultdict(list)
    for variant, name in variants.items():
        for reading in GOBENCH.parse(Source.load(REDIS / name)):
            assert isinstance(reading, Reading)
            for _, metric, _, value, *_ in reading.rows:
                samples[variant, reading.benchmark, metric, "median"].append(value)
    return {key: median(times) for key, times in samples.items()}


RAW = {
    BENCHSTAT / "new-2file.csv": {"baseline": "baseline.txt", "enabled": "enabled.txt"},
    BENCHSTAT / "new-3file.csv": {
        "baseline": "baseline.txt",
        "disabled": "disabled.txt",
        "enabled": "enabled.txt",
    },
    REDIS / "benchstat/new-pinned-2file.csv": {
        "pinned/Baseline": "pinned/Baseline.txt",
        "pinned/OTel_Enabled": "pinned/OTel_Enabled.txt",
    },
}


@pytest.mark.parametrize(("path", "raw"), RAW.items(), ids=lambda value: getattr(value, "name", ""))
def test_new_csv_centres_are_the_medians_of_the_raw_runs(path: Path, raw: dict[str, str]) -> None:
    assert centers(path) == medians(raw)
    actual = readings(path)
    assert {row[7] for reading in actual for row in reading.rows if row[8] == "reported"} == {None}
    assert set(sizes(actual, "time_per_op").values()) == {10}


PAIRS = [
    (BENCHSTAT / "new-2file.csv", BENCHSTAT / "new-2file.txt"),
    (BENCHSTAT / "new-3file.csv", BENCHSTAT / "new-3file.txt"),
    (EDGE / "gaps.csv", EDGE / "gaps.txt"),
    (EDGE / "warnings.csv", EDGE / "gaps.txt"),
    (BENCHSTAT / "old-2file.csv", BENCHSTAT / "old-2file.txt"),
    (EDGE / "old-groups-3.csv", EDGE / "old-groups-3.txt"),
    (EDGE / "old-norange.csv", EDGE / "old-groups.txt"),
    (EDGE / "old-groups-3.html", EDGE / "old-groups-3.txt"),
    (EDGE / "old-1.html", EDGE / "old-1.csv"),
]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=lambda path: path.name)
def test_two_formats_of_one_output_agree(first: Path, second: Path) -> None:
    """They agree within the rounding of both, with the same runs per side."""
    exact, rounded = (
        {
            (reading.variant, reading.benchmark, row[1], row[2]): (row[3], row[5], row[7] or 0.0)
            for reading in readings(path)
            for row in reading.rows
            if row[8] == "reported"
        }
        for path in (first, second)
    )
    assert exact.keys() == rounded.keys()
    for key, (value, n, step) in rounded.items():
        assert exact[key][1] == n
        assert abs(exact[key][0] - value) <= (step + exact[key][2]) * 0.501, key


def test_html_names_the_files_that_the_text_omits() -> None:
    page, text = centers(BENCHSTAT / "old-2file.html"), centers(BENCHSTAT / "old-2file.txt")
    sides = {"baseline": "old", "enabled": "new"}
    assert {(sides[key[0]], *key[1:]): value for key, value in page.items()} == text
    assert sizes(readings(BENCHSTAT / "old-2file.html"), "time_per_op") == {
        (side, *key[1:]): n
        for side, known in sides.items()
        for key, n in sizes(readings(BENCHSTAT / "old-2file.txt"), "time_per_op").items()
        if key[0] == known
    }


def test_html_with_one_cell_per_line_has_the_line_of_each_cell() -> None:
    page = (BENCHSTAT / "old-2file.html").read_text()
    parted = page.replace("<td>", "<td>\n ").replace("<tr>", "<tr>\n")
    assert centers(parted) == centers(page)
    lines = parted.split("\n")
    rows = [row for reading in readings(parted) for row in reading.rows if row[8] == "reported"]
    assert all("±" in lines[row[9] - 1] for row in rows)
    assert len({row[9] for row in rows}) == len(rows) == 30


GEOMEANS = {
    "new-2file.txt": {("baseline", "time_per_op"): (57.89e-6, 1e-8),
                      ("enabled", "bytes_per_op"): (4.919 * 1024, 1.024)},
    "new-2file.csv": {("baseline", "time_per_op"): (5.788872410340955e-05, None)},
    "old-2file-geomean.txt": {("old", "time_per_op"): (56.9e-6, 1e-7),
                              ("new", "bytes_per_op"): (5038.0, 1.0)},
    "edge/gaps.txt": {("a", "bytes_per_op"): (37.13, 0.01),
                      ("b", "time_per_op"): (12.13e-9, 1e-11)},
    "edge/gaps.csv": {("b", "bytes_per_op"): (29.4722519891231, None),
                      ("a", "p99-sec"): (7.700000000000008e-08, None)},
    "edge/levels.txt": {("b 2", "bytes_per_op"): (71.55, 0.01),
                        ("a 2", "allocs_per_op"): (1, 1e-3)},
    "edge/old-groups-3.txt": {("a", "time_per_op"): (3.39e-6, 1e-8),
                              ("c", "bytes_per_op"): (29.5, 0.1)},
    "edge/old-groups-3.csv": {("a", "time_per_op"): (3.39201e-06, 1e-11)},
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), GEOMEANS.items(), ids=GEOMEANS)
def test_geomean_is_an_aggregate(
    name: str, expected: dict[tuple[str, str], tuple[float, float | None]]
) -> None:
    """With all benchmarks in one configuration, it follows from their centres."""
    means = {
        (run.variant, metric): (value, step)
        for run in readings(BENCHSTAT / name, "aggregate")
        for _, metric, stat, value, _, _, _, step, _, _ in run.rows
        if stat == "geomean"
    }
    for key, (value, step) in expected.items():
        assert means[key][0] == pytest.approx(value, rel=1e-12), key
        assert (means[key][1] or 0.0) == pytest.approx(step or 0.0), key
    assert "gaps" not in name or not {("a", "allocs_per_op"), ("b", "allocs_per_op")} & means.keys()
    if "edge" not in name:
        actual = centers(BENCHSTAT / name)
        for (variant, metric), (value, _) in means.items():
            each = [actual[key] for key in actual if (key[0], key[2]) == (variant, metric)]
            assert value == pytest.approx(geometric_mean(each), rel=5e-3)


def test_geomean_in_html_is_an_aggregate() -> None:
    row = "<tr class='better'><td>[Geo mean]<td>56.9µs<td>45.0µs<td class='delta'>−20.96%\n"
    page = (BENCHSTAT / "old-2file.html").read_text().replace("<tr><td>&nbsp;\n", row, 1)
    actual = [(run.variant, run.rows[0][1:4]) for run in readings(page, "aggregate")]
    assert actual == [("baseline", ("time_per_op", "geomean", 56.9e-6)),
                     ("enabled", ("time_per_op", "geomean", 45.0e-6))]  # fmt: skip
    assert centers(page) == centers(BENCHSTAT / "old-2file.html")


@pytest.mark.parametrize(("dropped", "expected"), [(1, 2), (3, 1), (8, 1), (18, 1), (33, 0)])
def test_possibly_truncated_geomean_is_left_out(dropped: int, expected: int) -> None:
    table = (BENCHSTAT / "new-2file.txt").read_text().partition("\n\n")[0]
    assert len(readings(table[: len(table) - dropped + 1], "aggregate")) == expected


def test_old_csv_keeps_six_digits() -> None:
    row = readings(BENCHSTAT / "old-2file.csv")[0].rows[0]
    assert (row[3], row[7], row[5], row[9]) == (6.58508e-05, 1e-10, 10, 2)


def test_ranges_are_optional() -> None:
    actual = readings(EDGE / "old-norange.csv")
    assert {row[2] for reading in actual for row in reading.rows} == {"mean"}
    assert sizes(actual, "time_per_op")["old", "X/fmt=a/n=1"] == 3


def test_gap_is_one_field_without_ranges() -> None:
    text = "name \\ time/op (ns/op),a.txt,b.txt,c.txt\nX,,2.00000E+00\nY,1.00000E+00,,3.00000E+00\n"
    assert remarks(records(text)) == []
    assert centers(text) == {
        ("b", "X", "time_per_op", "mean"): 2e-9,
        ("a", "Y", "time_per_op", "mean"): 1e-9,
        ("c", "Y", "time_per_op", "mean"): 3e-9,
    }


def test_table_with_an_unreadable_unit_is_reported() -> None:
    actual = list(files.parse(as_source(",a.txt,\n,-12,CI\nX,1,2%\n")))
    assert len(actual) == 2
    assert "cannot read the unit of this table" in str(actual[0])


def test_labels_on_several_levels_are_one_variant() -> None:
    actual = centers(EDGE / "levels.csv")
    assert actual["b 2", "a p", "time_per_op", "median"] == 1.35e-08
    assert actual["a", "p", "processing_rate", "median"] == 3e6
    messages = [text for _, text in remarks(records(EDGE / "levels.csv"))]
    assert any("p=1.333 is impossible with 2+1 runs: a probability" in text for text in messages)


def test_unit_with_a_comma_is_quoted() -> None:
    text = ',old.txt,,new.txt,,,\n,"a,b",CI,"a,b",CI,vs base,P\nX,2,∞,1,∞,~,p=1.000 n=1\n'
    assert centers(text) == {("old", "X", "a,b", "median"): 2.0, ("new", "X", "a,b", "median"): 1.0}


def test_only_the_beginning_of_a_file_is_recognised() -> None:
    claims = (
        "see <table class='benchstat'>",
        "Results:\n,a.txt,\n,sec/op,CI\nX,1,2%\n",
        "name,value\n",
        ",a,b\n,sec/op,p99\n",
    )
    assert not any(files.recognises(as_source(text).head()) for text in claims)


def test_huge_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    (problem,) = files.parse(as_source(BENCHSTAT / "new-2file.csv"))
    assert isinstance(problem, Diagnostic)
    assert problem.severity == "error"
    assert "far more than any benchstat summary" in problem.what
