"""Results that differ only in the note after them are not repeats."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

ROW = "BenchmarkX-8 \t6687\t173928 ns/op\t3 B/op"


def list_runs(loaded: bk.RunSet) -> list[tuple[str, str, int]]:
    runs = loaded.runs
    assert set(runs["role"]) == {"measured"}
    return list(zip(runs["variant"], runs["benchmark"], runs["run"], strict=True))


def load(folder: Path, text: str) -> bk.RunSet:
    (folder / "go.txt").write_text(text, encoding="utf-8")
    return bk.load(folder / "go.txt")


@pytest.mark.parametrize(
    "notes",
    [
        ("(initial)", "(after pool)"),
        ("[initial]", "[after pool]"),
        ("# initial", "# after pool"),
        ("// initial", "// after pool"),
        ("<- initial", "<-- after pool"),
        ("(initial)", "(`after` **pool**)"),
    ],
)
@pytest.mark.parametrize("start", ["", "// ", "    # "])
@pytest.mark.parametrize("end", ["\n", ""])
def test_notes_after_go_results_name_them(
    tmp_path: Path, notes: tuple[str, str], start: str, end: str
) -> None:
    loaded = load(tmp_path, "\n".join(f"{start}{ROW} {note}" for note in notes) + end)
    assert list_runs(loaded) == [("go", "initial / X", 1), ("go", "after pool / X", 1)]
    assert list(loaded.observations["value"])[1::2] == [3.0, 3.0]


def test_note_that_names_the_baseline_makes_variants(tmp_path: Path) -> None:
    loaded = load(tmp_path, f"{ROW} (baseline)\n{ROW} (pooled)\n")
    assert list_runs(loaded) == [("baseline", "X", 1), ("pooled", "X", 1)]


@pytest.mark.parametrize("note", ["(run {})", "# {}. run", "(warm)", ""])
def test_equal_or_counting_notes_leave_repeats(tmp_path: Path, note: str) -> None:
    loaded = load(tmp_path, "".join(f"{ROW} {note.format(at)}\n" for at in (1, 2, 3)))
    assert list_runs(loaded) == [("go", "X", 1), ("go", "X", 2), ("go", "X", 3)]


@pytest.mark.parametrize("space", ["", " "])
def test_two_sides_of_a_diff_are_not_repeats(tmp_path: Path, space: str) -> None:
    """They used to be runs 1 and 2 of one test, without a warning."""
    loaded = load(tmp_path, f"```diff\n-{space}{ROW}\n+{space}{ROW}\n```\n")
    assert list_runs(loaded) == [("go", "old / X", 1), ("go", "new / X", 1)]


@pytest.mark.parametrize("sign", ["-", "+"])
def test_common_sign_before_results_leaves_repeats(tmp_path: Path, sign: str) -> None:
    loaded = load(tmp_path, f"{sign} {ROW}\n{sign} {ROW}\n")
    assert list_runs(loaded) == [("go", "X", 1), ("go", "X", 2)]


def test_result_without_a_note_is_not_a_repeat_of_one_with_a_note(tmp_path: Path) -> None:
    loaded = load(tmp_path, f"{ROW}\n{ROW} (after pool)\n")
    assert list_runs(loaded) == [("go", "X", 1), ("go", "after pool / X", 1)]


def test_notes_after_different_benchmarks_do_not_name_them(tmp_path: Path) -> None:
    other = ROW.replace("X", "Y")
    loaded = load(tmp_path, f"{ROW} (12 % slower)\n{other} (the fastest)\n")
    assert list_runs(loaded) == [("go", "X", 1), ("go", "Y", 1)]


def test_bracket_within_a_result_is_damage(tmp_path: Path) -> None:
    loaded = load(tmp_path, f"BenchmarkX-8 \t6687\t173928 ns/op (nil) 3 B/op\n{ROW}\n")
    assert "damaged" in set(loaded.runs["role"])
