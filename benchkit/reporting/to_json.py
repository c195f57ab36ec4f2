"""Verdicts as JSON and CSV with the public keys.

Scripts rely on these names, which are part of the contract: later versions add keys and rename
none.

Format version 1: the first.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchkit.comparison import Together, join_rows
from benchkit.errors import Finding
from benchkit.outputs import save
from benchkit.reading.delimited import quote_formulas
from benchkit.reporting.json_text import format_json
from benchkit.tables.average import count_undecided
from benchkit.tables.derived import Part, lead
from benchkit.units import SERVICE_COMMAND, printable
from benchkit.verdict import Verdict, Verdicts

FORMAT_VERSION = 1

#: The keys of a row, in the order of the CSV's columns.
KEYS = (
    "group",
    "benchmark",
    "params",
    "subject",
    "metric",
    "stat",
    "unit",
    "better",
    "primary",
    "baseline",
    "variant",
    "n_baseline",
    "n_variant",
    "center_baseline",
    "center_variant",
    "delta",
    "ratio",
    "ratio_low",
    "ratio_high",
    "method",
    "p",
    "p_adjusted",
    "verdict",
    "runs_needed",
    "notes",
    "detectable",
    "difference",
    "difference_low",
    "difference_high",
    "adjustment",
    "simultaneous_low",
    "simultaneous_high",
    "spread_baseline",
    "spread_variant",
)
_RENAMED = {"p": "pvalue"}
_JUDGED = {
    "p_adjusted": "p_adjusted",
    "verdict": "word",
    "runs_needed": "runs_needed",
    "detectable": "detectable",
    "adjustment": "adjustment",
}
#: The ratio's interval, or the difference's without a ratio, simultaneous for all primary rows.
_SIMULTANEOUS = ("simultaneous_low", "simultaneous_high")


def to_json(
    verdicts: Verdicts, findings: Sequence[Finding] = (), parts: Mapping[str, Part] | None = None
) -> str:
    """Write verdicts as JSON; floats round-trip, unknown numbers are null.

    Parameters
    ----------
    parts : mapping of str to Part, optional
        Tables next to the comparison, under ``tables``: numbers are in base units.
    """
    return format_json(document(verdicts, findings, parts)) + "\n"


def document(
    verdicts: Verdicts, findings: Sequence[Finding] = (), parts: Mapping[str, Part] | None = None
) -> dict[str, Any]:
    """Return what `to_json` writes, as plain Python values."""
    comparisons = verdicts.comparisons
    known = {name: part for name, part in (parts or {}).items() if part.tables}
    more: dict[str, Any] = {}
    if comparisons.lacking:
        more["lacking"] = {
            name: [" ".join(each) for each in names] for name, names in comparisons.lacking.items()
        }
    if together := join_rows(row.contrast for row in verdicts.primary):
        more["together"] = [_together(each, verdicts) for each in together]
    if known:
        more["tables"] = {name: _tables(part) for name, part in known.items()}
    return {
        "format_version": FORMAT_VERSION,
        "pairs": [list(pair) for pair in comparisons.pairs],
        "confidence": comparisons.confidence,
        "margin": verdicts.margin,
        "rows": [row_values(row) for row in verdicts.rows],
        "findings": [finding_values(finding) for finding in findings],
        "only_in": {variant: list(names) for variant, names in comparisons.only_in.items()},
        "verdict": lead(verdicts, parts or {}, findings),
    } | more


#: Keys of the result over all benchmarks of a metric, as in a row.
_TOGETHER = (
    *("group", "subject", "metric", "stat", "unit", "better", "baseline", "variant"),
    *("n_baseline", "n_variant", "ratio", "ratio_low", "ratio_high", "method"),
)


def _together(together: Together, verdicts: Verdicts) -> dict[str, Any]:
    values = {key: _known(getattr(together.contrast, key)) for key in _TOGETHER}
    undecided = count_undecided(together, verdicts.primary)
    counts = {"rows": len(together.rows), "left_out": together.left_out, "undecided": undecided}
    return values | counts


def _tables(part: Part) -> list[dict[str, Any]]:
    return [
        {
            "title": table.title,
            "rows": [
                {
                    column.key: cell.text if cell.value is None else _known(float(cell.value))
                    for column, cell in zip(table.columns, row, strict=True)
                }
                for row in table.rows
            ],
        }
        for table in (*part.tables, *part.folded)
    ]


def row_values(row: Verdict) -> dict[str, Any]:
    """Return one row with its public keys."""
    values: dict[str, Any] = {}
    for key in KEYS:
        if key == "notes":
            values[key] = list(row.notes)
        elif key in _SIMULTANEOUS:
            values[key] = _known(row.simultaneous[_SIMULTANEOUS.index(key)])
        elif key in _JUDGED:
            values[key] = _known(getattr(row, _JUDGED[key]))
        else:
            values[key] = _known(getattr(row.contrast, _RENAMED.get(key, key)))
    return values


def finding_values(finding: Finding) -> dict[str, Any]:
    """Return one finding with its public keys."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "remedy": finding.remedy,
        "where": finding.where,
        "numbers": {name: _known(value) for name, value in finding.numbers.items()},
    }


def to_csv(verdicts: Verdicts, path: str | Path | None = None) -> str:
    """Write the rows as CSV; unknown is empty, notes are joined, no text is read as a formula.

    With a path, they are also written to that file.
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(KEYS)
    for row in verdicts.rows:
        writer.writerow([write_cell(value) for value in row_values(row).values()])
    if path is not None:
        save(Path(path), lambda target: target.write_text(sink.getvalue(), encoding="utf-8"))
    return sink.getvalue()


def _known(value: object) -> bool | str | float | int | None:
    """Return a plain Python value, None for an unknown number."""
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, int) else str(value)


def write_cell(value: object) -> str:
    """Write a cell of CSV; no text is read as a formula."""
    if value is None:
        return ""
    if isinstance(value, list):
        value = "; ".join(value)
    if isinstance(value, str):
        return quote_formulas(re.sub(SERVICE_COMMAND, "#\u200b", printable(value)))
    return str(value).lower() if isinstance(value, bool) else repr(value)
