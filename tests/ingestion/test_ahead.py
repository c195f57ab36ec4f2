"""Blocks that another thread or process reads ahead come in their order, whoever read them."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchkit.ingestion import reading
from benchkit.ingestion.ahead import Ahead
from benchkit.ingestion.commit import ingest
from benchkit.parsers import kernel
from benchkit.reading import source
from benchkit.reading.source import Source
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PARENT = os.getpid()


def count(block: bytes) -> tuple[int, tuple[int, int]]:
    """Return a block's length, and which thread of which process has counted it."""
    return len(block), (os.getpid(), threading.get_ident())


def wait_elsewhere(block: bytes) -> int:
    """Be slow in another process, so that this one helps."""
    if os.getpid() != PARENT:
        time.sleep(0.05)
    return len(block)


def die_elsewhere(block: bytes) -> int:
    """End the other process as the kernel does where memory runs out."""
    if len(block) == 3 and os.getpid() != PARENT:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(block)


def refuse(block: bytes) -> int:
    """Fail on one of the blocks."""
    return 1 // (len(block) - 3)


@pytest.fixture(autouse=True, params=["process", "thread"])
def helper(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Who reads ahead: with the compiled kernel a thread, else a process."""
    if request.param == "process":
        monkeypatch.setattr(kernel, "compiled", None)
    elif kernel.compiled is None:
        pytest.skip("benchkit is installed without its kernel")
    return str(request.param)


def blocks(most: int) -> list[bytes]:
    return [b"x" * size for size in range(most)]


def test_results_come_in_order_and_from_somebody_else(helper: str) -> None:
    with Ahead() as ahead:
        found = list(ahead.map(count, blocks(40)))
    assert [size for size, _ in found] == list(range(40))
    others = {who for _, who in found} - {(PARENT, threading.get_ident())}
    assert others
    assert {process == PARENT for process, _ in others} == {helper == "thread"}


def test_this_process_helps_where_the_other_is_slow() -> None:
    with Ahead() as ahead:
        assert list(ahead.map(wait_elsewhere, blocks(30))) == list(range(30))


def test_a_process_that_dies_costs_nothing() -> None:
    with Ahead() as ahead:
        assert list(ahead.map(die_elsewhere, blocks(12))) == list(range(12))
        assert list(ahead.map(die_elsewhere, blocks(12))) == list(range(12))


def test_an_error_is_raised_at_its_block() -> None:
    with Ahead() as ahead:
        found = ahead.map(refuse, blocks(12))
        assert [next(found) for _ in range(3)] == [-1, -1, -1]
        with pytest.raises(ZeroDivisionError):
            next(found)


def collect(found: Iterator[int]) -> tuple[list[int], str]:
    """Return what was yielded, and the error behind it."""
    sizes: list[int] = []
    try:
        sizes.extend(found)
    except source.UnreadableError as error:
        return sizes, str(error)
    return sizes, ""


def test_damage_is_raised_behind_all_that_came_before_it() -> None:
    packed = gzip.compress(b"line\n" * 400_000)
    cut = Source(None, "memory", packed[: len(packed) // 2])
    with Ahead() as ahead:
        found = collect(ahead.map(len, cut.line_blocks(5000)))
    assert found == collect(map(len, cut.line_blocks(5000)))
    assert found[1]
    assert sum(found[0]) > 100_000


@pytest.mark.parametrize(
    "path",
    [
        "k6-edge/small/k6-raw-small.json.gz",
        "nginx-ab/nginx/ab-small-c30-1.tsv.gz",
        "vegeta-single/agent/vegeta-results-1.csv.gz",
    ],
)
def test_a_store_is_the_same_with_and_without_it(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "AHEAD_BYTES", 0)
    monkeypatch.setattr(Source.line_blocks, "__defaults__", (20_000,))
    seen = []
    plain = Ahead.map

    def see(ahead: Ahead, function: object, given: object) -> object:
        seen.append(function)
        return plain(ahead, function, given)  # type: ignore[arg-type]

    monkeypatch.setattr(Ahead, "map", see)
    tables = []
    for jobs in (1, 2):
        store = Store(str(tmp_path / f"store-{jobs}"))
        ingest([str(FIXTURES / path)], store, jobs=jobs)
        order = [(name, "ascending") for name in ("metric", "stat", "subject", "line")]
        tables.append(
            [
                store.values(raw=raw).drop_columns("batch").sort_by(order).combine_chunks()
                for raw in (False, True)
            ]
        )
    assert len(seen) == 1
    assert len(tables[0][1]) > 500
    assert tables[0] == tables[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_without_its_parent_it_ends() -> None:
    script = (
        "import os, time; from benchkit.ingestion.ahead import Ahead;"
        "from benchkit.parsers import kernel; kernel.compiled = None;"
        "ahead = Ahead(); print(*ahead.map(bytes.decode, [b'1']), flush=True);"
        "print(ahead._pool.submit(os.getpid).result(), flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "1\n"
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        stat = Path(f"/proc/{child}/stat")  # where nobody collects it, it stays as a zombie
        if stat.is_file() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the process outlived its parent by ten seconds")
