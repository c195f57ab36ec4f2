"""A short form of the simulated fleet, and the content of its record."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from object_store import serve

from scale.__main__ import ROUNDS
from scale.fleet import WRITERS, Place, measure
from scale.record import read_record, write_table


@pytest.mark.parametrize("name", ["local", "S3"])
def test_no_run_of_a_fleet_is_lost_or_mixed_up(name: str, tmp_path: Path) -> None:
    end = time.monotonic() + 60
    if name == "local":
        place = Place(name=name, store=f"{tmp_path}/store", env={}, rounds=2, end=end)
        figures, losses = measure(tmp_path, place, 100)
    else:
        with serve() as env:
            place = Place(name=name, store="s3://bucket/store", env=env, rounds=2, end=end)
            figures, losses = measure(tmp_path, place, 0)
            assert figures.requests > 0
    assert losses == []
    assert figures.jobs == WRITERS * 2
    assert min(figures.cpu, figures.written, figures.read) > 0


def test_record_covers_both_places_and_all_sizes() -> None:
    record = read_record()
    assert [row.runs for row in record.rows] == [*ROUNDS, *ROUNDS]
    assert record.losses == []
    assert "0 runs lost, doubled or mixed up." in write_table(record)
