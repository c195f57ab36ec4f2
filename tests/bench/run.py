"""How fast benchkit is, compared with named peers in the same run: `nox -s bench`.

Absolute times on a shared machine mean nothing; whole processes in turn, A B A B, and medians do. A
missing peer is reported.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import growing
import processes
from engine import measure_engine
from goals import Goal, table, write
from peers import Peers
from processes import Bench
from sizes import SIZES

from benchkit.parsers import kernel

#: Goals for whole processes, in their order; each takes the bench and yields its rows.
PROCESSES: dict[str, Callable[[Bench], list[Goal]]] = {
    "P1": processes.measure_k6_json,
    "P2": processes.measure_gob,
    "P3": processes.measure_bodies,
    "P4": processes.measure_gobench,
    "P5": processes.measure_tables,
    "P6": processes.measure_many,
    "P7": processes.measure_memory,
    "P8": processes.measure_growth,
    "P9": processes.measure_start,
    "P10": processes.measure_report,
    "P11": processes.measure_store,
    "P12": growing.measure_ingest,
    "P13": growing.measure_runs,
    "go-bench": growing.measure_gobench,
}
#: Goals for functions, timed inside one process: callables of the number of rounds.
IN_PROCESS: dict[str, Callable[[int], list[Goal]]] = {"engine": measure_engine}

#: The page of the manual that contains the table, and the marks around it.
PAGE = (
    Path(__file__).resolve().parents[2] / "benchkit" / "manual" / "explanation" / "performance.md"
)
_BEGIN, _END = "<!-- bench -->\n", "<!-- /bench -->"


def main() -> None:
    """Measure, print the table, and save it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--rounds", type=int, help="runs of each side that count")
    parser.add_argument("-s", "--size", choices=SIZES, default="small", help="of the inputs")
    parser.add_argument("-g", "--goal", action="append", help="only this one, e.g. P6; repeatable")
    parser.add_argument("-f", "--format", action="append", help="of P7 and P8, only this one")
    parser.add_argument("-o", "--output", type=Path, help="JSON; beside it what benchkit compares")
    parser.add_argument(
        "--update", action="store_true", help="write the table to the manual; with -g its rows only"
    )
    parser.add_argument("--folder", type=Path, help="keeps the inputs, for the next time")
    parser.add_argument("--peers", type=Path, help="a Python that has duckdb, polars, …")
    options = parser.parse_args()
    selected = options.goal or [*PROCESSES, *IN_PROCESS]
    peers = Peers(options.peers)
    versions = {"benchkit": _version(), "python": platform.python_version(), **peers.versions()}
    if not kernel.compiled:
        peers.missing.append("a C compiler, so that benchkit reads large files slowly")
    goals: list[Goal] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        size = SIZES[options.size]
        inputs = options.folder or Path(scratch)
        rounds, formats = options.rounds or size.rounds, options.format or ()
        bench = Bench(inputs, Path(scratch), size, rounds, peers, formats)
        for name in selected:
            print(f"{name} …", file=sys.stderr, flush=True)
            try:
                if name in PROCESSES:
                    goals += PROCESSES[name](bench)
                else:
                    goals += IN_PROCESS[name](bench.rounds)
            except SystemExit as error:  # a command failed; the other goals are still worthwhile
                peers.missing.append(f"{name}, because it failed: {error}")
    peers_line = ", ".join(f"{name} {version}" for name, version in versions.items())
    head = f"Size: {options.size}, medians of {bench.rounds}, {os.cpu_count()} cores; {peers_line}."
    lines = [f"{head} {size.remark}", "", table(goals)]
    footer = "\n".join([*lines, *(f"Not installed: {name}." for name in peers.missing)])
    print(footer)
    if options.update:
        put(renew(read_table(PAGE), table(goals)) if options.goal else footer, PAGE)
    if options.output:
        write(goals, peers.missing, versions, options.output)


def read_table(path: Path) -> str:
    """Return the text between the marks of a Markdown file."""
    _, rest = path.read_text(encoding="utf-8").split(_BEGIN)
    return rest.split(_END)[0].rstrip("\n")


def renew(text: str, rows: str) -> str:
    """Return a text with its table, replacing rows of the same goal and work."""
    newer = {tuple(row.split("|")[1:3]): row for row in rows.split("\n")[2:]}
    renewed, last = [], 0
    for place, row in enumerate(text.split("\n"), 1):
        renewed.append(newer.pop(tuple(row.split("|")[1:3]), row))
        last = last if renewed[-1] == row else place
    return "\n".join([*renewed[:last], *newer.values(), *renewed[last:]])


def put(text: str, path: Path) -> None:
    """Put a text between the marks of a Markdown file."""
    before, _, rest = path.read_text(encoding="utf-8").partition(_BEGIN)
    _, mark, after = rest.partition(_END)
    if not mark:
        raise SystemExit(f"{path} has no marks {_BEGIN.strip()} … {_END}")
    path.write_text(f"{before}{_BEGIN}{text}\n{_END}{after}", encoding="utf-8")


def _version() -> str:
    command = [*processes.BENCHKIT, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


if __name__ == "__main__":
    if shutil.which("go"):  # a binary made by `go install` is a peer, too
        done = subprocess.run(["go", "env", "GOPATH"], capture_output=True, text=True, check=False)
        os.environ["PATH"] += f"{os.pathsep}{done.stdout.strip()}/bin"
    main()
