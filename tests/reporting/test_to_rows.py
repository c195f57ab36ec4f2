"""Exports for scripts, spreadsheets and terminals: no name in them has an effect."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import benchkit.api as bk
from benchkit.reporting import to_rows

HOSTILE = [
    "=HYPERLINK(1)",
    "@SUM(1+1)|cmd",
    "-cmd",
    "\x1b[31mred\x1b]0;pwn\a",
    "a\u202eb",
    "\uff1d1",
    "a;=1+1;b",
    "plain",
]


def test_names_cannot_become_formulas_or_control_a_terminal() -> None:
    frame = bk.load("fixtures/tracing-wrk/none/wrk-1.txt").observations
    frame = frame.iloc[: len(HOSTILE)].assign(variant=HOSTILE, value=-1.5)
    out = io.StringIO()
    to_rows.write_csv([frame], out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert [row["variant"] for row in rows] == [
        "'=HYPERLINK(1)",
        "'@SUM(1+1)|cmd",
        "'-cmd",
        r"\x1b[31mred\x1b]0;pwn\x07",
        r"a\u202eb",
        "'\uff1d1",
        "a;'=1+1;b",
        "plain",
    ]
    assert {row["value"] for row in rows} == {"-1.5"}


def test_names_quoted_for_spreadsheets_are_read_back(tmp_path: Path) -> None:
    frame = bk.load("fixtures/tracing-wrk/none/wrk-1.txt").observations
    variants = ["=1+1", "'=1+1", "a;=1+1", "a;'=1+1; 'b'"]
    with (tmp_path / "x.csv").open("w", encoding="utf-8") as out:
        to_rows.write_csv([frame.assign(variant=variant) for variant in variants], out)
    assert {*bk.load(tmp_path / "x.csv").observations["variant"]} == {*variants}
