"""The content of a store as its users see it, and runs to put into it."""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

from roads import FIXTURES

from soak.commands import Answer, call

#: Group, variant, benchmark, params, run and source of every run -> its values.
State = dict[tuple[str, ...], list[tuple[str, ...]]]
_RUN = ("group", "variant", "benchmark", "params", "run")
_VALUE = ("subject", "metric", "stat", "value", "unit")


def write_runs(folder: Path, variant: str, count: int = 3, first: int = 1) -> Path:
    """Write results of one variant, real but for the rate, each distinct; return their folder."""
    target = folder / variant
    target.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        text = (FIXTURES / f"tracing-wrk/otlp/wrk-{(number - 1) % 8 + 1}.txt").read_text()
        rate = 5000 + zlib.crc32(f"{folder.name}/{variant}/{number}".encode()) % 100_000 / 100
        text = re.sub(r"(?<=Requests/sec:).*", f"   {rate:.2f}", text)
        (target / f"wrk-{number}.txt").write_text(text)
    return target


def read_state(
    folder: Path, *, store: str = ".benchkit", env: Mapping[str, str] | None = None
) -> State:
    """Return the runs of a store with their values.

    Raises
    ------
    AssertionError
        If the store does not open, or lists a run without values.
    """
    if not (folder / store).exists() and "://" not in store:
        return {}
    listed = call(folder, "runs", "--format", "json", "--store", store, env=env)
    if listed.code == 3 and "nothing" in listed.err + listed.out:
        return {}
    exported = call(folder, "export", "--format", "csv", "--store", store, env=env)
    expect(listed)
    runs = json.loads(listed.out)["runs"]
    if not runs:
        return {}
    expect(exported)
    state: State = {}
    for row in csv.DictReader(io.StringIO(exported.out)):
        source = row["source"].rpartition(":")[0]
        key = (*(row[name] for name in _RUN), source)
        state.setdefault(key, []).append(tuple(row[name] for name in _VALUE))
    names = {key[:5] for key in state}
    bare = {tuple(str(run[name]) for name in _RUN) for run in runs} - names
    if bare:
        raise AssertionError(f"runs without values: {sorted(bare)[:3]}")
    for key, values in state.items():
        if len(set(values)) < len(values):
            raise AssertionError(f"values twice: {key}")
    return {key: sorted(values) for key, values in state.items()}


def expect(answer: Answer, *codes: int) -> None:
    """Raise unless a command exited with one of some codes, 0 if none is given."""
    if answer.code not in (codes or (0,)) or answer.is_crash:
        raise AssertionError(answer.describe())
