"""Goals for whole processes: P1 to P11.

A person waits for a process from its start to its end, with everything in the store.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import attacks
import inputs
from goals import Goal, fail, judge
from peers import Peers
from sizes import Size
from turns import Command, Turn, run_in_turn, run_once, typical

PYTHON = [sys.executable]
#: The installed package is measured, not this checkout, in which no kernel is compiled.
BENCHKIT = [*PYTHON, "-P", "-m", "benchkit"]
ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "fixtures" / "redis-gobench" / "pinned"
STORE = Path(__file__).with_name("stored.py")
READ_ALL = (
    "import sys; from pathlib import Path\n"
    "print(sum(len(p.read_bytes()) for p in Path(sys.argv[1]).rglob('*.txt')))"
)
#: Files so small that reading them costs only the start-up.
_LITTLE = 20


@dataclass(frozen=True)
class Bench:
    """Places of inputs and stores, sizes, number of rounds, and peers.

    ``formats`` are those that P7 and P8 measure; all if empty.
    """

    inputs: Path
    scratch: Path
    size: Size
    rounds: int
    peers: Peers
    formats: Sequence[str] = ()

    def ingest(self, source: Path, *options: str) -> Command:
        """Return the command that reads a source into a new store."""
        store = self.scratch / f"store-{source.name}"
        argv = [*BENCHKIT, "ingest", str(source), "--store", str(store), "--quiet", *options]
        return Command(argv, lambda: shutil.rmtree(store, ignore_errors=True))

    def measures(self, form: str) -> bool:
        """Return whether P7 and P8 measure a format."""
        return not self.formats or form in self.formats

    def make(self, name: str) -> Path:
        """Return a path for an input."""
        return self.inputs / name


@dataclass(frozen=True)
class Rival:
    """A peer: its commands for the input and for a tiny one; how many times faster ours must be."""

    name: str
    command: list[str] | None
    little: list[str] | None
    floor: float
    stretch: float


def compare(
    bench: Bench, goal: str, work: str, ours: tuple[Command, Command], rivals: Sequence[Rival]
) -> list[Goal]:
    """Time ours in turn with its rivals: a row for CPU, which decides, and one for wall time.

    A missing rival is a failed row. If sizes are small, the time of the second command, on a tiny
    input, is subtracted.
    """
    there = [rival for rival in rivals if rival.command and rival.little]
    commands = {"ours": ours[0]}
    commands |= {rival.name: Command(rival.command or []) for rival in there}
    if there and not bench.size.is_whole:
        commands["ours, start"] = ours[1]
        commands |= {f"{rival.name}, start": Command(rival.little or []) for rival in there}
    turns = run_in_turn(commands, bench.rounds) if there else {}
    rows = []
    for rival in rivals:
        name, limit = f"{work} / {rival.name}", 1 / rival.floor
        if rival not in there:
            rows.append(fail(f"{name}, CPU", limit, id=goal))
            continue
        for kind in ("CPU", "wall"):
            times, theirs = _net(turns, "ours", kind), _net(turns, rival.name, kind)
            ratios = [a / b for a, b in zip(times, theirs, strict=True) if b > 0]
            goals = (limit, 1 / rival.stretch) if kind == "CPU" else (None, None)
            rows.append(
                judge(f"{name}, {kind}", median(times), median(theirs), goals[0], id=goal,
                     stretch=goals[1], ratios=ratios)
            )  # fmt: skip
    return rows


def _net(turns: dict[str, list[Turn]], name: str, kind: str) -> list[float]:
    """Return the times of a command, without start-up if that was timed."""

    def take(key: str) -> list[float]:
        return [turn.cpu if kind == "CPU" else turn.wall for turn in turns.get(key, ())]

    start = median(take(f"{name}, start") or [0.0])
    return [time - start for time in take(name)]


def find_net_cpu(turns: dict[str, list[Turn]], name: str) -> float:
    """Return the median CPU time of a command without its start-up."""
    total, start = (median(turn.cpu for turn in turns[key]) for key in (name, f"{name}, start"))
    return max(total - start, 0.0)


def measure_k6_json(bench: Bench) -> list[Goal]:
    """Time k6's NDJSON compared with plain readers of JSON."""
    large = inputs.write_k6_json(bench.make("k6/none/k6-1.json"), bench.size.k6_json)
    little = inputs.write_k6_json(bench.make("k6-little/none/k6-1.json"), 10_000)

    read, copy = bench.peers.reading, bench.scratch / "copy.parquet"
    peers = (
        ("duckdb, read_json", "duckdb ndjson", (), 2.0),
        ("duckdb, zstd Parquet", "duckdb to parquet", (copy,), 1.5),
        ("pyarrow, open_json", "pyarrow ndjson", (), 3.0),
    )
    rivals = [
        Rival(name, read(name.partition(",")[0], reader, large, *more),
              read(name.partition(",")[0], reader, little, *more), floor, 5)
        for name, reader, more, floor in peers
    ]  # fmt: skip
    ours = bench.ingest(large), bench.ingest(little)
    return compare(bench, "P1", "k6 NDJSON", ours, rivals)


def measure_gob(bench: Bench) -> list[Goal]:
    """Time an attack compared with vegeta's own report and encoder."""
    large = attacks.write_gob(bench.make("gob/none/vegeta-1.bin"), bench.size.gob)
    little = attacks.write_gob(bench.make("gob-little/none/vegeta-1.bin"), _LITTLE)
    calls = ((("report",), 2.0), (("encode", "--to", "csv"), 3.0))
    call = bench.peers.tool
    rivals = [
        Rival(" ".join(("vegeta", *words)), call("vegeta", *words, large),
              call("vegeta", *words, little), floor, 5)
        for words, floor in calls
    ]  # fmt: skip
    ours = bench.ingest(large), bench.ingest(little)
    return compare(bench, "P2", "vegeta gob", ours, rivals)


def measure_bodies(bench: Bench) -> list[Goal]:
    """Time an attack with bodies and headers compared with vegeta's report."""
    large = attacks.write_gob(bench.make("bodies/none/vegeta-1.bin"), bench.size.bodies, 600)
    little = attacks.write_gob(bench.make("bodies-little/none/vegeta-1.bin"), _LITTLE, 600)
    call = bench.peers.tool
    reports = call("vegeta", "report", large), call("vegeta", "report", little)
    ours = bench.ingest(large), bench.ingest(little)
    rivals = [Rival("vegeta report", *reports, 3, 5)]
    return compare(bench, "P3", "vegeta gob with bodies", ours, rivals)


def measure_gobench(bench: Bench) -> list[Goal]:
    """Time the comparison of two files of go test, against benchstat."""
    half = bench.size.gobench // 2
    large = [
        inputs.write_gobench(bench.make(f"gobench/{name}.txt"), half, shift=shift)
        for shift, name in enumerate(("old", "new"))
    ]
    little = [
        inputs.write_gobench(bench.make(f"gobench-little/{name}.txt"), 10_000, 10, shift)
        for shift, name in enumerate(("old", "new"))
    ]
    call = bench.peers.tool
    ours = [Command([*BENCHKIT, "compare", *map(str, pair)]) for pair in (large, little)]
    rivals = [Rival("benchstat", call("benchstat", *large), call("benchstat", *little), 1, 2)]
    return compare(bench, "P4", "go-bench text, compared", (ours[0], ours[1]), rivals)


def measure_tables(bench: Bench) -> list[Goal]:
    """Time delimited text compared with its readers."""
    size, read, rows = bench.size, bench.peers.reading, []
    forms: list[tuple[str, str, inputs.Maker, int, int, tuple[str, ...]]] = [
        ("k6 CSV", "k6-csv/none/k6-1.csv", inputs.write_k6_csv, size.k6_csv, 10_000, (",",)),
        ("ab TSV", "ab/none/ab-1.tsv", inputs.write_ab, size.rows, _LITTLE, ("\t",)),
        ("vegeta CSV", "v/none/v-1.csv", inputs.write_vegeta_csv, size.rows, _LITTLE, (",", "no")),
    ]
    for work, name, make, much, few, shape in forms:
        large, little = make(bench.make(name), much), make(bench.make(f"little-{name}"), few)
        rivals = [
            Rival(who, read(who, f"{who} csv", large, *shape),
                  read(who, f"{who} csv", little, *shape), floor, stretch)
            for who, floor, stretch in (("pandas", 2.0, 4.0), ("polars", 1.0, 2.0))
        ]  # fmt: skip
        ours = bench.ingest(large), bench.ingest(little)
        rows += compare(bench, "P5", work, ours, rivals)
    return rows


def measure_many(bench: Bench) -> list[Goal]:
    """Time thousands of small files compared with reading them, without start-up on both sides."""
    many = inputs.write_reports(bench.make("many"), bench.size.files)
    few = inputs.write_reports(bench.make("few"), 5)
    rows = []
    for jobs in ((), ("--jobs", "1"), ("--jobs", "2")):
        turns = run_in_turn(
            {
                "ours": bench.ingest(many, *jobs),
                "ours, start": bench.ingest(few, "--jobs", "1"),
                "peer": Command([*PYTHON, "-c", READ_ALL, str(many)]),
                "peer, start": Command([*PYTHON, "-c", READ_ALL, str(few)]),
            },
            bench.rounds,
        )
        work = " ".join((f"{bench.size.files} files of wrk,", *jobs)).rstrip(",")
        name = f"{work} / reading them in Python, CPU"
        ours, theirs = (find_net_cpu(turns, side) for side in ("ours", "peer"))
        rows.append(judge(name, ours, theirs, 8, id="P6", stretch=4))
    return rows


def measure_memory(bench: Bench) -> list[Goal]:
    """Measure the memory of all reading processes together, also for an eighth of the input."""
    rows = []
    size = bench.size.memory
    formats: list[tuple[str, inputs.Maker, int]] = [
        ("k6-json", inputs.write_k6_json, size),
        ("k6-csv", inputs.write_k6_csv, size),
        ("vegeta-gob", attacks.write_gob, size // 85),
        ("ab-tsv", inputs.write_ab, size // 45),
        ("go-bench", inputs.write_gobench, bench.size.gobench),
    ]
    for name, make, size in (each for each in formats if bench.measures(each[0])):
        large = make(bench.make(f"{name}-memory/none/{name}-1.raw"), size)
        eighth = make(bench.make(f"{name}-memory-eighth/none/{name}-1.raw"), size // 8)
        peaks = [run_once(bench.ingest(path)).peak / 2**20 for path in (large, eighth)]
        work = f"memory, {name}"
        rows.append(
            judge(f"{work} / 300 MiB", peaks[0], 300, 1, id="P7", stretch=2 / 3, unit="MiB")
        )
        rows.append(
            judge(f"{work} / an eighth of the input", peaks[0], peaks[1], 1.25, id="P7", unit="MiB")
        )
    return rows


def measure_growth(bench: Bench) -> list[Goal]:
    """Time eight times the input, without start-up."""
    rows = []
    for name, make, size in _formats(bench):
        large = make(bench.make(f"{name}/none/{name}-1.raw"), size)
        eighth = make(bench.make(f"{name}-eighth/none/{name}-1.raw"), size // 8)
        little = inputs.write_reports(bench.make("few"), 5)
        commands = {
            "8x": bench.ingest(large), "1x": bench.ingest(eighth), "start": bench.ingest(little)
        }  # fmt: skip
        turns = run_in_turn(commands, bench.rounds)
        start = typical(turns["start"])
        ours, peer = (typical(turns[key]) - start for key in ("8x", "1x"))
        rows.append(judge(f"8x / 1x of {name}", ours, peer, 9, id="P8", stretch=8.2))
    return rows


def _formats(bench: Bench) -> list[tuple[str, inputs.Maker, int]]:
    size = bench.size
    formats: list[tuple[str, inputs.Maker, int]] = [
        ("k6-json", inputs.write_k6_json, size.k6_json),
        ("k6-csv", inputs.write_k6_csv, size.k6_csv),
        ("vegeta-gob", attacks.write_gob, size.gob),
        ("ab-tsv", inputs.write_ab, size.rows),
        ("go-bench", inputs.write_gobench, size.gobench),
    ]
    return [each for each in formats if bench.measures(each[0])]


def measure_start(bench: Bench) -> list[Goal]:
    """Compare the CPU time of short commands with that of importing pandas."""
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]
    limits = (f"--max-overhead={each}_per_op=10000%" for each in ("time", "bytes", "allocs"))
    gate = ["gate", *limits, "--on-inconclusive", "pass"]
    report = ["report", "-o", str(bench.scratch / "two.html")]
    commands = {
        "pandas": Command([*PYTHON, "-c", "import pandas"]),
        "--help": Command([*BENCHKIT, "--help"]),
        "compare two go files": Command([*BENCHKIT, "compare", *files]),
        "gate two go files": Command([*BENCHKIT, *gate, *files]),
        "report on two go files": Command([*BENCHKIT, *report, *files]),
    }
    turns = run_in_turn(commands, bench.rounds)
    taken = {name: median(turn.cpu for turn in turns[name]) for name in commands}
    peer = taken.pop("pandas")
    goals = dict.fromkeys(taken, (0.6, 0.4)) | {
        "--help": (0.3, 0.2), "report on two go files": (1.5, 1.0)
    }  # fmt: skip
    return [
        judge(f"{name} / import pandas, CPU", taken[name], peer, limit, id="P9", stretch=most)
        for name, (limit, most) in goals.items()
    ]


def measure_report(bench: Bench) -> list[Goal]:
    """Compare a report on ten runs of many samples with one on ten runs of few."""
    commands = {}
    for name, rows in (("many", bench.size.run), ("few", 1000)):
        folder = bench.make(f"runs-{name}")
        for run in range(10):
            place = folder / ("none", "otlp")[run % 2] / f"ab-{run // 2 + 1}.tsv"
            inputs.write_ab(place, rows, shift=run)
        ingest = bench.ingest(folder)
        run_once(ingest)
        store = ingest.argv[ingest.argv.index("--store") + 1]
        out = str(bench.scratch / f"{name}.html")
        commands[name] = Command([*BENCHKIT, "report", "--store", store, "-o", out, "--quiet"])
    turns = run_in_turn(commands, bench.rounds)
    name = f"report on 10 runs x {bench.size.run} samples / x 1000"
    return [
        judge(name, typical(turns["many"]), typical(turns["few"]), 1.1, id="P10", stretch=1.05)
    ]  # fmt: skip


def measure_store(bench: Bench) -> list[Goal]:
    """Compare reading one metric and variant of a large store with a full scan of it."""
    store = bench.scratch / "large"
    peer = bench.peers.reading("duckdb", "duckdb scan", str(store))
    if peer is None:
        return []
    rows = str(bench.size.stored)
    run_once(Command([*PYTHON, str(STORE), "fill", str(store), rows]))
    select = Command([*PYTHON, str(STORE), "select", str(store), "latency", "v1"])
    turns = run_in_turn({"ours": select, "peer": Command(peer)}, bench.rounds)
    shutil.rmtree(store)
    name = f"one metric and variant of {rows} rows / duckdb scanning all of them"
    ours, theirs = typical(turns["ours"]), typical(turns["peer"])
    return [judge(name, ours, theirs, 1, id="P11", stretch=0.5)]
