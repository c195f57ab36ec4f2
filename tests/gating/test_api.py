"""`benchkit.gate` in a notebook: a function, whatever was imported, for any policy."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import gated
import pytest

import benchkit as bk
from benchkit.errors import ConfigError, ExitCode

LIMIT = {"gate": [{"metric": "time_per_op", "acceptable": "5%"}]}


@pytest.fixture
def slower(tmp_path: Path) -> Path:
    return gated.write_pair(tmp_path / "results", cost=0.2)


def test_gate_stays_a_function_after_its_subpackage_is_imported() -> None:
    for name in ("benchkit.gating", "benchkit.cli.gate", "benchkit.gating.run"):
        importlib.import_module(name)
    assert inspect.isfunction(bk.gate)


def test_comparison_is_gated_by_a_table_or_a_file(slower: Path) -> None:
    comparison = bk.load(slower).compare(baseline="baseline")
    result = bk.gate(comparison, LIMIT)
    assert (result.exit_code, result.has_passed) == (ExitCode.REGRESSION, False)
    assert {row.word for row in result.outcome.rows} == {"over the limit"}
    assert str(result) == result.sentence
    assert result.sentence.startswith("✗ Over the limit: enabled takes ")
    policy = slower / "policy.toml"
    policy.write_text("[[gate]]\nmetric = 'time_per_op'\nacceptable = '1.4x'\n", encoding="utf-8")
    assert bk.gate(comparison, policy).has_passed
    assert bk.gate(comparison, str(policy)).has_passed
    assert bk.gate(comparison, {}).exit_code is ExitCode.REGRESSION
    for name in ("a\0b", "\ud800"):
        with pytest.raises(ConfigError, match="cannot be read: no file can have this name"):
            bk.gate(comparison, name)


def test_missing_rows_do_not_pass(slower: Path) -> None:
    comparison = bk.load(slower).compare(baseline="baseline")
    absent = {"gate": [{"metric": "latency.p50", "acceptable": "5%"}]}
    assert bk.gate(comparison, absent).exit_code is ExitCode.DATA
    with pytest.raises(ConfigError, match="did you mean 'metric'"):
        bk.gate(comparison, {"gate": [{"metrc": "latency.p50", "acceptable": "5%"}]})
