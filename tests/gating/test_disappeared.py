"""A benchmark that disappears with the change is reported in everything that CI shows."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

LIMIT = ("--max-overhead", "time_per_op=5%")
ALL = ("Foo", "Bar", "Baz")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gated.write_runs(tmp_path / "base" / "1.txt", seed=1, spread=0.005, benchmarks=ALL)
    gated.write_runs(tmp_path / "new" / "1.txt", seed=2, spread=0.005, benchmarks=("Foo",))
    gated.write_runs(tmp_path / "full" / "1.txt", seed=3, spread=0.005, benchmarks=ALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_OUTPUT", "outputs")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def gate(*arguments: str) -> int:
    return run(["gate", *arguments, "--quiet", "--github", "--junit", "j.xml", "--comment", "c.md"])


@pytest.mark.parametrize("limit", [LIMIT, ()], ids=["limit", "default rule"])
def test_every_output_reports_it(
    folder: Path, limit: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate("base=base", "new=new", *limit) == 3
    printed = capsys.readouterr()
    sentence = "✗ Bar and Baz not compared: only in base"
    assert printed.out.startswith(sentence)
    assert printed.err.count("::error ") == 1
    metrics = "time per operation" + (
        "" if limit else ", bytes per operation and allocations per operation"
    )
    assert f"only base has {metrics} on Bar gomaxprocs=8 and Baz gomaxprocs=8.\n" in printed.err
    outputs = (folder / "outputs").read_text(encoding="utf-8")
    assert "verdict=fail\n" in outputs
    assert f"not-shown={2 if limit else 6}\n" in outputs
    junit = (folder / "j.xml").read_text(encoding="utf-8")
    assert junit.count('<failure message="not compared: time per operation on Ba') == 2
    assert f"### {sentence}" in (folder / "c.md").read_text(encoding="utf-8")


def test_few_of_many_missing_benchmarks_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = ("Foo", *(f"Case/{number}" for number in range(9)))
    gated.write_runs(folder / "base" / "1.txt", seed=1, spread=0.005, benchmarks=many)
    assert gate("base=base", "new=new") == 3
    printed = capsys.readouterr()
    assert "Case/0, Case/1, Case/2 and 6 more not compared: only in base" in printed.out
    line = next(line for line in printed.err.splitlines() if "did not compare" in line)
    assert line.count("gomaxprocs=8") == 3
    assert line.endswith(" and 6 more.")
    assert (folder / "j.xml").read_text(encoding="utf-8").count("<failure ") == 27


@pytest.mark.parametrize(
    ("action", "code", "kind", "annotation"),
    [("fail", 3, "<failure ", "::error "), ("warn", 0, "<skipped ", "::warning "),
     ("pass", 0, "<skipped ", "")],
)  # fmt: skip
def test_policy_decides_the_consequence(
    folder: Path,
    action: str,
    code: int,
    kind: str,
    annotation: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    policy = f"[policy]\non_missing = '{action}'\n"
    (folder / "benchkit.toml").write_text(policy, encoding="utf-8")
    assert gate("base=base", "new=new", *LIMIT) == code
    printed = capsys.readouterr()
    assert (annotation in printed.err) if annotation else ("::" not in printed.err)
    assert kind in (folder / "j.xml").read_text(encoding="utf-8")
    assert printed.out.splitlines()[0].endswith("the policy allows it.") is (code == 0)


def test_variant_without_the_benchmark_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate("base=base", "full=full", "new=new", *LIMIT, "--format", "json") == 3
    document = json.loads(capsys.readouterr().out)
    assert document["sentence"].startswith("✗ Bar and Baz of new not compared: only in base; ")
    lost = document["gates"][0]["not_compared"]
    assert [(row["variant"], row["benchmark"]) for row in lost] == [("new", "Bar"), ("new", "Baz")]
    assert folder.is_dir()


def test_unmatched_and_new_benchmarks_are_not_reported_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "metric = 'time_per_op'\nacceptable = '5%'\nwhere = {benchmark = 'Foo'}\n"
    (folder / "benchkit.toml").write_text(f"[[gate]]\n{rule}", encoding="utf-8")
    assert gate("base=base", "new=new") == 0
    assert gate("base=new", "new=base", *LIMIT) == 0
    sentences = [line for line in capsys.readouterr().out.splitlines() if line.startswith("✓ ")]
    assert len(sentences) == 2
    assert not any("not compared" in sentence for sentence in sentences)


def test_over_the_limit_comes_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated.write_runs(folder / "new" / "1.txt", seed=2, cost=0.2, benchmarks=("Foo",))
    assert gate("base=base", "new=new", *LIMIT) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("✗ Over the limit: ")
    order = "all runs of 'base' and 'new' are in one"
    assert f"; Bar and Baz not compared: only in base; {order}" in first
