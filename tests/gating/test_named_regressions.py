"""A regression is accepted until a day or a commit, and sentence and JSON say whether it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invocation import benchkit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMES = ("Ping", "Get/key=[a-z]*,size=1|2?", 'Größe/"x"\\d+')


def write(folder: Path, name: str) -> None:
    for side, allocs in (("base", 3), ("new", 4)):
        lines = [
            f"Benchmark{name}-8\t1000\t{time} ns/op\t64 B/op\t{allocs} allocs/op"
            for time in range(100 + allocs, 106 + allocs)
        ]
        path = folder / side / "1.txt"
        path.parent.mkdir()
        path.write_text("\n".join(["pkg: a", *lines, "PASS", ""]), encoding="utf-8")
    (folder / "base" / "run.toml").write_text(f'[env]\ncommit = "{COMMIT}"\n')


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("until", "holds"),
    [
        ("2999-12-31", True),
        ("2020-01-01", False),
        ('"fedcba9"', True),  # the baseline has not reached it
        (f'"{COMMIT[:7]}"', False),  # the baseline is at it, and has the cost, too
    ],
)
def test_a_named_regression_is_accepted_until_its_end(
    tmp_path: Path, name: str, until: str, holds: bool
) -> None:
    write(tmp_path, name)
    quoted = json.dumps(name, ensure_ascii=False)
    policy = f"[[gate.accept]]\nbenchmark = {quoted}\nuntil = {until}\nreason = 'TLS'\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    done = benchkit("gate", ".", "--format", "json", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"]) == ((0, "pass") if holds else (1, "fail"))
    counts, end = told["counts"], until.strip('"')
    assert (counts["accepted"] > 0, counts["unused_acceptance"]) == (holds, int(not holds))
    said = f"(until {end}: TLS)"
    assert said in told["sentence"]
    assert ("has expired" in told["sentence"]) == (not holds)
    assert told["sentence"].startswith("✓ Accepted: " if holds else "✗ ")
    rows = [row for gate in told["gates"] for row in gate["rows"]]
    assert any(row["accepted"] == f"until {end}: TLS" for row in rows) == holds


def test_expired_regressions_of_one_benchmark_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "Ping")
    entry = "[[gate.accept]]\nbenchmark = 'Ping'\nuntil = 2020-01-01\nmetric = "
    policy = f"{entry}'time_per_op'\n{entry}'bytes_per_op'\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    done = benchkit("gate", ".", "--format", "json", cwd=tmp_path)
    sentence = json.loads(done.stdout)["sentence"]
    assert "the accepted regression of time_per_op on Ping has expired" in sentence


def test_a_pattern_that_names_nothing_is_told(tmp_path: Path) -> None:
    write(tmp_path, "Ping")
    policy = "[[gate.accept]]\nbenchmark = 'Pong*'\nuntil = 2999-01-01\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    told = json.loads(benchkit("gate", ".", "--format", "json", cwd=tmp_path).stdout)
    text = "Pong* matches no compared row"
    assert (told["exit_code"], told["counts"]["unused_acceptance"]) == (1, 1)
    assert text in told["sentence"]
    assert any(text in event["text"] for event in told["events"])
