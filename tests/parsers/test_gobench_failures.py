"""Go benchmarks that did not end: killed by hand, by the system or below make."""

from __future__ import annotations

from time import process_time

import pytest

from benchkit.errors import Diagnostic
from benchkit.parsers.base import Reading
from benchkit.parsers.gobench import LOG, failures
from benchkit.reading.source import Source


def parse_one(text: str) -> Reading:
    records = LOG.parse(Source(None, "log.txt", text.encode()))
    (reading,) = (record for record in records if isinstance(record, Reading))
    return reading


@pytest.mark.parametrize(
    "last",
    [
        "Killed",
        "SIGQUIT: quit",
        "signal: terminated",
        "./bench.sh: line 7: 4711 Killed                  go test -bench .",
        "make: *** [bench] Error 1",
        "make[1]: *** [Makefile:12: bench] Error 137",
    ],
)
def test_a_run_that_was_killed_failed(last: str) -> None:
    begun = "goos: linux\npkg: x\nBenchmarkPing-2 \t 100\t 12.5 ns/op\n"
    reading = parse_one(f"{begun}{last}\n")
    assert (reading.status, reading.remark) == ("failed", f"4: {' '.join(last.split())}")
    for whole in (
        f"{begun}{last}\nPASS\n",
        f"{begun}PASS\n{last}\n",
        f"{begun}ok  \tx\t1s\n{last}\n",
    ):
        assert parse_one(whole).status == "complete"


def test_an_event_of_many_actions_takes_no_time() -> None:
    start = process_time()
    assert failures._EVENT.match('{"' + '"Action":"fail"' * 20_000) is None
    assert process_time() - start < 2
    assert failures._EVENT.match('{"Time":"x","Action":"fail","Package":"p"}')


@pytest.mark.parametrize(
    ("end", "is_unended"), [("", True), ("\n", True), ("PASS\n", False), ("```\n", False)]
)
def test_an_output_that_ends_within_its_results_is_remarked_on(end: str, is_unended: bool) -> None:
    text = f"goos: linux\npkg: p\nBenchmarkA-8 \t100\t10.5 ns/op\n{end}"
    records = LOG.parse(Source(None, "go.txt", text.encode()))
    remarks = [record for record in records if isinstance(record, Diagnostic)]
    assert ["without PASS or FAIL" in remark.what for remark in remarks] == [True] * is_unended
    assert not any(remark.is_damage for remark in remarks)
