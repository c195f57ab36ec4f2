"""Results that gates are tried on: what go test prints, with a cost that is known.

A gate is judged by what it says of a cost that was planted, and real files hold no such thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

BENCHMARKS = ("Ping", "Set")


def write_runs(
    path: Path,
    *,
    seed: int,
    cost: float = 0.0,
    spread: float = 0.01,
    runs: int = 10,
    benchmarks: Mapping[str, float] | tuple[str, ...] = BENCHMARKS,
) -> Path:
    """Write one file of go test: log-normal times around 30 µs, `runs` lines per benchmark."""
    generator = np.random.default_rng(seed)
    lines = ["goos: linux", "goarch: amd64", "pkg: example.com/redis"]
    for name in benchmarks:
        own = benchmarks[name] if isinstance(benchmarks, Mapping) else cost
        times = 30_000 * (1 + own) * np.exp(generator.normal(0, spread, runs))
        lines += [
            f"Benchmark{name}-8\t40000\t{time:.1f} ns/op\t172 B/op\t6 allocs/op" for time in times
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "PASS", ""]), encoding="utf-8")
    return path


def write_pair(folder: Path, *, cost: float = 0.0, spread: float = 0.01, runs: int = 10) -> Path:
    """Write ``baseline.txt`` and ``enabled.txt``, the second slower by ``cost``."""
    write_runs(folder / "baseline.txt", seed=1, spread=spread, runs=runs)
    write_runs(folder / "enabled.txt", seed=2, cost=cost, spread=spread, runs=runs)
    return folder
