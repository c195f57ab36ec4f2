"""Sides with equal values are one measurement under two names, unless their starts differ."""

from __future__ import annotations

import re
from pathlib import Path

import audit_inputs
import gated
import pytest

import benchkit.api as bk
from benchkit.cli import run

#: Few runs, two of which are equal: 5 distinct values in 6.
SHORT = "".join(
    f"BenchmarkGet-8 1000 {time} ns/op 16 B/op 1 allocs/op\n"
    for time in (103.4, 101.2, 104.1, 101.2, 100.7, 102.9)
)
SAME = "✗ All values of pr equal those of main: one measurement under two names"


def start(path: Path, second: int) -> None:
    text = f"start = 2026-11-26T04:00:{second:02}Z\n"
    path.with_name(f"{path.name}.run.toml").write_text(text)


def write_copies(*, text: str | None = None) -> list[Path]:
    """Write ``main.txt``, and a copy of it with other line endings."""
    main, pr = Path("main.txt"), Path("pr.txt")
    if text is None:
        gated.write_runs(main, seed=1)
    else:
        main.write_text(text + "PASS\n")
    pr.write_bytes(main.read_bytes().replace(b"\n", b"\r\n"))
    return [main, pr]


@pytest.mark.parametrize("text", [None, SHORT])
def test_copy_with_other_line_endings_is_named(
    text: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_copies(text=text)
    assert run(["gate", ".", "--quiet"]) == 3
    assert SAME in capsys.readouterr().out
    sides = [f.where for f in bk.load(".").compare().findings if f.code == "B105"]
    assert sides == ["main, pr"]


@pytest.mark.parametrize("seconds", [(1, 1), (1, 2)])
def test_recorded_starts_distinguish_copies_from_runs(
    seconds: tuple[int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, second in zip(write_copies(), seconds, strict=True):
        start(path, second)
    is_copy = len(set(seconds)) == 1
    assert run(["gate", ".", "--quiet"]) == (3 if is_copy else 0)
    assert (SAME in capsys.readouterr().out) is is_copy
    assert any(f.code == "B105" for f in bk.load(".").compare().findings) is is_copy


@pytest.mark.parametrize("seconds", [(1, 1), (1, 2), (1, None)])
def test_loads_with_equal_numbers_are_copies_unless_their_starts_differ(
    seconds: tuple[int | None, ...], tmp_path: Path
) -> None:
    report = audit_inputs.wrk()
    for name, second in zip(("none", "otlp"), seconds, strict=True):
        path = tmp_path / name / "wrk-1.txt"
        path.parent.mkdir()
        path.write_text(report if name == "none" else f"$ wrk\n{report}")
        if second:
            start(path, second)
    runs = bk.load(tmp_path)
    codes = [f.code for f in runs.compare().findings if f.code == "B105"]
    assert codes == ([] if seconds == (1, 2) else ["B105"])


def test_values_of_few_levels_may_be_equal_by_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "".join(f"BenchmarkGet-8 1000 {time} ns/op\n" for time in (3, 4, 3, 3, 4, 3))
    write_copies(text=text)
    assert not any(f.code == "B105" for f in bk.load(".").compare().findings)


def write_three(*, copy: str, of: str) -> None:
    """Write a baseline and two variants, one of which is a copy with other line endings."""
    for seed, name in enumerate(("main", "apm", "otlp"), 1):
        gated.write_runs(Path(f"{name}.txt"), seed=seed)
    data = Path(f"{of}.txt").read_bytes()
    Path(f"{copy}.txt").write_bytes(data.replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(("copy", "of"), [("otlp", "apm"), ("apm", "otlp"), ("otlp", "main")])
def test_variants_of_one_baseline_are_checked_against_each_other(
    copy: str,
    of: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_three(copy=copy, of=of)
    loaded = bk.load(".").compare(baseline="main")
    sides = [f.where for f in loaded.findings if f.code == "B105"]
    assert sides == ["main, otlp" if of == "main" else "apm, otlp"]
    assert run(["gate", ".", "--quiet", "--baseline", "main"]) == 3
    assert "equal those of" in capsys.readouterr().out


def test_three_copies_are_named_only_with_their_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_three(copy="otlp", of="apm")
    Path("zipkin.txt").write_bytes(Path("apm.txt").read_bytes().replace(b"\n", b"\n\n"))
    loaded = bk.load(".").compare(baseline="main")
    sides = [f.where for f in loaded.findings if f.code == "B105"]
    assert sides == ["apm, otlp", "apm, zipkin"]


def test_variants_sharing_some_values_are_not_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_three(copy="otlp", of="apm")
    text = Path("otlp.txt").read_text()
    Path("otlp.txt").write_text(re.sub(r"[\d.]+ ns/op", "30001.5 ns/op", text, count=1))
    loaded = bk.load(".").compare(baseline="main")
    assert not any(f.code == "B105" for f in loaded.findings)
