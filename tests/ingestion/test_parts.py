"""Names changed by a user-defined rule: two benchmarks never become runs of one."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

import benchkit as bk
from benchkit.cli import run

RULE = "s#Foo|Bar#X#"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for seed, name in enumerate(("base", "new")):
        gated.write_runs(tmp_path / f"{name}.txt", seed=seed, benchmarks=("Foo", "Bar"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_benchmarks_of_one_file_are_not_pooled_under_one_name(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limit = ["--max-overhead", "time_per_op=5%"]
    assert run(["gate", "base.txt", "new.txt", *limit, "--rename", RULE, "--quiet"]) == 3
    message = "rename turns both Foo and Bar into X, so they would count as one benchmark"
    assert message in capsys.readouterr().out
    gated.write_runs(folder / "other.txt", seed=5, benchmarks=("Foo",))
    results = bk.load(folder, rename=RULE)
    assert [problem.what for problem in results.diagnostics] == [message, message]
    assert results.variants == ["other"]


def test_rename_that_keeps_them_distinct_is_applied(folder: Path) -> None:
    results = bk.load(folder, rename="s#^#X/#")
    assert not results.diagnostics
    assert set(results.runs["benchmark"]) == {"X/Foo", "X/Bar"}


def test_benchmarks_of_two_variants_may_share_a_name(folder: Path) -> None:
    gated.write_runs(folder / "new.txt", seed=3, benchmarks=("Bar",))
    gated.write_runs(folder / "base.txt", seed=4, benchmarks=("Foo",))
    results = bk.load(folder, rename=RULE)
    assert not results.diagnostics
    assert set(results.runs["benchmark"]) == {"X"}


AB = Path(__file__).parents[2] / "fixtures" / "nginx-ab/nginx/ab-small-c30-1.txt"


@pytest.mark.parametrize(
    ("old", "new", "params"),
    [
        (":            8090", ":            8091", ("host=127.0.0.1:8090", "host=127.0.0.1:8091")),
        ("/index.html", "/index.html?id=1&token=abcdefgh", ("", "query=id=1&token=…1a4a3bed33c8")),
    ],
)
def test_ab_blocks_with_other_ports_or_queries_are_not_repeats(
    old: str, new: str, params: tuple[str, str], tmp_path: Path
) -> None:
    block = AB.read_text(encoding="utf-8")
    path = tmp_path / "results.txt"
    path.write_text(block + block.replace(old, new), encoding="utf-8")
    runs = bk.load(path).runs
    shown = [text.removeprefix("connections=30").strip(",") for text in sorted(runs["params"])]
    assert (shown, set(runs["run"])) == (list(params), {1})


WRK = Path(__file__).parents[2] / "fixtures" / "tracing-wrk/none/wrk-1.txt"


@pytest.mark.parametrize(
    "query",
    ["key={}", "auth={}", "pass={}", "sort_key={}", "licenseKey={}", "a=1&code={}", "page={}"],
)
def test_requests_that_differ_only_in_a_possible_secret_are_distinct(
    query: str, tmp_path: Path
) -> None:
    block = WRK.read_text(encoding="utf-8")
    for rate in ("10406.41", "10407.41"):
        pages = (f"/cache?{query.format(size)}" for size in ("small1", "large1"))
        blocks = [block.replace("/ping/GRM", page).replace("10406.41", rate) for page in pages]
        (tmp_path / f"none-{rate[4]}.txt").write_text("\n".join(blocks), encoding="utf-8")
    assert bk.load(tmp_path).runs.groupby("params").size().tolist() == [2, 2]


def test_sides_whose_queries_differ_in_a_possible_secret_are_reported(tmp_path: Path) -> None:
    block = WRK.read_text(encoding="utf-8")
    for variant, size in (("none", "small"), ("otlp", "large")):
        for n in range(1, 4):
            page = block.replace("/ping/GRM", f"/cache?key={size}")
            (tmp_path / f"{variant}-{n}.txt").write_text(page, encoding="utf-8")
    findings = bk.load(tmp_path).compare(baseline="none").findings
    assert "B208" in {finding.code for finding in findings}


def test_labels_that_look_the_same_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, folder in enumerate(("M\u00fcller", "Mu\u0308ller", " M\u00fcller ")):
        for number in (1, 2):
            path = Path("r", folder, f"{10 * seed + number}.txt")
            gated.write_runs(path, seed=seed, runs=1, benchmarks=("Foo",))
    gated.write_runs(Path("r/tea.txt"), seed=50, runs=1, benchmarks=("Foo",))
    Path("r/tea.txt.run.toml").write_text("variant = ' tea'\nbenchmark = 'a\u0308 '\n")
    runs = bk.load("r").runs
    assert set(runs["variant"]) == {"M\u00fcller", "tea"}
    assert set(runs["benchmark"]) == {"Foo", "\u00e4"}
    assert bk.load("r/tea.txt", variant="te\u0301 ").variants == ["t\u00e9"]


@pytest.mark.parametrize("other", ["M\u00fcller ", "Mu\u0308ller"])
def test_equal_files_in_folders_that_look_the_same_fail_the_gate(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, folder in enumerate(("tea", "M\u00fcller", other)):
        for number in (1, 2, 3):
            gated.write_runs(Path("r", folder, f"{number}.txt"), seed=10 * seed + number, runs=1)
    assert run(["ingest", "r"]) == 0
    assert "B111 M\u00fcller: runs of 6 files whose paths look alike count together: " in (
        capsys.readouterr().err
    )
    for paths in ([], ["r"]):
        assert run(["gate", "--baseline", "tea", *paths]) == 3
        assert "B111" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["compare --baseline {}", "gate --pair {}:tea", "export --variant {}",
                "gate --baseline tea --variant {}", "compare --benchmark {} --baseline tea"],
)  # fmt: skip
def test_typed_names_match_names_that_look_the_same(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, variant in enumerate(("M\u00fcller", "tea")):
        path = Path("r", f"{variant}.txt")
        gated.write_runs(path, seed=seed, spread=0.005, benchmarks=("M\u00fcller",))
    first, *options = command.format("Mu\u0308ller").split()
    assert run([first, "r", *options]) == 0
