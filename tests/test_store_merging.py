"""Small files of the log of runs are merged; large ones are not rewritten for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from benchkit.cli import run
from benchkit.store import Store, run_log
from benchkit.store.files import DataFile, write_rows
from benchkit.store.tidying import MANY_COMMITS, choose_similar

FULL = 500


def row(batch: int, piece: int, path: str, *, dropped: bool = False) -> dict[str, object]:
    return {"batch": batch, "piece": piece, "path": path, "role": "empty", "dropped": dropped}


def commit(store: Store, *rows: dict[str, object]) -> None:
    store.commit_pieces(lambda _: pa.Table.from_pylist([*rows]))


def read(store: Store) -> dict[tuple[int, int], str]:
    """Return the path of each piece, as read by a new process."""
    pieces = Store(store.url).pieces()
    assert pieces is not None
    columns = (pieces[name].to_pylist() for name in ("batch", "piece", "path"))
    return {(batch, piece): path for batch, piece, path in zip(*columns, strict=True)}


def list_rows(store: Store) -> list[int]:
    """Return the number of rows of each file, largest first."""
    added = pa.table(DeltaTable(f"{store.url}/runs").get_add_actions(flatten=True))
    return sorted(added["num_records"].to_pylist(), reverse=True)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Make a store of one large file, in which any four files count as many."""
    monkeypatch.setattr(run_log, "MANY_COMMITS", 4)
    made = Store(str(tmp_path / "store"))
    commit(made, *(row(1, piece, f"{piece}") for piece in range(FULL)))
    return made


@pytest.mark.parametrize("sizes", [[2], [1, 2, 2, 5, 100, 1000], [1000, 1]])
def test_each_row_is_rewritten_a_few_times_in_thousands_of_commits(sizes: list[int]) -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    files, written, added, most = [100_000], 0, 100_000, 0
    for _ in range(5_000):
        files.append(size := chance.choice(sizes))
        added += size
        most = max(most, len(files))
        if len(files) >= MANY_COMMITS:
            chosen = [file["num_records"] for file in choose_similar(list_stated(files))]
            assert len(chosen) > MANY_COMMITS / 3
            for rows in chosen:
                files.remove(rows)
            files.append(sum(chosen))
            written += sum(chosen)
    assert sum(files) == added
    assert most == MANY_COMMITS
    assert written < 15 * (added - 100_000)


def list_stated(files: list[int]) -> list[dict[str, object]]:
    return [{"num_records": rows} for rows in files]


def test_large_file_is_kept_when_small_ones_are_merged(store: Store) -> None:
    (large,) = DeltaTable(f"{store.url}/runs").file_uris()
    written = []
    for number in range(2, 62):
        commit(store, row(number, 0, "a"), row(number, 1, "b"))
        store.tidy()
        assert large in DeltaTable(f"{store.url}/runs").file_uris()
        written.append(list_rows(store))
    assert max(map(len, written)) <= 5
    assert sum(written[-1]) == FULL + 120
    assert len(read(store)) == FULL + 120


@pytest.mark.parametrize("seed", range(4))
def test_merging_does_not_change_the_pieces(store: Store, seed: int) -> None:
    chance, expected = random.Random(seed), read(store)  # noqa: S311 - no secret
    for number in range(2, 40):
        before = dict(expected)
        new = [row(number, piece, f"new {number}") for piece in range(chance.choice([1, 2, 40]))]
        changed = [row(*key, f"{number}") for key in chance.sample(sorted(expected), 3)]
        gone = [
            row(*key, "", dropped=True)
            for key in chance.sample(sorted(expected), 3)
            if not any((each["batch"], each["piece"]) == key for each in changed)
        ]
        commit(store, *new, *changed, *gone)
        expected |= {(each["batch"], each["piece"]): each["path"] for each in (*new, *changed)}  # type: ignore[misc]
        for each in gone:
            del expected[each["batch"], each["piece"]]  # type: ignore[arg-type]
        store.tidy()
        assert read(store) == expected
        if chance.random() < 0.2:
            store.undo()
            store.tidy()
            expected = before
            assert read(store) == expected
    assert len(list_rows(store)) < 6
    store.tidy(thoroughly=True)
    assert len(list_rows(store)) == 1
    assert read(store) == expected
    assert store.check() == []


def merge_changes(store: Store) -> dict[tuple[int, int], str]:
    """Drop a piece of the large file, replace one and add some, and merge these commits."""
    commit(store, row(1, 0, "", dropped=True))
    commit(store, row(1, 1, "changed"))
    commit(store, row(2, 0, "new"))
    store.tidy()
    assert list_rows(store) == [FULL, 3]
    expected = {(1, piece): f"{piece}" for piece in range(1, FULL)}
    expected |= {(1, 1): "changed", (2, 0): "new"}
    assert read(store) == expected
    return expected


def repair(store: Store) -> dict[tuple[int, int], str]:
    assert run(["store", "check", "--store", store.url]) == 3
    assert run(["store", "repair", "--store", store.url]) == 0
    assert run(["store", "check", "--store", store.url]) == 0
    return read(store)


def lose_entries(store: Store) -> None:
    for entry in Path(store.url, "runs", "_delta_log").glob("*"):
        entry.unlink()


def lose_newest(store: Store) -> None:
    max(Path(store.url, "runs", "_delta_log").glob("*.json")).unlink()


@pytest.mark.parametrize("lose", [lose_entries, lose_newest])
@pytest.mark.parametrize("is_late", [False, True])
def test_merged_rows_are_found_when_the_log_of_commits_is_lost(
    store: Store, lose: Callable[[Store], None], *, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = merge_changes(store)
    if is_late:  # the merged files are gone
        monkeypatch.setattr("benchkit.store.delta._REMOVED_HOURS", 0)
        store._runs.delete_unused()
    lose(store)
    assert repair(store) == expected


def lose_merged(store: Store) -> None:
    """Delete the file of the dropped, changed and new piece."""
    added = pa.table(DeltaTable(f"{store.url}/runs").get_add_actions(flatten=True)).to_pylist()
    (merged,) = (file["path"] for file in added if file["num_records"] == 3)
    Path(store.url, "runs", merged).unlink()


def test_pieces_dropped_by_a_lost_file_stay_removed(store: Store) -> None:
    expected = merge_changes(store)
    lose_merged(store)
    del expected[2, 0]
    assert repair(store) == {**expected, (1, 1): "1"}


def test_dropped_pieces_stay_removed_after_the_log_was_lost(store: Store) -> None:
    expected = merge_changes(store)
    commit(store, row(3, 0, "last"))
    lose_entries(store)
    assert repair(store) == {**expected, (3, 0): "last"}
    lose_merged(store)
    del expected[2, 0]
    assert repair(store) == {**expected, (1, 1): "1", (3, 0): "last"}


def test_writer_during_a_merge_loses_nothing(store: Store) -> None:
    commit(store, row(2, 0, "a"))
    commit(store, row(3, 0, "b"))
    read_sizes = []

    def build(current: pa.Table | None) -> pa.Table:
        assert current is not None
        read_sizes.append(len(current))
        if len(read_sizes) == 1:
            other = Store(store.url)
            commit(other, row(4, 0, "c"))
            other.tidy()
        return pa.Table.from_pylist([row(5, 0, "d")])

    store.commit_pieces(build)
    assert read_sizes == [FULL + 2, FULL + 3]
    assert list_rows(store) == [FULL, 3, 1]
    assert {*read(store).values()} >= {"a", "b", "c", "d"}


def test_files_merged_concurrently_are_left_to_the_other_writer(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate("abc", 2):
        commit(store, row(number, 0, name))
    name = "benchkit.store.run_log.write_rows"

    def write_late(*about: Any) -> DataFile:  # noqa: ANN401
        monkeypatch.setattr(name, write_rows)
        Store(store.url).tidy()
        return write_rows(*about)

    monkeypatch.setattr(name, write_late)
    store.tidy()
    assert list_rows(store) == [FULL, 3]
    assert len(list(Path(store.url, "runs").glob("*.parquet"))) == 5
    assert {*read(store).values()} >= {"a", "b", "c"}
