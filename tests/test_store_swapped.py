"""A file of the store in place of another is damage: it is named, and nothing goes missing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import gated
import pytest
from deltalake import DeltaTable

import benchkit.api as bk
from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.store import Store, entries
from benchkit.store.files import holds_stated_rows

READERS = (
    ["gate", "--baseline", "main"],
    ["compare", "--baseline", "main"],
    ["report", "--baseline", "main", "-o", "report.md"],
    ["check"],
    ["export"],
)
STORE_COMMANDS = ("vacuum", "upgrade", "check", "repair")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a store of two ingests."""
    monkeypatch.chdir(tmp_path)
    for seed, name in ((1, "main"), (2, "pr")):
        gated.write_runs(Path("results") / f"{name}.txt", seed=seed)
        ingest([f"results/{name}.txt"], Store("store"))
    return Path("store")


def describe(store: Path) -> list[tuple[str, str, float]]:
    """Return all values of a store with their variants and metrics."""
    values = bk.load(store=str(store)).observations
    return sorted(zip(values["variant"], values["metric"], values["value"], strict=True))


def list_entries(store: Path, table: str) -> list[Path]:
    return sorted((store / table / entries.FOLDER).glob("*.json"))


def forget_places(store: Path) -> None:
    """Make the log look like one of an earlier build, without places."""
    for table in ("runs", "values"):
        for entry in list_entries(store, table):
            lines = [json.loads(line) for line in entry.read_text().splitlines()]
            for line in lines:
                line.get("commitInfo", {}).pop("place", None)
            entry.write_text("\n".join(map(json.dumps, lines)))


def keep_places(_: Path) -> None:
    """Leave the log unchanged."""


def repeat_values(store: Path) -> Path:
    first, second = list_entries(store, "values")
    return Path(shutil.copy(first, second))


def repeat_runs(store: Path) -> Path:
    *_, first, second = list_entries(store, "runs")
    return Path(shutil.copy(first, second))


def swap_tables(store: Path) -> Path:
    runs, values = list_entries(store, "runs")[0], list_entries(store, "values")[1]
    text = runs.read_bytes()
    runs.write_bytes(values.read_bytes())
    values.write_bytes(text)
    return values


def replace_runs(store: Path) -> Path:
    first, second = sorted((store / "runs").glob("*.parquet"))
    return Path(shutil.copy(first, second))


def replace_values(store: Path) -> Path:
    first, second = sorted((store / "values").rglob("*.parquet"))
    size = second.stat().st_size
    data = first.read_bytes()
    assert len(data) <= size
    # As long as the other: any bytes may precede the end of a Parquet file.
    end = 8 + int.from_bytes(data[-8:-4], "little")
    second.write_bytes(data[:-end] + bytes(size - len(data)) + data[-end:])
    return second


@pytest.mark.parametrize("write", [keep_places, forget_places])
@pytest.mark.parametrize(
    "hurt", [repeat_values, repeat_runs, swap_tables, replace_runs, replace_values]
)
def test_file_in_place_of_another_is_named_and_repaired(
    store: Path, write: Callable[[Path], None], hurt: Callable[[Path], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    before = describe(store)
    write(store)
    assert run(["store", "check", "--store", str(store)]) == 0
    file = hurt(store)
    for words in (*READERS, ["ingest", "results"]):
        assert run([*words, "--store", str(store)]) == 3, words
        assert "benchkit store check" in "".join(capsys.readouterr()), words
    assert run(["store", "check", "--store", str(store)]) == 3
    assert file.name in capsys.readouterr().out
    for word in STORE_COMMANDS:
        assert run(["store", word, "--store", str(store)]) == (0 if word == "repair" else 3), word
    assert run(["store", "check", "--store", str(store)]) == 0
    for name in ("main", "pr"):
        assert run(["ingest", f"results/{name}.txt", "--store", str(store)]) == 0
    assert describe(store) == before


@pytest.mark.parametrize("table", ["runs", "values"])
def test_checkpoint_of_an_earlier_version_is_named_and_repaired(
    store: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = store / table / entries.FOLDER
    for name in ("early.parquet", "late.parquet"):
        version = DeltaTable(str(store / table))
        version.create_checkpoint()
        (checkpoint,) = log.glob(f"*{version.version()}.checkpoint.parquet")
        shutil.copy(checkpoint, store / name)
        gated.write_runs(Path("results") / f"{name}.txt", seed=len(name))
        if name == "early.parquet":
            ingest([f"results/{name}.txt"], Store(str(store)))
    before = describe(store)
    shutil.copy(store / "early.parquet", checkpoint)
    for words in (*READERS, ["ingest", "results"], ["store", "check"]):
        assert run([*words, "--store", str(store)]) == 3, words
        streams = "".join(capsys.readouterr())
        assert f"{checkpoint.name}" in streams, words
        assert "has another version" in streams, words
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert run(["store", "check", "--store", str(store)]) == 0
    assert describe(store) == before


def test_measured_runs_without_values_are_damage(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An entry of an earlier build that names other files than before is otherwise consistent."""
    before = describe(store)
    forget_places(store)
    first, second = list_entries(store, "values")
    lines = [json.loads(line) for line in first.read_text().splitlines()]
    (file,) = (line for line in lines if "add" in line)
    second.write_text(json.dumps({"commitInfo": {}}) + "\n" + json.dumps(file))
    for words in (*READERS, ["ingest", "results"]):
        assert run([*words, "--store", str(store)]) == 3, words
        assert "lacks values of measured runs" in "".join(capsys.readouterr()), words
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert describe(store) == before


def test_copy_without_the_newest_commit_and_its_note_is_damaged(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = describe(store)
    newest = list_entries(store, "runs")[-1]
    newest.unlink()
    (newest.parent / "_newest").unlink()
    for words in (["runs"], *READERS, ["ingest", "results"], ["store", "check"]):
        assert run([*words, "--store", str(store)]) == 3, words
        assert newest.name in "".join(capsys.readouterr()), words
    assert run(["store", "repair", "--store", str(store)]) == 0
    assert "results/pr.txt" in capsys.readouterr().out
    assert run(["store", "check", "--store", str(store)]) == 0
    assert run(["ingest", "results/pr.txt", "--store", str(store)]) == 0
    assert describe(store) == before


def test_log_of_the_other_table_is_refused_by_its_columns(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Opening a version reads no entries before its checkpoint, which states no place."""
    shutil.rmtree(store / "values" / entries.FOLDER)
    shutil.copytree(store / "runs" / entries.FOLDER, store / "values" / entries.FOLDER)
    opened = Store(str(store))._runs.open()
    assert opened is not None
    opened.create_checkpoint()
    for file in (store / "runs" / entries.FOLDER).glob("*checkpoint*"):
        shutil.copy(file, store / "values" / entries.FOLDER)
    for words in (*READERS, *(["store", word] for word in STORE_COMMANDS[:3])):
        assert run([*words, "--store", str(store)]) == 3, words
        shown = "".join(capsys.readouterr())
        assert f"values/{entries.FOLDER}" in shown, words
        assert "Traceback" not in shown


def test_every_commit_states_its_place(store: Path) -> None:
    assert run(["store", "upgrade", "--store", str(store)]) == 0
    for table in ("runs", "values"):
        for version, entry in enumerate(list_entries(store, table)):
            info = json.loads(entry.read_text().splitlines()[0])["commitInfo"]
            assert info["place"] == f"{table}/{version}"


@pytest.mark.parametrize(
    ("stated", "is_same"),
    [
        ({}, True),
        ({"num_records": 2, "min.seq": 3, "max.seq": 4}, True),
        ({"num_records": 3}, False),
        ({"min.seq": 4, "max.seq": 4}, False),
        ({"min.seq": None, "max.seq": None}, True),
    ],
)
def test_rows_match_the_log(stated: dict[str, int | None], is_same: bool) -> None:
    import pyarrow as pa

    assert holds_stated_rows(stated, [pa.table({"seq": [3]}), pa.table({"seq": [4]})]) is is_same
