"""No user-defined expression hangs, or ends in a traceback."""

from __future__ import annotations

import re
from pathlib import Path
from time import thread_time

import pytest

from benchkit.cli import run
from benchkit.config import parse_split
from benchkit.config.expressions import compile_expression
from benchkit.errors import ConfigError
from benchkit.labels.matching import parse_rename

DEEP = "(" * 5000 + "a" + ")" * 5000
DEEP_WITHIN_THE_LENGTH = "(" * 490 + "a" + ")" * 490
SLOW = (
    "([Aa]+)+!",
    "(?:(?:aA?)+b?)*!",
    "(?:a{0,5}){30}!",
    "(?:ab|a|b)*!",
    "a?" * 30 + "a" * 30,
    "(?:a|aa)" * 30 + "!",
    ".*" * 12 + "!",
    "(?>([Aa]+)+!)",
    "(?=([Aa]+)+!)a",
    "(?:([Aa]+)+!)++",
)


@pytest.mark.parametrize("pattern", [DEEP, DEEP_WITHIN_THE_LENGTH, "a{99999999999}", *SLOW])
def test_unbounded_expression_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError):
        parse_rename(f"s#{pattern}#b#")
    with pytest.raises(ConfigError) as refusal:
        parse_split(f"(?P<variant>{pattern})")
    assert refusal.value.where == "--split"
    assert refusal.value.hint


@pytest.mark.parametrize(
    "pattern",
    [
        r"OTelOverhead(_Baseline|/OTel_\w+)/",
        r"(\w+)/(\w+)-(\w+)/\d+",
        "(?:[A-Z][a-z]++)++!",
        "([Aa]++)+!",
        "(?:_v[0-9])*",
        "(?P<variant>Baseline|Enabled)?_?x?",
        "^(.*)/(.*)/(.*)$",
        r".*_(?P<variant>\w+)",
        "(?:(?!_Enabled).)*_(.*)",
        r"(?:\w+\.)+com",
    ],
)
def test_bounded_expression_is_accepted(pattern: str) -> None:
    assert compile_expression(pattern, "--split", "", re.IGNORECASE).longest > 400


#: Nested repeats, though with no more than a power of the length.
POLYNOMIAL = (
    "(?P<variant>x*x*x*x*x*)y$",
    ".*.*.*(?P<variant>.)y",
    r"\w*\d*x*x*(?P<variant>!)",
    "x{1,3000}x{1,3000}x{1,3000}(?P<variant>y)",
    r"(x*)\1x*(?P<variant>y)",
    "(?i:X*)x*(?P<variant>y)",
    "(?:x(?=[^b]*b))?x*(?P<variant>y)",
    r"(x*)(?!\1)(?P<variant>y)$",
)


@pytest.mark.parametrize("pattern", POLYNOMIAL)
@pytest.mark.parametrize("length", [60, 3000])
def test_no_expression_hangs_on_a_name(pattern: str, length: int, tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text(f"goos: linux\nBenchmarkX{'x' * length}-2 100 100 ns/op\n", encoding="utf-8")
    start = thread_time()
    run(["runs", str(path), "--split", pattern])
    run(["runs", str(path), "--rename", f"s#{pattern}#b#"])
    assert thread_time() - start < 5


def test_error_for_a_long_name_gives_the_pattern_and_its_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.txt"
    path.write_text(f"goos: linux\nBenchmarkX{'x' * 2998}-2 100 100 ns/op\n", encoding="utf-8")
    assert run(["runs", str(path), "--rename", "s#x*x*x*y#B#"]) != 0
    message = capsys.readouterr().err
    assert "rename 'x*x*x*y' may never finish on a name of 2,999 characters" in message


def test_time_of_slow_names_is_limited_in_total(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("benchkit.config.expressions.thread_time", lambda: next(clock))
    expression = compile_expression("x*x*z", "--split", "")
    for _ in range(5):
        expression.search("x")
    with pytest.raises(ConfigError, match="took 5 s on names that are slow to match"):
        expression.search("x")


def test_length_of_renamed_names_is_limited() -> None:
    rule = parse_rename(r"s#.#\g<0>\g<0>#g")
    assert rule.apply("x" * 5000) == "x" * 10_000
    with pytest.raises(ConfigError, match="makes a name of 20,000 characters"):
        rule.apply("x" * 10_000)
    with pytest.raises(ConfigError, match="a replacement of 2,000 characters"):
        parse_rename(f"s#a#{'b' * 2000}#")


@pytest.mark.parametrize(
    ("key", "named"),
    [
        (f"rename = ['s#{DEEP}#b#']", "rename"),
        (f"split = {{pattern = '(?P<variant>{DEEP})'}}", "[ingest] split"),
        ("split = {pattern = '(?P<variant>([Aa]+)+)!'}", "[ingest] split"),
    ],
)
def test_key_of_the_settings_is_named(
    key: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "benchkit.toml").write_text(f"[ingest]\n{key}\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text(f"Benchmark{'A' * 42}-8 10 3 ns/op\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(["gate", "a.txt"]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a+)+$", "may never finish: its repeats or alternatives multiply"),
        (r"(?s:.)*\n" * 9 + "!", "may never finish"),
        (r"(?a:\W)*Ω" * 9 + "!", "may never finish"),
        (r"(?-i:[^a])*A" * 9 + "(?i:!)", "may never finish"),
        ("((a+)+)+$", "may never finish: its repeats or alternatives multiply"),
        ("a{99999999999}", "a repeat count is too large"),
    ],
)
def test_refused_pattern_gives_the_reason(
    pattern: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["runs", ".", "--split", pattern]) == 2
    assert problem in capsys.readouterr().err
