"""Folders left by `capture --until decided`: rounds of Go results, each with its sidecar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from benchkit.capture.resume import Record, write_sidecar
from benchkit.comparison.series import write_stopping
from benchkit.stats import SequentialDesign

DESIGN = SequentialDesign(least=4, most=20)
START = datetime(2026, 11, 20, 10, tzinfo=UTC)


def draw(
    effects: Mapping[str, float], rounds: int, *, spread: float = 0.01, seed: int = 1
) -> dict[str, list[float]]:
    """Return times per operation of each variant, a value per round."""
    rng = np.random.default_rng(seed)
    return {
        name: (1000 * (1 + effect) * np.exp(rng.normal(0, spread, rounds))).tolist()
        for name, effect in effects.items()
    }


def write_series(
    folder: Path,
    sides: Mapping[str, Sequence[float]],
    design: SequentialDesign | None = DESIGN,
    benchmark: str = "Get",
    **basis: str,
) -> Path:
    """Write a value per round of each variant."""
    for position, (variant, values) in enumerate(sides.items(), 1):
        (folder / variant).mkdir(parents=True, exist_ok=True)
        for number, value in enumerate(values, 1):
            path = folder / variant / f"gobench-{number}.txt"
            path.write_text(f"Benchmark{benchmark} 1000 {value:.3f} ns/op\n", "utf-8")
            at = START + timedelta(seconds=10 * (len(sides) * number + position))
            record = Record(
                argv=["go", "test"], start=at, end=at + timedelta(seconds=5), exit=0,
                variant=variant, run=number, block=number, position=position,
                stopping={**write_stopping(design, number), **basis} if design else {},
            )  # fmt: skip
            path.with_name(f"{path.name}.run.toml").write_text(write_sidecar(record), "utf-8")
    return folder
