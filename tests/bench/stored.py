"""A large store: ``fill`` makes one, ``select`` takes one metric of one variant out of it.

In: the store's place; rows, or a metric and a variant. Out: a store, or how many values there were.
Why: 100 million rows take minutes to write as text and to read again; what they are measured for is
the store.
"""

from __future__ import annotations

import sys

import numpy as np

from benchkit.ingestion.frames import parts_table, read_parts
from benchkit.ingestion.parts import Part
from benchkit.ingestion.reading import PIECE_BITS
from benchkit.ingestion.samples import SampleSink
from benchkit.layout.numbering import settle
from benchkit.parsers.base import Reading, Samples
from benchkit.store import Store, new_batch
from benchkit.store.files import DataFile, write_files

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
            sink = SampleSink(batch, folder)
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


def select(store: Store, metric: str, variant: str) -> int:
    """Take the samples of a metric and variant into memory and return how many there are."""
    parts = [part for part in read_parts(store.pieces()) if part.variant == variant]
    pieces = [(part.batch, part.piece) for part in parts]
    return int(store.values(raw=True, metrics=[metric], pieces=pieces).num_rows)


if __name__ == "__main__":
    verb, place, *rest = sys.argv[1:]
    if verb == "fill":
        fill(Store(place), int(rest[0]))
    else:
        print(select(Store(place), *rest))
