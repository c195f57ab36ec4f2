"""A regression is accepted until a day or commit, and sentence and JSON state whether it is."""

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
    ("until", "is_accepted"),
    [
        ("2999-12-31", True),
        ("2020-01-01", False),
        ('"fedcba9"', True),  # the baseline does not contain it yet
        (f'"{COMMIT[:7]}"', False),  # the baseline contains it and has the cost, too
    ],
)
def test_named_regression_is_accepted_until_its_end(
    tmp_path: Path, name: str, until: str, is_accepted: bool
) -> None:
    write(tmp_path, name)
    quoted = json.dumps(name, ensure_ascii=False)
    policy = f"[[gate.accept]]\nbenchmark = {quoted}\nuntil = {until}\nreason = 'TLS'\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    done = benchkit("gate", ".", "--format", "json", cwd=tmp_path)
    document = json.loads(done.stdout)
    assert (done.returncode, document["verdict"]) == ((0, "pass") if is_accepted else (1, "fail"))
    counts, end = document["counts"], until.strip('"')
    assert (counts["accepted"] > 0, counts["unused_acceptance"]) == (
        is_accepted,
        int(not is_accepted),
    )
    reason = f"(until {end}: TLS)"
    assert reason in document["sentence"]
    assert ("has expired" in document["sentence"]) == (not is_accepted)
    assert document["sentence"].startswith("✓ Accepted: " if is_accepted else "✗ ")
    rows = [row for gate in document["gates"] for row in gate["rows"]]
    assert any(row["accepted"] == f"until {end}: TLS" for row in rows) == is_accepted


def test_expired_regressions_of_one_benchmark_are_listed_separately(tmp_path: Path) -> None:
    write(tmp_path, "Ping")
    entry = "[[gate.accept]]\nbenchmark = 'Ping'\nuntil = 2020-01-01\nmetric = "
    policy = f"{entry}'time_per_op'\n{entry}'bytes_per_op'\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    done = benchkit("gate", ".", "--format", "json", cwd=tmp_path)
    sentence = json.loads(done.stdout)["sentence"]
    assert "the accepted regression of time_per_op on Ping has expired" in sentence


def test_unmatched_pattern_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "Ping")
    policy = "[[gate.accept]]\nbenchmark = 'Pong*'\nuntil = 2999-01-01\n"
    (tmp_path / "benchkit.toml").write_text(policy, encoding="utf-8")
    document = json.loads(benchkit("gate", ".", "--format", "json", cwd=tmp_path).stdout)
    text = "Pong* matches no compared row"
    assert (document["exit_code"], document["counts"]["unused_acceptance"]) == (1, 1)
    assert text in document["sentence"]
    assert any(text in event["text"] for event in document["events"])
