"""A damaged store names the file and the remedy in every command; `repair` drops the file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.store import Store
from benchkit.store.delta import Table

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder of results, and a store into which they were ingested one by one."""
    place = tmp_path_factory.mktemp("whole")
    for variant in ("none", "otlp"):
        (place / "results" / variant).mkdir(parents=True)
        for number in (1, 2, 3):
            name = f"{variant}/wrk-{number}.txt"
            shutil.copy(FIXTURES / "tracing-wrk" / name, place / "results" / name)
    samples = FIXTURES / "nginx-ab" / "nginx" / "ab-small-c30-1.tsv.gz"
    shutil.copy(samples, place / "results" / "none")
    for name in ("none", "otlp"):
        ingest([str(place / "results" / name)], Store(str(place / "store")))
    return place


@pytest.fixture
def place(intact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(intact / "store", tmp_path / "store")
    monkeypatch.chdir(intact)
    return tmp_path


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garble(path: Path) -> None:
    """Change bytes in the middle, so that the end of the file stays intact."""
    content = bytearray(path.read_bytes())
    content[10:60] = bytes(byte ^ 0xFF for byte in content[10:60])
    path.write_bytes(bytes(content))


def list_files(place: Path, table: str) -> list[Path]:
    return sorted((place / "store" / table).rglob("*.parquet"))


@pytest.mark.parametrize("table", ["runs", "values", "runs/_delta_log"])
def test_pipe_in_place_of_a_file_is_named(
    place: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    folder = place / "store" / table
    ending = "*.json" if table.endswith("_log") else "*.parquet"
    file = next(folder.rglob(ending))
    file.unlink()
    os.mkfifo(file)
    for words in (["compare"], ["store", "check"]):
        assert run([*words, "--store", str(place / "store")])
        streams = capsys.readouterr()
        shown = streams.out + streams.err
        assert f"{file.name} is not a file, but a pipe or device" in shown


def count_values(store: Path) -> int:
    return len(bk.load(store=str(store), samples=True).observations)


@pytest.mark.parametrize("hurt", [Path.unlink, tear, garble], ids=["missing", "torn", "garbled"])
@pytest.mark.parametrize("table", ["runs", "values/raw=false", "values/raw=true"])
def test_damage_is_listed_dropped_and_restored_by_ingesting_again(
    place: Path, intact: Path, table: str, hurt: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file, store = list_files(place, table)[0], str(place / "store")
    hurt(file)
    assert run(["store", "check", "--store", store]) == 3
    printed = capsys.readouterr()
    assert file.name in printed.out
    assert "benchkit store repair" in printed.err
    assert run(["store", "repair", "--store", store]) == 0
    printed = capsys.readouterr()
    assert file.name in printed.err
    assert "results/none/" in printed.out
    assert run(["store", "check", "--store", store]) == 0
    assert run(["undo", "--store", store]) == 3
    loaded = bk.load(store=store)
    assert set(loaded.runs["variant"]) >= {"otlp"}
    if table != "values/raw=true":
        assert set(loaded.observations["variant"]) == {"otlp"}
    for name in ("none", "otlp"):
        assert run(["ingest", f"results/{name}", "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


READERS = [
    ["compare", "--baseline", "none"],
    ["gate", "--max-overhead", "request_rate=50%", "--baseline", "none"],
    ["export"],
    ["report", "--baseline", "none", "-o", "report.md"],
    ["check"],
    ["history", "show"],
]
LISTERS = [["runs"], ["ingest", "results"], ["undo"]]
CASES = [
    *(("runs", command) for command in (*READERS, *LISTERS)),
    *(("values/raw=false", command) for command in (*READERS, ["ingest", "results/none"])),
]


@pytest.mark.parametrize(("table", "command"), CASES, ids=lambda case: str(case[0]))
@pytest.mark.parametrize("hurt", [Path.unlink, tear], ids=["missing", "torn"])
def test_every_command_names_the_damaged_file(
    place: Path, table: str, hurt: Callable[[Path], None], command: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = list_files(place, table)[0]
    hurt(file)
    assert run([*command, "--store", str(place / "store")]) == 3
    printed = capsys.readouterr()
    error = printed.err + printed.out
    assert file.name in error
    assert "batch" in error or table == "runs"
    assert "benchkit store check" in error
    assert "benchkit store repair" in error


@pytest.mark.parametrize("table", ["runs", "values"])
@pytest.mark.parametrize("number", [0, 1])
def test_torn_log_of_commits_is_rebuilt_from_the_files(
    place: Path, intact: Path, table: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = place / "store" / table / "_delta_log" / f"{number:020}.json"
    tear(file)
    store = str(place / "store")
    assert run(["compare", "--baseline", "none", "--store", store]) == 3
    error = capsys.readouterr().err
    assert file.name in error
    assert "benchkit store repair" in error
    assert run(["store", "check", "--store", store]) == 3
    assert run(["store", "repair", "--store", store]) == 0
    assert run(["store", "check", "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


def test_rows_in_two_files_are_taken_once_when_the_log_is_rebuilt(
    place: Path, intact: Path
) -> None:
    store = Store(str(place / "store"))
    store.tidy(thoroughly=True)
    for table in ("runs", "values"):
        for file in (place / "store" / table / "_delta_log").glob("*.json"):
            tear(file)
    done = store.repair()
    assert done.sources == ()
    assert count_values(place / "store") == count_values(intact / "store")


def test_store_that_lost_all_values_starts_over(
    place: Path, intact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for table in ("runs", "values"):
        for file in list_files(place, table):
            file.unlink()
    store = str(place / "store")
    assert run(["store", "repair", "--store", store]) == 0
    assert "wrk-1.txt" in capsys.readouterr().out
    for name in ("none", "otlp"):
        assert run(["ingest", f"results/{name}", "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


def test_lost_table_of_values_is_not_an_empty_one(place: Path) -> None:
    shutil.rmtree(place / "store" / "values")
    assert run(["compare", "--baseline", "none", "--store", str(place / "store")]) == 3


@pytest.mark.parametrize("lost", ["values", "values/_delta_log", "values/_delta_log/*1.json"])
def test_lost_log_is_detected_by_gate_and_check_and_rewritten(
    place: Path, intact: Path, lost: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (place / "store").glob(lost):
        path.unlink() if path.is_file() else shutil.rmtree(path)
    store = str(place / "store")
    for command in (["gate", "--max-overhead", "request_rate=50%"], ["ingest", "results/otlp"]):
        assert run([*command, "--store", store]) == 3
    assert run(["store", "check", "--store", store]) == 3
    capsys.readouterr()
    assert run(["store", "repair", "--store", store]) == 0
    printed = capsys.readouterr()
    assert "rewrote the log of commits" in printed.err
    assert "dropped" not in printed.err
    assert run(["store", "check", "--store", store]) == 0
    for source in printed.out.split():
        assert run(["ingest", source.rpartition("/")[0], "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


@pytest.mark.parametrize("command", [["ingest", "results/none"], ["store", "vacuum"]])
def test_lost_values_are_detected_before_reading_or_merging(
    place: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = list_files(place, "values/raw=true")
    file.unlink()
    assert run([*command, "--store", str(place / "store")]) == 3
    printed = capsys.readouterr()
    assert file.name in printed.err
    assert "benchkit store repair" in printed.err


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_file_with_an_intact_end_is_named_too(
    place: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = list_files(place, "values/raw=false")[0]
    garble(file)
    assert run([*command, "--store", str(place / "store")]) == 3
    printed = capsys.readouterr()
    assert file.name in printed.err + printed.out


@pytest.mark.parametrize("table", ["runs", "values"])
def test_file_in_place_of_a_table_is_named(
    place: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = place / "store" / table
    shutil.rmtree(folder)
    folder.write_text("")
    for command in (["export"], ["ingest", "results/none"], ["undo"], ["store", "check"]):
        if (table, command) == ("values", ["undo"]):
            continue
        assert run([*command, "--store", str(place / "store")]) == 3
        error = capsys.readouterr().err
        assert f"{folder}: a file is where the store needs a folder" in error
        assert "store check" not in error


def test_repair_of_a_store_without_runs_terminates(place: Path) -> None:
    store = str(place / "empty")
    for _ in range(2):
        ingest(["results/none"], Store(store))
        Store(store).undo()
    shutil.rmtree(place / "empty" / "values")
    assert run(["store", "check", "--store", store]) == 3
    assert run(["store", "repair", "--store", store]) == 0
    assert run(["store", "check", "--store", store]) == 0


def test_intact_store_has_no_damage(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store", "check", "--store", str(place / "store")]) == 0
    assert "no damage" in capsys.readouterr().err
    assert run(["store", "repair", "--store", str(place / "store")]) == 0
    assert run(["store", "check", "--store", str(place / "nowhere")]) == 3


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut_line(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))


def rename_field(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"stats"', b'"stapq"'))


@pytest.mark.parametrize("hurt", [empty, tear, cut_line, rename_field])
@pytest.mark.parametrize("table", ["runs", "values"])
def test_damaged_newest_entry_is_reported_not_skipped(
    place: Path, intact: Path, table: str, hurt: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = max((place / "store" / table / "_delta_log").glob("*.json"))
    hurt(file)
    store = str(place / "store")
    for command in (["export"], ["ingest", "results"], ["undo"], ["store", "vacuum"]):
        assert run([*command, "--store", store]) == 3
        printed = capsys.readouterr()
        assert file.name in printed.err + printed.out
        assert "benchkit store repair" in printed.err + printed.out
    assert run(["store", "check", "--store", store]) == 3
    assert file.name in capsys.readouterr().out
    assert run(["store", "repair", "--store", store]) == 0
    assert run(["store", "check", "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


def test_lost_newest_entry_of_the_values_is_detected_by_the_log_of_runs(
    place: Path, intact: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = max((place / "store" / "values" / "_delta_log").glob("*.json"))
    file.unlink()
    store = str(place / "store")
    for command in (["export"], ["ingest", "results"], ["store", "vacuum"], ["store", "check"]):
        assert run([*command, "--store", store]) == 3
        printed = capsys.readouterr()
        assert file.name in printed.err + printed.out
    assert run(["store", "repair", "--store", store]) == 0
    assert run(["store", "check", "--store", store]) == 0
    assert count_values(place / "store") == count_values(intact / "store")


class KilledError(BaseException):
    """Simulates the death of a process."""


def ingest_and_die(place: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ingest another variant, except for the commit of its runs."""
    results = shutil.copytree(place / "results" / "none", store.parent / "killed")
    for path in results.glob("*.txt"):
        path.write_text(f"{path.read_text()}\nmeasured again\n")
    claim = Table.claim

    def die(self: Table, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        if self.url.endswith("/runs"):
            raise KilledError
        claim(self, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Table, "claim", die)
        with pytest.raises(KilledError):
            ingest([str(results)], Store(str(store)))


@pytest.mark.parametrize("hurt", [empty, tear])
@pytest.mark.parametrize("places", [[-1], [0], [0, 1]])
def test_rows_of_a_killed_ingest_stay_invisible_in_a_rebuilt_log(
    place: Path, intact: Path, hurt: Callable[[Path], None], places: list[int],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    store = place / "store"
    ingest_and_die(intact, store, monkeypatch)
    entries = sorted((store / "runs" / "_delta_log").glob("*.json"))
    for number in places:
        hurt(entries[number])
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert "killed" not in set(bk.load(store=str(store)).runs["variant"])
    capsys.readouterr()
    for name in ("none", "otlp"):
        assert run(["ingest", f"results/{name}", "--store", str(store)]) == 0
    assert count_values(store) == count_values(intact / "store")


def test_killed_repair_is_completed_by_the_next(
    place: Path, intact: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = place / "store"
    tear(max((store / "runs" / "_delta_log").glob("*.json")))

    def die(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Table, "claim", die)
        with pytest.raises(KilledError):
            Store(str(store)).repair()
    assert run(["export", "--store", str(store)]) == 3
    assert run(["store", "check", "--store", str(store)]) == 3
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert count_values(store) == count_values(intact / "store")


def test_sources_known_to_other_files_are_listed_and_the_rest_counted(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = str(place / "store")
    monkeypatch.setattr("benchkit.store.notes._LONGEST", -1)  # as in an earlier build
    Store(store).tidy(thoroughly=True)
    (joined,) = Store(store)._runs.list_files(Store(store)._runs.open())  # type: ignore[arg-type]
    (place / "store" / "runs" / joined["path"]).unlink()
    for file in list_files(place, "runs")[:1]:
        file.unlink()
    assert run(["store", "repair", "--store", store]) == 0
    printed = capsys.readouterr()
    assert all(f"results/otlp/wrk-{number}.txt" in printed.out for number in (1, 2, 3))
    assert "unknown" in printed.err
    assert "all folders" in printed.err


def test_column_of_another_type_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = list_files(place, "runs")[-1]
    rows = pq.read_table(file)
    moved = rows["started_at"].cast(pa.timestamp("us", tz="Europe/Paris"))
    pq.write_table(rows.drop(["started_at"]).append_column("started_at", moved), file)
    assert run(["runs", "--store", str(place / "store")]) == 3
    assert file.name in capsys.readouterr().err
