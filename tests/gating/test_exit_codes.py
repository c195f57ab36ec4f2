"""Exit codes for every pair of policy and data: the whole table of the gate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import gated
import outcome_cases
import pytest

from benchkit.cli import run
from benchkit.errors import ExitCode

DONE, OVER, USAGE, DATA, UNSHOWN = (int(code) for code in list(ExitCode)[:5])

POLICIES = {
    "none": "",
    "limit": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n",
    "strict": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\non_inconclusive = 'fail'\n",
    "tiers": "[[gate]]\nmetric = 'time_per_op'\ntarget = '5%'\nacceptable = '10%'\n",
    "ping": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\nwhere = {benchmark = ['Ping']}\n",
    "absent": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n"
    "where = {benchmark = ['Ping', 'Gone']}\n",
    "many runs": "[policy]\nmin_runs = 20\non_inconclusive = 'fail'\n"
    "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\n",
    "clean": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5%'\nno_findings = 'warning'\n",
    "amount": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '1 us'\n",
    "exact": "[[gate]]\nmetric = 'allocs_per_op'\ntarget = '0%'\n",
    "typo": "[[gate]]\nmetric = 'time_per_op'\nacceptble = '5%'\n",
    "no metric": "[[gate]]\nmetric = 'time_per_opp'\nacceptable = '5%'\n",
    "wrong unit": "[[gate]]\nmetric = 'time_per_op'\nacceptable = '5 KiB'\n",
}

#: For each set of results: policy -> exit code.
EXPECTED = {
    "same": {
        "none": DONE, "limit": DONE, "strict": DONE, "tiers": DONE, "ping": DONE, "absent": DATA,
        "many runs": UNSHOWN, "clean": DONE, "amount": DONE, "exact": DONE, "typo": USAGE,
        "no metric": DATA, "wrong unit": USAGE,
    },
    "slower by 5 %": {
        "none": OVER, "limit": DONE, "strict": UNSHOWN, "tiers": DONE, "ping": DONE,
        "absent": DATA, "many runs": UNSHOWN, "clean": DONE, "amount": OVER, "exact": DONE,
    },
    "one benchmark gone": {
        "none": DATA, "limit": DATA, "ping": DONE, "clean": DATA, "absent": DATA,
    },
    "slower by 20 %": {
        "none": OVER, "limit": OVER, "strict": OVER, "tiers": OVER, "ping": OVER, "absent": OVER,
        "many runs": UNSHOWN, "clean": OVER, "amount": OVER, "exact": DONE, "typo": USAGE,
    },
    "slower by 20 %, called better": {"none": OVER, "limit": OVER, "amount": OVER},
    "noise": {
        "none": DONE, "limit": DONE, "strict": UNSHOWN, "tiers": DONE, "exact": DONE,
        "many runs": UNSHOWN, "absent": DATA,
    },
    "one run": {"none": UNSHOWN, "limit": UNSHOWN, "strict": UNSHOWN, "exact": DONE},
    "no common name": {"none": DATA, "limit": DATA, "strict": DATA, "ping": DATA, "exact": DATA},
    "no baseline": {"none": DATA, "limit": DATA, "strict": DATA, "exact": DATA},
    "nothing": {"none": DATA, "limit": DATA, "strict": DATA},
}  # fmt: skip


def write_results(name: str, folder: Path) -> Path:
    """Write a set of results into ``folder/results``."""
    results = folder / "results"
    results.mkdir()
    match name:
        case "same":
            gated.write_pair(results)
        case "slower by 5 %":
            gated.write_pair(results, cost=0.05)
        case "slower by 20 %":
            gated.write_pair(results, cost=0.2)
        case "slower by 20 %, called better":
            gated.write_pair(results, cost=0.2)
            with (results / "enabled.txt").open("a", encoding="utf-8") as file:
                file.write("Unit ns/op better=higher\n")
        case "noise":
            gated.write_pair(results, spread=0.3)
        case "one run":
            gated.write_pair(results, runs=1)
        case "one benchmark gone":
            gated.write_pair(results)
            gated.write_runs(results / "enabled.txt", seed=2, benchmarks=("Ping",))
        case "no common name":
            gated.write_runs(results / "baseline.txt", seed=1, benchmarks=("Old/Ping",))
            gated.write_runs(results / "enabled.txt", seed=2, benchmarks=("New/Pong",))
        case "no baseline":
            gated.write_runs(results / "enabled.txt", seed=1)
        case "nothing":
            (results / "notes.log").write_text("nothing that a tool printed\n", encoding="utf-8")
    return results


CASES = [(data, policy, code) for data, row in EXPECTED.items() for policy, code in row.items()]


@pytest.mark.parametrize(("data", "policy", "code"), CASES, ids=str)
def test_every_policy_with_every_result(
    data: str,
    policy: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_results(data, tmp_path)
    (tmp_path / "benchkit.toml").write_text(f"schema = 1\n{POLICIES[policy]}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert gate() == code
    printed = capsys.readouterr()
    first = printed.out.splitlines()[0] if printed.out else printed.err
    if code == DONE:
        assert first[0] in "✓△?"
        assert first[0] != "?" or first.endswith("the policy allows it.")
    elif code == OVER:
        assert first.startswith("✗ Regression: " if policy == "none" else "✗ Over the limit: ")
    elif code == UNSHOWN:
        assert first.startswith(("? Inconclusive: ", "? Undecided: "))
        assert first.endswith("the policy fails it.")
    elif code == DATA:
        assert first.startswith("✗ ")
        assert "ompared" in first or "found no" in first
    else:
        assert (
            "did you mean 'acceptable'?" in printed.err
            or "the unit of time_per_op is s" in printed.err
        )


def gate(*arguments: str) -> int:
    return run(["gate", "results", "--quiet", *arguments])


@pytest.fixture
def slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gated.write_pair(tmp_path / "results", cost=0.2)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_line_on_the_command_line_is_enough(slower: Path) -> None:
    assert gate("--max-overhead", "time_per_op=5%") == OVER
    assert gate("--max-overhead", "time_per_op=1.3x") == DONE
    assert gate("--max-overhead", "time_per_op=20%", "--on-inconclusive", "fail") == UNSHOWN
    assert gate("--max-overhead", "time_per_op=20%", "--on-inconclusive", "pass") == DONE
    assert gate("--max-overhead", "time_per_op=1.3x", "--max-overhead", "bytes_per_op=+8 B") == DONE
    assert (slower / "results").is_dir()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-overhead", "time_per_op"], "has no limit"),
        (["--max-overhead", "time_per_op=5"], "is not a limit"),
        (["--max-overhead", "time_per_op=-5%"], "is not a limit"),
        (["--on-inconclusive", "warm"], "did you mean 'warn'?"),
        (["--policy", "nowhere.toml"], "cannot be read"),
        (["--pair", "a:b", "--baseline", "a"], "omit --baseline"),
        (["--format", "html"], "use table, md, json"),
    ],
)
def test_usage_error_states_the_remedy(
    slower: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(*arguments) == USAGE
    assert message in capsys.readouterr().err
    assert slower.is_dir()


def test_first_run_passes_only_if_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results("no baseline", tmp_path)
    monkeypatch.chdir(tmp_path)
    limit = ["--max-overhead", "time_per_op=5%"]
    for named in ([], ["--baseline", "main"], ["--pair", "main:enabled"]):
        capsys.readouterr()
        assert gate(*limit, *named) == DATA
        assert gate(*limit, *named, "--allow-missing-baseline") == DONE
        assert "There is no baseline, so nothing was compared" in capsys.readouterr().out


def test_allowing_no_baseline_excuses_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_results("no common name", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert gate("--allow-missing-baseline") == DATA
    (tmp_path / "results" / "enabled.txt").unlink()  # the baseline exists, the change does not
    assert gate("--allow-missing-baseline") == DATA
    assert gate("--allow-missing-baseline", "--baseline", "baseline") == DATA


def test_variants_of_one_file_are_distinguished_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {f"OTelOverhead/OTel_{v}/Ping": cost for v, cost in (("Disabled", 0), ("Enabled", 0.2))}
    gated.write_runs(tmp_path / "results" / "overhead.txt", seed=1, benchmarks=names)
    base = {"OTelOverhead_Baseline/Ping": 0.0}
    gated.write_runs(tmp_path / "results" / "baseline.txt", seed=2, benchmarks=base)
    (tmp_path / "benchkit.toml").write_text(
        """
[ingest]
rename = [["OTelOverhead(_Baseline|/OTel_[A-Za-z]+)/", "OTelOverhead/"]]
split = {pattern = "OTel_(?P<variant>Enabled|Disabled)", lower = true}
[[gate]]
name = "dormant code"
pair = ["baseline", "disabled"]
metric = "time_per_op"
target = "0%"
acceptable = "5%"
[[gate]]
name = "active metrics"
pair = ["disabled", "enabled"]
metric = "time_per_op"
where = {benchmark = ["*/Ping"]}
acceptable = "10%"
""",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    assert gate("--format", "json") == OVER
    gates = json.loads(capsys.readouterr().out)["gates"]
    assert [(g["name"], [row["outcome"] for row in g["rows"]]) for g in gates] == [
        ("dormant code", ["acceptable"]),
        ("active metrics", ["over the limit"]),
    ]


def test_planted_regression_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results("same", tmp_path)
    monkeypatch.chdir(tmp_path)
    limits: list[Sequence[str]] = [
        [],
        ["--max-overhead", "time_per_op=5%"],
        ["--max-overhead", "time_per_op=40us", "--max-overhead", "allocs_per_op=0%"],
    ]
    for limit in limits:
        assert gate(*limit, "--self-test") == DONE
        assert capsys.readouterr().out.startswith(
            "✓ Self-test: the gate catches a planted regression"
        )


@pytest.mark.parametrize(
    ("data", "policy", "message"),
    [
        ("one run", "limit", "1 run on a side, but the policy requires 3"),
        ("same", "absent", "found no benchmark=Gone"),
        ("same", "many runs", "the policy requires 20"),
    ],
)
def test_gate_that_cannot_fail_is_reported(
    data: str,
    policy: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_results(data, tmp_path)
    (tmp_path / "benchkit.toml").write_text(POLICIES[policy], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert gate("--self-test") == DATA
    output = capsys.readouterr().out
    assert output.startswith("✗ Self-test: ")
    assert message in output


def test_too_few_runs_for_the_rows_cannot_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tuple(f"Op{number}" for number in range(8))
    for variant, seed in (("baseline", 1), ("enabled", 2)):
        path = tmp_path / "results" / f"{variant}.txt"
        gated.write_runs(path, seed=seed, runs=4, benchmarks=names)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "benchkit.toml").write_text("[stats]\nmethod = 'rank'\n", encoding="utf-8")
    assert gate("--max-overhead", "time_per_op=5%", "--self-test") == DATA
    assert (
        "over the limit on its own (p 0.014), but not after adjustment for all rows (p 0.114)"
        in capsys.readouterr().out
    )


def test_rule_without_rows_next_to_one_with_rows_reads_as_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results("same", tmp_path)
    gone = POLICIES["ping"].replace("[[gate]]", "[[gate]]\nname = 'gone'").replace("Ping", "Gone")
    rules = POLICIES["ping"] + gone
    (tmp_path / "benchkit.toml").write_text(rules, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert gate() == DATA
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("✗ The gate “gone” found no benchmark=Gone; all runs of ")
    assert first.count(";") == 1


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("", "; it also fails for a crash, a damaged file and a lost benchmark."),
        (
            "[policy]\non_failure = 'warn'\non_missing = 'pass'\n",
            ("; it also fails for a damaged file; the policy allows a crash and a lost benchmark."),
        ),
    ],
)
def test_self_test_plants_a_crash_a_loss_and_damage(
    policy: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_results("same", tmp_path)
    (tmp_path / "benchkit.toml").write_text(f"schema = 1\n{policy}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert gate("--self-test") == DONE
    assert capsys.readouterr().out.splitlines()[0].endswith(f"fails (exit 1){message}")


@pytest.mark.parametrize("name", ["list_incidents", "match_dropped"])
def test_gate_blind_to_incidents_fails_its_self_test(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_results("same", tmp_path)
    monkeypatch.chdir(tmp_path)
    place = "run" if name == "list_incidents" else "judgement"
    monkeypatch.setattr(f"benchkit.gating.{place}.{name}", lambda *_, **__: ())
    assert gate("--max-overhead", "time_per_op=5%", "--self-test") == DATA
    missed = "a crash and a damaged file" if place == "run" else "a lost benchmark"
    sentence = f"✗ Self-test: the gate missed a planted incident: {missed}."
    assert capsys.readouterr().out.startswith(sentence)


@pytest.mark.parametrize(
    "tail",
    [
        "--- FAIL: BenchmarkSet\nPASS\nok  \tx\t0.4s\n",
        "PASS\n--- FAIL: BenchmarkSet\nok  \tx\t1s\n",
    ],
)
def test_failed_benchmark_fails_the_gate_despite_passing_output(
    tmp_path: Path, tail: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome_cases.go_crash(tail)(tmp_path)
    assert run(["gate", str(tmp_path)]) == OVER
    assert "--- FAIL: BenchmarkSet" in capsys.readouterr().out
