"""A store planted by a stranger reads, writes and deletes nothing outside of its folder."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchkit import schema
from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.rows import _TYPES
from benchkit.store import Store
from benchkit.store.contents import stored_types

pytestmark = pytest.mark.usefixtures("unsigned")

RESULT = Path(__file__).resolve().parent.parent / "fixtures/tracing-wrk/none/wrk-1.txt"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with results and a store, next to a folder of the user's."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/notes.txt").write_text("mine")
    (tmp_path / "checkout/results/none").mkdir(parents=True)
    shutil.copy(RESULT, tmp_path / "checkout/results/none")
    monkeypatch.chdir(tmp_path / "checkout")
    ingest(["results"], Store())
    return tmp_path / "checkout"


def show_home(checkout: Path) -> dict[str, bytes]:
    home = checkout.parent / "home"
    files = (path for path in home.rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("place", "target"),
    [
        (".lock", "notes.txt"),
        (".gitignore", "new.txt"),
        ("runs", "runs"),
        ("values", "values"),
        ("values/raw=false", "raw"),
        ("runs/_delta_log", "log"),
        ("runs/_delta_log/_newest", "new.txt"),
    ],
)
def test_no_link_in_a_store_is_followed(checkout: Path, place: str, target: str) -> None:
    link, home = checkout / ".benchkit" / place, checkout.parent / "home"
    if link.is_dir():
        shutil.move(link, home / target)
    else:
        link.unlink(missing_ok=True)
    link.symlink_to(home / target)
    before = show_home(checkout)
    (checkout / "results/none/wrk-2.txt").write_text(RESULT.read_text().replace("10406", "10407"))
    for words in (["ingest", "results"], ["store", "vacuum"], ["store", "repair"], ["undo"]):
        assert run(words) == 3 or place == ".gitignore"
    assert show_home(checkout) == before


def test_link_in_place_of_the_store_is_followed_only_if_named(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = checkout.parent / "home/store"
    shutil.move(checkout / ".benchkit", target)
    (checkout / ".benchkit").symlink_to(target)
    before = show_home(checkout)
    for words in (["ingest", "results"], ["runs"], ["undo"], ["store", "check"]):
        assert run(words) == 3
        streams = capsys.readouterr()
        assert ".benchkit: the store is a link to another folder" in streams.out + streams.err
        assert f"--store {target}" in streams.out + streams.err
    assert show_home(checkout) == before
    assert run(["runs", "--store", str(target)]) == 0


@pytest.mark.parametrize("table", ["runs", "values"])
@pytest.mark.parametrize("form", ["../../../home/{}", "{home}/{}", "file://{home}/{}"])
def test_log_may_name_no_file_outside_of_its_table(checkout: Path, table: str, form: str) -> None:
    folder, home = checkout / ".benchkit" / table, checkout.parent / "home"
    file = next(folder.rglob("*.parquet"))
    shutil.move(file, home / file.name)
    for entry in (folder / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in entry.read_text().splitlines()]
        for action in actions:
            if "add" in action:
                action["add"]["path"] = form.format(file.name, home=home)
            for name in ("checksum", "files", "place"):
                action.get("commitInfo", {}).pop(name, None)
        entry.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    before = show_home(checkout)
    for words in (["export"], ["undo"], ["store", "vacuum"], ["store", "repair"]):
        run(words)
    assert run(["export"]) == 3
    assert show_home(checkout) == before


def misstate(checkout: Path, table: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the actions of a table's log of commits, which then states no checksum."""
    for entry in (checkout / ".benchkit" / table / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in entry.read_text().splitlines()]
        for action in actions:
            change(action)
            for name in ("checksum", "files", "place"):
                action.get("commitInfo", {}).pop(name, None)
        entry.write_text("".join(f"{json.dumps(action)}\n" for action in actions))


def misstate_types(action: dict[str, Any]) -> None:
    if "metaData" in action:
        stated = json.loads(action["metaData"]["schemaString"])
        for field in stated["fields"]:
            field["type"] = "string"
        action["metaData"]["schemaString"] = json.dumps(stated)


@pytest.mark.parametrize("path", ["../../../home/x.parquet", "raw=false/%252e%252e/x", ""])
@pytest.mark.parametrize("table", ["runs", "values"])
def test_single_repair_corrects_a_misstated_log(checkout: Path, path: str, table: str) -> None:
    def change(action: dict[str, Any]) -> None:
        if "add" in action:
            action["add"]["path"] = path

    misstate(checkout, table, change if path else misstate_types)
    assert run(["store", "repair"]) == 0
    assert run(["store", "check"]) == 0
    assert run(["ingest", "results"]) == 0
    assert run(["store", "check"]) == run(["export"]) == 0


def plant(checkout: Path, change: Callable[[pa.Table], pa.Table], table: str = "values") -> Path:
    """Replace a file of a store by another, and make its log of commits state that one."""
    folder = checkout / ".benchkit" / table
    file = next(path for path in folder.rglob("*.parquet") if "raw=true" not in str(path))
    rows = change(pq.read_table(file, partitioning=None))
    pq.write_table(rows, file, compression="zstd", write_page_checksum=True)
    for entry in (folder / "_delta_log").glob("*.json"):
        actions = [json.loads(line) for line in entry.read_text().splitlines()]
        for action in actions:
            if action.get("add", {}).get("path", "").endswith(file.name):
                action["add"] |= {"size": file.stat().st_size, "stats": None}
            for name in ("checksum", "files", "place"):
                action.get("commitInfo", {}).pop(name, None)
        entry.write_text("".join(f"{json.dumps(action)}\n" for action in actions))
    return file


def set_text(rows: pa.Table, name: str, text: str) -> pa.Table:
    column = pa.array([text] * len(rows))
    return rows.set_column(rows.column_names.index(name), name, column)


def repeat_rows(rows: pa.Table) -> pa.Table:
    return rows.take(pa.array(np.zeros(2_000_000, np.int32)))


def repeat_a_long_text(rows: pa.Table) -> pa.Table:
    return set_text(rows.take(pa.array(np.zeros(2_000, np.int32))), "unit", "a" * 500_000)


@pytest.mark.parametrize("change", [repeat_rows, repeat_a_long_text])
@pytest.mark.parametrize("table", ["runs", "values"])
def test_small_file_cannot_exhaust_memory(
    checkout: Path,
    table: str,
    change: Callable[[pa.Table], pa.Table],
    capsys: pytest.CaptureFixture[str],
) -> None:
    if table == "runs" and change is repeat_a_long_text:
        column = "caption"
        file = plant(
            checkout,
            lambda rows: set_text(rows.take(pa.array([0] * 2_000)), column, "a" * 500_000),
            table,
        )
    else:
        file = plant(checkout, change, table)
    assert file.stat().st_size < 1_000_000
    for words in (["runs"], ["export"], ["store", "check"], ["compare"]):
        assert run(words) in ({2, 3} if words != ["runs"] or table == "runs" else {0})
    streams = capsys.readouterr()
    assert "unpacks to far more than a file of its size can contain" in streams.out + streams.err


@pytest.mark.parametrize("text", ["[" * 100_000, "[1]", '{"a": {"b": 1}}', "{"])
def test_labels_of_a_planted_store_are_refused(
    checkout: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(checkout, lambda rows: set_text(rows, "env", text), "runs")
    assert run(["runs"]) == 3
    streams = capsys.readouterr()
    assert "has unreadable labels of a run" in streams.out + streams.err


@pytest.mark.parametrize("number", [50_000_000, 10**20 - 1])
def test_entry_with_a_huge_number_is_one_gap(
    checkout: Path, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / f".benchkit/runs/_delta_log/{number:020}.json").write_text('{"x": 1}\n')
    for words in (["store", "check"], ["store", "repair"]):
        assert run(words) in {0, 3}
        streams = capsys.readouterr()
        if words[1] == "check":
            assert (
                f"missing, as are all later entries up to {number - 1}" in streams.out + streams.err
            )


def test_oversized_checkpoint_is_not_read(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = checkout / ".benchkit/runs/_delta_log"
    name = f"{0:020}.checkpoint.parquet"
    rows = pa.table({"add": pa.nulls(20_000_000, pa.struct({"path": pa.string()}))})
    pq.write_table(rows, log / name, compression="zstd")
    assert run(["runs"]) == 3
    streams = capsys.readouterr()
    assert f"{name}" in streams.out + streams.err
    assert "unpacks to far more" in streams.out + streams.err


LARGEST = (1 << 63) - 1
UTC = pa.timestamp("us", tz="UTC")


def test_the_type_of_each_stored_column_is_known() -> None:
    types = schema.arrow_types() | {"map": pa.string()}
    assert {name: stored_types()[name] for name in _TYPES} == {
        name: types[kind] for name, kind in _TYPES.items()
    }


@pytest.mark.parametrize(
    ("table", "name", "cell", "problem"),
    [
        ("runs", "started_at", pa.scalar(LARGEST, UTC), "has the impossible started_at"),
        ("runs", "started_at", pa.scalar(-LARGEST, UTC), "has the impossible started_at"),
        ("runs", "started_at", pa.scalar(LARGEST), "has whole numbers in the column started_at"),
        ("runs", "duration", pa.scalar([1.0]), "has values of type list"),
        ("runs", "path", pa.scalar(7), "has whole numbers in the column path"),
        ("runs", "path", pa.scalar(None, pa.string()), "lacks the path of a row"),
        ("runs", "variant", pa.scalar(None, pa.string()), "lacks the variant of a row"),
        ("runs", "variant", pa.scalar(None), "has nothing in the column variant"),
        ("runs", "role", pa.scalar("boss"), "has the unknown role 'boss'"),
        ("runs", "role", pa.scalar(1), "has whole numbers in the column role"),
        ("runs", "env", pa.scalar(1.5), "has numbers in the column env"),
        ("runs", "units", pa.scalar("[1]"), "has unreadable labels of a run"),
        ("runs", "seq", pa.scalar(LARGEST), "has the impossible seq"),
        ("runs", "seq", pa.scalar("1"), "has texts in the column seq"),
        ("runs", "piece", pa.scalar(1 << 60), "has the impossible piece"),
        ("runs", "number", pa.scalar(LARGEST), "has the impossible number"),
        ("runs", "operation", pa.scalar(1), "has whole numbers in the column operation"),
        ("values", "value", pa.scalar("1"), "has texts in the column value"),
        ("values", "metric", pa.scalar(1), "has whole numbers in the column metric"),
        ("values", "time", pa.scalar(-LARGEST, UTC), "has the impossible time"),
        ("values", "piece", pa.scalar(-5), "has the impossible piece -5"),
    ],
)
def test_rows_that_no_ingest_writes_are_refused_with_their_file(
    checkout: Path,
    table: str,
    name: str,
    cell: pa.Scalar,
    problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def change(rows: pa.Table) -> pa.Table:
        cells = pa.repeat(cell, len(rows))
        return rows.set_column(rows.column_names.index(name), name, cells)

    file = plant(checkout, change, table)
    for words in (["store", "check"], ["export"], ["undo"], ["ingest", "results"]):
        done = run(words)
        streams = capsys.readouterr()
        if words[0] in {"store", "export"}:
            assert done == 3
            assert file.name in streams.out + streams.err
            assert problem in streams.out + streams.err
        assert done in {0, 3}


@pytest.mark.parametrize("place", ["runs/x.parquet", "values/raw=false/x y.parquet"])
def test_remedy_for_a_pipe_in_a_store_works(
    checkout: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(checkout / ".benchkit" / place)
    assert run(["store", "repair"]) == 3
    program, path = shlex.split(capsys.readouterr().err.split("`")[1])
    assert program == "rm"
    Path(path).unlink()
    assert run(["store", "check"]) == 0


@pytest.mark.parametrize("place", ["runs", "values", "runs/_delta_log", "values/_delta_log"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_object_in_place_of_a_folder_is_named_by_check_and_repair(
    checkout: Path, place: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = checkout / ".benchkit" / place
    shutil.move(folder, checkout / "aside")
    if kind == "pipe":
        os.mkfifo(folder)
    else:
        folder.write_text("x")
    for command in (["store", "check"], ["store", "repair"], ["gate"]):
        assert run(command) == 3
        shown = "".join(capsys.readouterr())
        assert folder.name in shown
        assert ("a pipe or device" if kind == "pipe" else "a file is where the store") in shown
    folder.unlink()
    shutil.move(checkout / "aside", folder)
    assert run(["store", "check"]) == 0


@pytest.mark.parametrize("name", ["feature%2Fx", "a%20b", "a\\b", "a\tb", "_delta_log"])
def test_store_name_that_means_another_folder_is_refused(
    checkout: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "feature").mkdir()
    shutil.copytree(checkout / ".benchkit", checkout / "feature/x")
    for words in (["ingest", "results"], ["runs"], ["gate"]):
        assert run([*words, "--store", str(checkout / name)]) == 3
    assert not (checkout / name).exists()
    (checkout / name).mkdir()
    (checkout / name / "results").symlink_to(checkout / "results")
    os.chdir(checkout / name)
    capsys.readouterr()
    assert run(["ingest", "results"]) == 3
    assert "--store" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["results"]


@pytest.mark.parametrize("name", ["50%", "a b", "a#b?c", "\u00e9", "my_delta_log"])
def test_store_may_have_any_other_name(checkout: Path, name: str) -> None:
    (checkout / name).mkdir()
    os.chdir(checkout / name)
    for _ in range(2):
        assert run(["ingest", str(checkout / "results")]) == 0
    assert run(["store", "check"]) == 0


@pytest.mark.parametrize(
    ("place", "inside"),
    [("store", ""), ("store", "/main"), ("loop", ""), ("file", ""), ("file", "/x")],
)
def test_link_or_file_within_the_path_of_a_store_is_named(
    checkout: Path, place: str, inside: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / "store").symlink_to("gone/deeper")
    (checkout / "loop").symlink_to("loop")
    (checkout / "file").write_text("x")
    link = f"{place}: a link in the path of the store leads to"
    problem = {
        "store": f"{link} gone/deeper, which does not exist",
        "loop": f"{link} loop, which does not exist",
        "file": f"{place}: a file is where the store needs a folder",
    }[place]
    for words in (
        ["ingest", "results"], ["runs"], ["gate"], ["undo"], ["store", "check"],
        ["history", "add", "results", "--commit", "abc1234"], ["history", "prune", "--keep", "1"],
    ):  # fmt: skip
        capsys.readouterr()
        assert run([*words, "--store", f"{place}{inside}"]) == 3
        streams = capsys.readouterr()
        assert problem in streams.out + streams.err
    assert not (checkout / "gone").exists()
