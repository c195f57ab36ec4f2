"""How fast benchkit is, beside named peers in the same run: `nox -s bench`.

In: inputs made here from a seed. Out: a table of ratios, and `bench.json` with `-o`.
Why: absolute times of a shared machine mean nothing; whole processes in turn, A B A B, medians, do.

Each goal is ours / peer: `--help` and `compare` against `import pandas`, 5,000 small files against
reading them, start-up (the same command on five files) subtracted on both sides. The statistics
(`engine`) are timed inside one process.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from engine import measure_engine
from goals import Goal, hold

PINNED = Path(__file__).resolve().parents[2] / "fixtures" / "redis-gobench" / "pinned"
READ_ALL = (
    "import sys; from pathlib import Path\n"
    "print(sum(len(p.read_bytes()) for p in Path(sys.argv[1]).rglob('*.txt')))"
)
REPORT = """\
Running 15s test @ http://127.0.0.1:8080/ping/GRM
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     {mean:.2f}ms  847.93us  {max:.2f}ms   95.32%
    Req/Sec     5.23k   521.60     6.28k    77.67%
  Latency Distribution
     50%  {p50:.2f}us
     75%    {p75:.2f}ms
     90%    {p90:.2f}ms
     99%    {p99:.2f}ms
  {requests} requests in 15.00s, 38.50MB read
Requests/sec:  {rate:.2f}
Transfer/sec:      2.57MB
"""
VARIANTS = ("none", "otlp", "apm", "zipkin", "skywalking")


def write_reports(folder: Path, count: int) -> Path:
    """Write ``count`` wrk reports, the same every time."""
    chance = random.Random(1)  # noqa: S311 - benchmark inputs
    for number in range(count):
        slow = chance.lognormvariate(0, 0.1)
        place = folder / VARIANTS[number % len(VARIANTS)] / f"wrk-{number // len(VARIANTS) + 1}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = REPORT.format(
            mean=slow,
            max=slow * 20,
            p50=slow * 700,
            p75=slow * 0.9,
            p90=slow * 1.2,
            p99=slow * 5,
            requests=150_000 + number,
            rate=10_000 / slow,
        )
        place.write_text(text)
    return folder


def time_in_turn(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, float]:
    """Run the commands in turn and return the median wall time of each in s."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            if number:  # the first round warms up
                times[name].append(time.perf_counter() - start)
    return {name: median(found) for name, found in times.items()}


def measure(folder: Path, rounds: int) -> list[Goal]:
    """Time everything and hold it against its goal."""
    python = [sys.executable]
    many, few = write_reports(folder / "many", 5000), write_reports(folder / "few", 5)
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]

    def ingest(source: Path) -> list[str]:
        store = folder / f"store-{source.name}"
        clean = f"import shutil; shutil.rmtree({str(store)!r}, ignore_errors=True); "
        call = "from benchkit.__main__ import main; main()"
        return [*python, "-c", clean + call, "ingest", str(source), "--store", str(store)]

    t = time_in_turn(
        {
            "pandas": [*python, "-c", "import pandas"],
            "help": [*python, "-m", "benchkit", "--help"],
            "compare": [*python, "-m", "benchkit", "compare", *files],
            "many": ingest(many),
            "few": ingest(few),
            "read": [*python, "-c", READ_ALL, str(many)],
            "read few": [*python, "-c", READ_ALL, str(few)],
        },
        rounds,
    )
    return [
        hold("--help / import pandas", t["help"], t["pandas"], 0.5),
        hold("compare two go files / import pandas", t["compare"], t["pandas"], 1.6),
        hold(
            "ingest 5,000 files / read them, start-up subtracted",
            t["many"] - t["few"],
            t["read"] - t["read few"],
            8.0,
        ),
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--rounds", type=int, default=7)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        goals = measure_engine(options.rounds)
        goals += measure(Path(folder), options.rounds)
    for goal in goals:
        word = "met" if goal.met else "not met"
        told = "no goal" if goal.limit is None else f"goal {goal.limit:g}x, {word}"
        print(f"{goal.ratio:#8.3g}x  ({told})  {goal.name}", flush=True)
    if options.output:
        rows = [asdict(goal) for goal in goals]
        options.output.write_text(json.dumps({"format_version": 1, "goals": rows}, indent=1))


if __name__ == "__main__":
    main()
