"""Sidecars of results that were packed, renamed or removed still count for a gate."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import gated
import pytest

from benchkit.cli import run

GATE = ("gate", "--max-overhead", "time_per_op=50%", "--quiet")
FAILED = "exit_code = 1\n"


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write two sides of four files, and return one of the variant's."""
    monkeypatch.chdir(tmp_path)
    for seed, side in enumerate(("main", "pr"), 1):
        for number in range(1, 5):
            file = Path(f"res/{side}/go-{number}.txt")
            gated.write_runs(file, seed=10 * seed + number, runs=1, spread=0.002)
    return Path("res/pr/go-3.txt")


def write_sidecar(result: Path, text: str) -> Path:
    sidecar = result.with_name(f"{result.name}.run.toml")
    sidecar.write_text(text, encoding="utf-8")
    return sidecar


def pack(result: Path) -> Path:
    packed = result.with_name(f"{result.name}.gz")
    packed.write_bytes(gzip.compress(result.read_bytes()))
    result.unlink()
    return packed


def test_failed_run_stays_failed_when_packed(
    result: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_sidecar(result, FAILED)
    assert run(["ingest", "res"]) == 0
    assert run(GATE) == 1
    pack(result)
    assert run(["ingest", "res"]) == 0
    capsys.readouterr()
    for paths in ([], ["res"]):
        assert run([*GATE, *paths]) == 1
        assert "go-3.txt.gz: its command exited with code 1" in capsys.readouterr().out


@pytest.mark.parametrize("benchmark", ["", gated.BENCHMARKS[0]])
@pytest.mark.parametrize(("recorded", "code"), [(1, 1), ("-9", 1), (0, 0), (None, 0)])
def test_exit_code_in_a_list_of_runs_marks_the_run_failed(
    result: Path,
    recorded: int | str | None,
    code: int,
    benchmark: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    times = {"start": "2026-11-21T01:21:43Z", "end": "2026-11-21T01:21:58Z"}
    names = {"variant": "pr", "run": 3} | ({"benchmark": benchmark} if benchmark else {})
    entry = {**names, **times, "exit_code": recorded}
    result.parent.with_name("runs.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert run([*GATE, "res"]) == code
    text = f"{result}: its command exited with code {recorded}"
    assert (text in capsys.readouterr().out) == bool(code)


def test_changed_list_of_runs_is_read_again(result: Path) -> None:
    """A failure recorded after the ingest counts, and one that was corrected does not."""
    times = {"start": "2026-11-21T01:21:43Z", "end": "2026-11-21T01:21:58Z"}
    entry = {"variant": "pr", "run": 3, **times}
    codes = []
    for code in (0, 1, 0, None):
        text = json.dumps([] if code is None else [{**entry, "exit_code": code}])
        result.parent.with_name("runs.json").write_text(text, encoding="utf-8")
        assert run(["ingest", "res"]) == 0
        codes.append(run(GATE))
    assert codes == [0, 1, 0, 0]


def test_sidecar_of_a_packed_result_applies_after_unpacking(result: Path) -> None:
    write_sidecar(pack(result), FAILED)
    gated.write_runs(result, seed=23, runs=1, spread=0.002)
    result.with_name(f"{result.name}.gz").unlink()
    assert run([*GATE, "res"]) == 1


def test_sidecar_with_the_exact_name_takes_precedence(result: Path) -> None:
    write_sidecar(result, FAILED)
    write_sidecar(pack(result), "exit_code = 0\n")
    assert run([*GATE, "res"]) == 0


@pytest.mark.parametrize("text", [FAILED, "position = 3\n", "not = valid = toml\n"])
@pytest.mark.parametrize("new", ["go-3.log", "go-5.txt", None])
def test_sidecar_without_its_result_is_damage(
    result: Path, new: str | None, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_sidecar(result, text)
    if new is None:
        result.unlink()
    else:
        result.rename(result.with_name(new))
    run(["ingest", "res"])
    assert "go-3.txt: its sidecar go-3.txt.run.toml is there, but the result is not; " in (
        capsys.readouterr().err
    )
    for paths in ([], ["res"]):
        assert run([*GATE, *paths]) == 3
        assert "✗ 1 file is damaged: res/pr/go-3.txt: its sidecar" in capsys.readouterr().out


def test_sidecar_without_the_extension_of_its_result_is_damage(result: Path) -> None:
    result.with_name("go-3.run.toml").write_text(FAILED, encoding="utf-8")
    assert run([*GATE, "res"]) == 3


def test_excluded_sidecar_is_not_damage(result: Path) -> None:
    last = result.with_name("go-4.txt")  # without an earlier ingest, runs are missing
    write_sidecar(last, FAILED)
    last.unlink()
    assert run([*GATE, "res", "--exclude", "*.run.toml"]) == 0
