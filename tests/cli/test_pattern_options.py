"""Files and groups that `--layout` and `--split` do not match are refused or reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from invocation import benchkit

WRK = """\
Running 10s test @ http://localhost:80/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.0{n}ms    1.80ms  42.31ms   86.68%
    Req/Sec     1.86k   144.44     2.11k    83.67%
  16707{n} requests in 10.01s, 19.62GB read
Requests/sec:   5{n}66.23
Transfer/sec:    669.45MB
"""


@pytest.mark.parametrize(
    ("option", "message"),
    [("--layout", "the pattern '' has no placeholder"), ("--split", "'' has no group")],
)
def test_empty_pattern_is_refused(tmp_path: Path, option: str, message: str) -> None:
    (tmp_path / "none.txt").write_text(WRK.format(n=1), encoding="utf-8")
    for command in ("runs", "ingest"):
        refused = benchkit(command, "none.txt", option, "", cwd=tmp_path)
        assert refused.returncode == 2
        assert message in refused.stderr


def test_files_without_a_layout_match_are_counted_and_named(tmp_path: Path) -> None:
    for at, name in enumerate(("none-1", "none-2", "b", "c", "d")):
        (tmp_path / f"{name}.txt").write_text(WRK.format(n=at), encoding="utf-8")
    shown = benchkit("runs", ".", "--layout", "{variant}-{run}.txt", cwd=tmp_path)
    assert shown.returncode == 0
    assert "does not match 3 of 5 files" in shown.stderr
    assert "b.txt and c.txt and 1 more" in shown.stderr
    assert "damaged" not in shown.stdout
    for name in "bcd":
        (tmp_path / f"{name}.txt").unlink()
    shown = benchkit("runs", ".", "--layout", "{variant}-{run}.txt", cwd=tmp_path)
    assert "does not match" not in shown.stderr


def test_unknown_group_of_a_split_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_text(WRK.format(n=1), encoding="utf-8")
    pattern = "(?P<variant>a|b)/(?P<benchmark>.*)"
    refused = benchkit("runs", "none.txt", "--split", pattern, cwd=tmp_path)
    assert refused.returncode == 2
    assert "unknown group 'benchmark'; `variant` is the only known one" in refused.stderr


def test_store_of_one_page_suggests_a_split_by_its_headings(tmp_path: Path) -> None:
    page = "".join(
        f"## {name}\n\n{WRK.format(n=at)}\n" for at, name in enumerate(("Before", "After"))
    )
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    assert benchkit("ingest", "page.md", cwd=tmp_path).returncode == 0
    refused = benchkit("compare", cwd=tmp_path)
    assert refused.returncode == 3
    assert "its headings are Before, After" in refused.stderr
    command = "benchkit ingest page.md --split '^(?P<variant>Before|After)$' --store NEW"
    assert refused.stderr.rstrip().endswith(command)
