"""Policies are parsed exactly, or refused with a suggestion."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from documents import list_blocks
from scaling import assert_linear

from benchkit import config
from benchkit.config.limits import parse_limit
from benchkit.config.rules import Habits, parse_overheads, parse_rules
from benchkit.errors import ConfigError
from benchkit.labels.matching import parse_rename

POLICY = """
schema = 1
[ingest]
rename = [["OTelOverhead(_Baseline|/OTel_[A-Za-z]+)/", "OTelOverhead/"], "s#a#b#"]
split = {pattern = "OTel_(?P<variant>Enabled|Disabled)", lower = true}
[policy]
on_inconclusive = "fail"
min_runs = 6
[[gate]]
name = "dormant code"
pair = ["baseline", "disabled"]
metric = "time_per_op"
target = "0%"
acceptable = "1%"
on_inconclusive = "warn"
[[gate]]
name = "memory"
pair = "disabled:enabled"
metric = "bytes_per_op"
where = {benchmark = ["Ping", "Get"], connections = 8}
acceptable = "+8 KiB"
no_findings = ["warning"]
[[gate]]
metric = "latency.p99.9"
acceptable = "2x"
"""


def test_complete_policy_is_read(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(POLICY, encoding="utf-8")
    settings = config.load(tmp_path, file)
    dormant, memory, tail = settings.rules
    assert (dormant.pair, dormant.on_inconclusive, dormant.min_runs) == (
        ("baseline", "disabled"),
        "warn",
        6,
    )
    assert dormant.target is not None
    assert (dormant.target.value, dormant.limit.value) == (0, 0.01)
    assert memory.pair == ("disabled", "enabled")
    assert memory.where == (("benchmark", ("Ping", "Get")), ("connections", ("8",)))
    assert (memory.limit.value, memory.limit.unit) == (8192, "B")
    assert (memory.on_inconclusive, memory.no_findings) == ("fail", ("warning",))
    assert (tail.name, tail.metric, tail.stat) == ("latency.p99.9", "latency", "p99.9")
    assert settings.habits == Habits(on_inconclusive="fail", min_runs=6)
    assert settings.split == ("OTel_(?P<variant>Enabled|Disabled)", True)
    pair, text = map(parse_rename, settings.rename)
    assert pair.apply("OTelOverhead/OTel_Enabled/Ping") == "OTelOverhead/Ping"
    assert text.apply("aa") == "ba"


def test_policy_of_the_manual_is_valid() -> None:
    text = next(block for block in list_blocks("toml") if block.startswith("[policy]"))
    settings = config.parse(tomllib.loads(text))
    assert [rule.limit.text for rule in settings.rules] == ["5%", "+8 KiB"]
    assert settings.habits == Habits(min_runs=6, no_findings=("warning",))


def test_pyproject_may_contain_a_policy(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[[tool.benchkit.gate]]\nmetric = 'latency'\ntarget = '1%'\n", encoding="utf-8")
    assert config.load(tmp_path).rules == config.load(tmp_path, file).rules != ()
    file.write_text("[tool.other]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"no \[tool.benchkit\]"):
        config.load(tmp_path, file)


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("5%", "percent", 0.05, ""),
        ("0.5 %", "percent", 0.005, ""),
        (0, "percent", 0, ""),
        ("+2pp", "points", 0.02, "1"),
        ("2 percentage points", "points", 0.02, "1"),
        ("1.1x", "factor", 1.1, ""),
        ("2×", "factor", 2, ""),
        ("0.5 ms", "absolute", 0.0005, "s"),
        ("+8 KiB", "absolute", 8192, "B"),
        ("8 KB", "absolute", 8000, "B"),
        ("1MB/s", "absolute", 1e6, "B/s"),
        ("100/s", "absolute", 100, "1/s"),
        ("0.2 cores", "absolute", 0.2, "cores"),
        ("+2", "absolute", 2, "1"),
    ],
)
def test_limit_has_a_kind_value_and_unit(text: object, kind: str, value: float, unit: str) -> None:
    limit = parse_limit(text, "test")
    assert (str(limit.kind), limit.unit) == (kind, unit)
    assert limit.value == pytest.approx(value)


@pytest.mark.parametrize("text", ["5", 7, 0.05, "-5%", "five", "", "5 parsecs", "0.9x", None, True])
def test_invalid_limit_is_refused(text: object) -> None:
    with pytest.raises(ConfigError):
        parse_limit(text, "test")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[gate]]\nmetric = 'a'\nacceptble = '5%'", "did you mean 'acceptable'?"),
        ("[[gates]]\nmetric = 'a'", "did you mean 'gate'?"),
        ("[gate]\nmetric = 'a'", "use [[gate]]"),
        ("[[gate]]\nacceptable = '5%'", "no metric"),
        ("[[gate]]\nmetric = 'a'", "no limit"),
        ("[[gate]]\nmetric = 'a'\nacceptable = '5'", "is not a limit"),
        ("[[gate]]\nmetric = 'a.p50'\nstat = 'p50'\ntarget = '5%'", "given twice"),
        ("[[gate]]\nmetric = 'a'\ntarget = '9%'\nacceptable = '5%'", "wider than"),
        ("[[gate]]\nmetric = 'a'\ntarget = '1.2x'\nacceptable = '5%'", "wider than"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\npair = ['a']", "two variants"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\npair = ['a', 'a']", "two variants"),
        (
            "[[gate]]\nmetric = 'a'\ntarget = '5%'\nmin_runs = 2",
            ("two runs per side are too few for a gate"),
        ),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\nwhere = 'b'", "`where` is not a table"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\nwhere = {b = []}", "not a list of strings"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\nno_findings = ['eror']", "mean 'error'?"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\non_inconclusive = 'wrn'", "mean 'warn'?"),
        ("[[gate]]\nmetric = 'a'\ntarget = '5%'\n" * 2, "two rules are named 'a'"),
        ("[policy]\nmin_run = 5", "did you mean 'min_runs'?"),
        ("[ingest]\nsplit = {patterns = 'a'}", "did you mean 'pattern'?"),
        ("[ingest]\nsplit = {pattern = 'a(b)'}", "no group named variant"),
        ("[ingest]\nsplit = {pattern = '('}", "split"),
        ("[ingest]\nrename = [['a']]", "not a rename rule"),
    ],
)
def test_invalid_policy_is_an_error_with_a_remedy(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "benchkit.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        config.load(tmp_path)
    assert message in str(refused.value)


def test_overhead_options_use_the_policy_defaults() -> None:
    (rule,) = parse_overheads(["time_per_op=+2 ms"], Habits(min_runs=8))
    assert (rule.limit.value, rule.min_runs) == (0.002, 8)


def test_parsing_time_grows_linearly_with_the_rules() -> None:
    rule = {"metric": "latency.p50", "acceptable": "5%"}
    assert_linear(
        lambda size: [{"name": f"g{number}", **rule} for number in range(size)],
        lambda tables: parse_rules(tables, Habits(), "benchkit.toml"),
        20_000,
    )


@pytest.mark.parametrize("text", ["token=c0ffee1", "password=5", "api_key:c0ffee1"])
def test_secret_in_place_of_a_limit_is_not_printed(text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_overheads([text], Habits())
    assert "REDACTED' has no limit" in str(raised.value)
    assert text[-6:] not in str(raised.value)
