"""Every line of the gate's table of outcomes: results, a policy, and the outcome."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gated

FIXTURES = Path(__file__).parents[1] / "fixtures"
WRK = FIXTURES / "tracing-wrk" / "none" / "wrk-1.txt"
REFUSED = FIXTURES / "wrk-edge" / "wrk" / "wrk-refused-1.txt"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Results, a policy, and the resulting outcome of the gate."""

    write: Callable[[Path], object]
    policy: str = ""
    options: tuple[str, ...] = ()
    code: int
    verdict: str
    event: str
    part: str


def pair(**more: object) -> Callable[[Path], object]:
    return lambda folder: gated.write_pair(folder, **more)  # type: ignore[arg-type]


def allocations(folder: Path) -> None:
    gated.write_pair(folder)
    text = (folder / "enabled.txt").read_text()
    (folder / "enabled.txt").write_text(text.replace("6 allocs/op", "7 allocs/op"))


def allocations_in(runs: int) -> Callable[[Path], object]:
    """Write results in which an operation allocates once more in some of the 10 runs."""

    def write(folder: Path) -> None:
        gated.write_pair(folder)
        path = folder / "enabled.txt"
        path.write_text(path.read_text().replace("6 allocs/op", "7 allocs/op", runs))

    return write


def bytes_grown(folder: Path) -> None:
    gated.write_pair(folder)
    text = (folder / "enabled.txt").read_text()
    (folder / "enabled.txt").write_text(text.replace("172 B/op", "188 B/op"))


def bytes_hardly_grown(folder: Path) -> None:
    gated.write_pair(folder)
    text = (folder / "enabled.txt").read_text()
    (folder / "enabled.txt").write_text(text.replace("172 B/op", "173 B/op"))


def crash(variant: str) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        for name in ("baseline", "enabled"):
            for number in range(1, 7):
                (folder / name).mkdir(parents=True, exist_ok=True)
                rate = 10400 + 7 * number + 3 * len(name)
                text = WRK.read_text().replace("10406.41", f"{rate:.2f}")
                (folder / name / f"wrk-{number}.txt").write_text(text)
        shutil.copy(REFUSED, folder / variant / "wrk-7.txt")

    return write


def lost_variant(text: str = "") -> Callable[[Path], object]:
    """Write two equal variants, and the folder of a third without a result."""

    def write(folder: Path) -> None:
        for name in ("baseline", "enabled"):
            gated.write_runs(folder / name / "1.txt", seed=len(name))
        (folder / "lost").mkdir()
        if text:
            (folder / "lost" / "output.txt").write_text(text)

    return write


def warm_ups_alone(folder: Path) -> None:
    """Write reports of wrk; one of three variants has only its warm-up."""
    for name in ("baseline", "enabled", "lost"):
        (folder / name).mkdir()
        for number in range(1, 7):
            text = WRK.read_text().replace("10406.41", f"{10400 + 7 * number + len(name)}.00")
            role = "warmup-" if name == "lost" else ""
            (folder / name / f"wrk-{role}{number}.txt").write_text(text + "\n" * len(name))


def go_crash(tail: str, *, variant: str = "enabled") -> Callable[[Path], object]:
    """Write a second log of a variant that fails after its first results."""

    def write(folder: Path) -> None:
        for seed, name in enumerate(("baseline", "enabled"), 1):
            gated.write_runs(folder / name / "1.txt", seed=seed)
        torn = gated.write_runs(folder / variant / "2.txt", seed=7, runs=1)
        torn.write_text(torn.read_text().removesuffix("PASS\n") + tail)

    return write


def go_events(folder: Path) -> None:
    """Write events of a package that fails in the first of several runs."""
    go_crash("FAIL\tx\n")(folder)
    lines = (folder / "enabled" / "2.txt").read_text().splitlines(keepends=True)
    events = [{"Action": "output", "Package": "x", "Output": line} for line in lines]
    ended = [{"Action": "fail", "Package": "x", "Elapsed": 0.4}]
    text = "".join(json.dumps(event) + "\n" for event in (*events, *ended))
    (folder / "enabled" / "2.txt").write_text(text)


def write_k6(folder: Path) -> None:
    """Write five runs of k6 per side, all of which keep their thresholds."""
    source = FIXTURES / "shorturl-k6" / "baseline" / "k6-full-1-export.json"
    kept = source.read_text().replace('"p(99)<0.2": true', '"p(99)<0.2": false')
    for name in ("baseline", "enabled"):
        (folder / name).mkdir(parents=True)
        for number in range(1, 6):
            text = kept.replace('"count": 1', f'"count": {number}1')
            (folder / name / f"k6-export-{number}.json").write_text(text + "\n" * len(name))


def crossed_in(variant: str) -> Callable[[Path], object]:
    """Write runs of k6; one run of a variant crossed a threshold."""

    def write(folder: Path) -> None:
        write_k6(folder)
        path = folder / variant / "k6-export-5.json"
        path.write_text(path.read_text().replace('"p(99)<0.2": false', '"p(99)<0.2": true'))
        path.with_name(f"{path.name}.run.toml").write_text("exit = 99\n")

    return write


def crossed_exit(folder: Path) -> None:
    """Write runs of k6, one of which crossed a threshold according to its exit code only."""
    write_k6(folder)
    (folder / "enabled" / "k6-export-5.json.run.toml").write_text("exit = 99\n")


def exits(folder: Path) -> None:
    go_crash("PASS\n")(folder)
    (folder / "enabled" / "2.txt.run.toml").write_text("exit = 2\n")


def gone(folder: Path) -> None:
    gated.write_pair(folder)
    gated.write_runs(folder / "enabled.txt", seed=2, benchmarks=("Ping",))


def added(folder: Path) -> None:
    gated.write_pair(folder)
    gated.write_runs(folder / "enabled.txt", seed=2, benchmarks=("Ping", "Set", "Fresh"))


def damaged(folder: Path) -> None:
    gated.write_pair(folder)
    text = (folder / "enabled.txt").read_text()
    (folder / "enabled.txt").write_text(text + "BenchmarkTorn-8\t 4000\t 30")


def write_unknown(folder: Path) -> None:
    gated.write_pair(folder)
    (folder / "notes.log").write_text("nothing that a tool printed\n", encoding="utf-8")


def many_rows(folder: Path) -> None:
    names = tuple(f"Op{number}" for number in range(60))
    gated.write_runs(folder / "baseline.txt", seed=1, runs=6, benchmarks=names)
    gated.write_runs(folder / "enabled.txt", seed=2, runs=6, benchmarks=names, cost=1.0)


def alone(folder: Path) -> None:
    gated.write_runs(folder / "enabled.txt", seed=1)


SAME, WORSE = pair(), pair(cost=0.2)
RANKS = "[stats]\nmethod = 'rank'\n"
FIVEFOLD = "[[gate]]\nmetric = 'requests.count'\nacceptable = '5x'\n"
LIMIT = "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n"
ACCEPT = "[[gate.accept]]\nbenchmark = '*'\nreason = 'TLS'\n"

CASES = {
    "regression": Case(
        write=WORSE, code=1, verdict="fail", event="regression", part="✗ Regression: enabled takes "
    ),
    "over a limit": Case(
        write=WORSE, policy=LIMIT, code=1, verdict="fail", event="regression",
        part="✗ Over the limit: enabled takes ",
    ),
    "one more allocation": Case(
        write=allocations, code=1, verdict="fail", event="regression",
        part="✗ Regression: enabled makes ",
    ),
    "one more allocation in 2 of 10 runs": Case(
        write=allocations_in(2), code=0, verdict="pass", event="inconclusive",
        part="? Inconclusive: enabled",
    ),
    "one more allocation in 2 of 10 runs fails": Case(
        write=allocations_in(2), policy="[policy]\non_inconclusive = 'fail'\n", code=4,
        verdict="undecided", event="inconclusive", part="? Inconclusive: enabled",
    ),
    "one more allocation in 6 of 10 runs": Case(
        write=allocations_in(6), code=1, verdict="fail", event="regression",
        part="✗ Regression: enabled makes ",
    ),
    "exact warns": Case(
        write=allocations, policy="[policy]\nexact = 'warn'\n", code=0, verdict="fail",
        event="regression", part="the policy allows it.",
    ),
    "exact passes": Case(
        write=allocations, policy="[policy]\nexact = 'pass'\n", code=0, verdict="pass",
        event="regression", part="the policy allows it.",
    ),
    "more bytes": Case(
        write=bytes_grown, code=1, verdict="fail", event="regression",
        part="✗ Regression: enabled allocates ",
    ),
    "bytes within the margin": Case(
        write=bytes_hardly_grown, code=0, verdict="pass", event="", part="✓ No regression"
    ),
    "crash": Case(
        write=crash("enabled"), code=1, verdict="fail", event="crash",
        part="✗ A run of enabled failed: ",
    ),
    "panic": Case(
        write=go_crash("BenchmarkPing-8   \tpanic: boom\nFAIL\tx\t0.4s\nFAIL\n"), code=1,
        verdict="fail", event="crash", part="2.txt:6: panic: boom",
    ),
    "panic without an end": Case(
        write=go_crash("panic: boom\n"), code=1, verdict="fail", event="crash",
        part="2.txt:6: panic: boom",
    ),
    "cut before a line of the job": Case(
        write=go_crash("##[error]The operation was canceled.\n"), code=3, verdict="fail",
        event="damaged", part="ends without PASS or FAIL, so it may be truncated",
    ),
    "a benchmark fails": Case(
        write=go_crash("--- FAIL: BenchmarkSet\n    x_test.go:9: no\nFAIL\nFAIL\tx\t0.4s\n"),
        code=1, verdict="fail", event="crash", part="2.txt:6: --- FAIL: BenchmarkSet",
    ),
    "FAIL alone": Case(
        write=go_crash("FAIL\n"), code=1, verdict="fail", event="crash", part="2.txt:6: FAIL"
    ),
    "build failed": Case(
        write=go_crash("FAIL\ty [build failed]\n"), code=1, verdict="fail", event="crash",
        part="2.txt:6: FAIL y [build failed]",
    ),
    "events that fail": Case(
        write=go_events, code=1, verdict="fail", event="crash", part="2.txt:6: FAIL x"
    ),
    "a benchmark of the baseline fails": Case(
        write=go_crash("FAIL\tx\t0.4s\n", variant="baseline"), code=4, verdict="undecided",
        event="baseline_crash", part="2.txt:6: FAIL x 0.4s",
    ),
    "exit of the sidecar": Case(
        write=exits, code=1, verdict="fail", event="crash", part="exited with code 2"
    ),
    "crossed threshold": Case(
        write=crossed_in("enabled"), policy=FIVEFOLD, code=1, verdict="fail", event="crash",
        part="k6-export-5.json:129: crossed a threshold: http_req_duration p(99)<0.2 (run 5)",
    ),
    "crossed threshold of the baseline": Case(
        write=crossed_in("baseline"), policy=FIVEFOLD, code=4, verdict="undecided",
        event="baseline_crash", part="? A run of the baseline baseline failed: ",
    ),
    "exit of a crossed threshold": Case(
        write=crossed_exit, policy=FIVEFOLD, code=1, verdict="fail", event="crash",
        part="k6-export-5.json: its command exited with code 99, because a threshold was crossed "
        "(run 5)",
    ),
    "crash warns": Case(
        write=crash("enabled"), policy="[policy]\non_failure = 'warn'\n", code=0, verdict="fail",
        event="crash", part="✗ A run of enabled failed: ",
    ),
    "crash of the baseline": Case(
        write=crash("baseline"), code=4, verdict="undecided", event="baseline_crash",
        part="? A run of the baseline baseline failed: ",
    ),
    "gone": Case(
        write=gone, code=3, verdict="fail", event="missing", part="✗ Set not compared: only in"
    ),
    "gone warns": Case(
        write=gone, policy="[policy]\non_missing = 'warn'\n", code=0, verdict="fail",
        event="missing", part="✗ Set not compared: only in",
    ),
    "removed on purpose": Case(
        write=gone, policy="[[gate.accept]]\nremoved = 'Set'\n", code=0, verdict="pass",
        event="accepted", part="Set removed (permanently)",
    ),
    "removed but still there": Case(
        write=SAME, policy="[[gate.accept]]\nremoved = 'Sett'\n", code=0, verdict="pass",
        event="unused_acceptance", part="the accepted removal of Sett matches no removed benchmark",
    ),
    "accepted without a row": Case(
        write=SAME, policy="[[gate.accept]]\nbenchmark = 'Pong'\nuntil = 2999-12-31\n", code=0,
        verdict="pass", event="unused_acceptance",
        part="the accepted regression of Pong matches no compared row",
    ),
    "removed until yesterday": Case(
        write=gone, policy="[[gate.accept]]\nremoved = 'Set'\nuntil = 2020-01-01\n", code=3,
        verdict="fail", event="missing",
        part="the accepted removal of Set has expired (until 2020-01-01)",
    ),
    "variant without a run": Case(
        write=lost_variant(), code=3, verdict="fail", event="not_compared",
        part="✗ No run of lost was measured, so it was not compared",
    ),
    "variant that cannot be read": Case(
        write=lost_variant("Killed\n"), code=3, verdict="fail", event="not_compared",
        part="✗ No run of lost was measured, so it was not compared",
    ),
    "variant of warm-ups alone": Case(
        write=warm_ups_alone, code=3, verdict="fail", event="not_compared",
        part="✗ No run of lost was measured, so it was not compared",
    ),
    "new": Case(write=added, code=0, verdict="pass", event="added", part="new: Fresh, only in"),
    "damaged": Case(
        write=damaged, code=3, verdict="fail", event="damaged", part="✗ 1 file is damaged: "
    ),
    "damaged warns": Case(
        write=damaged, policy="[policy]\non_damaged = 'warn'\n", code=0, verdict="fail",
        event="damaged", part="✗ 1 file is damaged: ",
    ),
    "inconclusive": Case(
        write=pair(spread=0.3), policy=LIMIT, code=0, verdict="pass", event="inconclusive",
        part="? Inconclusive: enabled",
    ),
    "inconclusive fails": Case(
        write=pair(spread=0.3), policy=LIMIT + "on_inconclusive = 'fail'\n", code=4,
        verdict="undecided", event="inconclusive", part="? Inconclusive: enabled",
    ),
    "too few runs": Case(
        write=pair(runs=2), code=4, verdict="undecided", event="undecidable",
        part="2 runs on a side, but the policy requires 3",
    ),
    "fewer than min_runs": Case(
        write=SAME, policy="[policy]\nmin_runs = 12\n", code=4, verdict="undecided",
        event="undecidable", part="10 runs on a side, but the policy requires 12",
    ),
    "too few runs warns": Case(
        write=pair(runs=2), policy="[policy]\non_undecided = 'warn'\n", code=0,
        verdict="undecided", event="undecidable", part="the policy allows it.",
    ),
    "sixty rows twice as slow": Case(
        write=many_rows, policy=LIMIT, code=1, verdict="fail", event="regression",
        part="all 60 rows: over the limit",
    ),
    "sixty rows twice as slow without a limit": Case(
        write=many_rows, code=1, verdict="fail", event="regression",
        part="✗ Regression",
    ),
    "too many rows for ranks": Case(
        write=many_rows, policy=LIMIT + RANKS, code=4, verdict="undecided", event="undecidable",
        part="6 + 6 runs cannot reach p ≤ 0.05 when 60 rows are tested together",
    ),
    "too many rows for ranks without a limit": Case(
        write=many_rows, policy=RANKS, code=4, verdict="undecided", event="undecidable",
        part="6 + 6 runs cannot reach p ≤ 0.05 when 60 rows are tested together",
    ),
    "no baseline": Case(
        write=alone, code=3, verdict="fail", event="not_compared", part="✗ Nothing was compared"
    ),
    "first run": Case(
        write=alone, options=("--allow-missing-baseline",), code=0, verdict="pass",
        event="no_baseline", part="? There is no baseline, so nothing was compared",
    ),
    "a rule without rows": Case(
        write=SAME, policy=LIMIT + "where = {benchmark = 'Gone'}\n", code=3, verdict="fail",
        event="not_compared", part="found no benchmark=Gone",
    ),
    "accepted until a day": Case(
        write=WORSE, policy=f"{LIMIT}{ACCEPT}until = 2999-12-31\n", code=0, verdict="pass",
        event="accepted", part="(until 2999-12-31: TLS)",
    ),
    "accepted until yesterday": Case(
        write=WORSE, policy=f"{LIMIT}{ACCEPT}until = 2020-01-01\n", code=1, verdict="fail",
        event="regression", part="✗ Over the limit: ",
    ),
    "accepted without a limit": Case(
        write=WORSE, policy=f"{ACCEPT}until = '2999-12-31'\n", code=0, verdict="pass",
        event="accepted", part="(until 2999-12-31: TLS)",
    ),
    "accepted until an unrecorded commit": Case(
        write=WORSE, policy=f"{ACCEPT}until = 'abc1234'\n", code=1, verdict="fail",
        event="regression", part="✗ Regression: ",
    ),
}  # fmt: skip
