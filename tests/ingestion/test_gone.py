"""Runs whose files are gone from a folder that is ingested again are kept, and named everywhere."""

from __future__ import annotations

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


def list_gone(summary: IngestSummary) -> list[str]:
    return [str(one) for one in summary.findings if one.code in {"B110", "B111"}]


def list_stored(store: Store, origin: str = "") -> set[str]:
    return set(bk.load(store=store.url, origin=origin or ()).findings["code"]) & {"B110", "B111"}


def test_a_folder_measured_again_with_fewer_files_is_named_by_every_command(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert run(["ingest", "res", "--store", store.url]) == 0
    printed = capsys.readouterr().err
    assert "B111 main: res was measured again without res/main/4.txt, res/main/5.txt" in printed
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
def test_two_measurements_of_one_folder_fail_the_gate_with_the_command_that_parts_them(
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
            text = f"wo measurements of {variant} count as one: res was measured again without res/"
            assert text in event["text"]
            assert "run `benchkit ingest res --store NEW`" in event["text"]
            assert text in document["sentence"]
            assert text in Path("j.xml").read_text()
            assert text in Path("c.md").read_text()
    ingest(["res"], Store("new"))
    assert run(["gate", "--store", "new"]) == 0


def test_files_removed_after_the_rest_was_measured_again_are_mixed_as_well(store: Store) -> None:
    measure(range(1, 4), seed=100)
    assert not list_gone(ingest(["res"], store))
    for number in (4, 5, 6):
        Path(f"res/pr/{number}.txt").unlink()
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B111 pr: ")
    assert list_stored(store) == {"B111"}


def test_a_benchmark_that_was_not_measured_again_is_mixed_with_those_that_were(
    store: Store,
) -> None:
    for seed, variant in enumerate(("main", "pr"), 50):
        gated.write_runs(Path(f"res/{variant}/old.txt"), seed=seed, benchmarks=("Old",))
    ingest(["res"], store)
    shutil.rmtree("res/pr")
    measure(range(1, 7), seed=100)
    assert "res/pr/old.txt" in str(list_gone(ingest(["res"], store)))
    assert run(["gate", "--store", store.url]) == 3


def test_files_deleted_after_their_ingest_fail_no_gate(store: Store) -> None:
    shutil.rmtree("res/main")
    for number in range(1, 7):
        Path(f"res/pr/{number}.txt").unlink()
    Path("res/pr/notes.txt").write_text("nothing new\n")
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B110 res: ")
    assert list_stored(store) == {"B110"}
    assert run(["gate", "--store", store.url]) == 0


def test_a_folder_measured_again_under_other_names_fails_the_gate(store: Store) -> None:
    shutil.rmtree("res")
    measure(range(7, 10), seed=100)
    main, pr = list_gone(ingest(["res"], store))
    assert main.startswith("B111 main: ")
    assert "res/pr/1.txt" in pr
    assert "6 earlier and 3 new runs count together" in pr
    for _ in range(2):
        assert run(["gate", "--store", store.url]) == 3
        ingest(["res"], store)


def test_a_folder_that_keeps_the_last_nights_fails_no_gate(store: Store) -> None:
    for night in (7, 8, 9):
        measure(range(night, night + 1), seed=100 + night)
        for variant in ("main", "pr"):
            Path(f"res/{variant}/{night - 6}.txt").unlink()
        (finding,) = list_gone(ingest(["res"], store))
        assert finding.startswith("B110 res: ")
    assert run(["gate", "--store", store.url]) == 0


def test_another_benchmark_beside_files_that_are_gone_is_no_new_measurement(store: Store) -> None:
    for number in range(1, 7):
        Path(f"res/pr/{number}.txt").unlink()
    gated.write_runs(Path("res/pr/other.txt"), seed=5, benchmarks=("Other",))
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B110 res: ")


def test_a_variant_measured_again_whole_is_not_mixed_with_a_baseline_that_is_gone(
    store: Store,
) -> None:
    shutil.rmtree("res/main")
    for number in range(1, 7):
        gated.write_runs(Path(f"res/pr/{number}.txt"), seed=100 + number, runs=1)
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B110 res: ")
    assert run(["gate", "--store", store.url]) == 0


def test_runs_added_later_and_deleted_are_not_older_than_what_was_measured_again(
    store: Store,
) -> None:
    measure(range(1, 7), seed=100)
    ingest(["res"], store)
    measure(range(7, 9), seed=200)
    ingest(["res"], store)
    Path("res/pr/8.txt").unlink()
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B110 res: ")


def test_a_file_that_was_torn_is_completed_not_measured_again(store: Store) -> None:
    torn = gated.write_runs(Path("res/pr/7.txt"), seed=70, runs=1)
    whole = torn.read_text()
    torn.write_text(whole[: whole.index(" ns/op")])
    ingest(["res"], store)
    torn.write_text(whole)
    Path("res/pr/1.txt").unlink()
    (finding,) = list_gone(ingest(["res"], store))
    assert finding.startswith("B110 res: ")


def test_the_named_commands_end_it(store: Store) -> None:
    shutil.rmtree("res")
    measure(range(1, 4), seed=100)
    assert list_gone(ingest(["res"], store))
    assert not list_gone(ingest(["res"], Store("new")))
    store.undo()
    assert not list_stored(store)
    assert not list_gone(ingest(["res"], store, Options(origin="second")))
    assert not list_stored(store, "second")


def test_a_removed_file_is_named_where_nothing_else_changed_and_no_more_once_it_is_back(
    store: Store,
) -> None:
    Path("res/pr/6.txt").rename("6.txt")
    for _ in range(2):
        assert "res/pr/6.txt" in str(list_gone(ingest(["res"], store)))
        assert list_stored(store) == {"B110"}
    Path("6.txt").rename("res/pr/6.txt")
    assert not list_gone(ingest(["res"], store))
    assert not list_stored(store)


@pytest.mark.parametrize(
    "options", [Options(variant="third"), Options(commit="c861e65"), Options(origin="job")]
)
def test_other_labels_or_origins_and_moved_files_are_not_gone(
    store: Store, options: Options
) -> None:
    Path("res/pr/6.txt").rename("res/pr/7.txt")
    assert not list_gone(ingest(["res"], store))
    Path("res/pr/7.txt").unlink()
    assert not list_gone(ingest(["res"], store, options))


@pytest.mark.parametrize("names", [("a1b2c3d", "b2c3d4e"), ("2026-10-01", "2026-10-02")])
def test_folders_of_one_parent_are_told_apart_by_their_names(
    names: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(names):
        gated.write_runs(Path(f"commits/{name}/bench.txt"), seed=seed, runs=5)
        assert run(["ingest", f"commits/{name}", "-q"]) == 0
    assert set(bk.load().runs["variant"]) == set(names)


def test_one_variant_of_several_folders_fails_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, commit in enumerate(("a1b2c3d", "b2c3d4e")):
        for place, name in enumerate(("main", "pr")):
            path = Path(f"commits/{commit}/{name}.txt")
            gated.write_runs(path, seed=2 * seed + place, runs=5, spread=0.002)
        assert run(["ingest", f"commits/{commit}", "-q"]) == 0
    assert run(["gate", "--max-overhead", "time_per_op=5%", "--format", "json"]) == 3
    document = json.loads(capsys.readouterr().out)
    mixed = [one for one in document["findings"] if one["code"] == "B111"]
    assert [one["where"] for one in mixed] == ["main", "pr"]
    assert "a1b2c3d, b2c3d4e" in mixed[0]["message"]
    assert run(["gate", "commits/a1b2c3d", "commits/b2c3d4e", "-q"]) == 3
    assert run(["gate", "commits", "-q"]) == 0


def test_folders_that_count_runs_or_are_labelled_are_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        for variant in ("main", "pr"):
            seed = 2 * number + (variant == "pr")
            gated.write_runs(Path(f"run{number}/{variant}.txt"), seed=seed, runs=5)
            gated.write_runs(Path(f"night/{seed}/redis.txt"), seed=seed, runs=5)
            assert run(["ingest", f"{variant}=night/{seed}", "--store", "labelled", "-q"]) == 0
        assert run(["ingest", f"run{number}", "-q"]) == 0
    for store in (".benchkit", "labelled"):
        assert "B111" not in set(bk.load(store=store).findings["code"])


def test_files_of_a_variant_that_are_ingested_one_by_one_are_no_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, path in enumerate(["A/list", "A/search", "B/list", "B/search"]):
        gated.write_runs(Path(f"{path}.txt"), seed=seed, runs=4)
        assert run(["ingest", f"{path}.txt", "--variant", path[0], "--store", "apart", "-q"]) == 0
    capsys.readouterr()
    gate = ["gate", "--baseline", "A", "--store"]
    assert run([*gate, "apart"]) == 3
    shown = " ".join(capsys.readouterr().out.split())
    assert "runs of 2 names of files count together: list, search" in shown
    for variant in "AB":
        assert run(["ingest", variant, "--variant", variant, "--store", "together", "-q"]) == 0
    assert run([*gate, "together"]) == 0
    for number in (1, 2):
        for variant in "AB":
            gated.write_runs(Path(f"{variant}/get-{number}.txt"), seed=number, runs=4)
            path = f"{variant}/get-{number}.txt"
            assert run(["ingest", path, "--variant", variant, "--store", "runs", "-q"]) == 0
    assert run([*gate, "runs"]) == 3  # the same values under both labels
    assert "names of files" not in capsys.readouterr().out
