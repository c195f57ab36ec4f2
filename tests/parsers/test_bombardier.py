"""bombardier's text and JSON: answered requests, and failures by reason."""

from __future__ import annotations

from pathlib import Path

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Format, Reading, Source
from benchkit.parsers.bombardier import JSON, TEXT

FORMS = Path(__file__).resolve().parents[2] / "fixtures/bombardier-forms"


def read(form: Format, text: str) -> tuple[Reading, list[Diagnostic]]:
    records = list(form.parse(Source(None, "x", text.encode())))
    (run,) = (each for each in records if isinstance(each, Reading))
    return run, [each for each in records if isinstance(each, Diagnostic)]


def values(run: Reading) -> dict[tuple[str | None, str, str], float]:
    return {row[:3]: row[3] for row in run.rows}


TABLE = """Statistics        Avg      Stdev        Max
  Reqs/sec     27065.29    2329.03   32991.47
  Latency      146.35us   221.49us     8.15ms
  HTTP codes:
    1xx - 0, 2xx - 54134, 3xx - 0, 4xx - 3, 5xx - 1
    others - {others}
{errors}  Throughput:     5.01MB/s
"""


def test_table_without_failures_has_a_rate() -> None:
    run, problems = read(TEXT, TABLE.format(others=0, errors=""))
    assert not problems
    assert run.status == "complete"
    actual = values(run)
    assert actual[None, "request_rate", "mean"] == 27065.29
    assert actual[None, "latency", "mean"] == 146.35e-6
    assert actual[None, "latency", "max"] == 8.15e-3
    assert actual[None, "requests", "count"] == 54138
    assert actual["non2xx", "failures", "count"] == 4


def test_typographic_dashes_lose_no_value() -> None:
    table = TABLE.format(others=2, errors="  Errors:\n    connection refused - 2\n")
    run, problems = read(TEXT, table.replace(" - ", " – "))
    plain, expected = read(TEXT, table)
    assert run.rows == plain.rows
    assert problems == expected


def test_percentiles_of_all_requests_are_read_next_to_2xx_ones() -> None:
    """In versions that print both, all percentiles were lost silently."""
    both = "".join(
        f"  Latency Distribution ({name})\n     50%   {time}us\n     99%   {time}us\n"
        for name, time in (("Total", "115.00"), ("2xx", "80.00"))
    )
    table = TABLE.format(others=0, errors="").replace("  HTTP codes", f"{both}  HTTP codes")
    run, problems = read(TEXT, table)
    assert not problems
    assert values(run)[None, "latency", "p50"] == values(run)[None, "latency", "p99"] == 115e-6


def test_wording_of_older_versions_is_read() -> None:
    table = TABLE.format(others=0, errors="").replace("32991.47", "   32991")
    for amount in ("for 10s", "with 54138 requests", "with 54138 request(s)"):
        for noun in ("connections", "connection(s)"):
            opening = f"Bombarding http://h:80/a {amount} using 50 {noun}\n"
            run, problems = read(TEXT, opening + table)
            assert not problems
            assert (run.target, run.connections) == ("/a", 50)
            assert values(run)[None, "request_rate", "mean"] == 27065.29


def test_altered_first_line_is_reported_unless_the_command_replaces_it() -> None:
    table = "Bombarding http://h/a for 9s using 5 conn  (s)\n" + TABLE.format(others=0, errors="")
    run, (problem,) = read(TEXT, table)
    assert (run.line, run.target, run.connections) == (1, "", None)
    assert str(problem).startswith(
        "x:1: this line of a bombardier report is truncated or altered and is ignored: "
        "'Bombarding http://h/a for 9s using 5 conn  (s)'"
    )
    run, problems = read(TEXT, f"$ bombardier -c 5 http://h/a\n{table}")
    assert not problems
    assert (run.target, run.params) == ("/a", {"connections": "5"})


def test_rate_that_counts_failures_is_left_out() -> None:
    errors = "  Errors:\n    dial tcp h:1: connect: connection refused - 5\n    timeout - 2\n"
    run, problems = read(TEXT, TABLE.format(others=9, errors=errors))
    (problem,) = problems
    assert "27065.3/s is left out: it counts 9 requests" in problem.what
    actual = values(run)
    assert (None, "request_rate", "mean") not in actual
    assert actual["connect", "failures", "count"] == 5
    assert actual["timeout", "failures", "count"] == 2
    assert actual["other", "failures", "count"] == 2


def test_run_without_a_response_has_no_measurements() -> None:
    for form, name in ((TEXT, "text-refused.txt"), (JSON, "refused.json")):
        run, (problem,) = read(form, (FORMS / name).read_text(encoding="utf-8"))
        assert run.status == "failed"
        assert "50 failed" in problem.what
        assert {row[1] for row in run.rows} <= {"duration", "failures"}


def test_report_without_the_failure_count_yields_no_values() -> None:
    truncated = TABLE[: TABLE.index("    others")].replace("4xx - 3, 5xx - 1", "4xx - 0, 5xx - 0")
    run, (problem,) = read(TEXT, truncated)
    assert (run.status, run.rows) == ("partial", [])
    assert (
        "nothing of it is kept: no request was answered, or these lines were left out or altered"
        in problem.what
    )


def test_limited_rate_is_an_open_loop() -> None:
    run, _ = read(JSON, (FORMS / "errors.json").read_text(encoding="utf-8"))
    assert (run.load_model, run.target_rate, run.target) == ("open", 100.0, "/nope")
    command = "$ bombardier -r 100 http://h/a\n"
    run, _ = read(TEXT, command + TABLE.format(others=0, errors=""))
    assert (run.load_model, run.target_rate) == ("open", 100.0)
    run, _ = read(TEXT, TABLE.format(others=0, errors=""))
    assert run.load_model == "closed"
