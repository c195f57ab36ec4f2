"""Runs whose files are missing from a folder ingested again are kept and reported everywhere."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import IngestSummary, ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Ingest six files of each variant."""
    monkeypatch.chdir(tmp_path)
    measure(range(1, 7), seed=0)
    made = Store("store")
    ingest(["res"], made)
    return made


def measure(numbers: range, seed: int) -> None:
    for variant in ("main", "pr"):
        for number in numbers:
            seed += 1
            gated.write_runs(Path(f"res/{variant}/{number}.txt"), seed=seed, runs=1)


def list_missing(summary: IngestSummary) -> list[str]:
    return [str(one) for one in summary.findings if one.code in {"B110", "B111"}]


def list_stored(store: Store, origin: str = "") -> set[str]:
    return set(bk.load(store=store.url, origin=origin or ()).findings["code"]) & {"B110", "B111"}


def test_folder_measured_again_with_fewer_files_is_reported_by_every_command(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert run(["ingest", "res", "--store", store.url]) == 0
    printed = capsys.readouterr().err
    assert (
        "B111 main: the folder res has new results and no longer contains res/main/4.txt, "
        "res/main/5.txt" in printed
    )
    assert "benchkit ingest res --store NEW" in printed
    for command in ("check", "compare", "gate"):
        run([command, "--store", store.url])
        printed = capsys.readouterr().out
        assert "B111" in printed
        assert "res/main/4.txt" in printed
    run(["gate", "--store", store.url, "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    mixed = [one for one in document["findings"] if one["code"] == "B111"]
    assert [(one["where"], one["numbers"]) for one in mixed] == [
        ("main", {"sources": 3}), ("pr", {"sources": 3}),
    ]  # fmt: skip
    runs = bk.load(store=store.url).runs
    assert len(runs[(runs["benchmark"] == "Ping") & (runs["variant"] == "pr")]) == 6


@pytest.mark.parametrize(
    ("policy", "code", "action"), [("", 3, "fail"), ("[policy]\non_damaged = 'warn'\n", 0, "warn")]
)
def test_two_measurements_of_one_folder_fail_the_gate_with_a_remedy(
    store: Store, capsys: pytest.CaptureFixture[str], policy: str, code: int, action: str
) -> None:
    Path("benchkit.toml").write_text(f"schema = 1\n{policy}")
    assert run(["gate", "--store", store.url]) == 0
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    for _ in range(2):  # a later ingest of the same files forgets nothing
        ingest(["res"], store)
        capsys.readouterr()
        outputs = ["--junit", "j.xml", "--comment", "c.md", "--format", "json"]
        assert run(["gate", "--store", store.url, *outputs]) == code
        document = json.loads(capsys.readouterr().out)
        assert document["verdict"] == "fail"
        assert document["counts"]["mixed"] == 2
        events = [each for each in document["events"] if each["event"] == "mixed"]
        assert [each["action"] for each in events] == [action, action]
        for variant, event in zip(("main", "pr"), events, strict=True):
            text = (
                f"wo measurements of {variant} count as one: the folder res has new results and no "
                "longer contains res/"
            )
            assert text in event["text"]
            assert "run `benchkit ingest res --store NEW`" in event["text"]
            assert text in document["sentence"]
            assert text in Path("j.xml").read_text()
            assert text in Path("c.md").read_text()
    ingest(["res"], Store("new"))
    assert run(["gate", "--store", "new"]) == 0


def ingest_all(way: str, store: Store) -> list[str]:
    """Ingest both variants, or pr alone, in some way, and return findings on missing files."""
    files = sorted(map(str, Path("res").glob("*/*.txt")))
    of_pr = [name for name in files if name.startswith("res/pr/")]
    commands = {
        "tree": [["res"]],
        "folders": [["res/main", "res/pr"]],
        "labelled": [["main=res/main", "pr=res/pr"]],
        "pr alone": [["pr=res/pr"]],
        "glob": [files],
        "variant": [of_pr],
        "one by one": [[name] for name in of_pr],
        "labelled files": [[f"pr={name}"] for name in of_pr],
    }
    options = Options(variant="pr" if way in {"variant", "one by one"} else None)
    findings: list[str] = []
    for arguments in commands[way]:
        findings += list_missing(ingest(arguments, store, options))
    return findings


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("glob", "glob"),
        ("tree", "labelled"),
        ("labelled", "tree"),
        ("tree", "glob"),
        ("tree", "folders"),
        ("variant", "variant"),
        ("one by one", "one by one"),
        ("labelled files", "labelled files"),
        ("labelled", "one by one"),
        ("tree", "labelled files"),
    ],
)
@pytest.mark.usefixtures("store")
def test_fewer_files_are_mixed_however_both_ingests_are_written(before: str, after: str) -> None:
    made = Store("made")
    ingest(["res/main"], made, Options(variant="main"))
    assert not ingest_all(before, made)
    assert run(["gate", "--store", "made"]) == 0
    shutil.rmtree("res/pr")
    for number in (1, 2):
        gated.write_runs(Path(f"res/pr/{number}.txt"), seed=100 + number, runs=1)
    findings = ingest_all(after, made)
    folder = "res" if after == "tree" else "res/pr"
    assert findings[-1].startswith(
        f"B111 pr: the folder {folder} has new results and no longer contains res/pr/3.txt"
    )
    assert "4 earlier and 2 new runs count together" in findings[-1]
    assert run(["gate", "--store", "made"]) == 3
    for way in ("labelled", "pr alone", "tree", "glob", "one by one"):  # nothing new is measured
        ingest_all(way, made)
        assert list_stored(made) == {"B111"}
    assert run(["gate", "--store", "made"]) == 3


@pytest.mark.parametrize("before", ["labelled", "tree"])
@pytest.mark.parametrize("after", ["labelled", "tree"])
@pytest.mark.usefixtures("store")
def test_variant_without_files_is_not_judged_however_ingests_are_written(
    before: str, after: str
) -> None:
    made = Store("made")
    ingest_all(before, made)
    for number in range(1, 7):
        Path(f"res/pr/{number}.txt").unlink()
    (finding,) = ingest_all(after, made)
    assert "res/pr/1.txt, res/pr/2.txt" in finding
    assert run(["gate", "--store", "made"]) == 3


def test_variant_without_files_fails_the_gate_among_other_variants(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(1, 7):
        gated.write_runs(Path(f"res/otlp/{number}.txt"), seed=40 + number, runs=1)
    ingest(["res"], store)
    gate = ["gate", "--store", store.url]
    assert run(gate) == 0
    shutil.rmtree("res/pr")
    assert list_missing(ingest(["res"], store))[0].startswith("B110 res: ")
    capsys.readouterr()
    assert run(gate) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "✗ Variant pr was not compared: res was ingested again without the files of 'pr'" in shown
    )
    assert run([*gate, "--variant", "pr"]) == 3
    assert run([*gate, "--variant", "otlp"]) == 0
    assert run(["undo", "--store", store.url]) == 0
    assert run(gate) == 0


def test_named_files_measured_again_under_other_names_are_mixed(store: Store) -> None:
    shutil.rmtree("res")
    measure(range(7, 10), seed=100)
    assert [finding[:9] for finding in ingest_all("glob", store)] == ["B111 main", "B111 pr: "]
    assert run(["gate", "--store", store.url]) == 3


def test_files_deleted_right_after_each_ingest_are_not_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store("store")
    for number in range(1, 5):
        for seed, variant in enumerate(("main", "pr"), 2 * number):
            path = gated.write_runs(Path(f"out/{variant}-{number}.txt"), seed=seed, runs=1)
            assert not list_missing(ingest([str(path)], store, Options(variant=variant)))
            path.unlink()
    assert not list_stored(store)
    assert run(["gate", "--store", store.url]) == 0


@pytest.mark.usefixtures("store")
def test_folder_measured_again_under_another_label_keeps_the_first() -> None:
    made = Store("made")
    for seed, variant in ((0, "main"), (100, "pr")):
        shutil.rmtree("res")
        measure(range(1, 7 if variant == "main" else 4), seed=seed)
        files = sorted(map(str, Path("res/pr").glob("*.txt")))
        assert not list_missing(ingest(files, made, Options(variant=variant)))
    assert not list_stored(made)


def test_files_removed_after_the_rest_was_measured_again_are_mixed(store: Store) -> None:
    measure(range(1, 4), seed=100)
    assert not list_missing(ingest(["res"], store))
    for number in (4, 5, 6):
        Path(f"res/pr/{number}.txt").unlink()
    (finding,) = list_missing(ingest(["res"], store))
    assert finding.startswith("B111 pr: ")
    assert list_stored(store) == {"B111"}


def test_benchmark_not_measured_again_is_mixed_with_the_others(
    store: Store,
) -> None:
    for seed, variant in enumerate(("main", "pr"), 50):
        gated.write_runs(Path(f"res/{variant}/old.txt"), seed=seed, benchmarks=("Old",))
    ingest(["res"], store)
    shutil.rmtree("res/pr")
    measure(range(1, 7), seed=100)
    assert "res/pr/old.txt" in str(list_missing(ingest(["res"], store)))
    assert run(["gate", "--store", store.url]) == 3


def test_files_deleted_after_their_ingest_do_not_fail_the_gate(store: Store) -> None:
    shutil.rmtree("res/main")
    for number in range(1, 7):
        Path(f"res/pr/{number}.txt").unlink()
    Path("res/pr/notes.txt").write_text("nothing new\n")
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]
    assert list_stored(store) == {"B110"}
    assert run(["gate", "--store", store.url]) == 0


@pytest.mark.parametrize("times", [0, 1])
def test_folder_measured_again_under_other_names_fails_the_gate(store: Store, times: int) -> None:
    for _ in range(times):
        measure(range(1, 7), seed=50)
        ingest(["res"], store)
    shutil.rmtree("res")
    measure(range(7, 10), seed=100)
    main, pr = list_missing(ingest(["res"], store))
    assert main.startswith("B111 main: ")
    assert "res/pr/1.txt" in pr
    assert "6 earlier and 3 new runs count together" in pr
    for _ in range(2):
        assert run(["gate", "--store", store.url]) == 3
        ingest(["res"], store)


def test_folder_that_keeps_only_the_latest_nights_passes_the_gate(store: Store) -> None:
    for night in (7, 8, 9):
        measure(range(night, night + 1), seed=100 + night)
        for variant in ("main", "pr"):
            Path(f"res/{variant}/{night - 6}.txt").unlink()
        (finding,) = list_missing(ingest(["res"], store))
        assert finding.startswith("B110 res: ")
    assert run(["gate", "--store", store.url]) == 0


def test_another_benchmark_is_not_a_new_measurement_of_missing_files(store: Store) -> None:
    for number in range(1, 7):
        Path(f"res/pr/{number}.txt").unlink()
    gated.write_runs(Path("res/pr/other.txt"), seed=5, benchmarks=("Other",))
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]


def test_new_measurement_against_a_deleted_baseline_is_undecided(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(range(1, 7), seed=100)
    shutil.rmtree("res/main")
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]
    gate = ["gate", "--store", store.url]
    assert run(gate) == run([*gate, "--variant", "pr"]) == 4
    why = (
        "Undecided: the runs of main are of an earlier measurement: res was ingested again without"
    )
    assert f"{why} the files of 'main'; measure" in " ".join(capsys.readouterr().out.split())
    Path("benchkit.toml").write_text("[policy]\non_undecided = 'warn'\n")
    assert run(gate) == 0


def test_deleted_later_runs_are_not_older_than_the_new_measurement(
    store: Store,
) -> None:
    measure(range(1, 7), seed=100)
    ingest(["res"], store)
    measure(range(7, 9), seed=200)
    ingest(["res"], store)
    Path("res/pr/8.txt").unlink()
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]


def test_completed_truncated_file_is_not_a_new_measurement(store: Store) -> None:
    torn = gated.write_runs(Path("res/pr/7.txt"), seed=70, runs=1)
    whole = torn.read_text()
    torn.write_text(whole[: whole.index(" ns/op")])
    ingest(["res"], store)
    torn.write_text(whole)
    Path("res/pr/1.txt").unlink()
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]


def test_suggested_commands_resolve_the_mixture(store: Store) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert list_missing(ingest(["res"], store))
    assert not list_missing(ingest(["res"], Store("new")))
    store.undo()
    assert not list_stored(store)
    assert not list_missing(ingest(["res"], store, Options(origin="second")))
    assert not list_stored(store, "second")


@pytest.mark.parametrize("is_first", [False, True])
def test_folder_measured_again_and_packed_or_unpacked_is_mixed(
    store: Store, *, is_first: bool
) -> None:
    def pack() -> None:
        for path in Path("res").glob("*/*.txt"):
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()

    if is_first:
        pack()
        ingest(["res"], store)
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    if not is_first:
        pack()
    for _ in range(2):
        list_missing(ingest(["res"], store))
        assert list_stored(store) == {"B111"}
        assert run(["gate", "--store", store.url]) == 3


def test_folder_that_keeps_the_latest_runs_packed_passes_the_gate(store: Store) -> None:
    for path in Path("res").glob("*/*.txt"):
        if path.stem != "1":
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert [one[:9] for one in list_missing(ingest(["res"], store))] == ["B110 res:"]
    assert run(["gate", "--store", store.url]) == 0


def test_removed_file_is_reported_until_it_is_back(
    store: Store,
) -> None:
    Path("res/pr/6.txt").rename("6.txt")
    for _ in range(2):
        assert "res/pr/6.txt" in str(list_missing(ingest(["res"], store)))
        assert list_stored(store) == {"B110"}
    Path("6.txt").rename("res/pr/6.txt")
    assert not list_missing(ingest(["res"], store))
    assert not list_stored(store)


@pytest.mark.parametrize(
    "options", [Options(variant="third"), Options(commit="c861e65"), Options(origin="job")]
)
def test_other_labels_or_origins_and_moved_files_are_not_missing(
    store: Store, options: Options
) -> None:
    Path("res/pr/6.txt").rename("res/pr/7.txt")
    assert not list_missing(ingest(["res"], store))
    Path("res/pr/7.txt").unlink()
    assert not list_missing(ingest(["res"], store, options))
