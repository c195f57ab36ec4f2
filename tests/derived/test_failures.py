"""Failed requests are counted per run, lengths apart, and a failing variant shows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import benchkit.api as bk

if TYPE_CHECKING:
    from pathlib import Path

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


def compared(folder: Path, failing: int) -> bk.Comparison:
    errors = f"  Non-2xx or 3xx responses: {failing}\n" if failing else ""
    for variant, rate, lines in (("none", 1000, ""), ("broken", 5000, errors)):
        (folder / variant).mkdir()
        for run in range(1, 7):
            text = REPORT.format(rate=rate + run, errors=lines)
            (folder / variant / f"wrk-{run}.txt").write_text(text)
    return bk.load(folder).compare(baseline="none")


def test_a_variant_that_answers_only_errors_gains_nothing(tmp_path: Path) -> None:
    found = compared(tmp_path, 1000)
    (row,) = found.verdicts.primary
    assert (row.word, row.contrast.failed_variant) == ("inconclusive", 1.0)
    assert any("100.00% of the variant's requests failed" in note for note in row.notes)
    assert found.verdict.startswith("~")


def test_a_few_errors_are_told_and_do_not_void_the_row(tmp_path: Path) -> None:
    (row,) = compared(tmp_path, 5).verdicts.primary
    assert row.word == "improvement"
    assert any("0.50% of the variant's requests failed" in note for note in row.notes)


def test_without_errors_nothing_is_said(tmp_path: Path) -> None:
    (row,) = compared(tmp_path, 0).verdicts.primary
    assert not any("fail" in note for note in row.notes)
