"""Tables of docker stats on a page belong to the results below their heading."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

WRK = """\
Running 10s test @ http://localhost:8080/
  4 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.20ms    0.40ms  12.31ms   91.20%
    Req/Sec     2.25k   310.20     9.10k    70.10%
  90000 requests in 10.00s, 11.76MB read
Requests/sec:  9000.00
Transfer/sec:      1.20MB
"""
R = f"```\n{WRK}```\n\n"


def table(cores: int) -> str:
    return (
        "```\nCONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %\n"
        f"b7de80246e82   server    {cores}00.00%   463.8MiB / 5.892GiB   7.69%\n```\n\n"
    )


def list_cores(loaded: bk.RunSet) -> dict[tuple[str, str, int], float]:
    """Return the derived CPU of each run."""
    rows = loaded.observations
    used = rows[(rows["metric"] == "cpu_usage") & (rows["stat"] == "mean")]
    names = ("variant", "benchmark", "run", "value")
    keys = zip(*(used[name].tolist() for name in names), strict=True)
    return {(variant, name, run): value for variant, name, run, value in keys}


#: A page, and the cores of each of its runs.
PAGES = {
    "variants": (
        f"## baseline\n\n{R}{table(1)}## tracing\n\n{R}{table(2)}",
        {("baseline", "/", 1): 1, ("tracing", "/", 1): 2},
    ),
    "benchmarks": (
        f"## GET\n\n{R}{table(1)}## POST\n\n{R}{table(2)}",
        {("page", "GET / /", 1): 1, ("page", "POST / /", 1): 2},
    ),
    "runs": (
        f"## Run 1\n\n{R}{table(1)}## Run 2\n\n{R}{table(2)}",
        {("page", "/", 1): 1, ("page", "/", 2): 2},
    ),
    "above": (
        f"{table(1)}{R}{table(2)}{R}",
        {("page", "/", 1): 1, ("page", "/", 2): 2},
    ),
    "sections": (
        f"## GET\n### wrk\n\n{R}### CPU\n\n{table(1)}## POST\n### wrk\n\n{R}### CPU\n\n{table(2)}",
        {("page", "GET / /", 1): 1, ("page", "POST / /", 1): 2},
    ),
    "chapters": (
        f"# wrk\n\n## GET\n\n{R}## POST\n\n{R}# Usage\n\n## GET\n\n{table(1)}## POST\n\n{table(2)}",
        {("page", "GET / /", 1): 1, ("page", "POST / /", 1): 2},
    ),
    "one": (f"## GET\n\n{R}## POST\n\n{R}{table(2)}", {("page", "POST / /", 1): 2}),
    "of repeats": (
        f"## GET\n\n{R}{R}{table(1)}## POST\n\n{R}{R}{table(2)}",
        {("page", f"{name} / /", run): cores for run in (1, 2) for name, cores in
         (("GET", 1), ("POST", 2))},
    ),
    "of all": (
        f"# Results\n\n## GET\n\n{R}## POST\n\n{R}# Usage\n\n{table(2)}",
        {("page", "GET / /", 1): 2, ("page", "POST / /", 1): 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("is_stored", [False, True])
def test_table_belongs_to_the_results_below_its_heading(
    tmp_path: Path, name: str, is_stored: bool
) -> None:
    text, cores = PAGES[name]
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    if is_stored:
        ingest([str(page)], Store(str(tmp_path / "store")))
    assert list_cores(bk.load(tmp_path / "store" if is_stored else page)) == cores
