"""What is exported is read by scripts, spreadsheets and terminals: no name in it acts."""

from __future__ import annotations

import csv
import io

import benchkit.api as bk
from benchkit.reporting import to_rows

HOSTILE = [
    "=HYPERLINK(1)",
    "@SUM(1+1)|cmd",
    "-cmd",
    "\x1b[31mred\x1b]0;pwn\a",
    "a\u202eb",
    "\uff1d1",
    "plain",
]


def test_no_name_is_a_formula_or_drives_a_terminal() -> None:
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
        "plain",
    ]
    assert {row["value"] for row in rows} == {"-1.5"}
