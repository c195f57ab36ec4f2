"""Histories of ingests: files that are measured, and ingested, one command after the other."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

SIDES = ("main", "pr")
GATE = ("gate", "--max-overhead", "time_per_op=50%")


class History:
    """Files that are measured, and ingested, one command after the other."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._seed = 0

    def write(self, *paths: str, runs: int = 5, head: str = "") -> None:
        for path in paths:
            self._seed += 1
            made = gated.write_runs(Path(path), seed=self._seed, runs=runs, spread=0.002)
            made.write_text(head + made.read_text())

    def write_sides(self, form: str, runs: int = 5, head: str = "") -> list[str]:
        paths = [form.format(side) for side in SIDES]
        self.write(*paths, runs=runs, head=head)
        return paths

    def write_labelled(self, *arguments: str) -> list[str]:
        """Measure the files of ``label=path`` anew."""
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
