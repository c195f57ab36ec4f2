"""The policy written by ``init`` gates like the default rule, with limits that can be shown."""

from __future__ import annotations

from pathlib import Path

import gated
import pytest
from invocation import benchkit

from benchkit import config

FILES = ("baseline.txt", "enabled.txt")


def write_first_policy(folder: Path, **runs: float) -> str:
    gated.write_pair(folder, **runs)  # type: ignore[arg-type]
    assert benchkit("init", *FILES, "--quiet", cwd=folder).returncode == 0
    return (folder / "benchkit.toml").read_text(encoding="utf-8")


def test_one_more_allocation_fails_the_policy_of_init(tmp_path: Path) -> None:
    write_first_policy(tmp_path)
    passed = benchkit("gate", *FILES, cwd=tmp_path)
    assert passed.returncode == 0, passed.stdout
    limits = {rule.metric: rule.limit.text for rule in config.load(tmp_path).rules}
    assert limits == {"time_per_op": "5%", "bytes_per_op": "3%", "allocs_per_op": "+0"}
    changed = tmp_path / "enabled.txt"
    text = changed.read_text(encoding="utf-8")
    for old, new in (("6 allocs", "7 allocs"), ("172 B/op", "180 B/op")):
        changed.write_text(text.replace(old, new), encoding="utf-8")
        done = benchkit("gate", *FILES, cwd=tmp_path)
        assert done.returncode == 1, done.stdout


@pytest.mark.parametrize(
    ("runs", "spread", "limits"),
    [
        (10, 0.01, ["5%", "3%", "+0"]),
        (6, 0.03, ["10%", "3%", "+0"]),
        (6, 0.5, []),
        (3, 0.01, []),
        (1, 0.01, []),
    ],
)
def test_init_writes_only_limits_that_the_runs_can_show(
    tmp_path: Path, runs: int, spread: float, limits: list[str]
) -> None:
    text = write_first_policy(tmp_path, runs=runs, spread=spread)
    assert [rule.limit.text for rule in config.load(tmp_path).rules] == limits
    assert ("so the default rule applies" in text) == (not limits)
    assert ("The smallest limit among 5%" in text) == (limits[:1] == ["10%"])
    done = benchkit("gate", *FILES, cwd=tmp_path)
    assert done.returncode == (4 if runs < 4 else 0), done.stdout
