"""A damaged key of a store is listed, set aside and replaced, and the consequences are stated."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import object_store
import pytest
from deltalake.fs import DeltaStorageHandler

from benchkit.cli import run
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.stored import list_parts
from benchkit.store import Store
from benchkit.store.keys import NAME, read_key

MASKED = "goos: linux\npkg: a\nBenchmarkGet/token=c0ffee{} 1 {} ns/op\n"
PLAIN = "goos: linux\npkg: a\nBenchmarkGet 1 {} ns/op\n"


def write(folder: Path, text: str, number: int = 1) -> str:
    folder.mkdir(exist_ok=True)
    (folder / f"go-{number}.txt").write_text(text.format(number, number))
    return str(folder)


def flip(path: Path) -> None:
    """Change one digit of the key."""
    content = bytearray(path.read_bytes())
    content[5] = ord("0") if content[5] != ord("0") else ord("1")
    path.write_bytes(content)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_link(path: Path) -> None:
    target = path.rename(path.with_name("elsewhere"))
    path.symlink_to(target)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "other bytes": lambda path: path.write_bytes(b"\xff" * 73),
    "another digit": flip,
    "a folder": make_folder,
    "a pipe": make_pipe,
    "a link": make_link,
}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    made = Store(".benchkit")
    ingest([write(tmp_path / "results", MASKED)], made)
    return made


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_key_is_listed_set_aside_and_replaced(
    store: Store, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], object]
) -> None:
    folder = Path(store.url)
    (names,) = {part.benchmark for part in list_parts(store)}
    damage(folder / NAME)
    assert run(["ingest", "results"]) == 3
    assert "benchkit store repair" in capsys.readouterr().err
    assert run(["store", "check"]) == 3
    assert f".benchkit/{NAME}: " in capsys.readouterr().out
    assert run(["store", "repair"]) == 0
    shown = capsys.readouterr()
    (aside,) = (path.name for path in folder.iterdir() if path.name.startswith(f"{NAME}."))
    assert f".benchkit/{aside}" in shown.err
    assert "created a new key" in shown.err
    assert "is masked differently" in shown.err
    assert run(["store", "check"]) == 0
    assert run(["ingest", write(Path("more"), PLAIN)]) == 0
    assert names in {part.benchmark for part in list_parts(Store(".benchkit"))}


def test_repair_of_the_key_alone_commits_nothing(store: Store) -> None:
    flip(Path(store.url, NAME))
    log = Path(store.url, "runs", "_delta_log")
    before = sorted(path.name for path in log.iterdir())
    assert run(["store", "repair"]) == 0
    assert sorted(path.name for path in log.iterdir()) == before
    assert run(["undo"]) == 0


def test_missing_key_is_reported_if_names_have_marks(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(store.url, NAME).unlink()
    assert run(["store", "check"]) == 3
    assert f".benchkit/{NAME}: missing" in capsys.readouterr().out
    assert run(["ingest", write(Path("more"), PLAIN)]) == 0
    assert "is masked differently" in capsys.readouterr().err
    assert run(["store", "check"]) == 0


def test_missing_key_is_reported_if_only_a_query_has_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is stored with other facts as JSON, and differs in a later ingest of the same URL."""
    monkeypatch.chdir(tmp_path)
    report = """Running 10s test @ http://127.0.0.1:8080/x?token=abcdefgh12345678
  2 threads and 20 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     5.00ms    1.00ms  20.00ms   70.00%
    Req/Sec     2.00k   100.00     3.00k    70.00%
  40000 requests in 10.00s, 10.00MB read
Requests/sec:   4000.00
Transfer/sec:      1.00MB
"""
    Path("none-1.txt").write_text(report)
    ingest(["none-1.txt"], Store(".benchkit"))
    Path(".benchkit", NAME).unlink()
    assert run(["store", "check"]) == 3
    Path("otlp-1.txt").write_text(report.replace("4000.00", "4010.00"))
    capsys.readouterr()
    assert run(["ingest", "otlp-1.txt"]) == 0
    assert "is masked differently" in capsys.readouterr().err


def test_missing_key_is_repaired(store: Store) -> None:
    Path(store.url, NAME).unlink()
    assert run(["store", "repair"]) == 0
    assert read_key(store.url)


def test_store_without_marks_needs_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ingest([write(tmp_path / "results", PLAIN)], Store(".benchkit"))
    Path(".benchkit", NAME).unlink()
    assert run(["store", "check"]) == 0
    assert run(["ingest", write(Path("more"), PLAIN, 2)]) == 0
    assert "is masked differently" not in capsys.readouterr().err


def test_key_without_a_checksum_comes_from_an_earlier_build(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("ab" * 32 + "\n")
    assert read_key(str(tmp_path)) == b"\xab" * 32


def test_key_on_an_object_store_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with object_store.serve() as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        target = Store("s3://bucket/store")
        ingest([write(tmp_path / "results", MASKED)], target)
        stream = DeltaStorageHandler(target.url)._handler.open_output_stream(NAME, None)
        stream.write(b"no key")
        stream.close()  # type: ignore[attr-defined]
        assert [one.where for one in target.check()] == [f"{target.url}/{NAME}"]
        done = target.repair()
        assert done.key.startswith(f"{target.url}/{NAME}.")
        assert not target.check()
        assert read_key(target.url)
