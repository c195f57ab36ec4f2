"""Failed requests are counted per run, and a failing variant gets no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.derived.failures import list_failures
from benchkit.gating.run import gate

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

REPORT = """\
Running 15s test @ http://127.0.0.1:8080/ping
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.86ms  847.93us  17.29ms   95.32%
    Req/Sec     5.23k   521.60     6.28k    77.67%
  1000 requests in 15.00s, 38.50MB read
{errors}Requests/sec:  {rate}.41
Transfer/sec:      2.57MB
"""

HELD = """\
wrk -t2 -c8 -d15s -R1000 --latency http://127.0.0.1:8080/ping
Running 15s test @ http://127.0.0.1:8080/ping
  2 threads and 8 connections
  Thread calibration: mean lat.: 0.887ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     0.89ms  314.88us   7.76ms   62.45%
    Req/Sec   263.93     50.51   500.00     64.41%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    0.89ms
 99.000%    1.50ms
100.000%    7.76ms
  15004 requests in 15.00s, 4.75MB read
{errors}Requests/sec:   1000.27
Transfer/sec:     81.06KB
"""


def compared(folder: Path, failing: int) -> bk.Comparison:
    errors = f"  Non-2xx or 3xx responses: {failing}\n" if failing else ""
    for variant, rate, lines in (("none", 1000, ""), ("broken", 5000, errors)):
        (folder / variant).mkdir()
        for run in range(1, 7):
            text = REPORT.format(rate=rate + run, errors=lines)
            (folder / variant / f"wrk-{run}.txt").write_text(text)
    return bk.load(folder).compare(baseline="none")


def test_variant_that_answers_only_errors_improves_nothing(tmp_path: Path) -> None:
    comparison = compared(tmp_path, 1000)
    (row,) = comparison.verdicts.primary
    assert (row.word, row.contrast.failed_variant) == ("inconclusive", 1.0)
    assert any("100.00% of the variant's requests failed" in note for note in row.notes)
    assert comparison.verdict.startswith("~")


def test_few_errors_are_reported_and_do_not_invalidate_the_row(tmp_path: Path) -> None:
    (row,) = compared(tmp_path, 5).verdicts.primary
    assert row.word == "improvement"
    assert any("0.50% of the variant's requests failed" in note for note in row.notes)


def test_run_without_errors_gets_no_note(tmp_path: Path) -> None:
    (row,) = compared(tmp_path, 0).verdicts.primary
    assert not any("fail" in note for note in row.notes)


@pytest.mark.parametrize(
    ("errors", "failed", "share"),
    [
        ("  Non-2xx or 3xx responses: 15004\n", 1.0, "100.00%"),
        ("  Non-2xx or 3xx responses: 600\n", 600 / 15004, "4.00%"),
        ("  Socket errors: connect 0, read 77, write 0, timeout 9000\n", 77 / 15081, "up to 0.51%"),
    ],
)
def test_fixed_rate_table_shows_the_share_of_the_footnote(
    tmp_path: Path, errors: str, failed: float, share: str
) -> None:
    for variant, lines in (("none", ""), ("broken", errors)):
        (tmp_path / variant).mkdir()
        (tmp_path / variant / "wrk2-1.txt").write_text(HELD.format(errors=lines))
    compared = bk.load(tmp_path).compare(baseline="none")
    (table,) = compared.parts["held"].tables
    place = [column.key for column in table.columns].index("failed")
    base, variant_row, *_ = table.rows
    assert (base[place].value, variant_row[place].value) == (None, failed)
    (row,) = compared.verdicts.primary
    (note,) = (note for note in row.notes if "failed" in note and "variant" in note)
    assert note == f"{share} of the variant's requests failed"


def test_failure_counts_take_precedence_over_a_rounded_share() -> None:
    observations = bk.load(FIXTURES / "shorturl-k6").observations.copy()
    is_total = observations["metric"].eq("failures") & observations["subject"].isna()
    assert is_total.any()
    observations.loc[is_total, "value"] = 2.0
    observations.loc[observations["metric"].eq("error_rate"), "value"] = 0.0001  # 1.5 of 15 000
    runs = list_failures(observations).values()
    assert {round(run.share * run.requests, 9) for run in runs} == {2.0}


#: For each tool: a report, a change that makes it another run, and one that makes it fail.
TOOLS = {
    "vegeta": (
        "skywalking-vegeta/agent/vegeta-report-1.json",
        [("2310543", "23{}543"), ("T00:22", "T{:.1}1:22")],
        [('"success":1,', '"success":0,'), ('"200":9000', '"500":9000')],
    ),
    "k6": (
        "shorturl-k6/baseline/k6-export-1.json",
        [("0.151597", "0.15{}97")],
        [
            (
                '"passes": 0,\n            "fails": 15001',
                '"passes": 15001,\n            "fails": 0',
            ),
            (
                '"rate<0.01": false\n            },\n            "value": 0',
                '"rate<0.01": false\n            },\n            "value": 1',
            ),
        ],
    ),
    "ab": (
        "nginx-ab/nginx/ab-c20-1.txt",
        [("11322.98", "113{}.98")],
        [
            (
                "Failed requests:        0\n",
                "Failed requests:        0\nNon-2xx responses:      100000\n",
            )
        ],
    ),
    "hey": (
        "nginx-ab/nginx/hey-c20-1.txt",
        [("13678.6376", "136{}.6376")],
        [("[200]", "[500]")],
    ),
    "wrk": (
        "",
        [("1000.41", "10{}.41")],
        [("Requests/sec", "  Non-2xx or 3xx responses: 1000\nRequests/sec")],
    ),
}


def replaced(text: str, replacements: list[tuple[str, str]], digits: str = "") -> str:
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new.format(digits) if digits else new)
    return text


@pytest.mark.parametrize("failing", [1, 2, 3, 6])
@pytest.mark.parametrize("tool", list(TOOLS))
def test_failed_requests_are_summed_over_all_runs(tmp_path: Path, tool: str, failing: int) -> None:
    name, differing, broken = TOOLS[tool]
    report = (FIXTURES / name).read_text() if name else REPORT.format(rate=1000, errors="")
    for digit, variant in enumerate(("main", "pr"), start=1):
        (tmp_path / variant).mkdir()
        for run in range(1, 7):
            text = replaced(report, differing, f"{run}{digit}")
            if variant == "pr" and run <= failing:
                text = replaced(text, broken)
            (tmp_path / variant / f"{tool}-{run}{Path(name).suffix}").write_text(text)
    results = bk.load(tmp_path)
    compared = results.compare(baseline="main")
    outcome = gate(compared, {})
    shares = {row.contrast.failed_variant for row in outcome.outcome.rows}
    assert list(shares) == [pytest.approx(failing / 6, rel=1e-9)]
    assert outcome.exit_code == 4
    share = f"{100 * failing / 6:.3g}"
    assert f"Requests fail: {share}\N{NO-BREAK SPACE}% of pr" in outcome.sentence
    findings = results.findings
    (message,) = findings.loc[findings["code"].eq("B316"), "message"]
    assert message.startswith(f"{100 * failing / 6:.0f} % of the requests failed")


SHORT = REPORT.replace("  1000 requests in 15.00s, 38.50MB read\n", "")
ERRORS = "  Socket errors: connect 0, read 3, write 0, timeout 0\n"


def test_missing_request_count_is_rate_times_duration(tmp_path: Path) -> None:
    path = tmp_path / "wrk.txt"
    path.write_text(SHORT.format(rate=2000, errors=ERRORS))
    results = bk.load(path)
    (failures,) = list_failures(results.observations).values()
    assert failures.requests == pytest.approx(15 * 2000.41 + 3)
    assert failures.share == pytest.approx(3 / (15 * 2000.41 + 3))
    (message,) = results.findings.loc[results.findings["code"].eq("B316"), "message"]
    assert message.startswith("up to 0.010 % of the requests failed (run 1): read 3")


def test_rate_without_a_duration_gives_no_share(tmp_path: Path) -> None:
    path = tmp_path / "wrk.txt"
    report = SHORT.format(rate=2000, errors=ERRORS)
    path.write_text(report.replace("Running 15s test @ http://127.0.0.1:8080/ping", ""))
    results = bk.load(path)
    assert set(results.observations["metric"]) >= {"failures", "request_rate"}
    assert not results.findings["code"].eq("B316").any()
    assert list_failures(results.observations) == {}


#: wrk 4.1 for one second on three servers: one closes each connection after a complete response,
#: one ends every tenth connection without a response, and one never sends a complete response.
@pytest.mark.parametrize(
    ("requests", "read", "share", "statement"),
    [
        (787, 787, 0.5, "up to 50 % of the requests failed (run 1): read 787; wrk also counts a "),
        (10712, 1190, 0.1, "up to 10 % of the requests failed (run 1): read 1190; wrk also "),
    ],
)
def test_wrk_read_errors_are_added_to_its_requests_and_may_be_harmless(
    tmp_path: Path, requests: int, read: int, share: float, statement: str
) -> None:
    errors = f"  Socket errors: connect 0, read {read}, write 0, timeout 0\n"
    path = tmp_path / "wrk.txt"
    text = REPORT.replace("  1000 req", f"  {requests} req").replace("{rate}.41", f"{requests}.00")
    path.write_text(text.format(errors=errors))
    results = bk.load(path)
    (failures,) = list_failures(results.observations).values()
    assert failures.share == pytest.approx(share, rel=2e-3)
    assert failures.is_bound
    (finding,) = results.findings.loc[results.findings["code"].eq("B316")].to_dict("records")
    assert finding["message"].startswith(statement)
    assert "Connection: close" in finding["remedy"]


def test_wrk_run_with_only_read_errors_failed(tmp_path: Path) -> None:
    errors = "  Socket errors: connect 0, read 898, write 0, timeout 0\n"
    text = REPORT.replace("  1000 req", "  0 req").replace("{rate}.41", "0.00")
    (tmp_path / "wrk.txt").write_text(text.format(errors=errors))
    (run,) = bk.load(tmp_path / "wrk.txt").runs.to_dict("records")
    assert run["role"] == "failed"
    assert "no request was completed in this run" in run["remark"]


def test_upper_bound_of_a_share_is_stated_everywhere(tmp_path: Path) -> None:
    errors = "  Socket errors: connect 0, read 250, write 0, timeout 0\n"
    for variant, rate, lines in (("main", 1000, ""), ("pr", 1100, errors)):
        (tmp_path / variant).mkdir()
        for run in range(1, 7):
            text = REPORT.format(rate=rate + run, errors=lines)
            (tmp_path / variant / f"wrk-{run}.txt").write_text(text)
    compared = bk.load(tmp_path).compare(baseline="main")
    (row,) = compared.verdicts.primary
    assert any("up to 20.00% of the variant's requests failed" in note for note in row.notes)
    assert "too many requests may have failed" in compared.verdict
    outcome = gate(compared, {})
    assert outcome.exit_code == 4
    assert "up to 20\N{NO-BREAK SPACE}% of pr's, 0\N{NO-BREAK SPACE}% of main's" in outcome.sentence


HEY = """\
Summary:
  Total:\t1.0000 secs
  Slowest:\t0.0088 secs
  Fastest:\t0.0002 secs
  Average:\t0.0010 secs
  Requests/sec:\t200.0000

Response time histogram:
  0.001 [100]\t|

Latency distribution:
  50% in 0.0005 secs

Details (average, fastest, slowest):
  DNS+dialup:\t0.0000 secs, 0.0002 secs, 0.0088 secs
  req write:\t0.0000 secs, 0.0000 secs, 0.0005 secs
  resp wait:\t0.0009 secs, 0.0001 secs, 0.0088 secs
  resp read:\t0.0001 secs, 0.0000 secs, 0.0071 secs

Status code distribution:
  [200]\t90 responses
  [500]\t10 responses

Error distribution:
  [100]\tGet "http://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused
"""


def test_unanswered_requests_are_added_if_a_tool_counts_answers(tmp_path: Path) -> None:
    (tmp_path / "hey.txt").write_text(HEY)
    (failures,) = list_failures(bk.load(tmp_path / "hey.txt").observations).values()
    assert (failures.requests, failures.share, failures.is_bound) == (200, 0.55, False)


def test_answers_count_as_requests_if_only_they_are_counted(tmp_path: Path) -> None:
    text = (FIXTURES / "fortio-forms/text.txt").read_text()
    line = next(each for each in text.splitlines() if each.startswith("Code 200 : "))
    count = int(line.split()[3])
    (tmp_path / "fortio.txt").write_text(text.replace(line, f"Code  -1 : {count}\n{line}"))
    (failures,) = list_failures(bk.load(tmp_path / "fortio.txt").observations).values()
    assert (failures.requests, failures.share) == (2 * count, 0.5)
