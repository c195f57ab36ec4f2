"""Files, folders, label=path and standard input become sources with labels."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from benchkit.errors import ConfigError, DataError
from benchkit.ingestion.discovery import Options, discover, split_label
from benchkit.ingestion.sources import Found

BENCH = "BenchmarkPing-2 \t 100 \t 12.5 ns/op\n"


def found(*arguments: str, **options: object) -> list[Found]:
    return discover(arguments, Options(**options)).found  # type: ignore[arg-type]


def variants(sources: list[Found]) -> list[str]:
    return [source.variant or source.labels.variant for source in sources]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("old/bench.txt", "new/bench.txt", "old.txt", "new.txt", "notes.md", "x=y.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(BENCH)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("tree")
def test_a_named_file_is_a_variant_of_its_own() -> None:
    assert variants(found("old.txt", "new.txt")) == ["old", "new"]


@pytest.mark.usefixtures("tree")
def test_a_label_stands_above_the_name() -> None:
    assert variants(found("base=old.txt", "otel=new.txt")) == ["base", "otel"]


@pytest.mark.usefixtures("tree")
def test_equal_names_take_the_shortest_paths_that_tell_them_apart() -> None:
    assert variants(found("old/bench.txt", "new/bench.txt")) == ["old/bench.txt", "new/bench.txt"]


@pytest.mark.usefixtures("tree")
def test_a_path_with_an_equals_sign_in_it_is_a_path() -> None:
    assert split_label("x=y.txt") == ("", "x=y.txt")
    assert [source.label for source in found("x=y.txt")] == ["x=y.txt"]


@pytest.mark.usefixtures("tree")
def test_documents_are_passed_over_unless_they_are_named() -> None:
    seen = discover(["."], Options())
    assert [path for path, _ in seen.skipped] == ["notes.md"]
    assert [source.label for source in found("notes.md")] == ["notes.md"]


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(BENCH.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    (source,) = found("none=-")
    assert source.variant == "none"
    assert list(source.load().lines()) == [(1, BENCH.rstrip("\n"))]


def test_a_path_that_is_not_there_is_an_error() -> None:
    with pytest.raises(DataError, match="no such file"):
        found("nowhere.txt")


def test_a_layout_that_cannot_be_used_is_an_error() -> None:
    with pytest.raises(ConfigError):
        found(".", layout="{variant")


@pytest.mark.usefixtures("tree")
def test_a_layout_that_no_file_follows_is_refused_with_two_files_and_an_example() -> None:
    with pytest.raises(ConfigError) as caught:
        found(".", layout="{variant}/{run}.json")
    assert caught.value.exit_code == 2
    assert "does not match new/bench.txt and new.txt, the first of 5 files" in str(caught.value)
    assert caught.value.hint == "expected paths that end like variant/1.json"


@pytest.mark.usefixtures("tree")
def test_a_layout_that_some_files_follow_is_used() -> None:
    labels = [source.labels for source in found(".", layout="{variant}/bench.txt")]
    assert [label.by_layout for label in labels] == [True, False, True, False, False]


def test_what_lies_below_a_labelled_folder_stays_apart_with_a_note(tmp_path: Path) -> None:
    for place in ("go1.21/1.txt", "go1.22/1.txt"):
        path = tmp_path / "old" / place
        path.parent.mkdir(parents=True)
        path.write_text(BENCH)
    for seen in (
        discover([f"main={tmp_path / 'old'}"], Options()),
        discover([str(tmp_path / "old")], Options(variant="main")),
    ):
        assert [source.labels.group for source in seen.found] == ["go1.21", "go1.22"]
        (note,) = seen.diagnostics
        assert "its folders go1.21, go1.22 are groups" in str(note)


@pytest.mark.parametrize(
    ("declared", "groups"),
    [
        (["run.toml"], ["exp/off", "exp/off", "exp/on"]),
        (["exp/run.toml"], ["exp/off", "exp/off", "exp/on"]),
        (["exp/off/run.toml", "exp/on/run.toml"], ["exp", "exp", "exp"]),
    ],
)
def test_folders_below_one_declared_variant_are_no_repeats(
    tmp_path: Path, declared: list[str], groups: list[str]
) -> None:
    for place in ("exp/off/1.txt", "exp/off/2.txt", "exp/on/1.txt"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BENCH)
    for place in declared:
        (tmp_path / place).write_text('variant = "x"')
    seen = discover([str(tmp_path)], Options())
    assert {source.sidecar.variant for source in seen.found} == {"x"}
    assert [source.labels.group for source in seen.found] == groups
    notes = [str(note) for note in seen.diagnostics]
    assert ["its folders exp/off, exp/on are groups" in note for note in notes] == (
        [True] if "exp/off" in groups else []
    )
