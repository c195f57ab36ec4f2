"""Regressions of exact metrics are in the sentence, limited or not; so is the order of the runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from invocation import benchkit

LIMIT = '[[gate]]\nmetric = "time_per_op"\nacceptable = "900%"\n'
ACCEPT = '[[gate.accept]]\nbenchmark = "*"\nuntil = 2999-01-01\n'
TIMES = (100, 101, 102, 103, 104, 105)


def write(path: Path, counts: dict[str, tuple[int, int]]) -> None:
    lines = [
        f"Benchmark{name}-8\t1000\t{time} ns/op\t{bytes_} B/op\t{allocs} allocs/op"
        for name, (bytes_, allocs) in counts.items()
        for time in TIMES
    ]
    path.write_text("\n".join(["pkg: a", *lines, "PASS", ""]), encoding="utf-8")


def gate(folder: Path, policy: str = "", *options: str) -> tuple[int, str]:
    (folder / "benchkit.toml").write_text(f"schema = 1\n{policy}", encoding="utf-8")
    done = benchkit("gate", "old.txt", "new.txt", *options, cwd=folder)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("policy", "code"),
    [("", 1), (LIMIT, 1), (f"[policy]\nexact = 'warn'\n{LIMIT}", 0)],
)
def test_sentence_names_every_exact_regression(tmp_path: Path, policy: str, code: int) -> None:
    write(tmp_path / "old.txt", {"Get": (624, 3), "Parse": (0, 0), "Valid": (2048, 1)})
    write(tmp_path / "new.txt", {"Get": (664, 4), "Parse": (8, 1), "Valid": (2049, 1)})
    exit_code, text = gate(tmp_path, policy)
    sentence = (
        "exact metrics are worse: more bytes per operation on Get (624 B to 664 B) and on Parse "
        "(0 B to 8 B), more allocations per operation on Get (3 to 4) and on Parse (0 to 1); all "
        "runs of 'old' and 'new' are in one file each, so their order is unknown (B330)"
    )
    assert exit_code == code
    assert sentence in text.splitlines()[0].replace("\N{NO-BREAK SPACE}", " ")
    _, markdown = gate(tmp_path, policy, "--format", "md")
    assert "(B330)" in markdown.splitlines()[0]  # the end of a long sentence is not truncated


def test_metric_with_its_own_limit_is_judged_only_by_that(tmp_path: Path) -> None:
    write(tmp_path / "old.txt", {"Get": (624, 3)})
    write(tmp_path / "new.txt", {"Get": (624, 4)})
    assert gate(tmp_path, "", "--max-overhead", "time_per_op=900%")[0] == 1
    policy = LIMIT.replace("time_per_op", "allocs_per_op")
    assert gate(tmp_path, policy)[0] == 0
    clean = "[policy]\nno_findings = ['info', 'warning']\n"  # B330
    assert gate(tmp_path, clean)[0] == 1
    assert gate(tmp_path, f"{clean}exact = 'pass'\n")[0] == 4


def test_leading_exact_regression_is_named_once_and_marked_if_accepted(tmp_path: Path) -> None:
    write(tmp_path / "old.txt", {"Get": (624, 3)})
    write(tmp_path / "new.txt", {"Get": (624, 4)})
    code, text = gate(tmp_path)
    assert (code, text.count("allocations per operation than")) == (1, 1)
    assert "exact metrics" not in text
    code, text = gate(tmp_path, ACCEPT)
    assert code == 0
    assert "accepted: new makes 33.3\N{NO-BREAK SPACE}% more allocations" in text.lower()
    assert "exact metrics" not in text


def test_files_of_one_run_each_get_no_order_finding(tmp_path: Path) -> None:
    for side in ("base", "new"):
        (tmp_path / side).mkdir()
        for number, time in enumerate(TIMES, 1):
            text = f"pkg: a\nBenchmarkGet-8\t1000\t{time} ns/op\nPASS\n"
            (tmp_path / side / f"{number}.txt").write_text(text.replace("101", f"10{len(side)}"))
    assert "B330" not in benchkit("gate", ".", cwd=tmp_path).stdout


def test_zero_difference_is_no_change(tmp_path: Path) -> None:
    write(tmp_path / "old.txt", {"Get": (0, 0)})
    write(tmp_path / "new.txt", {"Get": (0, 0)})
    old = tmp_path / "old.txt"
    old.write_text(old.read_text().replace("101 ns/op\t0 B/op", "101 ns/op\t2 B/op"))
    text = gate(tmp_path)[1].splitlines()[0]
    assert "0 B fewer" not in text
    assert "new: no change in bytes per operation from old on Get" in text


def test_one_allocation_is_written_in_the_singular(tmp_path: Path) -> None:
    write(tmp_path / "old.txt", {"Get": (0, 0)})
    write(tmp_path / "new.txt", {"Get": (0, 1)})
    code, text = gate(tmp_path)
    assert code == 1
    assert "1 more allocation per operation than old" in text
