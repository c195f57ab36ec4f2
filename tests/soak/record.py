"""The record of a whole run of the campaigns, and the README's table made of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from soak.campaign import CAMPAIGNS

PATH = Path(__file__).with_name("soak.json")
_HEAD = "| campaign | trials | losses | figures |\n| --- | --: | --: | --- |"


@dataclass(frozen=True, slots=True)
class Row:
    """A campaign that ran in full."""

    name: str
    title: str
    commit: str
    seed: int
    seconds: float
    trials: int
    losses: list[str]
    figures: dict[str, float | int | str]
    target: int = 0


def write_record(rows: Sequence[Row], path: Path = PATH) -> None:
    """Keep what campaigns gave as JSON, in place of their rows, and all rows as Markdown."""
    kept = {row.name: row for row in (*read_record(path), *rows)}
    all_rows = [kept[name] for name in CAMPAIGNS if name in kept]
    record = {"format_version": 1, "campaigns": [asdict(row) for row in all_rows]}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")
    path.with_suffix(".md").write_text(f"{write_table(all_rows)}\n", encoding="utf-8")


def read_record(path: Path = PATH) -> list[Row]:
    """Return the rows of the last runs."""
    if not path.is_file():
        return []
    record = json.loads(path.read_text(encoding="utf-8"))
    return [Row(**row) for row in record["campaigns"]]


def write_table(rows: Sequence[Row]) -> str:
    """Write rows as Markdown."""
    return "\n".join([_HEAD, *map(_line, rows)])


def _line(row: Row) -> str:
    figures = ", ".join(f"{name} {_write(value)}" for name, value in row.figures.items())
    cut = f" of {_write(row.target)}" if row.trials < row.target else ""
    cells = (row.title, f"{_write(row.trials)}{cut}", _write(len(row.losses)), figures)
    return f"| {' | '.join(cells)} |"


def _write(value: float | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"
