"""Inputs that benchstat and its imitation are compared on.

In: a seed. Out: the files of one comparison and its arguments. Why: the recorded cases and the
fresh ones come from one generator, so that both hold every quirk.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

UNITS = ("ns/op", "B/op", "allocs/op", "MB/s", "p50-ns", "µs/op", "KB*ns", "op/ns", "hits")
CONFIG = ("pkg: b", "pkg: a", "pkg:", "cpu: x y", "goos: linux", "goos:", "no key", "key:value")
ODD = (
    " BenchmarkIndented 1 5 ns/op",
    "BenchmarkAlone",
    "BenchmarkNoCount ",
    "BenchmarkBadCount 1e3 5 ns/op",
    "BenchmarkHugeCount 99999999999999999999 5 ns/op",
    "BenchmarkNoMeasures 7",
    "BenchmarkBadMeasure 7 fast ns/op",
    "BenchmarkHugeMeasure 7 1e999 ns/op",
    "BenchmarkNoUnit 7 5 ns/op 3",
    "BenchmarkGo 7 1_520.5 ns/op 0x1p4 B/op",
    "BenchmarkTwice 7 5 ns/op 6 ns/op",
    'BenchmarkQuoted/a,"b" 7 5 ns/op',
    "Benchmark 7 5 ns/op",
    "Unit",
    "Unit ns/op better=lower nonsense",
    "Unit hits assume=exact",
    "Unit hits assume=nothing",
    "Unit B/op assume=exact",
    "PASS",
    "ok  \tbench/redis\t1.2s",
)


def write_case(folder: Path, seed: int) -> list[str]:
    """Write the files of one comparison; return the arguments."""
    random = Random(seed)  # noqa: S311
    names = [f"B{at}{random.choice(['', '/size=4', '-2'])}" for at in range(random.randint(1, 4))]
    units = random.sample(UNITS, random.randint(1, 3))
    spread = random.choice([0, 1, 2, 3, 20, 1000, 100_000])
    most = random.choice([1, 3, 6, 10, 25, 30, 60])
    arguments = []
    for at in range(random.randint(1, 4)):
        lines = _write_file(random, names, units, spread, most)
        (folder / f"f{at}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        arguments.append(random.choice(["", "", "", "new=", f"v{at}="]) + f"f{at}.txt")
    return [*arguments, arguments[-1]] if random.random() < 0.1 else arguments


def _write_file(
    random: Random, names: list[str], units: list[str], spread: int, most: int
) -> list[str]:
    level = random.choice([0, 1, 50, 1000, 40_000, 3_000_000])
    count = random.randint(1, most)
    lines = []
    for name in names:
        if random.random() < 0.1:
            continue
        if random.random() < 0.2:
            lines.append(random.choice(CONFIG))
        for _ in range(count if random.random() < 0.7 else random.randint(1, most)):
            values = [f"{_draw(random, level, spread)} {unit}" for unit in units]
            lines.append(f"Benchmark{name}  \t{random.randint(1, 10**6)}\t" + "\t".join(values))
            if random.random() < 0.02:
                lines.append(random.choice(ODD))
    return lines


def _draw(random: Random, level: int, spread: int) -> str:
    value = level + random.randint(0, spread)
    return random.choice([str(value), str(value), f"{value}.0", f"{value:g}" if spread else "7"])


def find_benchstat() -> str | None:
    """Return the path of a benchstat that can print CSV, from PATH or where Go installs it."""
    places = [os.environ.get("GOBIN", ""), str(Path.home() / "go" / "bin")]
    path = os.pathsep.join(filter(None, places))
    tool = shutil.which("benchstat") or shutil.which("benchstat", path=path)
    if tool is None:
        return None
    told = subprocess.run([tool, "-h"], capture_output=True, text=True, check=False, timeout=60)
    return tool if "-format" in told.stderr else None


def run_benchstat(tool: str, folder: Path, arguments: list[str]) -> tuple[str, str]:
    """Return stdout and stderr of the real benchstat."""
    command = [tool, "-format", "csv", *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, check=True, encoding="utf-8", timeout=60
    )
    return done.stdout, done.stderr


def assert_same_csv(found: str, expected: str) -> None:
    """Compare cell for cell: text as text, centers and geometric means to 1e-12."""
    rows = [list(csv.reader(text.splitlines())) for text in (found, expected)]
    assert [len(row) for row in rows[0]] == [len(row) for row in rows[1]]
    for got, wanted in zip(*rows, strict=True):
        for cell, right in zip(got, wanted, strict=True):
            assert cell == right or float(cell) == pytest.approx(float(right), rel=1e-12, abs=0)
