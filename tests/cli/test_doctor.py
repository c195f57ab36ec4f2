"""`benchkit doctor` end to end: grade, output file, JSON and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invocation import benchkit


def test_doctor_prints_a_grade_and_the_checks(tmp_path: Path) -> None:
    done = benchkit("doctor", "--seconds", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Grade ")
    assert done.stderr == "measuring for 1 s; leave the machine alone\n"


def test_file_name_selects_the_format(tmp_path: Path) -> None:
    done = benchkit("doctor", "--seconds", "1", "-q", "-o", "doctor.json", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    document = json.loads((tmp_path / "doctor.json").read_text(encoding="utf-8"))
    assert document["format_version"] == 2
    assert document["doctor"]["noise"]["grade"] in "ABCDEF"
    assert document["doctor"]["noise"]["durations"]
    assert {"name", "state", "reading", "remedy"} == set(document["doctor"]["checks"][0])


def test_zero_seconds_measure_nothing(tmp_path: Path) -> None:
    done = benchkit("doctor", "--seconds", "0", "--format", "json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["doctor"]["noise"] is None


@pytest.mark.parametrize("words", [("--seconds", "0.5"), ("--seconds", "nan"), ("--format", "csv")])
def test_usage_error(tmp_path: Path, words: tuple[str, str]) -> None:
    done = benchkit("doctor", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words[0] in done.stderr
