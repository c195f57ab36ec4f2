"""The record of a simulated fleet, and the manual's table made from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scale.fleet import WRITERS, Figures

PATH = Path(__file__).with_name("scale.json")
_HEAD = (
    "| store | runs before | jobs | CPU per job | requests per job | written per job "
    "| read per job |\n| --- | --: | --: | --: | --: | --: | --: |"
)


@dataclass(frozen=True, slots=True)
class Record:
    """One fleet: all its rows come from one build."""

    commit: str
    rows: Sequence[Figures]
    losses: Sequence[str]
    growth: Sequence[str]


def write_record(record: Record, path: Path) -> None:
    """Save it as JSON."""
    text = json.dumps({"format_version": 1, **asdict(record)}, ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def read_record(path: Path = PATH) -> Record:
    """Return the last record."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    rows = [Figures(**row) for row in kept["rows"]]
    return Record(kept["commit"], rows, kept["losses"], kept["growth"])


def write_table(record: Record) -> str:
    """Write it as Markdown."""
    jobs, lost = sum(row.jobs for row in record.rows), len(record.losses)
    head = (
        f"One run at `{record.commit}`: {jobs:,} jobs, {WRITERS} at a time; {lost} runs lost, "
        "doubled or mixed up."
    )
    grown = [f"Above the limit: {line}." for line in record.growth]
    return "\n".join([head, "", _HEAD, *map(_line, record.rows), "", *grown]).rstrip()


def _line(row: Figures) -> str:
    shortened = f" of {row.planned:,}" if row.jobs < row.planned else ""
    requests = f"{row.requests:.0f}" if row.requests else "–"
    sizes = (f"{size / 1e3:,.0f} kB" for size in (row.written, row.read))
    cells = (
        row.place,
        f"{row.runs:,}",
        f"{row.jobs:,}{shortened}",
        f"{row.cpu:.2f} s",
        requests,
        *sizes,
    )
    return f"| {' | '.join(cells)} |"
