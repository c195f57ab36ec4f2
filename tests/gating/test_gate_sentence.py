"""The mark of the sentence, the listed events, and causes that precede their consequences."""

from __future__ import annotations

import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

HEAD = "schema = 1\n"
LET_GONE = HEAD + '[policy]\non_missing = "pass"\n'
ACCEPT = HEAD + '[[gate.accept]]\nbenchmark = "*"\nuntil = 2999-01-01\nreason = "TLS"\n'


def gate(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    capsys.readouterr()
    code = run(["gate", *arguments, "--quiet", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == code
    listed = dict.fromkeys(document["counts"], 0)
    for event in document["events"]:
        listed[event["event"]] += 1
        assert event["text"]
    assert listed == document["counts"]
    return dict(document)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("policy", "cost", "benchmarks", "note", "start"),
    [
        (ACCEPT, 0.3, ("Ping", "Set"), "", "✓ Accepted: "),
        (LET_GONE, 0.0, ("Ping",), "", "✓ No regression: "),
        (HEAD, 0.0, ("Ping", "Set"), "hello\n", "✓ No regression: "),
        (HEAD, 0.0, ("Ping",), "", "✗ Set not compared"),
    ],
)
def test_mark_matches_the_verdict(
    policy: str,
    cost: float,
    benchmarks: tuple[str, ...],
    note: str,
    start: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "benchkit.toml").write_text(policy)
    gated.write_runs(folder / "r" / "baseline.txt", seed=1)
    gated.write_runs(folder / "r" / "enabled.txt", seed=2, cost=cost, benchmarks=benchmarks)
    if note:
        (folder / "r" / "notes.log").write_text(note)
    document = gate(capsys, "r")
    assert str(document["sentence"]).startswith(start)
    assert document["verdict"] == ("pass" if start[0] == "✓" else "fail")


def test_missing_benchmark_is_a_single_event(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gated.write_runs(folder / "r" / "baseline.txt", seed=1)
    gated.write_runs(folder / "r" / "enabled.txt", seed=2, cost=0.3, benchmarks=("Ping",))
    document = gate(capsys, "r")
    counts, events = document["counts"], document["events"]
    assert isinstance(counts, dict)
    assert isinstance(events, list)
    assert (counts["missing"], counts["regression"]) == (1, 1)
    (gone,) = [event["text"] for event in events if event["event"] == "missing"]
    assert gone.endswith(
        "allocations per operation on Set gomaxprocs=8 not compared: only in baseline"
    )


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    ("crashed", "policy", "code", "verdict"),
    [
        ("base", "fail", 4, "undecided"),
        ("new", "fail", 1, "fail"),
        ("base", "warn", 3, "fail"),
        ("new", "warn", 3, "fail"),
        ("base", "pass", 3, "fail"),
    ],
)
def test_crash_decides_before_the_comparison_it_prevents(
    crashed: str,
    policy: str,
    code: int,
    verdict: str,
    named: bool,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "benchkit.toml").write_text(f'{HEAD}[policy]\non_failure = "{policy}"\n')
    for seed, name in enumerate(("base", "new")):
        path = gated.write_runs(folder / "r" / name / "1.txt", seed=seed)
        if name == crashed:
            path.write_text(path.read_text().removesuffix("PASS\n") + "FAIL\n")
    paths = ["base=r/base/1.txt", "new=r/new/1.txt"] if named else ["r"]
    document = gate(capsys, *paths)
    assert (document["exit_code"], document["verdict"]) == (code, verdict)
    assert "nothing to compare" not in str(document["sentence"])


def test_inconclusive_sentence_leads_with_the_likeliest_not_the_noisiest_row(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noisy = {"baseline": (20, 30, 45, 25, 40, 33), "enabled": (22, 35, 50, 24, 45, 36)}
    quiet = {"baseline": (300, 302, 298, 301, 299, 303), "enabled": (315, 319, 314, 318, 316, 320)}
    for side, values in noisy.items():
        rows = [("Noisy", value) for value in values] + [("Quiet", v) for v in quiet[side]]
        lines = [f"Benchmark{name}-8\t1000\t{value} ns/op" for name, value in rows]
        (folder / "r").mkdir(exist_ok=True)
        (folder / "r" / f"{side}.txt").write_text("\n".join([*lines, "PASS", ""]))
    document = gate(capsys, "r", "--max-overhead", "time_per_op=5%")
    assert "on Quiet" in str(document["sentence"]).partition(";")[0]


def test_pass_leads_with_a_changed_row(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated.write_pair(folder / "r", cost=-0.2)
    document = gate(capsys, "r")
    assert str(document["sentence"]).startswith("✓ No regression: enabled takes ")


def test_bytes_are_named_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated.write_pair(folder / "r")
    path = folder / "r" / "baseline.txt"
    path.write_text(path.read_text().replace("172 B/op", "0 B/op"))
    sentence = str(gate(capsys, "r")["sentence"]).replace("\N{NO-BREAK SPACE}", " ")
    assert "allocates 172 B more per operation than baseline" in sentence


def test_crash_is_reported_once_with_one_count(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(6):
        for side in ("baseline", "enabled"):
            seed = 2 * number + (side == "baseline")
            gated.write_runs(folder / side / f"{number}.txt", seed=seed, runs=1)
    path = folder / "enabled" / "3.txt"
    path.write_text(path.read_text().replace("PASS\n", "panic: lost\n"))
    run(["gate", "baseline", "enabled", "--quiet"])
    printed = capsys.readouterr().out
    assert printed.count("A run of enabled failed") == 1
    assert "left out 1 failed run of 'enabled':" in printed
    assert "lists it" in printed
