"""The record of a whole run of the campaigns, and the manual's table made from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PATH = Path(__file__).with_name("soak.json")
_HEAD = "| campaign | trials | losses | figures |\n| --- | --: | --: | --- |"
#: Wording of a figure in the table.
_PHRASES = {
    "values": "{} values read",
    "inputs/s": "{} inputs per second",
    "slowest, s": "slowest input {} s",
    "outputs": "{} outputs searched",
    "steps": "chosen from {} steps",
    "ms per ingest": "{} ms per ingest",
    "MB of memory": "{} MB of memory",
    "files at most": "at most {} files",
    "KB at most": "at most {} KB",
    "after vacuum": "{} after a vacuum",
    "refused with exit 3": "{} refused with exit code 3",
    "files": "{} files of a store",
    "kinds of damage": "{} kinds of damage",
    "refused with the file name": "{} refused, each with the name of the file",
    "local runs": "{} runs of local writers",
    "S3 runs": "{} runs of writers on S3",
    "test files": "{} files of tests",
    "texts per expression, at most": "at most {} texts per expression",
    "growth of CPU time, %": "CPU time grows by {} %",
    "growth of memory, %": "memory by {} %",
    "growth of files, %": "files by {} %",
    "growth of size, %": "size by {} %",
}


@dataclass(frozen=True, slots=True)
class Row:
    """The result of a campaign."""

    name: str
    title: str
    seconds: float
    trials: int
    losses: list[str]
    figures: dict[str, float | int | str]
    target: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """One run: all its rows come from one build and one seed."""

    commit: str
    seed: int
    jobs: int
    rows: Sequence[Row]


def write_record(record: Record, path: Path) -> None:
    """Save a run as JSON."""
    text = json.dumps({"format_version": 2, **asdict(record)}, ensure_ascii=False, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def read_record(path: Path = PATH) -> Record:
    """Return the last run."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    rows = [Row(**row) for row in kept["rows"]]
    return Record(kept["commit"], kept["seed"], kept["jobs"], rows)


def write_table(record: Record) -> str:
    """Write a run as Markdown."""
    minutes = sum(row.seconds for row in record.rows) / 60
    head = f"One run at `{record.commit}`, seed {record.seed}, in {minutes:.0f} minutes:"
    return "\n".join([head, "", _HEAD, *map(_line, record.rows)])


def _line(row: Row) -> str:
    figures = "; ".join(
        _PHRASES.get(name, f"{name}: {{}}").format(_write(value))
        for name, value in row.figures.items()
    )
    shortened = f" of {_write(row.target)}" if row.trials < row.target else ""
    cells = (row.title, f"{_write(row.trials)}{shortened}", _write(len(row.losses)), figures)
    return f"| {' | '.join(cells)} |"


def _write(value: float | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value}"
