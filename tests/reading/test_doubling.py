"""A text with every line twice is read as if each occurred once."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.api import RunSet
from benchkit.reading.cleaning import blank_repeats, is_doubled

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REPORTS = ("gobench-edge/crlf.txt", "tracing-wrk/none/wrk-1.txt", "autocannon/text.txt")


def double(text: str) -> str:
    return "".join(line + line for line in text.splitlines(keepends=True))


def load(folder: Path, text: str) -> RunSet:
    (folder / "none-1.txt").write_text(text, encoding="utf-8")
    return bk.load(str(folder))


@pytest.mark.parametrize("name", REPORTS)
def test_results_of_a_doubled_log_count_once(tmp_path: Path, name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    once, doubled = load(tmp_path, text), load(tmp_path, double(text))
    columns = ["benchmark", "run", "metric", "stat", "value"]
    assert doubled.observations[columns].equals(once.observations[columns])
    assert "the file contains every line twice" in doubled.diagnostics[0].what
    assert not any("twice" in each.what for each in once.diagnostics)


def test_large_doubled_log_is_recognised_by_its_beginning(tmp_path: Path) -> None:
    lines = [f"BenchmarkA-8   \t{9_000 + at}\t{10 + at / 7:.3f} ns/op\n" for at in range(4_000)]
    assert len(load(tmp_path, double("".join(lines))).runs) == 4_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("a 1\na 1\n" * 9, False),  # nine equal lines
        ("".join(f"a {at}\na {at}\n\n" for at in range(5)), True),
        ("".join(f"a {at}\na {at}\n" for at in range(5)) + "a 9\n", True),  # cut within a pair
        ("".join(f"a {at}\na {at}\n" for at in range(5)) + "a 8\na 9\n", False),
        ("".join(f"a {at}\n" for at in range(5)) * 2, False),
    ],
)
def test_text_is_doubled_only_if_every_line_is(text: str, expected: bool) -> None:
    assert is_doubled(text) is expected


def test_line_repeated_four_times_is_kept_twice() -> None:
    assert [line for line in blank_repeats("a\n" * 4).split("\n") if line] == ["a", "a"]
