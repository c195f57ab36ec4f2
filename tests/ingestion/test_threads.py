"""Blocks read ahead by threads come in order; calls handed to one thread run in order."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from benchkit.ingestion import reading
from benchkit.ingestion.commit import ingest
from benchkit.ingestion.sink import Behind, read_ahead, run_ahead
from benchkit.reading import source
from benchkit.reading.rawfile import RawFile
from benchkit.reading.source import Source
from benchkit.store import Store

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def count(block: bytes) -> tuple[int, int]:
    """Return a block's length, and the thread that counted it."""
    return len(block), threading.get_ident()


def refuse(block: bytes) -> int:
    """Fail on one of the blocks."""
    return 1 // (len(block) - 3)


def blocks(most: int) -> list[bytes]:
    return [b"x" * size for size in range(most)]


def test_results_come_in_order_and_from_another_thread() -> None:
    results = list(read_ahead(count, blocks(40)))
    assert [size for size, _ in results] == list(range(40))
    assert threading.get_ident() not in {thread for _, thread in results}


def test_another_thread_runs_an_iterator_and_stops_with_it() -> None:
    ran = list[int]()

    def items() -> Iterator[bytes]:
        for block in blocks(40):
            ran.append(threading.get_ident())
            yield block

    assert list(run_ahead(items())) == blocks(40)
    assert threading.get_ident() not in ran
    ran.clear()
    first = run_ahead(items())
    assert next(first) == b""
    first.close()  # type: ignore[attr-defined]
    done = len(ran)
    assert done < 10
    time.sleep(0.05)
    assert len(ran) == done


def test_iterator_error_is_raised_in_its_place() -> None:
    packed = gzip.compress(b"line\n" * 400_000)
    truncated = Source(None, "memory", packed[: len(packed) // 2])
    collected = collect(map(len, run_ahead(truncated.blocks())))
    assert collected == collect(map(len, truncated.blocks()))
    assert collected[1]


def test_error_is_raised_at_its_block() -> None:
    results = read_ahead(refuse, blocks(12))
    assert [next(results) for _ in range(3)] == [-1, -1, -1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def collect(sizes_read: Iterator[int]) -> tuple[list[int], str]:
    """Return the yielded values, and the error after them."""
    sizes: list[int] = []
    try:
        sizes.extend(sizes_read)
    except source.UnreadableError as error:
        return sizes, str(error)
    return sizes, ""


def test_damage_is_raised_after_all_earlier_blocks() -> None:
    packed = gzip.compress(b"line\n" * 400_000)
    truncated = Source(None, "memory", packed[: len(packed) // 2])
    collected = collect(read_ahead(len, truncated.line_blocks(5000)))
    assert collected == collect(map(len, truncated.line_blocks(5000)))
    assert collected[1]
    assert sum(collected[0]) > 100_000


@pytest.mark.parametrize(
    ("path", "name", "calls", "samples"),
    [
        ("k6-edge/small/k6-raw-small.json.gz", "read_ahead", 1, 500),
        ("nginx-ab/nginx/ab-small-c30-1.tsv.gz", "read_ahead", 1, 500),
        ("vegeta-single/agent/vegeta-results-1.csv.gz", "read_ahead", 1, 500),
        # The blocks of a file, and the results in them.
        ("vegeta-edge/truncated/vegeta-results.cut30.bin", "run_ahead", 2, 250),
    ],
)
def test_store_is_the_same_with_and_without_reading_ahead(
    path: str,
    name: str,
    calls: int,
    samples: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "AHEAD_BYTES", 0)
    monkeypatch.setattr(Source.line_blocks, "__defaults__", (20_000,))
    noted_calls, ahead = list[object](), getattr(reading, name)

    def see(*arguments: object) -> object:
        noted_calls.append(arguments)
        return ahead(*arguments)

    monkeypatch.setattr(reading, name, see)
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
    assert len(noted_calls) == calls
    assert len(tables[0][1]) > samples
    assert tables[0] == tables[1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_large_file_is_read_once(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = '{"metric":"vus","type":"Point","data":{"time":"2026-11-20T23:55:22Z","value":1}}\n'
    path = tmp_path / "points.json"
    path.write_text(line * ((17 << 20) // len(line)))
    sizes = list[int]()
    read = RawFile.readinto

    def count_bytes(file: RawFile, buffer: memoryview) -> int | None:
        sizes.append(read(file, buffer) or 0)
        return sizes[-1]

    monkeypatch.setattr(RawFile, "readinto", count_bytes)
    store = Store(str(tmp_path / "store"))
    ingest([str(path)], store, jobs=jobs)
    heads = 12 << 20  # several reads of the beginning, the last one by the thread that reads ahead
    assert path.stat().st_size <= sum(sizes) < path.stat().st_size + heads
    sizes.clear()
    (report,) = ingest([str(path)], store, jobs=jobs).reports
    assert report.outcome == "unchanged"
    assert sum(sizes) == path.stat().st_size


def wait_for(gate: Event, seconds: float) -> None:
    """Keep the thread busy."""
    gate.wait(seconds)


def test_all_calls_run_in_order() -> None:
    behind, done = Behind(), list[int]()
    for number in range(20):
        behind.do(done.append, number)
    behind.finish()
    assert done == list(range(20))


def test_caller_continues_but_not_far_ahead() -> None:
    behind, gate = Behind(), Event()
    begun = time.monotonic()
    behind.do(wait_for, gate, 30.0)
    behind.do(gate.set)  # queued after the first call, which has not ended yet
    assert time.monotonic() - begun < 25
    gate.set()
    behind.finish()


def test_error_is_raised_at_a_later_call_or_at_the_end() -> None:
    behind = Behind()
    behind.do(int, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="invalid literal"):
        behind.finish()
    behind = Behind()
    for turn in range(10):
        try:
            behind.do(int, "x")  # type: ignore[arg-type]
        except ValueError:
            assert turn
            break
    else:
        pytest.fail("no error came back")
    behind.stop()


def test_pending_calls_are_dropped_on_stop() -> None:
    behind, gate, done = Behind(), Event(), list[str]()
    behind.do(wait_for, gate, 0.2)
    behind.do(done.append, "late")
    behind.stop()
    assert done == []
