"""Inputs of gate tests: output of go test with a known cost.

A gate is judged by how it treats a planted cost, and real files have none.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from benchkit.cli import run

BENCHMARKS = ("Ping", "Set")
SIDES = ("main", "pr")
GATE = ("gate", "--max-overhead", "time_per_op=50%")


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
        factor = benchmarks[name] if isinstance(benchmarks, Mapping) else cost
        times = 30_000 * (1 + factor) * np.exp(generator.normal(0, spread, runs))
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


class History:
    """Files that are measured and ingested, one command after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._seed = 0

    def write(self, *paths: str, runs: int = 5, head: str = "") -> None:
        for path in paths:
            self._seed += 1
            made = write_runs(Path(path), seed=self._seed, runs=runs, spread=0.002)
            made.write_text(head + made.read_text())

    def write_sides(self, form: str, runs: int = 5, head: str = "") -> list[str]:
        paths = [form.format(side) for side in SIDES]
        self.write(*paths, runs=runs, head=head)
        return paths

    def write_labelled(self, *arguments: str) -> list[str]:
        """Measure the files of ``label=path`` again."""
        self.write(*(argument.partition("=")[2] for argument in arguments))
        return [*arguments]

    def ingest(self, *arguments: str) -> None:
        assert run(["ingest", *arguments]) == 0

    def pipe(self, path: str, variant: str) -> None:
        with Path(path).open("rb") as file:
            stream = io.TextIOWrapper(io.BytesIO(file.read()))
        self._monkeypatch.setattr(sys, "stdin", stream)
        self.ingest("-", "--variant", variant)


Case = Callable[[History], None]
