"""Blocks of AsciiDoc name only the results in them, and their delimiters underline nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk

GO = "BenchmarkFib-8   28947   {} ns/op\nPASS\n"


def list_names(folder: Path, text: str) -> list[tuple[str, int]]:
    (folder / "page.adoc").write_text(text, encoding="utf-8")
    runs = bk.load(folder / "page.adoc").runs
    return list(zip(runs["benchmark"], runs["run"], strict=True))


def write_listing(number: int) -> str:
    return f"----\n{GO.format(number)}----\n"


def test_an_admonition_is_no_heading_of_the_results_below(tmp_path: Path) -> None:
    note = "[NOTE]\n====\nThe first number counts iterations.\n====\n"
    text = f"= Bench\n\n== One\n\n{write_listing(40)}\n{note}\n== Two\n\n{write_listing(41)}"
    assert list_names(tmp_path, text) == [("One / Fib", 1), ("Two / Fib", 1)]


def test_the_title_of_a_block_names_no_result_below_the_block(tmp_path: Path) -> None:
    titled = f".With a warm cache\n[source,console]\n{write_listing(40)}"
    text = f"= Bench\n\n== Fib\n\n{titled}\n{write_listing(41)}"
    names = [name for name, _ in list_names(tmp_path, text)]
    assert names == ["With a warm cache / Fib", "Fib"]


def test_the_title_of_an_example_names_the_results_in_it(tmp_path: Path) -> None:
    example = f".Cold\n====\nFirst:\n\n{write_listing(40)}\n====\n"
    other = f"\n.Warm\n====\n{write_listing(41)}====\n"
    names = [name for name, _ in list_names(tmp_path, f"= Bench\n\n{example}{other}")]
    assert names == ["Cold / Fib", "Warm / Fib"]


def test_underlined_titles_of_older_pages_are_headings(tmp_path: Path) -> None:
    pages = [f"{name}\n{'-' * len(name)}\n\n{write_listing(40)}" for name in ("Before", "Later")]
    names = [name for name, _ in list_names(tmp_path, "= Bench\n\n" + "\n".join(pages))]
    assert names == ["Before / Fib", "Later / Fib"]


@pytest.mark.parametrize("name", ["log.txt", "page.adoc"])
def test_rules_below_banners_are_no_blocks(name: str, tmp_path: Path) -> None:
    rows = "BenchmarkFib-8   28947   {} ns/op"
    text = "".join(
        f"=== {each}\n\n--------\n{rows.format(40)}\n\n" for each in ("gin", "chi", "mux")
    )
    (tmp_path / name).write_text(text, encoding="utf-8")
    runs = bk.load(tmp_path / name).runs
    assert runs["benchmark"].tolist() == ["gin / Fib", "chi / Fib", "mux / Fib"]


def test_states_of_tests_end_no_block(tmp_path: Path) -> None:
    listings = [
        f".{name}\n----\n=== RUN   TestFib\n--- PASS: TestFib (0.00s)\n{GO.format(40)}----\n"
        for name in ("Cold", "Warm")
    ]
    names = [name for name, _ in list_names(tmp_path, "= Bench\n\n" + "\n".join(listings))]
    assert names == ["Cold / Fib", "Warm / Fib"]


@pytest.mark.parametrize("delimiter", ["====", "****"])
@pytest.mark.parametrize("blank", ["", "\n"])
def test_the_title_of_a_block_names_results_without_a_listing(
    delimiter: str, blank: str, tmp_path: Path
) -> None:
    blocks = [
        f".{name}\n{delimiter}\n{blank}{GO.format(40)}{delimiter}\n" for name in ("Cold", "Warm")
    ]
    text = "= Bench\n\n" + "\n".join(blocks)
    assert list_names(tmp_path, text) == [("Cold / Fib", 1), ("Warm / Fib", 1)]


@pytest.mark.parametrize("heading", ["## {}\n\n----", "{}\n----\n"])
def test_rules_below_headings_of_markdown_are_no_blocks(heading: str, tmp_path: Path) -> None:
    rows = GO.format(40)
    parts = [f"{heading.format(name)}\n{rows}\n" for name in ("gin", "chi", "mux")]
    rule = "----\n\n" if heading.startswith("{") else ""
    names = [name for name, _ in list_names(tmp_path, "== Suite\n\n" + rule.join(parts))]
    assert names == ["gin / Fib", "chi / Fib", "mux / Fib"]
