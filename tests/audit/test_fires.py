"""Every rule on runs and sides fires on its problem, and is silent on unchanged input.

Firing and silent files differ only in the one thing that the rule examines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import audit_inputs
import pytest
from audit_inputs import FIXTURES, REQUESTS, Files, ab, spans, vegeta, wrk

from benchkit.cli import run

PLAIN_MEAN = ("0.86ms  847", "0.75ms  847")
OTHER = (
    ("10406.41", "10399.87"),
    ("847.93us", "850.12us"),
    ("701.00us", "703.00us"),
    ("4.63ms", "4.71ms"),
    ("17.29ms", "17.44ms"),
    ("1.16ms", "1.17ms"),
)
LONGER = (("156120 requests in 15.00s", "312240 requests in 30.01s"), ("38.50MB", "77.04MB"))
SLOWER = (
    ("10406.41", "9406.41"),
    ("156120 requests", "141096 requests"),
    ("38.50MB", "34.79MB"),
    ("2.57MB", "2.32MB"),
)
VERSION = ("Version 2.3", "Version 2.4")
FEWER = (
    ('"rate":300.0321274402063', '"rate":250.0267728668386'),
    ('"requests":9000', '"requests":7500'),
    ('"200":9000', '"200":7500'),
)
OTHER_AB = (("11322.98", "11301.12"), ("8.832", "8.849"), ("1475282.45", "1472434.05"))
NO_FAILURES = "Failed requests:        0"
BY_LENGTH = "(Connect: 0, Receive: 0, Length: {0}, Exceptions: 0)"
CHANGED_PAGE = (NO_FAILURES, f"Failed requests:        40000\n   {BY_LENGTH.format(40000)}")
DYNAMIC_PAGE = (NO_FAILURES, f"Failed requests:        7\n   {BY_LENGTH.format(7)}")
ANY_LENGTH = ("133180 bytes", "Variable")
MANY_IN_FLIGHT = ("Total:          0    2 ", "Total:          0    9 ")
FAILING = (('"success":1,', '"success":0.9,'), ('"200":9000', '"0":900,"200":8100'))
LATE_END = ('"wait":2139278', '"wait":90000000000')
K6 = "shorturl-k6/baseline"
MIXED = "wrk-edge/wrk/wrk-mixed-errors-1.txt"
EDGE = "skywalking-vegeta/edge"


def one(text: str, name: str = "wrk-1.txt") -> Files:
    return {name: text}


def query(text: str) -> tuple[str, str]:
    return "8080/ping/GRM", f"8080/ping/GRM?{text}"


def pair(
    first: str, second: str, name: str = "wrk-1.txt", of: tuple[str, str] = ("none", "otlp")
) -> Files:
    return {f"{variant}/{name}": text for variant, text in zip(of, (first, second), strict=True)}


def real(*names: str, at: str = "") -> Files:
    """Return fixtures unchanged, under their names."""
    return {name: (FIXTURES / at / name).read_text(encoding="utf-8") for name in names}


def report_with_sidecar(text: str, command: str = "", **env: str) -> Files:
    """Return a report, and a sidecar that records its command and its machine."""
    lines = [f'command = "{command}"'] if command else []
    lines += ["[env]", *(f'"{key.replace("__", ".")}" = "{env[key]}"' for key in env)]
    return {"otlp/wrk-1.txt": text, "otlp/run.toml": "\n".join(lines) + "\n"}


def attack(command: str) -> Files:
    """Return a report of vegeta at 300 requests/s, and the command as capture records it."""
    script = f"echo 'GET http://h/' | vegeta attack {command} | vegeta report -type=json"
    return {"v/1.json": vegeta(), "v/1.json.run.toml": f'argv = ["sh", "-c", "{script}"]\n'}


def conditions(**readings: Sequence[float]) -> Files:
    """Return runs with sidecars that record one condition."""
    files = {}
    for name, values in readings.items():
        for number, value in enumerate(values, 1):
            sidecar = f"duration = 15\n[conditions]\n{name} = {value}\n"
            files[f"otlp/wrk-{number}.txt"] = wrk(("10406.41", f"10406.{number}1"))
            files[f"otlp/wrk-{number}.txt.run.toml"] = sidecar
    return files


def commands(first: str, second: str) -> Files:
    sides = pair(wrk(), wrk(*OTHER))
    return {
        **sides,
        "none/run.toml": f'command = "{first}"\n',
        "otlp/run.toml": f'command = "{second}"\n',
    }


def generators(apart: int, second: int = 1) -> Files:
    """Return two files that start some seconds apart, the second one with its own run number."""
    sides = pair(wrk(), wrk(*OTHER))
    sidecar = 'benchmark = "ping"\nrun = {}\nstarted_at = 2026-11-20T10:00:{:02d}Z\n'
    return {
        **sides,
        "none/wrk-1-a.txt": wrk(),
        "none/wrk-1-a.txt.run.toml": sidecar.format(1, 0),
        "none/wrk-1-b.txt": wrk(*OTHER),
        "none/wrk-1-b.txt.run.toml": sidecar.format(second, apart),
    }


def repeated(level: float) -> Files:
    """Return three files of two variants, each with repeats; the second file has another level."""
    files = {}
    for place, name in enumerate(("none", "otlp")):
        for number, factor in enumerate((1.0, level, 1.0), 1):
            times = (100 + place + number / 100 + repeat for repeat in (0.0, 1.0, 2.0, 1.0))
            lines = (f"BenchmarkParse-8 100 {time * factor:.2f} ns/op" for time in times)
            files[f"{name}/go-{number}.txt"] = "\n".join(lines) + "\n"
    return files


def shards(*runs: int) -> Files:
    """Return results of the load generators of the baseline's runs, numbered within each run."""
    files = dict(pair(wrk(), wrk(*OTHER)))
    for place, number in enumerate(runs):
        name = f"none/wrk-extra{chr(97 + place)}.txt"
        files[name] = wrk(("10406.41", f"10406.3{place}"))
        shard = runs[: place + 1].count(number)
        files[f"{name}.run.toml"] = f'benchmark = "ping"\nrun = {number}\nshard = {shard}\n'
    return files


def machines(first: str, second: str) -> Files:
    sides = pair(wrk(), wrk(*OTHER))
    return {
        **sides,
        "none/run.toml": f'[env]\ncpu = "{first}"\ncommit = "a1"\n',
        "otlp/run.toml": f'[env]\ncpu = "{second}"\ncommit = "b2"\n',
    }


def counted(per_request: int, *changes: tuple[str, str]) -> Files:
    sidecar = f'[env]\n"spans.per_request" = "{per_request}"\n'
    return {**spans(*changes), "otlp/run.toml": sidecar}


def declared(**counts: int) -> Files:
    """Return a run of wrk with the span counts of a sidecar: four spans per request."""
    totals = {"per_request": 4, "saved": 4 * REQUESTS} | counts
    lines = [f"{key} = {value}" for key, value in totals.items()]
    report = spans()["otlp/wrk-1.txt"]
    return {"otlp/wrk-1.txt": report, "otlp/run.toml": "\n".join(["[spans]", *lines])}


def benchstat(pvalue: str) -> Files:
    """Return a benchstat table, 10 runs per side, with a changed p in one row."""
    path = FIXTURES / "benchstat" / "new-2file.txt"
    return {"b.txt": audit_inputs.text_of(path, ("p=0.280", f"p={pvalue}"))}


def fewer(note: str) -> Files:
    """Return a table of the old benchstat with fewer runs behind one row."""
    path = FIXTURES / "benchstat" / "old-2file.txt"
    return {"b.txt": audit_inputs.text_of(path, ("p=0.133 n=10+9", note))}


SIBLINGS = {"service__cpus": "0", "siblings": "0-1 2-3"}
PINNED = "taskset -c 1 wrk -c8 -t2 -d15 http://127.0.0.1:8080/ping/GRM"
TEE = "vegeta attack -rate=1000/s -targets=request.txt | tee results.bin | vegeta report"


def k6_users(baseline: int, variant: int) -> Files:
    """Return k6 reports of closed loops with the given numbers of virtual users."""
    return {
        f"{name}.txt": "\n".join(
            (
                "  scenarios: (100.00%) 1 scenario",
                f"           * default: {users} looping VUs for 10s (gracefulStop: 30s)",
                "",
                (
                    f"     http_req_duration..........: avg={mean}ms min=1ms med={mean}ms max=9ms "
                    "p(90)=7ms p(95)=8ms"
                ),
                f"     http_reqs..................: {users}000 {users}00.5/s",
                f"     vus........................: {users} min={users} max={users}",
                f"     vus_max....................: {users} min={users} max={users}",
                "",
            )
        )
        for name, users, mean in (("none", baseline, 3.5), ("otlp", variant, 4.5))
    }


def open_loops(files: Files, *names: str) -> Files:
    """Return k6 reports, those with the given names (or all) as open loops."""
    looping = re.compile(r"\d+ looping VUs for 10s")
    return {
        name: looping.sub("500.00 iterations/s for 10s (maxVUs: 50)", str(text))
        if name in (names or files)
        else text
        for name, text in files.items()
    }


#: problem, files that fire its code, files that do not
CASES: dict[str, tuple[Files, Files]] = {
    "B103": (pair(wrk(), wrk()), pair(wrk(), wrk(*OTHER))),
    "B105": (pair(wrk(), f"$ wrk\n{wrk()}"), pair(wrk(), wrk(*OTHER))),
    "B106": (commands(TEE, TEE), commands(TEE, TEE.replace("results", "agent"))),
    "B200": (pair(wrk(), wrk(*OTHER), of=("a", "b")), pair(wrk(), wrk(*OTHER))),
    "B203": (
        pair(ab(), ab(*OTHER_AB, VERSION), "ab-1.txt"),
        pair(ab(), ab(*OTHER_AB), "ab-1.txt"),
    ),
    "B204": (machines("Xeon", "EPYC"), machines("Xeon", "Xeon")),
    "B206": (pair(wrk(), wrk(*OTHER, *LONGER)), pair(wrk(), wrk(*OTHER))),
    "B208": (
        pair(wrk(query("size=10")), wrk(*OTHER, query("size=1000"))),
        pair(wrk(query("size=10")), wrk(*OTHER, query("size=10"))),
    ),
    "B216": (k6_users(10, 80), k6_users(10, 10)),
    "B216 of an open loop": (
        open_loops(k6_users(10, 10), "otlp.txt"),
        open_loops(k6_users(10, 80)),
    ),
    "B210": (
        pair(ab(), ab(*OTHER_AB, CHANGED_PAGE), "ab-1.txt"),
        pair(ab(DYNAMIC_PAGE), ab(*OTHER_AB, CHANGED_PAGE), "ab-1.txt"),
    ),
    "B210 of the baseline": (
        pair(ab(CHANGED_PAGE), ab(*OTHER_AB), "ab-1.txt"),
        pair(ab(CHANGED_PAGE), ab(*OTHER_AB, ANY_LENGTH), "ab-1.txt"),
    ),
    "B211": (
        pair(wrk(), wrk(*OTHER, ("127.0.0.1:8080", "host-b:8080"))),
        pair(wrk(), wrk(*OTHER, ("127.0.0.1:8080", "localhost:8081"))),
    ),
    "B207": (generators(0), generators(15)),
    "B217": (generators(0, 2), generators(15, 2)),
    "B218": (repeated(1.06), repeated(1.0)),
    "B212": (shards(2, 2), shards(2, 3)),
    "B213": (shards(2, 2, 3), shards(2, 2, 3, 3)),
    "B214": (
        {"none.txt": wrk(), "otlp.txt": wrk(*OTHER), "otlp-5.txt": wrk(*SLOWER)},
        {"none.txt": wrk(), "otlp.txt": wrk(*OTHER), "otlp-1.30.txt": wrk(*SLOWER)},
    ),
    "B214 of a digit": (
        {"none.txt": wrk(), "jaeger.txt": wrk(*OTHER), "jaeger-8.txt": wrk(*SLOWER)},
        {"none.txt": wrk(), "jdk.txt": wrk(*OTHER), "jdk-8.txt": wrk(*SLOWER)},
    ),
    "B214 of two digits": (
        {"none.txt": wrk(), "go.txt": wrk(*OTHER), "go-4.txt": wrk(*SLOWER)},
        {"none.txt": wrk(), "go.txt": wrk(*OTHER), "go-22.txt": wrk(*SLOWER)},
    ),
    "B307 too small": (fewer("p=0.000 n=5+5"), fewer("p=0.008 n=5+5")),
    "B307 above 1": (benchstat("1.200"), benchstat("1.000")),
    "B307 below 0": (benchstat("-0.100"), benchstat("0.100")),
    "B310": (one(wrk()), one(wrk(PLAIN_MEAN))),
    "B311 too many": (one(ab(MANY_IN_FLIGHT), "ab-1.txt"), one(ab(), "ab-1.txt")),
    "B311 too few": (one(wrk(("0.86ms  847", "0.36ms  847"))), one(wrk(PLAIN_MEAN))),
    "B312 of wrk": (one(wrk(("10406.41", "9406.41"))), one(wrk())),
    "B312 of ab": (one(ab(("8.832 sec", "9.832 sec")), "ab-1.txt"), one(ab(), "ab-1.txt")),
    "B313 of wrk": (one(wrk(("1.16ms", "6.16ms"))), one(wrk())),
    "B313 of vegeta": (
        one(vegeta(('"99th":36563349', '"99th":6563349')), "v.json"),
        one(vegeta(), "v.json"),
    ),
    "B314": (real(f"{K6}/k6-2.txt"), real(f"{K6}/k6-1.txt")),
    "B314 of a captured command": (attack("-rate=20000/m"), attack("-rate=300/s")),
    "B315": (
        pair(vegeta(), vegeta(*FEWER), "vegeta-1.json"),
        real("no-agent/vegeta-report-1.json", "agent/vegeta-report-1.json", at="skywalking-vegeta"),
    ),
    "B316 of wrk": (real(f"{MIXED}"), one(wrk())),
    "B316 of hey": (real("nginx-ab/edge/hey-404-1.txt"), real("nginx-ab/nginx/hey-c20-1.txt")),
    "B316 of ab": (
        real("nginx-ab/edge/ab-404-1.txt"),
        real("nginx-ab/edge/ab-length-failures-1.txt"),
    ),
    "B317 of wrk": (real(MIXED), real("wrk-edge/wrk/wrk-non2xx-only-1.txt")),
    "B317 of vegeta": (real(f"{EDGE}/vegeta-report-overload.json"), one(vegeta(), "v.json")),
    "B318": (one(wrk(("17.29ms", "1.73s"))), one(wrk(("17.29ms", "150.00ms")))),
    "B319": (pair(wrk(), wrk(*OTHER[1:], *SLOWER)), pair(wrk(), wrk(*OTHER))),
    "B321": (
        pair(vegeta(), vegeta(('"200":9000', '"302":9000')), "vegeta-1.json"),
        pair(vegeta(), vegeta(('"200":9000', '"201":9000')), "vegeta-1.json"),
    ),
    "B321 of sizes": (
        pair(wrk(), wrk(*OTHER, ("38.50MB", "99.50MB"))),
        pair(wrk(), wrk(*OTHER, ("38.50MB", "50.50MB"))),
    ),
    "B322": (
        one(vegeta(LATE_END, ('"mean":3627862', '"mean":40000000000')), "v.json"),
        one(vegeta(LATE_END), "v.json"),
    ),
    "B320": (
        pair(vegeta(('"success":1,', '"success":0.98,')), vegeta(*FAILING), "vegeta-1.json"),
        pair(vegeta(), vegeta(*FEWER), "vegeta-1.json"),
    ),
    "B415": (one(wrk()), one(wrk(("127.0.0.1:8080", "10.0.0.7:8080")))),
    "B415 of every address": (
        one(wrk(("127.0.0.1:8080", "0.0.0.0:8080"))),
        one(wrk(("127.0.0.1:8080", "0.0.0.7:8080"))),
    ),
    "B415 of every address, IPv6": (
        one(wrk(("127.0.0.1:8080", "[::]:8080"))),
        one(wrk(("127.0.0.1:8080", "[2001:db8::1]:8080"))),
    ),
    "B416": (
        report_with_sidecar(wrk(), PINNED, **SIBLINGS),
        report_with_sidecar(wrk(), PINNED.replace("-c 1", "-c 2"), **SIBLINGS),
    ),
    "B415 not pinned": (
        report_with_sidecar(wrk(), **SIBLINGS),
        report_with_sidecar(wrk(), PINNED.replace("-c 1", "-c 2"), **SIBLINGS),
    ),
    "B418 stolen": (conditions(stolen=(0.0, 0.063)), conditions(stolen=(0.0, 0.011))),
    "B418 clock": (
        conditions(frequency=(3e9, 3e9, 3e9, 2.4e9)),
        conditions(frequency=(3e9, 3e9, 3e9, 2.9e9)),
    ),
    "B418 other programs": (
        conditions(service_switches=(300, 350, 400, 9000)),
        conditions(service_switches=(300, 350, 9000)),
    ),
    "B421": (spans(("121344", "121343"), ("437243", "437244")), spans()),
    "B421 of a sidecar": (declared(saved=121343), declared(saved=121344)),
    "B422": (counted(5), counted(4)),
    "B422 of a sidecar": (declared(created=3 * REQUESTS), declared(created=4 * REQUESTS)),
    "B423 of a sidecar": (declared(saved=121344), declared()),
    "B423": (spans(), spans(("121344", "558000"), ("437243", "587"))),
    "B424": (counted(3), counted(4)),
    "B424 of a sidecar": (declared(saved=5 * REQUESTS), declared()),
    "B425 too few": (spans(("437243", "400000")), spans()),
    "B425 of a sidecar": (
        declared(created=4 * REQUESTS, saved=121344, dropped=400000),
        declared(created=4 * REQUESTS, saved=121344, dropped=4 * REQUESTS - 121344),
    ),
    "B425 too many": (spans(("437243", "440000")), spans()),
}


@pytest.mark.parametrize("problem", CASES)
def test_rule_fires(problem: str, tmp_path: Path) -> None:
    findings = audit_inputs.select(audit_inputs.check(tmp_path, CASES[problem][0]), problem[:4])
    assert findings
    assert all(finding.message and finding.remedy for finding in findings)


@pytest.mark.parametrize("problem", CASES)
def test_rule_is_silent(problem: str, tmp_path: Path) -> None:
    assert audit_inputs.select(audit_inputs.check(tmp_path, CASES[problem][1]), problem[:4]) == []


@pytest.mark.parametrize("command", ["compare", "check"])
@pytest.mark.parametrize("is_stored", [False, True])
def test_failed_runs_and_damaged_files_are_counted_with_their_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, is_stored: bool
) -> None:
    for variant, source in (("main", "none"), ("pr", "otlp")):
        (tmp_path / variant).mkdir()
        for number in (1, 2, 3):
            text = (FIXTURES / "tracing-wrk" / source / f"wrk-{number}.txt").read_text("utf-8")
            (tmp_path / variant / f"wrk-{number}.txt").write_text(text)
    (tmp_path / "pr" / "wrk-4.txt").write_text(text[:150])
    (tmp_path / "pr" / "wrk-5.txt").write_text("")
    (tmp_path / "pr" / "go-1.txt").write_text("goos: linux\npanic: runtime error\n")
    sides = [str(tmp_path / name) for name in ("main", "pr")]
    if is_stored:
        store = ["--store", str(tmp_path / "store")]
        assert run(["ingest", *sides, *store]) == 0
        sides = store
    capsys.readouterr()
    assert run([command, *sides, "--baseline", "main", "--format", "json"]) == 0
    findings = {one["code"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert findings["B112"]["numbers"] == {"runs": 1}
    assert "panic: runtime error" in findings["B112"]["message"]
    assert findings["B113"]["numbers"] == {"files": 2}
    assert "wrk-5.txt: the file is empty" in findings["B113"]["message"]
    assert {findings[code]["severity"] for code in ("B112", "B113")} == {"warning"}
