"""A large store: ``fill`` makes one, ``select`` takes one metric of one variant out of it.

``list`` makes a store of many runs with one value each. 100 million rows, or 100,000 files, take
minutes to write as text and to read again, and the purpose is to measure the store.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from benchkit.ingestion.batches import row_batch
from benchkit.ingestion.parts import Part
from benchkit.ingestion.pieces import PIECE_BITS
from benchkit.ingestion.rows import parts_table, read_parts
from benchkit.ingestion.sink import ValueSink
from benchkit.labels.numbering import settle
from benchkit.parsers.base import Reading, Row, Samples
from benchkit.redaction.marks import draw_key
from benchkit.store import Store, new_batch
from benchkit.store.batch_files import write_files
from benchkit.store.files import DataFile
from benchkit.store.keys import keep_key

RUNS, VARIANTS, BLOCK = 20, 4, 4000
METRICS = (
    "latency", "iteration_time", "phase_time", "vus", "bytes_in", "bytes_out", "checks",
    "requests", "iterations", "failures",
)  # fmt: skip


def fill(store: Store, rows: int) -> None:
    """Make a store of 20 runs, five of each variant, of ten metrics."""
    rng, batch, each = np.random.default_rng(1), new_batch(), rows // RUNS // len(METRICS)
    reading = Reading(tool="k6", form="json", line=1)
    files: list[DataFile] = []
    parts = []
    with store.staging(batch) as folder:
        for run in range(RUNS):
            piece = run << PIECE_BITS
            sink = ValueSink(batch, folder)
            gaps = np.cumsum(rng.exponential(200, each)).astype(np.int64)
            times = np.datetime64("2026-11-21T00:00:00", "us") + gaps
            values = [np.round(np.exp(rng.normal(1.2, 0.6, each)), 6) / 1000 for _ in range(3)]
            for low in range(0, each, BLOCK):
                part = slice(low, min(low + BLOCK, each))
                lines = np.arange(part.start, part.stop) * len(METRICS)
                for place, metric in enumerate(METRICS):
                    block = Samples(
                        reading=reading, metric=metric, unit="s", values=values[place % 3][part],
                        lines=lines + place, times=times[part],
                    )  # fmt: skip
                    sink.take(piece, block)
            batches, written = sink.close()
            files += [*written, *write_files(folder, batch, batches)]
            variant, number = f"v{run % VARIANTS}", run // VARIANTS + 1
            parts.append(
                Part(path=f"/{run}", label=f"{run}", sha256=f"{run}", format="k6_raw", tool="k6",
                     form="json", variant=variant, run=number, batch=batch, piece=piece)
            )  # fmt: skip
        store.add(files)
    settle(parts)
    store.commit_pieces(lambda _: parts_table(parts))


def list_runs(store: Store, count: int) -> None:
    """Make a store of many runs: 20 of each variant in each group, as if from separate files."""
    batch, parts, rows = new_batch(), [], list[tuple[int, list[Row]]]()
    for place in range(count):
        group, rest = divmod(place, 100)
        variant, run = divmod(rest, 20)
        path, piece = f"/runs/g{group}/v{variant}/wrk-{run + 1}.txt", place << PIECE_BITS
        parts.append(
            Part(path=path, label=path, sha256=hashlib.sha256(path.encode()).hexdigest(),
                 format="wrk", tool="wrk", form="text", group=f"g{group}", variant=f"v{variant}",
                 folder=f"g{group}/v{variant}", benchmark="/", params="connections=8,threads=2",
                 run=run + 1, duration=15.0, fingerprint="0" * 16, batch=batch, piece=piece)
        )  # fmt: skip
        reading = Reading(tool="wrk", form="text", line=1)
        reading.add("request_rate", "mean", 1e4 + place % 97, "1/s", 12)
        rows.append((piece, reading.rows))
    with store.staging(batch) as folder:
        store.add(write_files(folder, batch, [row_batch(batch, rows)]))
    settle(parts)
    keep_key(store.url, draw_key())  # every store that an ingest made has them
    store.commit_pieces(lambda _: parts_table(parts))


def select(store: Store, metric: str, variant: str) -> int:
    """Read the samples of a metric and variant into memory and return their number."""
    parts = [part for part in read_parts(store.pieces()) if part.variant == variant]
    pieces = [(part.batch, part.piece) for part in parts]
    return int(store.values(raw=True, metrics=[metric], pieces=pieces).num_rows)


if __name__ == "__main__":
    verb, place, *rest = sys.argv[1:]
    if verb in {"fill", "list"}:
        {"fill": fill, "list": list_runs}[verb](Store(place), int(rest[0]))
    else:
        print(select(Store(place), *rest))
