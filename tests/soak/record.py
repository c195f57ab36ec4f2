"""The record of a whole run of the campaigns, and the README's table made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PATH = Path(__file__).with_name("soak.json")
_HEAD = "| campaign | trials | losses | figures |\n| --- | --: | --: | --- |"


@dataclass(frozen=True, slots=True)
class Row:
    """One campaign of a run."""

    name: str
    title: str
    trials: int
    losses: list[str]
    figures: dict[str, float | int | str]
    seconds: float


def write_record(path: Path, seed: int, rows: Sequence[Row]) -> None:
    """Keep what was measured as JSON, and the table of it as Markdown beside."""
    record = {"format_version": 1, "seed": seed, "campaigns": [asdict(row) for row in rows]}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")
    path.with_suffix(".md").write_text(f"{write_table(rows)}\n", encoding="utf-8")


def read_record(path: Path = PATH) -> list[Row]:
    """Return the rows of the last whole run."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return [Row(**row) for row in record["campaigns"]]


def write_table(rows: Sequence[Row]) -> str:
    """Write rows as Markdown."""
    return "\n".join([_HEAD, *map(_line, rows)])


def _line(row: Row) -> str:
    figures = ", ".join(f"{name} {_write(value)}" for name, value in row.figures.items())
    cells = (row.title, _write(row.trials), _write(len(row.losses)), figures)
    return f"| {' | '.join(cells)} |"


def _write(value: float | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"
