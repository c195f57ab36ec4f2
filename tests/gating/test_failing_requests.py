"""A side with newly failing requests or other responses does not pass without a comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit.cli import run

LATENCIES = ("total", "mean", "50th", "90th", "95th", "99th", "max")


def write_attacks(folder: Path, failed: int, *, requests: int = 1000) -> None:
    """Write eight reports of vegeta with a number of requests answered with 500."""
    folder.mkdir(parents=True)
    share = 1 - failed / requests
    for number in range(8):
        value = 5_000_000 + 10_000 * number + requests
        minute = 2 * number + requests % 2  # the sides in turn
        codes = {"200": requests - failed, "500": failed}
        report = {
            "latencies": dict.fromkeys(LATENCIES, value),
            "bytes_in": {"total": 0, "mean": 0},
            "bytes_out": {"total": 0, "mean": 0},
            "earliest": f"2026-01-01T00:{minute:02}:00Z",
            "latest": f"2026-01-01T00:{minute:02}:10Z",
            "end": f"2026-01-01T00:{minute:02}:10.005Z",
            "duration": 10_000_000_000,
            "wait": value,
            "requests": requests,
            "rate": 100.0,
            "throughput": 100.0 * share,
            "success": share,
            "status_codes": {code: count for code, count in codes.items() if count},
            "errors": ["500 Internal Server Error"] if failed else [],
        }
        (folder / f"{number}.json").write_text(json.dumps(report), encoding="utf-8")


@pytest.mark.parametrize(
    ("failed", "arguments", "code", "first"),
    [
        ((0, 1000), [], 4, "✗ Requests fail: 100 % of new's, 0 % of base's; "),
        ((0, 1000), ["--max-overhead", "latency.p50=5%"], 4, "✗ Requests fail: 100 % of new's"),
        ((0, 20), [], 4, "✗ Requests fail: 2 % of new's, 0 % of base's; the policy"),
        ((0, 1000), ["--on-inconclusive", "pass"], 0, "? Requests fail: 100 % of new"),
        ((20, 1000), [], 4, "✗ Requests fail: 100 % of new's, 2 % of base's; "),
        ((12, 900), [], 4, "✗ Requests fail: 90 % of new's, 1.2 % of base's; "),
        ((600, 1000), [], 4, "✗ Requests fail: 100 % of new's, 60 % of base's; "),
        ((20, 30), [], 4, "? Undecided: "),  # it is not new, and nothing can be decided
        ((1000, 20), [], 4, "? Undecided: "),
        ((0, 5), [], 0, "✓ No regression: "),
    ],
)
def test_newly_failing_requests_fail_the_gate(
    failed: tuple[int, int],
    arguments: list[str],
    code: int,
    first: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for variant, count in zip(("base", "new"), failed, strict=True):
        write_attacks(tmp_path / "results" / variant, count)
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet", "--github", "--junit", "j.xml", *arguments]) == code
    printed = capsys.readouterr()
    assert printed.out.replace("\N{NO-BREAK SPACE}", " ").startswith(first)
    assert ("::error " in printed.err) is (code == 4)
    assert ("<failure " in (tmp_path / "j.xml").read_text(encoding="utf-8")) is (code == 4)


def test_self_test_ignores_warnings_caused_by_its_planted_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A planted rate contradicts its requests and duration: B312, a warning."""
    for variant, requests in {"base": 1000, "new": 1001}.items():
        write_attacks(tmp_path / "results" / variant, 0, requests=requests)
    rule = "[[gate]]\nmetric = 'request_rate'\nacceptable = '5%'\nno_findings = ['warning']\n"
    (tmp_path / "benchkit.toml").write_text(rule, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == 0
    assert run(["gate", "results", "--quiet", "--self-test"]) == 0
    assert "✓ Self-test: the gate catches a planted regression" in capsys.readouterr().out


def test_latencies_at_different_loads_are_inconclusive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variant, load in {"base": 300.0, "new": 100.0}.items():
        folder = tmp_path / "results" / variant
        write_attacks(folder, 0)
        for path in folder.iterdir():
            report = json.loads(path.read_text(encoding="utf-8"))
            report |= {"rate": load, "throughput": load, "requests": int(10 * load)}
            report["status_codes"] = {"200": int(10 * load)}
            path.write_text(json.dumps(report), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for arguments in ([], ["--max-overhead", "latency.p50=5%"]):
        assert run(["gate", "results", "--quiet", *arguments]) == 4
        assert "the sides carried different loads" in capsys.readouterr().out


K6 = """\
     checks.........................: {share}% {passed} out of 30000
     data_received..................: 3.3 MB 33 kB/s
     http_req_duration..............: avg=4.0{run}ms min=1.01ms med=3.5{run}ms max=40ms p(95)=9ms
     http_req_failed................: 0.00%  0 out of 30000
     http_reqs......................: 30000  300.00{run}/s
     iterations.....................: 30000  300.00{run}/s
"""


@pytest.mark.parametrize(
    ("base", "new", "code", "text"),
    [
        (
            {},
            {"status_codes": {"302": 1000}},
            4,
            "100 % of the responses have status",
        ),
        ({"status_codes": {"302": 1000}}, {}, 4, "0 % of the responses have status"),
        ({}, {"status_codes": {"200": 995, "302": 5}}, 0, "✓ "),
        ({"bytes_in": 615}, {"bytes_in": 0}, 4, "a response has 0 B for 'new', 615 B for 'base'"),
        ({"bytes_in": 615}, {"bytes_in": 640}, 0, "✓ "),
        ({}, {"bytes_in": 615}, 4, "a response has 615 B for 'new', 0 B for 'base'"),
    ],
)
def test_other_responses_are_inconclusive(
    base: dict[str, object],
    new: dict[str, object],
    code: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number, changes in enumerate((base, new)):
        folder = tmp_path / "results" / ("base", "new")[number]
        write_attacks(folder, 0)
        for path in folder.iterdir():
            report = json.loads(path.read_text(encoding="utf-8"))
            report["latencies"] = dict.fromkeys(LATENCIES, report["wait"] + 100 * number)
            report |= changes
            if isinstance(size := changes.get("bytes_in"), int):
                report["bytes_in"] = {"total": 1000 * size, "mean": size}
            path.write_text(json.dumps(report), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for arguments in ([], ["--max-overhead", "latency.p50=5%"]):
        assert run(["gate", "results", "--quiet", *arguments]) == code
        assert text in capsys.readouterr().out.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(("passed", "code"), [(0, 4), (30000, 0), (29900, 0)])
def test_newly_failing_checks_are_inconclusive(
    passed: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for variant, count in {"base": 30000, "new": passed}.items():
        (tmp_path / "results" / variant).mkdir(parents=True)
        for number in range(1, 7):
            shown, run_digits = f"{count / 300:.2f}", f"{number}{len(variant)}"
            text = K6.format(share=shown, passed=count, run=run_digits)
            (tmp_path / "results" / variant / f"k6-{number}.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == code
    is_named = "of the checks failed for 'new', 0 % for 'base'" in capsys.readouterr().out
    assert is_named is (code == 4)


@pytest.mark.parametrize(("users", "code"), [(80, 4), (10, 0)])
def test_closed_loops_with_other_connections_are_inconclusive(
    users: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for variant, count in {"base": 10, "new": users}.items():
        (tmp_path / "results" / variant).mkdir(parents=True)
        for number in range(1, 7):
            loop = f"     scenarios: (100.00%) 1 scenario, {count} max VUs, 2m max duration:\n"
            loop += f"{'*':>15} default: {count} looping VUs for 1m40s (gracefulStop: 30s)\n\n"
            most = f"     vus_max........................: {count} min={count} max={count}\n"
            text = K6.format(share="100.00", passed=30000, run=f"{number}{len(variant)}")
            (tmp_path / f"results/{variant}/k6-{number}.txt").write_text(
                loop + text + most, "utf-8"
            )
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "results", "--quiet"]) == code
    assert ("the sides had different numbers of conn" in capsys.readouterr().out) is (code == 4)
