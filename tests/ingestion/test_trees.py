"""Folders of real outputs in common layouts: the labels of each file, without options."""

from __future__ import annotations

import gzip
import zipfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import gated
import pytest

import benchkit as bk
from benchkit.cli import run
from benchkit.selection import choose_baseline
from benchkit.tables.runs import write_numbers

if TYPE_CHECKING:
    from benchkit.schema import Runs

FIXTURES = Path(__file__).parents[2] / "fixtures"
Captured = pytest.CaptureFixture[str]


class Output(NamedTuple):
    """Real outputs of a tool: two sides with their runs, and the benchmark in their content."""

    path: str
    sides: tuple[str, str] = ("none", "otlp")
    benchmark: str = ""


_K6, _VEGETA = ("baseline", "otel"), ("no-agent", "agent")
WRK = Output("tracing-wrk/{side}/wrk-{n}.txt", benchmark="/ping/GRM")
K6 = Output("shorturl-k6/{side}/k6-export-{n}.json", _K6)
K6_TEXT = Output("shorturl-k6/{side}/k6-{n}.txt", _K6)
VEGETA = Output("skywalking-vegeta/{side}/vegeta-text-{n}.txt", _VEGETA)
VEGETA_JSON = Output("skywalking-vegeta/{side}/vegeta-report-{n}.json", _VEGETA)
OHA = Output("oha/{side}-{n}.json")
HYPERFINE = Output("hyperfine/{side}.json", benchmark="count")
GO = Output(
    "redis-gobench/pinned/{side}.txt",
    ("Baseline", "OTel_Enabled"),
    "Redis/Get, Redis/Ping, Redis/Pipeline, Redis/Set, Redis/SetGet_Mixed",
)


class Tree(NamedTuple):
    """Files of two sides and some runs: the place of each output, and its labels.

    By default the variant is the side, and the run has the number of its file.
    """

    files: dict[str, Output]
    runs: int = 1
    sides: tuple[str, ...] = ("none", "otlp")
    variant: str = "{side}"
    group: str = ""
    numbers: str = "{n}"


def make_wrk_tree(path: str, runs: int = 1, sides: str = "none otlp", **labels: str) -> Tree:
    """Make a tree of wrk's reports."""
    return Tree({path: WRK}, runs, tuple(sides.split()), **labels)


TREES = {
    "a result per folder": make_wrk_tree("{side}/result.txt"),
    "a number of an experiment before each side": Tree(
        {"exp_{side}/output.txt": WRK}, 1, ("001_control", "002_cached"), "exp_{side}"
    ),
    "a tool's file per folder": make_wrk_tree("{side}/wrk.txt"),
    "one word per folder": make_wrk_tree("{side}/wrk_output.txt", 1, "before after"),
    "run folders below": make_wrk_tree("{side}/run{n}/output.txt", 3),
    "run folders with zeros below": make_wrk_tree("{side}/run-{n:02}/wrk.log", 3),
    "numbered folders below": make_wrk_tree("{side}/{n}/out.txt", 3),
    "numbered folders of numbered files": make_wrk_tree("{side}/{n}/wrk-{n}.txt", 3),
    "run folders of numbered files": make_wrk_tree("run{n}/{side}_{n}.txt", 3),
    "run folders above": make_wrk_tree("run{n}/{side}.txt", 3),
    "run folders above tools": make_wrk_tree("run_{n}/{side}/wrk.log", 3),
    "iterations above": make_wrk_tree("iteration{n}/{side}.out", 3),
    "attempts above": make_wrk_tree("attempt-{n}/{side}/out.txt", 3),
    "runs": make_wrk_tree("{side}/run{n}.txt", 3),
    "runs of a word": make_wrk_tree("{side}/bench_{n}.out", 3),
    "runs with leading zeros": make_wrk_tree("{side}/run_{n:02}.log", 3),
    "trials": make_wrk_tree("{side}/trial{n:02}.out", 3, "off on"),
    "repetitions": make_wrk_tree("{side}/rep{n}.txt", 3),
    "numbers": make_wrk_tree("{side}/{n}.txt", 3),
    "a tool's numbers": make_wrk_tree("{side}/wrk-{n}.txt", 3),
    "runs of one side": make_wrk_tree("run_{n:02}.log", 3, "none", variant="results"),
    "underlined numbers": make_wrk_tree("{side}_{n}.log", 3, "baseline otlp"),
    "dashed numbers": make_wrk_tree("{side}-{n}.txt", 3, "control otlp"),
    "dotted numbers": make_wrk_tree("{side}.{n}.txt", 3),
    "numbers after a blank": make_wrk_tree("{side} {n}.txt", 3),
    "the runs by a letter": make_wrk_tree("{side}.t2.r{n}.txt", 3, variant="{side}.t2"),
    "numbers after a sign": make_wrk_tree("{side} #{n}.txt", 3),
    "ordinals": make_wrk_tree("{side}_{n}th.txt", 3),
    "copies": make_wrk_tree("{side} ({n}).txt", 3),
    "files put aside": make_wrk_tree("{side}.txt.{n}", 3),
    "a word before the number": make_wrk_tree("{side}_run_{n}.txt", 3),
    "the number first": make_wrk_tree("{n}_{side}.txt", 3),
    "the run first": make_wrk_tree("run{n}-{side}.txt", 3),
    "the moment first": make_wrk_tree("2024010{n}_1200_{side}.txt", 3),
    "moments": make_wrk_tree("{side}-2024010{n}-1200.txt", 3),
    "days in names": make_wrk_tree("{side}_2024-01-0{n}.txt", 3),
    "days in a tool's names": make_wrk_tree("wrk-{side}-2024-05-0{n}.txt", 3),
    "moments in a tool's names": make_wrk_tree("wrk-{side}-2024050{n}-1200.txt", 3),
    "a word joined by its capital": make_wrk_tree("{side}Run{n}.txt", 3),
    "days as folders": make_wrk_tree("2024-01-0{n}/{side}.txt", 5),
    "moments as folders": make_wrk_tree("{side}/2024-01-0{n}T12-00-00/wrk.txt", 3),
    "days as folders, the month in letters": make_wrk_tree("0{n}-Nov-2026/{side}.txt", 3),
    "days in names, the month in letters": make_wrk_tree("{side}_2026-nov-0{n}.txt", 3),
    "days as folders, the day first": make_wrk_tree("0{n}-05-2024/{side}.txt", 3),
    "days in names, the day first": make_wrk_tree("{side}-0{n}-05-2024.txt", 3),
    "moments of results as folders": make_wrk_tree("results_2024010{n}_120000/{side}.txt", 3),
    "moments of results, the day first": make_wrk_tree(
        "results_0{n}_05_2024_12_00_00/{side}.txt", 3
    ),
    "numbers of results as folders": make_wrk_tree("results-{n}/{side}/wrk.txt", 3),
    "runs of one day": make_wrk_tree("2024-01-05/{side}-{n}.txt", 3),
    "without and with": make_wrk_tree("{side}/{n}.txt", 3, "without with"),
    "old and new": make_wrk_tree("{side}.txt", 1, "old new"),
    "main and a request": make_wrk_tree("{side}/{n}.txt", 3, "main pr"),
    "disabled and enabled": make_wrk_tree("{side}/{n}.txt", 3, "disabled enabled"),
    "a tool before the side": make_wrk_tree("wrk_{side}_{n}.txt", 3),
    "a tool's sides": make_wrk_tree("wrk-{side}-{n}.txt", 3),
    "a word before the side": make_wrk_tree("results_{side}.txt", 1, "before after"),
    "a word before the folders": make_wrk_tree("run-{side}/wrk-{n}.txt", 3),
    "words for results before several": make_wrk_tree("bench_results_{side}/run{n}.txt", 3),
    "a word behind the side": make_wrk_tree("{side}_results_{n}.txt", 3),
    "a tool's sides of some days": make_wrk_tree("wrk_{side}_2024031{n}_14302{n}.txt", 3),
    "a tool's side first, then the number": make_wrk_tree(
        "{side}-wrk-{n}.txt", 3, variant="{side}-wrk"
    ),
    "before by its prefix": make_wrk_tree(
        "{side}_otel_benchmark.txt", 1, "pre post", variant="{side}_otel"
    ),
    "plain at a level": make_wrk_tree(
        "{side}_c8_t2_run{n}.txt", 3, "plain otel", variant="{side}_c8_t2"
    ),
    "false and true": make_wrk_tree("{side}/run{n}.txt", 3, "otel=false otel=true"),
    "a new one beside it": make_wrk_tree("{side}.txt", 1, "ping ping.new"),
    "folders in order": make_wrk_tree("{side}/wrk.txt", 1, "01_none 02_otlp"),
    "without by a prefix": make_wrk_tree("{side}/run-{n}.log", 3, "uninstrumented instrumented"),
    "sides by words above": make_wrk_tree(
        "{side}/ping/{n}/wrk.log", 3, "tracing-off tracing-on", group="ping"
    ),
    "files without an ending": make_wrk_tree("ITER_{n}/{side}/stdout", 3),
    "a tool and dots": make_wrk_tree("wrk.{side}.{n}.out", 3),
    "with and without": make_wrk_tree("{side}.txt", 1, "without-agent with-agent"),
    "off and on": make_wrk_tree("{side}/wrk-{n}.txt", 3, "otel-off otel-on"),
    "a number after a side": make_wrk_tree("{side}{n}.txt", 3),
    "folders of runs of a side": make_wrk_tree("{side}-run{n}/wrk.txt", 3),
    "folders of numbers of a side": make_wrk_tree("{side}_{n}/result.txt", 3),
    "folders of numbers of a tool's side": make_wrk_tree("wrk-{side}-{n}/output.log", 3),
    "folders with a number after a side": make_wrk_tree("{side}{n}/wrk.log", 3),
    "folders with the run first": make_wrk_tree("run{n}_{side}/result.txt", 3),
    "folders with the day first": make_wrk_tree("2024-01-0{n}_10-00-00_{side}/wrk.txt", 3),
    "folders with the day last": make_wrk_tree("{side}-2024010{n}/wrk.log", 3),
    "runs in folders of days of a side": make_wrk_tree("2024-01-05_{side}/wrk-{n}.txt", 3),
    "a folder above": make_wrk_tree("host1/{side}/{n}.txt", 3, group="host1"),
    "folders above": make_wrk_tree("bench/results/{side}/{n}.txt", 3, group="bench/results"),
    "a level below": make_wrk_tree("{side}/c8/wrk-{n}.txt", 3, group="c8"),
    "forms of a run": Tree({"{side}/raw.json": K6, "{side}/summary.txt": K6_TEXT}),
    "forms by the end of names": Tree({"{side}.json.gz": K6, "{side}-summary.txt": K6_TEXT}),
    "forms of numbered runs": Tree({"{side}_raw_{n}.json": K6, "{side}_text_{n}.txt": K6_TEXT}, 3),
    "folders of forms": Tree({"json/{side}.json": K6, "text/{side}.txt": K6_TEXT}, 1, _K6),
    "k6": Tree({"{side}/k6-{n}.json": K6}, 3, ("baseline", "otel")),
    "vegeta": Tree({"{side}/results-{n}.txt": VEGETA}, 3, ("no-agent", "agent")),
    "forms of vegeta": Tree(
        {"{side}/report-{n}.json": VEGETA_JSON, "{side}/report-{n}.txt": VEGETA}, 3, _VEGETA
    ),
    "oha": Tree({"{side}_{n}.json": OHA}, 6),
    "hyperfine": Tree({"{side}.json": HYPERFINE}, 1, ("before", "after"), numbers="1–12"),
    "pages": Tree({"spike/{side}/k6.md": K6_TEXT}, 1, _K6, group="spike"),
    "go test": Tree({"{side}.txt": GO}, 1, ("baseline", "enabled"), numbers="1–10"),
    "go test in folders": Tree({"{side}/bench.txt": GO}, 1, ("main", "pr"), numbers="1–10"),
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    return folder


def write(path: Path, output: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = (FIXTURES / output).read_bytes()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def build(tree: Tree, folder: Path) -> dict[str, tuple[str, ...]]:
    """Write the files of a tree; return group, variant, benchmark and run of each."""
    expected: dict[str, tuple[str, ...]] = {}
    for path, output in tree.files.items():
        for number, side in enumerate(tree.sides):
            for n in range(1, tree.runs + 1):
                place = path.format(side=side, n=n)
                write(folder / place, output.path.format(side=output.sides[number], n=n))
                variant, runs = tree.variant.format(side=side), tree.numbers.format(n=n)
                expected[f"results/{place}"] = tree.group, variant, output.benchmark, runs
    return expected


def read(runs: Runs) -> dict[str, tuple[str, ...]]:
    """Return group, variant, benchmarks and runs of each file."""
    labels: dict[str, list[tuple[str, ...]]] = {}
    names = "group", "variant", "benchmark", "run", "sources"
    for *labels_of_row, sources in runs[list(names)].itertuples(index=False):
        for source in sources:
            labels.setdefault(source["path"], []).append(tuple(map(str, labels_of_row)))
    return {path: _join(rows) for path, rows in labels.items()}


def _join(rows: list[tuple[str, ...]]) -> tuple[str, ...]:
    *texts, numbers = ({*column} for column in zip(*rows, strict=True))
    counts = write_numbers({int(number) for number in numbers})
    return *(", ".join(sorted(each)) for each in texts), counts


@pytest.mark.parametrize("name", TREES)
def test_folder_is_read_as_a_person_would_read_it(name: str, results: Path) -> None:
    tree = TREES[name]
    expected = build(tree, results)
    loaded = bk.load("results")
    assert read(loaded.runs) == expected
    first, *further = (tree.variant.format(side=side) for side in tree.sides)
    assert {*loaded.variants} == {first, *further}
    if further:
        assert choose_baseline(loaded.variants) == first


@pytest.mark.parametrize(
    "names",
    [("patch-1", "patch-2"), ("jdk-17", "jdk-21"), ("http1", "http2"), ("base", "opt-1", "opt-2")],
)
@pytest.mark.parametrize("place", ["{}/wrk.txt", "{}/run1.txt"])
def test_folders_that_differ_in_a_number_are_variants(
    names: tuple[str, ...], place: str, results: Path
) -> None:
    for n, name in enumerate(names, 1):
        write(results / place.format(name), WRK.path.format(side="none", n=n))
    assert {*bk.load("results").variants} == {*names}


#: Medians of the numbers in the files: requests/s, seconds.
CELLS = {
    "run folders below": (10594.48, 9307.29),
    "the number first": (10594.48, 9307.29),
    "moments as folders": (10594.48, 9307.29),
    "a tool before the side": (10594.48, 9307.29),
    "k6": (0.1641485e-3, 0.2109205e-3),
    "forms of numbered runs": (0.1641485e-3, 0.2109205e-3),
    "forms of vegeta": (1.931471e-3, 2.310543e-3),
    "hyperfine": ((31.873934e-3 + 31.996968e-3) / 2, (139.929762e-3 + 142.415581e-3) / 2),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_are_the_numbers_of_the_files(name: str, results: Path) -> None:
    build(TREES[name], results)
    [row] = bk.load("results").compare().frame.query("primary").itertuples()
    expected = pytest.approx(CELLS[name], rel=1e-9)
    assert (row.center_baseline, row.center_variant) == expected


def test_names_of_sides_and_benchmarks_are_split(results: Path) -> None:
    for side, variant in (("before", "none"), ("after", "otlp")):
        for number, name in enumerate(("get", "put")):
            for n in (1, 2):
                source = WRK.path.format(side=variant, n=2 * number + n)
                write(results / f"{side}-{name}-{n}.txt", source)
    loaded = bk.load("results")
    assert {*loaded.runs.benchmark} == {"get", "put"}
    assert {
        *loaded.compare().frame[["baseline", "variant", "n_variant"]].itertuples(index=False)
    } == {("before", "after", 2)}


def test_version_folders_are_the_sides_whatever_they_contain(results: Path) -> None:
    written = 0
    for side in ("v1.9", "v1.10"):
        for name in ("ping", "pong"):
            written += 1
            write(results / side / f"{name}.txt", WRK.path.format(side="none", n=written))
    loaded = bk.load("results")
    assert loaded.variants == ["v1.9", "v1.10"]
    assert {*loaded.runs.benchmark} == {"ping", "pong"}


#: Names of ab's reports of two variants at three levels, and the resulting variants.
LEVELS = {
    "the level in the middle": ("{side}_c{c}_run{n}.txt", ["baseline", "tuned"]),
    "the level last": ("{side}-ab-C{c}.txt", ["after", "before"]),
    "the level as a folder": ("{side}/{c}/ab-{n}.txt", ["baseline", "tuned"]),
}


@pytest.mark.parametrize("name", LEVELS)
def test_levels_in_names_are_not_variants(name: str, results: Path) -> None:
    place, variants = LEVELS[name]
    sides = ("before", "after") if "before" in variants else ("baseline", "tuned")
    for number, side in enumerate(sides, 1):
        for c in (1, 20, 50):
            path = results / place.format(side=side, c=c, n=1)
            write(path, f"nginx-ab/nginx/ab-c{c}-{number}.txt")
    loaded = bk.load("results")
    rows = loaded.compare().frame.query("primary")
    assert sorted(loaded.variants) == variants
    assert sorted(rows.params) == ["connections=1", "connections=20", "connections=50"]


@pytest.mark.parametrize(
    "place", ["stress-{c}.log", "t1-c{c}.log", "out-{c}-{n}.txt", "c{c}.txt", "ab_{c}conn_{n}.txt"]
)
def test_reports_named_by_level_are_a_sweep(place: str, results: Path, capsys: Captured) -> None:
    for c in (20, 50, 100):
        for n in (1, 2):
            write(results / place.format(c=c, n=n), f"nginx-ab/nginx/ab-c{c}-{n}.txt")
    assert run(["compare", "results"]) == 0
    first = capsys.readouterr().out.partition("\n")[0]
    assert first.startswith("Sweep of ")
    assert "best at 100 connections" in first


@pytest.mark.parametrize("place", ["nightly.zip", "{side}.zip", "{side}/results.zip"])
def test_folder_of_archives_is_read_as_their_content(place: str, results: Path) -> None:
    write(results / "README.md", "pages/tracing.md")
    (results / "Makefile").write_text("bench:\n\twrk http://127.0.0.1:8080/ping\n")
    inside = "{side}/{n}.txt" if "{side}" not in place else "{n}.txt"
    for side in WRK.sides:
        for n in (1, 2, 3):
            path = results / place.format(side=side)
            path.parent.mkdir(exist_ok=True)
            with zipfile.ZipFile(path, "a") as archive:
                archive.write(
                    FIXTURES / WRK.path.format(side=side, n=n), inside.format(side=side, n=n)
                )
    [row] = bk.load("results").compare().frame.query("primary").itertuples()
    assert (row.baseline, row.variant, row.n_baseline, row.n_variant) == ("none", "otlp", 3, 3)


def test_two_named_files_are_the_sides_whatever_their_names(results: Path) -> None:
    for number, side in enumerate(("b", "a")):
        write(results / f"{side}.txt", WRK.path.format(side=WRK.sides[number], n=1))
    frame = bk.load("results/b.txt", "results/a.txt").compare().frame.query("primary")
    [row] = frame.itertuples()
    assert (row.baseline, row.center_baseline) == ("b", 10406.41)
    assert (row.variant, row.center_variant) == ("a", 9307.29)


def test_folders_below_those_of_two_sides_are_the_sides(tmp_path: Path) -> None:
    """The runs of both were pooled, as the tree's variants are base and head."""
    for seed, place in enumerate(
        f"{side}/{name}.txt" for side in ("base/a", "head/b") for name in ("get/1", "put/1")
    ):
        gated.write_runs(tmp_path / place, seed=seed)
    frame = bk.load(tmp_path / "base/a", tmp_path / "head/b").runs
    assert {*zip(frame["group"], frame["variant"], strict=True)} == {*product(("get", "put"), "ab")}


def test_headings_of_a_document_are_its_sides(results: Path) -> None:
    page = results / "results.md"
    blocks = (
        f"## {side}\n\n```\n{(FIXTURES / WRK.path.format(side=side, n=n)).read_text()}```\n"
        for side in WRK.sides
        for n in (1, 2, 3)
    )
    page.write_text("\n".join(["# Tracing", *blocks]))
    [row] = bk.load(page).compare().frame.query("primary").itertuples()
    assert (row.baseline, row.variant, row.n_variant) == ("none", "otlp", 3)
    assert (row.center_baseline, row.center_variant) == (10594.48, 9307.29)


def test_benchmark_names_that_include_sides_get_a_split_command(
    results: Path, capsys: Captured
) -> None:
    write(results / "current.txt", "redis-gobench/single/gobench-all-1.txt")
    assert run(["compare", "results"]) == 3
    command = capsys.readouterr().err.rpartition("for example: ")[2]
    assert "--split '/(?P<variant>OTel_Disabled|OTel_Enabled|Baseline)'" in command
    split = "/(?P<variant>OTel_Disabled|OTel_Enabled|Baseline)"
    rename = "s#/(OTel_Disabled|OTel_Enabled|Baseline)##"
    assert run(["compare", "results", "--split", split, "--rename", rename]) == 0
