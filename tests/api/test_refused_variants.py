"""A variant whose file has no result is named in the verdict; a note next to results is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from invocation import benchkit

import benchkit as bk

WRK = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"


def lay(folder: Path, name: str, text: str) -> Path:
    for variant in ("none", "apm"):
        shutil.copy(WRK / variant / "wrk-1.txt", folder / f"{variant}.txt")
    (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("text", ["", "Killed\n", "curl: (7) could not connect\nbye\n"])
def test_variant_without_results_is_named(text: str, tmp_path: Path) -> None:
    verdict = bk.load(lay(tmp_path, "otlp.txt", text)).compare().verdict
    assert verdict.endswith("; no readable requests/s: otlp.")


def test_path_may_be_relative(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    lay(tmp_path / "results", "otlp.txt", "no such host\n")
    done = benchkit("compare", "results", cwd=tmp_path)
    assert done.stdout.splitlines()[0].endswith("; no readable requests/s: otlp.")


@pytest.mark.parametrize("name", ["my_notes.txt", "targets.txt", "otlp.cfg", "none.txt.log"])
def test_note_is_not_a_variant(name: str, tmp_path: Path) -> None:
    verdict = bk.load(lay(tmp_path, name, "as told by the team\n")).compare().verdict
    assert "no readable" not in verdict


def test_unselected_variants_are_not_reported_missing(tmp_path: Path) -> None:
    verdict = bk.load(lay(tmp_path, "otlp.txt", "hello\n")).compare(variant="apm").verdict
    assert "no readable" not in verdict
