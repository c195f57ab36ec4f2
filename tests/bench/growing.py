"""Goals for stores that grow and files of many runs: P12, P13, and the ingest of go-bench.

Ingesting n times must not cost n², and a run is a row, not an object; other load on the machine
affects wall time more than either.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from statistics import median

import inputs
from goals import Goal, judge
from processes import BENCHKIT, PYTHON, STORE, Bench, find_net_cpu
from turns import Command, Turn, run_in_turn, run_once

#: Limits of CPU seconds and MiB for listing 100,000 runs.
_LISTING, _MEMORY = 5.0, 500.0
#: Limit of CPU seconds per MB of go-bench.
_PER_MB = 1 / 40


def measure_ingest(bench: Bench) -> list[Goal]:
    """Time one small file into stores of many runs, compared with one into an empty store."""
    file = inputs.write_reports(bench.make("one"), 1)
    limits = {bench.size.runs // 10: 1.2, bench.size.runs: 1.5}
    commands = {"empty": bench.ingest(file)}
    for runs in limits:
        filled, store = _fill(bench, runs), bench.scratch / f"grown-{runs}"
        argv = [*BENCHKIT, "ingest", str(file), "--store", str(store), "--quiet"]
        commands[f"{runs}"] = Command(argv, partial(_copy, filled, store))
    turns = run_in_turn(commands, bench.rounds)
    empty = _find_cpu(turns["empty"])
    return [
        judge(f"a file into a store of {runs} runs / into an empty one, CPU",
             _find_cpu(turns[f"{runs}"]), empty, limit, id="P12", stretch=1.1)
        for runs, limit in limits.items()
    ]  # fmt: skip


def measure_runs(bench: Bench) -> list[Goal]:
    """Time the list of many runs, and check its memory."""
    runs = bench.size.runs
    argv = [*BENCHKIT, "runs", "--store", str(_fill(bench, runs))]
    turns = run_in_turn({"runs": Command(argv)}, bench.rounds)["runs"]
    cpu, peak = _find_cpu(turns), median(turn.peak for turn in turns) / 2**20
    name = f"`runs` on {runs} runs"
    return [
        judge(f"{name} / 5 s of CPU", cpu, _LISTING, 1, id="P13", stretch=0.4),
        judge(f"{name} / 500 MiB", peak, _MEMORY, 1, id="P13", stretch=0.5, unit="MiB"),
    ]


def measure_gobench(bench: Bench) -> list[Goal]:
    """Time the ingest of go-bench against benchstat, without start-up, and check its memory."""
    large, little = (
        inputs.write_gobench(bench.make(f"go-{name}/none.txt"), size, names)
        for name, size, names in (("large", bench.size.gobench, 2000), ("little", 10_000, 10))
    )
    commands = {"ours": bench.ingest(large, "--jobs", "1"), "ours, start": bench.ingest(little)}
    for name, path in (("peer", large), ("peer, start", little)):
        if command := bench.peers.tool("benchstat", str(path)):
            commands[name] = Command(command)
    turns = run_in_turn(commands, bench.rounds)
    ours, megabytes = find_net_cpu(turns, "ours"), large.stat().st_size / 1e6
    work = f"go-bench ingest, {megabytes:.0f} MB"
    peak = median(turn.peak for turn in turns["ours"]) / 2**20
    rows = [
        judge(f"{work} / 40 MB/s of CPU", ours, megabytes * _PER_MB, 1),
        judge(f"{work} / 250 MiB", peak, 250, 1, unit="MiB"),
    ]
    if "peer" in turns:
        rows.append(judge(f"{work} / benchstat, CPU", ours, find_net_cpu(turns, "peer"), None))
    return rows


def _fill(bench: Bench, runs: int) -> Path:
    """Return a store with this many runs, created if missing."""
    store = bench.scratch / f"runs-{runs}"
    if not store.exists():
        run_once(Command([*PYTHON, str(STORE), "list", str(store), str(runs)]))
    return store


def _copy(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _find_cpu(turns: list[Turn]) -> float:
    return median(turn.cpu for turn in turns)
