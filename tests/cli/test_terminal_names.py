"""Names cannot control the terminal, or fill it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.cli import run
from benchkit.errors import DataError, Diagnostic, Finding

HOSTILE = "BenchmarkA\x1b[2Jb\x1b]0;x\x07 1 {0} ns/op\nBenchmark::stop-commands::x 1 {0} ns/op\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def write_sides(folder: Path) -> None:
    text = "".join(HOSTILE.format(number) for number in range(9))
    for name in ("old", "new"):
        (folder / f"{name}.txt").write_text(text, newline="")


@pytest.mark.parametrize(
    ("form", "kind"),
    [("text", Terminal), ("text", io.StringIO), ("csv", Terminal), ("csv", io.StringIO)],
)
def test_benchstat_output_does_not_control_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, kind: type[io.StringIO]
) -> None:
    write_sides(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout", out := kind())
    run(["compare", "--compat", "benchstat", "-q", f"--format={form}", "old.txt", "new.txt"])
    shown = out.getvalue()
    if (form, kind) == ("csv", io.StringIO):  # data for a program
        assert "A\x1b[2Jb\x1b]0;x\x07" in shown
        return
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "A\\x1b[2Jb" in shown
    assert "\n::" not in shown
    assert "\n:\u200b:stop-commands" in shown


def test_benchstat_file_does_not_control_a_terminal_that_shows_it(tmp_path: Path) -> None:
    write_sides(tmp_path)
    out = tmp_path / "out.txt"
    sides = (str(tmp_path / f"{name}.txt") for name in ("old", "new"))
    run(["compare", "--compat", "benchstat", "-q", "-o", str(out), *sides])
    assert "A\\x1b[2Jb" in out.read_text()
    assert "\x1b" not in out.read_text()


@pytest.mark.parametrize("name", ["a" * 1_000_000, "a b " * 250_000])
def test_long_name_is_shortened_in_messages(name: str) -> None:
    error = DataError(f"unknown {name!r}", where=name, hint=name)
    problem = Diagnostic("x", 1, f"unknown {name!r}", name)
    finding = Finding(code="B201", severity="warning", message=name, remedy=name, where=name)
    for printable in (error, problem, finding):
        assert len(str(printable)) < 13_000
        assert "…" in str(printable)


def test_long_names_that_differ_in_the_middle_stay_distinct(tmp_path: Path) -> None:
    half = "Get/" + "a" * 100_000
    names = [f"Benchmark{half}{middle}{half}" for middle in "xy"]
    path = tmp_path / "go.txt"
    path.write_text("".join(f"{name} 1 {n} ns/op\n" for n, name in enumerate(names, 1)))
    shown = bk.load(path).observations["benchmark"].unique()
    assert len(shown) == 2
    assert max(map(len, shown)) < 1_100
