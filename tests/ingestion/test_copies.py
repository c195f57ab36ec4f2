"""A file whose runs are all in other files counts once, however its bytes changed."""

from __future__ import annotations

import gzip
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion import sink
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
TOOLS = {
    "ab": "nginx-ab/nginx/ab-c20-1.txt",
    "wrk": "tracing-wrk/none/wrk-1.txt",
    "k6": "shorturl-k6/baseline/k6-1.txt",
    "k6 JSON": "shorturl-k6/baseline/k6-export-1.json",
    "vegeta": "skywalking-vegeta/agent/vegeta-text-1.txt",
    "vegeta JSON": "skywalking-vegeta/agent/vegeta-report-1.json",
    "go": "redis-gobench/baseline.txt",
    "benchstat": "benchstat/new-1file.txt",
    "hey": "nginx-ab/nginx/hey-c50-1.txt",
    "oha": "oha/text-ms.txt",
    "oha JSON": "oha/none-1.json",
    "hyperfine": "hyperfine/text-scan.txt",
    "hyperfine JSON": "hyperfine/none.json",
    "autocannon": "autocannon/text.txt",
    "autocannon JSON": "autocannon/none-1.json",
}
#: A measured number as reports write it: with decimals, or of nanoseconds.
NUMBER = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.%]|/s| iter)|\d+(?= ns/op)")
GO = "BenchmarkPing-8\t{count}\t{time} ns/op\t172 B/op\t6 allocs/op\n"


#: A tool whose fixture has commands that are too short for the digits it prints.
SHORT = "hyperfine"


def vary(text: str, number: int, scale: int = 1) -> str:
    """Return a report in which all times are a few thousandths longer, as in another run."""

    def change(match: re.Match[str]) -> str:
        decimals = len(match[0].partition(".")[2])
        return f"{scale * float(match[0]) * (1 + number / 250):.{decimals}f}"

    return NUMBER.sub(change, text)


def write_runs(folder: Path, tool: str, runs: int = 3, *, after: int = 0) -> list[Path]:
    """Write numbered runs of a tool that differ as real runs do."""
    source = FIXTURES / TOOLS[tool]
    text = source.read_text(encoding="utf-8")
    paths = [folder / f"{number}{source.suffix}" for number in range(1, runs + 1)]
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(paths, after):
        path.write_bytes(vary(text, number, 40 if tool == SHORT else 1).encode())
    return paths


def change_line_ends(paths: list[Path]) -> None:
    name = f"{len(paths) + 1}{paths[0].suffix}"
    paths[0].with_name(name).write_bytes(paths[0].read_bytes().replace(b"\n", b"\r\n"))


def add_trailing_spaces(paths: list[Path]) -> None:
    lines = paths[1].read_bytes().split(b"\n")
    path = paths[1].with_name(f"{len(paths) + 1}{paths[0].suffix}")
    path.write_bytes(b"  \n".join(lines) + b"\n\n")


def pack(paths: list[Path]) -> None:
    name = f"{len(paths) + 1}{paths[0].suffix}.gz"
    paths[0].with_name(name).write_bytes(gzip.compress(paths[0].read_bytes()))


def pack_next_to(paths: list[Path]) -> None:
    path = paths[1].with_name(f"{paths[1].name}.gz")
    path.write_bytes(gzip.compress(paths[1].read_bytes()))


def concatenate_in_place(paths: list[Path]) -> None:
    joined = b"".join(path.read_bytes() for path in paths[:2])
    paths[0].with_name("all.txt").write_bytes(joined)


def load(folder: Path) -> tuple[int, list[str]]:
    """Return the number of runs that count, and the names of copies."""
    loaded = bk.load(folder)
    problems = loaded.findings
    copies = problems[problems["code"] == "B103"]["where"].tolist()
    measured = loaded.runs[loaded.runs["role"] == "measured"]
    return len(measured), [Path(where).name for where in copies]


COPIES = [change_line_ends, add_trailing_spaces, pack, pack_next_to]
CASES = [(tool, copy) for tool in TOOLS for copy in COPIES]
CASES += [(tool, concatenate_in_place) for tool in TOOLS if "JSON" not in tool]


@pytest.mark.parametrize(("tool", "copy"), CASES)
def test_copy_counts_once_however_its_bytes_changed(
    tool: str, copy: Callable[[list[Path]], None], tmp_path: Path
) -> None:
    paths = write_runs(tmp_path / "pr", tool)
    write_runs(tmp_path / "main", tool, after=10)
    before, none = load(tmp_path)
    assert not none
    copy(paths)
    (name,) = {path.name for path in (tmp_path / "pr").iterdir()} - {path.name for path in paths}
    assert load(tmp_path) == (before, [name])


def pack_all(paths: list[Path], folder: Path) -> Path:
    for path in paths:
        (folder / "pr").mkdir(parents=True, exist_ok=True)
        packed = gzip.compress(path.read_bytes())
        (folder / "pr" / f"{path.name}.gz").write_bytes(packed)
    return folder / "pr"


def archive_tar(paths: list[Path], folder: Path) -> Path:
    with tarfile.open(folder / "pr.tgz", "w:gz") as archive:
        for path in paths:
            archive.add(path, f"pr/{path.name}")
    return folder / "pr.tgz"


def archive_zip(paths: list[Path], folder: Path) -> Path:
    with zipfile.ZipFile(folder / "pr.zip", "w") as archive:
        for path in paths:
            archive.writestr(f"pr/{path.name}", path.read_bytes().replace(b"\n", b"\r\n"))
    return folder / "pr.zip"


def concatenate(paths: list[Path], folder: Path) -> Path:
    (folder / "all.txt").write_bytes(b"".join(path.read_bytes() for path in paths))
    return folder / "all.txt"


@pytest.mark.parametrize("tool", ["wrk", "go"])
@pytest.mark.parametrize("copy", [pack_all, archive_tar, archive_zip, concatenate])
def test_copy_ingested_later_is_not_another_measurement(
    tool: str,
    copy: Callable[[list[Path], Path], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = write_runs(Path("pr"), tool)
    write_runs(Path("main"), tool, after=10)
    assert run(["ingest", "main=main", "pr=pr"]) == 0
    counted = len(bk.load().runs)
    Path("later").mkdir()
    later = f"pr={copy(paths, Path('later'))}"
    for _ in range(2):  # a left-out file is read, and left out, again
        capsys.readouterr()
        assert run(["ingest", later]) == 0
        printed = capsys.readouterr().err
        assert "B103" in printed
        assert "B111" not in printed
        assert len(bk.load().runs) == counted
    assert run(["gate", "--on-inconclusive", "pass"]) in {0, 1}
    printed = capsys.readouterr().out
    assert re.search(r"B103 \S*later/", printed)
    assert "B111" not in printed


def test_stored_file_is_replaced_by_one_that_includes_it(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    paths = write_runs(tmp_path / "pr", "wrk")
    paths[2].unlink()
    ingest([f"pr={paths[0]}"], store)
    whole = concatenate(paths[:2], tmp_path)
    summary = ingest([f"pr={whole}"], store)
    assert [(f.code, f.where) for f in summary.findings] == [("B103", str(paths[0]))]
    runs = bk.load(store=store.url).runs
    assert runs["run"].tolist() == [1, 2]
    assert {source["path"] for sources in runs["sources"] for source in sources} == {str(whole)}
    again = ingest([f"pr={paths[0]}"], store)
    assert [report.outcome for report in again.reports] == ["duplicate"]
    assert "all its runs are also in " in again.findings[0].message
    assert again.runs == 2


def test_file_overwritten_with_a_copy_loses_its_earlier_run(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    paths = write_runs(tmp_path / "pr", "wrk")
    ingest([f"pr={tmp_path / 'pr'}"], store)
    paths[1].write_bytes(paths[0].read_bytes().replace(b"\n", b"\r\n"))
    summary = ingest([f"pr={tmp_path / 'pr'}"], store)
    assert [Path(f.where).name for f in summary.findings if f.code == "B103"] == ["2.txt"]
    assert summary.runs == 2


def test_gate_does_not_count_copies_as_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, after in (("main", 10), ("pr", 0)):
        (path,) = write_runs(tmp_path / name, "wrk", runs=1, after=after)
        for number in range(2, 6):
            copy = path.read_text().replace("\n", " " * number + "\n")
            path.with_name(f"{number}.txt").write_text(copy)
    assert run(["gate", str(tmp_path)]) == 4
    assert "1 run" in capsys.readouterr().out


GO = "BenchmarkPing-8\t{count}\t{time} ns/op\t172 B/op\t6 allocs/op\n"
ALLOCATIONS = "".join(f"BenchmarkPing{n}-8\t100\t{172 + n} B/op\t6 allocs/op\n" for n in range(40))
ROUNDED = "".join(f"BenchmarkPing{n}-8\t100\t{n + 2}.1 ns/op\n" for n in range(4))
MANY = "".join(f"BenchmarkPing{n}-8\t100\t{1000 + n} ns/op\n" for n in range(4))


def test_repeats_that_share_a_few_numbers_are_not_copies(tmp_path: Path) -> None:
    """Complete files, as a script leaves them: their last line differs."""
    texts = {
        "one line": [GO.format(count=1000, time=1051)] * 3,
        "other counts": [MANY, MANY.replace("\t100\t", "\t101\t")],
        "allocations": [ALLOCATIONS] * 3,
        "few digits": [ROUNDED] * 3,
        "one number": [MANY, MANY.replace("1003 ns", "1004 ns")],
        "one more": [MANY + GO.format(count=n, time=1051) for n in (1000, 1001)],
        "none": ["BenchmarkPing-8 1 0 ns/op\n"] * 3,
    }
    for name, repeats in texts.items():
        folder = tmp_path / name / "pr"
        folder.mkdir(parents=True)
        for number, text in enumerate(repeats, 1):
            end = f"PASS\nok  \texample.com/x\t1.{number}s\n"
            (folder / f"{number}.txt").write_text(f"goos: linux\n{text}{end}")
        runs, copies = load(tmp_path / name)
        assert (runs, copies) == (sum(text.count("Benchmark") for text in repeats), []), name


@pytest.mark.parametrize("label", ["variant", "benchmark", "params", "commit"])
def test_equal_runs_with_different_labels_are_not_copies(label: str, tmp_path: Path) -> None:
    """Two variants with the same numbers are finding B105."""
    paths = write_runs(tmp_path / "pr", "wrk", runs=1)
    other = tmp_path / "main" / "2.txt" if label == "variant" else tmp_path / "pr" / "2.txt"
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(paths[0].read_bytes().replace(b"\n", b"\r\n"))
    for path, value in ((paths[0], "a"), (other, "b")):
        sidecars = {
            "variant": "",
            "benchmark": f'benchmark = "{value}"\n',
            "params": f'[params]\nsize = "{value}"\n',
            "commit": f'[env]\ncommit = "{value}"\n',
        }
        path.with_name(f"{path.name}.run.toml").write_text(sidecars[label])
    assert load(tmp_path) == (2, [])


def test_counter_snapshots_may_be_equal(tmp_path: Path) -> None:
    write_runs(tmp_path / "none", "wrk", runs=2)
    text = (FIXTURES / "tracing-resources/otlp/spans-1.prom").read_text(encoding="utf-8")
    for number in (1, 2):
        (tmp_path / "none" / f"spans-{number}.prom").write_text(text + "\n" * number)
    assert load(tmp_path) == (2, [])


@pytest.mark.parametrize("jobs", [1, 2])
def test_copies_of_files_with_many_runs_are_recognised(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their values are written to files while they are read, in any process."""
    monkeypatch.setattr(sink, "FEW", 100)
    for number, cost in enumerate((0.0, 0.01, 0.02), 1):
        gated.write_runs(tmp_path / "pr" / f"{number}.txt", seed=number, cost=cost, runs=200)
    path = tmp_path / "pr" / "2.txt"
    path.with_name("4.txt").write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    store = Store(str(tmp_path / "store"))
    summary = ingest([str(tmp_path / "pr")], store, jobs=jobs)
    assert [(f.code, Path(f.where).name) for f in summary.findings] == [("B103", "4.txt")]
    assert summary.runs == 3 * 2 * 200
    assert len(bk.load(store=store.url).runs) == summary.runs


def test_each_group_may_hold_a_copy_of_the_baseline(tmp_path: Path) -> None:
    pinned = FIXTURES / "redis-gobench" / "pinned"
    for group, variant in (("pr-101", "OTel_Disabled"), ("pr-102", "OTel_Enabled")):
        (tmp_path / group).mkdir()
        for name, side in (("main", "Baseline"), ("pr", variant)):
            (tmp_path / group / f"{name}.txt").write_bytes((pinned / f"{side}.txt").read_bytes())
    store = Store(str(tmp_path / ".benchkit"))
    for _ in range(2):
        ingest([str(tmp_path)], store)
    for runs in (bk.load(tmp_path), bk.load(store=store.url)):
        frame = runs.compare().frame.query("primary")
        assert sorted(frame["group"].unique()) == ["pr-101", "pr-102"]
        assert {*frame["n_baseline"]} == {10}


EXACT = "BenchmarkX-4\t1000\t1234 ns/op\nPASS\n"


def write_captured(folder: Path, seconds: list[int | None], text: str = EXACT) -> None:
    """Write runs of a deterministic command, each with the start time recorded in its sidecar."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, second in enumerate(seconds, 1):
        path = folder / f"{number}.txt"
        path.write_text(text)
        if second is not None:
            start = f"start = 2026-11-26T04:09:{second:02}Z\n"
            path.with_name(f"{path.name}.run.toml").write_text(start)


@pytest.mark.parametrize("text", [EXACT, f"{MANY}PASS\n"])
def test_equal_results_with_different_start_times_all_count(text: str, tmp_path: Path) -> None:
    """For example instruction counts from `benchkit capture`."""
    write_captured(tmp_path / "pr", [1, 2, 3], text)
    write_captured(tmp_path / "main", [11, 12, 13], text)
    of_each = text.count("Benchmark")
    assert load(tmp_path) == (6 * of_each, [])
    store = Store(str(tmp_path / "store"))
    for _ in range(2):
        summary = ingest([f"pr={tmp_path / 'pr'}", f"main={tmp_path / 'main'}"], store)
        assert (summary.runs, [*summary.findings]) == (6 * of_each, [])


def test_equal_results_with_the_same_or_no_start_time_count_once(
    tmp_path: Path,
) -> None:
    write_captured(tmp_path / "pr", [1, 2, 1, None])
    assert load(tmp_path) == (2, ["3.txt", "4.txt"])


def test_copied_folder_of_captured_runs_counts_once(tmp_path: Path) -> None:
    write_captured(tmp_path / "pr", [1, 2])
    shutil.copytree(tmp_path / "pr", tmp_path / "saved")
    store = Store(str(tmp_path / "store"))
    for name in ("pr", "saved", "pr"):
        summary = ingest([f"pr={tmp_path / name}"], store)
        assert summary.runs == 2
    shutil.rmtree(tmp_path / "pr")
    assert ingest([f"pr={tmp_path / 'saved'}"], store).runs == 2  # they were moved
    (tmp_path / "saved" / "1.txt").unlink()
    write_captured(tmp_path / "next", [5])
    assert ingest([f"pr={tmp_path / 'next'}"], store).runs == 3


def test_equal_results_of_two_groups_with_different_starts_are_not_copies(
    tmp_path: Path,
) -> None:
    for group, second in (("small", 1), ("large", 11)):
        write_captured(tmp_path / group / "pr", [second])
        write_captured(tmp_path / group / "main", [second + 1])
    assert load(tmp_path) == (4, [])


def archive_folder(folder: Path, inner: str) -> Path:
    path = folder.with_name(f"{folder.name}.tar")
    with tarfile.open(path, "w") as archive:
        archive.add(folder, inner)
    return path


def test_archive_of_one_folder_is_read_as_that_folder(tmp_path: Path) -> None:
    """As `tar cf results.tar results` writes it; its runs are copies of those in the folder."""
    for name, after in (("main", 10), ("pr", 0)):
        write_runs(tmp_path / "results" / name, "wrk", after=after)
    archive = archive_folder(tmp_path / "results", "results")
    assert {*bk.load(archive).runs["group"]} == {""}
    store = Store(str(tmp_path / "store"))
    ingest([str(tmp_path / "results")], store)
    summary = ingest([str(archive)], store)
    assert (summary.runs, summary.count("duplicate")) == (6, 6)


def test_ingest_reports_copies_in_other_groups(tmp_path: Path) -> None:
    for name, after in (("main", 10), ("pr", 0)):
        write_runs(tmp_path / "results" / name, "wrk", after=after)
    archive = archive_folder(tmp_path / "results", "nightly")
    store = Store(str(tmp_path / "store"))
    ingest([str(tmp_path / "results")], store)
    (finding,) = ingest([str(archive)], store).findings
    assert finding.code == "B103"
    assert finding.message.endswith(
        "and 5 more are in the groups (no group) and nightly, and the same values count in each "
        "group"
    )
    assert not ingest([str(archive)], store).findings
