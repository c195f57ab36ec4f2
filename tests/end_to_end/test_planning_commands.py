"""`plan` and `noise` as users meet them: real results in; answers, files and refusals out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invocation import benchkit

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TRACING = str(FIXTURES / "tracing-wrk")


def test_plan_of_the_quiet_set(tmp_path: Path) -> None:
    done = benchkit("plan", TRACING, "--effect", "5%", "--power", "0.8", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Run each side 8 times to detect a change of 5")
    assert "4 primary rows" in done.stdout
    assert "Traceback" not in done.stderr


def test_one_variant_is_enough(tmp_path: Path) -> None:
    done = benchkit("plan", f"{TRACING}/none", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (row,) = document["plan"]["rows"]
    assert document["format_version"] == 2
    assert document["plan"]["goal"]["effect"] == pytest.approx(0.06)
    assert row["spread"]["cv"] == pytest.approx(0.0195, abs=5e-5)
    assert row["effect"] == {"runs": 4, "high": 5}
    assert document["sentences"]


def test_noise_of_the_quiet_set(tmp_path: Path) -> None:
    done = benchkit("noise", TRACING, "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    noise = json.loads(done.stdout)["noise"]
    assert noise["metrics"][0]["splits"] == 175
    assert noise["metrics"][0]["margin"] == 0.035
    assert len(noise["rows"]) == 5


@pytest.mark.parametrize("command", ["plan", "noise"])
def test_extension_selects_the_format(tmp_path: Path, command: str) -> None:
    for ending, start in (
        (".md", ("Run each", "request")),
        (".json", ("{",)),
        (".txt", ("R", "r")),
    ):
        out = tmp_path / f"answer{ending}"
        done = benchkit(command, TRACING, "-o", str(out), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        assert out.read_text(encoding="utf-8").startswith(start)
    assert "| variant |" in (tmp_path / "answer.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("plan", TRACING, "--power", "2"), 2, "is not a share between 0 and 1"),
        (("plan", TRACING, "--confidence", "0.9999999999"), 2, "above 0.999999"),
        (
            ("plan", TRACING, "--power", "0.01"),
            2,
            "is not above the significance level of the test",
        ),
        (("plan", TRACING, "--metric", "latncy"), 3, "did you mean 'latency'?"),
        (("plan", TRACING, "--format", "csv"), 2, "use table, md, json"),
        (("noise", TRACING, "--runs", "5"), 3, "10 are needed"),
        (("noise", TRACING, "--pair", "none:nobody"), 3, "unknown variant 'nobody'"),
        (("noise", TRACING, "--pair", "none"), 2, "expected BASELINE:VARIANT"),
        (("plan", TRACING, "--by", "variant"), 2, "use --by variant=VALUE"),
        (("noise", TRACING, "--by", "variant=nobody"), 3, "unknown variant 'nobody'"),
        (
            ("plan", str(FIXTURES / "benchstat" / "new-1file.txt")),
            3,
            "summaries have no individual runs",
        ),
        (("plan",), 3, "the store is empty"),
        (("noise",), 3, "the store is empty"),
    ],
)
def test_refusals_state_a_remedy(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    done = benchkit(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def write_attack(path: Path, level: float) -> None:
    """Write the output of `vegeta encode --to csv`: 400 requests, one every millisecond."""
    path.parent.mkdir(exist_ok=True)
    lines = [
        f"{1763683200000000000 + i * 1000000},200,{int(level * (1 + i % 7 / 1000))},0,2,,,,{i},GET,"
        "http://localhost:8080/ping,"
        for i in range(400)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_raw_samples_show_the_source_of_the_spread(tmp_path: Path) -> None:
    for run, level in enumerate((1.9e6, 2.0e6, 2.1e6, 2.05e6), 1):
        write_attack(tmp_path / "none" / f"vegeta-{run}.csv", level)
    done = benchkit("plan", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "within a run (4 runs): more runs help, more requests do not" in done.stdout
    assert "between runs" in done.stdout


def test_pair_of_variants_taken_as_identical(tmp_path: Path) -> None:
    done = benchkit("noise", TRACING, "--pair", "none:apm", "--metric", "latency.p99", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "none and apm" in done.stdout
    assert "500 of 6435" in done.stdout
