"""Simulate a fleet: `nox -s scale`, or `python -m scale` with `tests` on the path."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from object_store import serve

from scale.fleet import Figures, Place, measure
from scale.record import PATH, Record, write_record, write_table

#: Rounds of jobs into a new store, and into stores with runs of earlier jobs.
ROUNDS = {0: 100, 10_000: 50, 100_000: 50}
#: Largest ratio of a job's cost in a store of 100,000 runs to that in a new one.
_LIMITS = {"cpu": 1.5, "requests": 1.25, "written": 1.5}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fleet on this machine's disk and on S3; a complete run is recorded."""
    options = _options(arguments)
    rows: list[Figures] = []
    losses: list[str] = []
    for name in ("local", "S3"):
        for runs, full in ROUNDS.items():
            rounds = max(2, round(full * options.scale))
            end = time.monotonic() + options.seconds
            with tempfile.TemporaryDirectory(prefix="scale-") as folder, _serve(name) as served:
                store, env = served
                store = store or f"{folder}/store"
                place = Place(name=name, store=store, env=env, rounds=rounds, end=end)
                figures, lost = measure(Path(folder), place, round(runs * options.fill))
            print(figures, *lost, sep="\n", flush=True)
            rows.append(figures)
            losses += lost
    record = Record(_commit(), rows, losses, list(_find_growth(rows)))
    print(write_table(record))
    if options.out or options.scale >= 1:
        write_record(record, options.out or PATH)
    return int(bool(record.losses))


@contextmanager
def _serve(name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the store's address (empty for a folder) and the environment of its clients."""
    if name == "local":
        yield "", {}
        return
    with serve() as env:
        yield "s3://bucket/store", env


def _find_growth(rows: Sequence[Figures]) -> Iterator[str]:
    """Yield the figures that grow with the store by more than allowed."""
    for place in dict.fromkeys(row.place for row in rows):
        first, *_, last = (row for row in rows if row.place == place)
        for name, limit in _LIMITS.items():
            before, after = getattr(first, name), getattr(last, name)
            if after > limit * before:
                yield f"{place}, {name} per job grows to {after / before:.1f} times"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(command, cwd=PATH.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scale", description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the jobs to run")
    parser.add_argument("--fill", type=float, default=1.0, help="share of the runs before them")
    parser.add_argument("--seconds", type=float, default=900.0, help="per row of the table")
    parser.add_argument("--out", type=Path, help="JSON of this run; of a whole one, scale.json")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
