"""Requested names are compared, or the gate reports that they were not."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest

from benchkit.cli import run

LIMIT = ("--max-overhead", "time_per_op=5%")
PAIRED = """
[project]
baseline = "c"
[[gate]]
metric = "time_per_op"
pair = ["a", "b"]
acceptable = "5%"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for seed, (name, benchmark) in enumerate({"a": "Ping", "b": "Ping", "c": "Other"}.items()):
        gated.write_runs(tmp_path / f"{name}.txt", seed=seed, benchmarks=(benchmark,))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gate(*arguments: str) -> int:
    return run(["gate", "a=a.txt", "b=b.txt", "c=c.txt", "--quiet", *arguments])


@pytest.mark.parametrize("more", [LIMIT, (), (*LIMIT, "--self-test")], ids=str)
@pytest.mark.parametrize(
    "named",
    [
        ("--pair", "a:b", "--pair", "a:c"),
        ("--baseline", "a", "--variant", "b", "--variant", "c"),
    ],
    ids=str,
)
def test_named_pair_that_compares_nothing_does_not_pass(
    folder: Path,
    named: tuple[str, ...],
    more: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert gate(*named, *more) == 3
    assert "found no pair=a:c" in capsys.readouterr().out
    if "--self-test" not in more:  # nobody named c, and a's benchmark is missing from it
        assert gate("--baseline", "a", *more) == 3
        assert "not compared: only in a" in capsys.readouterr().out
    assert folder.is_dir()


def test_rule_for_one_variant_does_not_fail_other_pairs(folder: Path) -> None:
    rule = "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\nwhere = {variant = 'b'}\n"
    (folder / "benchkit.toml").write_text(rule, encoding="utf-8")
    assert gate("--pair", "a:b", "--pair", "a:c") == 0


@pytest.mark.parametrize(
    ("named", "code", "message"),
    [
        ((), 0, ""),
        (("--variant", "nosuch"), 3, "unknown variant 'nosuch'"),
        (("--baseline", "nosuch"), 3, "unknown variant 'nosuch'"),
        (("--pair", "a:nosuch"), 3, "unknown variant 'nosuch'"),
        (("--variant", "c"), 2, "--variant: every rule of benchkit.toml has its own pair: a:b"),
        (("--baseline", "c"), 2, "--baseline: every rule of benchkit.toml has its own pair"),
        (("--pair", "a:c"), 2, "--pair: every rule of benchkit.toml has its own pair"),
        (("--baseline", "a", "--variant", "b"), 0, ""),
        (("--pair", "a:b"), 0, ""),
    ],
    ids=str,
)
def test_pair_option_must_agree_with_pairs_of_the_rules(
    folder: Path,
    named: tuple[str, ...],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "benchkit.toml").write_text(PAIRED, encoding="utf-8")
    assert gate(*named) == code
    assert message in "".join(capsys.readouterr())
