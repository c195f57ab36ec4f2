"""Sizes of the inputs of a bench.

The goals apply to sizes that take an hour; one or two minutes show whether anything has become much
slower.
"""

from __future__ import annotations

from dataclasses import dataclass

MB = 1_000_000


@dataclass(frozen=True)
class Size:
    """Bytes, results, rows, files; ``is_whole``: whether whole processes are compared.

    ``memory`` are the bytes for which, and for an eighth of which, peak memory is measured.
    ``runs`` is the size of a store to which one more run is added, compared with a tenth of it.
    With small inputs, most of a process is its start-up: it is subtracted on both sides.
    """

    k6_json: int
    k6_csv: int
    gobench: int
    gob: int
    bodies: int
    rows: int
    files: int
    run: int
    stored: int
    runs: int
    memory: int
    rounds: int
    is_whole: bool
    remark: str


SIZES = {
    "tiny": Size(
        k6_json=2 * MB, k6_csv=2 * MB, gobench=1 * MB, gob=5_000, bodies=2_000, rows=10_000,
        files=200, run=2_000, stored=400_000, runs=2_000, memory=2 * MB, rounds=1, is_whole=False,
        remark="Only shows that everything runs.",
    ),
    "small": Size(
        k6_json=30 * MB, k6_csv=20 * MB, gobench=5 * MB, gob=100_000, bodies=20_000, rows=100_000,
        files=5_000, run=20_000, stored=4_000_000, runs=20_000, memory=40 * MB, rounds=3,
        is_whole=False,
        remark="Start-up is subtracted on both sides; only --size full decides P1 to P5, P7, P11.",
    ),
    "full": Size(
        k6_json=1_000 * MB, k6_csv=500 * MB, gobench=100 * MB, gob=3_000_000, bodies=500_000,
        rows=3_000_000, files=10_000, run=1_000_000, stored=100_000_000, runs=100_000,
        memory=800 * MB, rounds=5, is_whole=True,
        remark="Whole processes, start-up included, except for P6 and P8.",
    ),
}  # fmt: skip
