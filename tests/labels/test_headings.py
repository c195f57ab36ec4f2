"""Headings count runs, mark warm-ups, name variants, or name benchmarks."""

from __future__ import annotations

import pytest

from benchkit.labels.headings import Page, Sections, read_sections, shorten

NAMES = ("baseline", "none")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1. GET", "GET"),
        ("2) GET", "GET"),
        ("1.2 GET", "GET"),
        ("a) GET", "GET"),
        ("100 users", "100 users"),
        ("HTTP/1.1", "HTTP/1.1"),
        ("v1.2.3", "v1.2.3"),
        ("Run 2", ""),
        ("Trial #2", ""),
        ("#2", ""),
        ("Rep 2", ""),
        ("Measurement 2", ""),
        ("Прогон 2", ""),
        ("Attack 50/s", "Attack 50/s"),
        ("Figure 1: nginx", "nginx"),
        ("Table 2. GET", "GET"),
        ("Figure 1", "Figure 1"),
        ("Second run", ""),
        ("第一次", ""),
        ("2024-01-31", ""),
        ("Jan 31, 2024 10:00", ""),
        ("Mon Mar  9 14:50:18 UTC 2020", ""),
        ("2024-01-31T10:00:00Z", ""),
        ("Run at 2024-01-31 10:00:00", ""),
        ("Run started 2024-01-31 10:00:00", ""),
        ("Run 2024-01-31", ""),
        ("GET, run of 2024-01-31", "GET"),
        ("Run at 8 cores", "Run at 8 cores"),
        ("Rodada 2:", ""),
        ("2024/01/31 10:00:00 server started in 154us", "server started in"),
        ("[gin] Completed 200 OK in 1.09 ms", "[gin] Completed 200 OK in"),
        ("Ramp up in 5s", "Ramp up in 5s"),
        ("GET, run 2", "GET"),
        ("Run 2: GET", "GET"),
        ("GET (run 2)", "GET"),
        ("Running the tests", "Running the tests"),
        ("Test 1", "Test 1"),
        ("Iterations", "Iterations"),
    ],
)
def test_run_counts_are_dropped_from_headings(text: str, name: str) -> None:
    assert shorten(text) == (name, False)


@pytest.mark.parametrize(
    ("text", "name"),
    [("Warm-up", ""), ("warmup run", ""), ("Warming up", ""), ("GET (warm-up)", "GET")],
)
def test_warmup_is_recognised_in_a_heading(text: str, name: str) -> None:
    assert shorten(text) == (name, True)


@pytest.mark.parametrize("text", ["After warm-up", "Without warmup", "Results (warm cache)"])
def test_heading_that_is_not_a_warmup_is_kept(text: str) -> None:
    assert shorten(text) == (text, False)


def test_level_with_a_baseline_names_variants() -> None:
    pages = [({1: "Baseline", 2: "GET"}, "", (), ()), ({1: "otlp", 2: "GET"}, "", (), ())]
    assert read_sections(pages, NAMES) == [
        Sections({2: "GET"}, variant="Baseline", variant_depth=1),
        Sections({2: "GET"}, variant="otlp", variant_depth=1),
    ]


def test_single_baseline_heading_is_an_ordinary_heading() -> None:
    assert (
        read_sections([({1: "none"}, "", (), ()), ({1: "none"}, "", (), ())], NAMES)[0].variant
        == ""
    )


def test_command_line_variant_leaves_the_heading_in_the_name() -> None:
    section = read_sections([({1: "none", 2: "x"}, "", (), ()), ({1: "otlp"}, "", (), ())], NAMES)[
        0
    ]
    assert section.list_names(is_variant_taken=True) == {"1": "none", "2": "x"}
    assert section.list_names(is_variant_taken=False) == {"2": "x"}


def test_split_turns_any_heading_into_the_variant() -> None:
    def split(text: str) -> str:
        return text if text.startswith("mpm_") else ""

    section = read_sections([({1: "mpm_event", 2: "GET"}, "", (), ())], NAMES, split)[0]
    assert (section.variant, section.headings) == ("mpm_event", {2: "GET"})


def _name(*headings: str) -> list[str]:
    pages = [({2: heading}, "", (), ()) for heading in headings]
    return [section.headings.get(2, "") for section in read_sections(pages, NAMES)]


@pytest.mark.parametrize(
    "headings",
    [
        ("Run 8 cores", "Run 16 cores"),
        ("nginx run 8 cores", "nginx run 16 cores"),
        ("Run 50 users", "Run 100 users", "Run 50 users"),
        ("Round 16 threads pool", "Round 32 threads pool"),
        ("Iteration 5 items", "Iteration 7 items"),
        ("Run 1 worker", "Run 2 workers"),
        ("Run 2 workers", "Run 4 workers"),
        ("Run 8-core", "Run 16-core"),
        ("Run 50%", "Run 80 %"),
        ("Run 1.5 GB", "Run 2.5 GB"),
        ("Run 10,000", "Run 20,000"),
        ("测试 1 核", "测试 2 核", "测试 4 核"),
        ("测试 1 核", "测试 2 核"),
        ("测试1个线程", "测试2个线程"),
        ("Test 1 core", "Test 2 core"),
        ("测试 80 端口", "测试 8080 端口"),
        ("测试80端口", "测试81端口"),
    ],
)
def test_quantity_is_not_a_count_of_runs(headings: tuple[str, ...]) -> None:
    assert _name(*headings) == list(headings)
    lines: list[Page] = [({}, heading, (heading,), ()) for heading in headings]
    sections = read_sections(lines, NAMES)
    assert [(section.caption, section.lines) for section in sections] == [
        (heading, (heading,)) for heading in headings
    ]


@pytest.mark.parametrize(
    ("headings", "names"),
    [
        (("Run 1 nginx", "Run 2 apache"), ["nginx", "apache"]),
        (("Run 1 nginx", "Run 2 nginx", "Run 3 nginx"), ["nginx"] * 3),
        (("Run 2 (warm)", "Run 4 (warm)"), ["warm"] * 2),
        (("Run 3: nginx", "Run 5 - nginx"), ["nginx"] * 2),
        (("Run 3 of 5 nginx", "Run 5 of 5 nginx"), ["nginx"] * 2),
        (("Run 3 Jan 31, 2024", "Run 5 2024-01-31"), [""] * 2),
        (("Run 1 warm-up", "Run 2", "Run 3"), [""] * 3),
        (("测试 3", "测试 5"), [""] * 2),
        (("测试 1 结果", "测试 2 结果"), ["结果"] * 2),
    ],
)
def test_number_without_a_noun_or_in_sequence_counts_runs(
    headings: tuple[str, ...], names: list[str]
) -> None:
    assert _name(*headings) == names
