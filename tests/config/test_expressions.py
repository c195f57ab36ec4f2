"""No expression that users write hangs, or ends in a traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.config import parse_split
from benchkit.config.expressions import compile_expression
from benchkit.errors import ConfigError
from benchkit.labels.rename import parse_rename

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
def test_an_expression_without_a_bound_is_refused(pattern: str) -> None:
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
    ],
)
def test_an_expression_of_bounded_time_is_taken(pattern: str) -> None:
    assert compile_expression(pattern, "--split", "", re.IGNORECASE).flags & re.IGNORECASE


@pytest.mark.parametrize(
    ("key", "named"),
    [
        (f"rename = ['s#{DEEP}#b#']", "rename"),
        (f"split = {{pattern = '(?P<variant>{DEEP})'}}", "[ingest] split"),
        ("split = {pattern = '(?P<variant>([Aa]+)+)!'}", "[ingest] split"),
    ],
)
def test_the_key_of_the_settings_is_named(
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
