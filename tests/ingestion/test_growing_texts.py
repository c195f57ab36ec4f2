"""A text with twice as many results takes twice the time, whatever surrounds them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from scaling import assert_linear

import benchkit as bk
from benchkit.derived.record import Measured
from benchkit.derived.sources import Sources
from benchkit.errors import Diagnostic
from benchkit.ingestion import outcomes
from benchkit.ingestion.companions import place_companions
from benchkit.ingestion.outputs import hold_commands, list_outputs
from benchkit.parsers import registry
from benchkit.parsers.base import Reading
from benchkit.parsers.gobench.failures import FailedRuns, Failure
from benchkit.reading.passages import list_held
from benchkit.reading.surroundings import Block, read_headings

FIXTURES = Path(__file__).parents[2] / "fixtures"
LINE = "roots/{n}            time:   [37.449 ns 40.554 ns 43.990 ns]"
Text = tuple[list[str], list[Block], list[Reading]]


def read(tool: str, line: int, benchmark: str = "", command: str | None = None) -> Reading:
    return Reading(tool=tool, form="text", line=line, benchmark=benchmark, command=command)


def name_one_each(size: int) -> Text:
    """Return results of one output, each of a different benchmark."""
    lines = [LINE.format(n=n) for n in range(size)]
    blocks = [Block(n + 1, n + 1) for n in range(size)]
    return lines, blocks, [read("criterion", n + 1, f"roots/{n}") for n in range(size)]


def fence_each(size: int) -> Text:
    """Return results of one benchmark, each in a separate fence."""
    lines = ["```", LINE.format(n=1), "```"] * size
    blocks = [Block(3 * n + 2, 3 * n + 2) for n in range(size)]
    return lines, blocks, [read("criterion", block.first, "roots/1") for block in blocks]


@pytest.mark.parametrize(("make", "size"), [(name_one_each, 8000), (fence_each, 4000)])
def test_outputs_are_separated_in_linear_time(make: Callable[[int], Text], size: int) -> None:
    assert_linear(make, lambda text: list_outputs(*text), size)


def test_commands_are_assigned_in_linear_time() -> None:
    def make(size: int) -> tuple[list[str], list[Block]]:
        lines = ["# GET", "$ hey http://h/", "Summary:", "", "Summary:", ""] * size
        return lines, [Block(2 * n + 3, 2 * n + 3) for n in range(3 * size) if n % 3 < 2]

    def hold(text: tuple[list[str], list[Block]]) -> None:
        lines, blocks = text
        commands = ["hey http://h/", None] * (len(blocks) // 2)
        pairs = zip(blocks, commands, strict=True)
        readings = [read("hey", block.first, command=command) for block, command in pairs]
        formats = [*registry.by_name("hey")[:1]] * len(readings)
        hold_commands(formats, readings, blocks, read_headings(lines, blocks), lines)
        assert {reading.command for reading in readings} == {"hey http://h/"}

    assert_linear(make, hold, 400)


def test_failures_are_explained_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "show_remark", lambda where, text: where + text)
    source = SimpleNamespace(sidecar=SimpleNamespace(exit_code=None), label="a.txt")

    def explain(losses: list[Diagnostic]) -> None:
        parts = [SimpleNamespace(role="failed", remark="", line=each.line) for each in losses]
        outcomes._explain_failures(parts, losses, source)  # type: ignore[arg-type]
        assert [part.remark for part in parts] == [f"{each.where}: failed" for each in losses]

    assert_linear(
        lambda size: [Diagnostic("a", n, "failed", "") for n in range(size)], explain, 8000
    )


def test_distant_listing_is_searched_in_linear_time() -> None:
    def make(size: int) -> tuple[list[str], list[Block]]:
        lines = [f"{n} {sign}" for n in range(size) for sign in "ab"]
        return lines, [Block(2 * n + 1, 2 * n + 1, "" if n else "wrk") for n in range(size)]

    assert_linear(make, lambda text: list_held(text[0], text[1], str), 4000)


def test_failed_runs_are_looked_up_in_linear_time() -> None:
    def make(size: int) -> FailedRuns:
        return FailedRuns([Failure("", 3 * n, 3 * n + 1, 3 * n, "panic") for n in range(size)])

    def find(failed: FailedRuns) -> None:
        lines = range(3 * len(failed.runs))
        assert [failed.find("", n) for n in lines] == [-1 if n % 3 == 2 else n // 3 for n in lines]

    assert_linear(make, find, 4000)


def test_containers_of_a_page_are_placed_in_linear_time() -> None:
    def make(size: int) -> list[SimpleNamespace]:
        facts: dict[str, object] = {
            "origin": "",
            "path": "a.md",
            "assigned": "",
            "places": None,
            "role": "",
            "run": None,
        }
        facts |= {"variant": "", "target": "", "params": "", "number": 0}
        return [
            SimpleNamespace(
                **facts, line=2 * n + 1 + is_table, headings={"1": "Page", "2": f"Part {n}"},
                tool="docker-stats" if is_table else "wrk", is_companion=is_table,
                benchmark="" if is_table else f"part {n}",
            )
            for n in range(size) for is_table in (True, False)
        ]  # fmt: skip

    def place(parts: list[SimpleNamespace]) -> None:
        place_companions(parts)  # type: ignore[arg-type]
        assert parts[0].benchmark == parts[1].benchmark == "part 0"

    assert_linear(make, place, 2000)


def test_samples_of_containers_are_assigned_in_linear_time() -> None:
    def make(size: int) -> tuple[pd.DataFrame, list[Measured]]:
        names = [f"part {n}" for n in range(size)]
        labels = {"group": "", "variant": "", "run": 0, "params": ""}
        about = {"subject": "web", "metric": "cpu_usage", "stat": "sample", "source": "a.md:1"}
        facts = labels | about | {"tool": "docker-stats", "value": 1.0, "time": None}
        series = pd.DataFrame(facts, index=range(size)).assign(benchmark=names)
        return series, [
            Measured(
                group="", variant="", benchmark=name, params="", run=0, tool="wrk",
                window=(0.0, 1.0), duration=1.0,
            )
            for name in names
        ]  # fmt: skip

    def assign(given: tuple[pd.DataFrame, list[Measured]]) -> None:
        sources = Sources(*given)  # type: ignore[arg-type]
        chosen = [sources.of(run)["web", "cpu_usage"].benchmark for run in given[1]]
        assert chosen == [run.benchmark for run in given[1]]

    assert_linear(make, assign, 2000)


def test_documents_of_a_page_are_read_in_linear_time(tmp_path: Path) -> None:
    document = (FIXTURES / "gatling-report/global_stats.json").read_text() + "\n" * 200

    def make(size: int) -> Path:
        path = tmp_path / f"{size}.md"
        path.write_text("".join(f"## Part {n}\n\n```\n{document}\n```\n" for n in range(size)))
        return path

    def load(path: Path) -> None:
        runs = bk.load(path)
        assert len(runs.runs) == int(path.stem)

    load(make(1))  # imports
    assert_linear(make, load, 300)
