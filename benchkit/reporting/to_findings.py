"""Findings as JSON and CSV with the public keys.

Scripts read the findings of `check` under the names that `compare` and `report` use.

Format version 1: the first.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from benchkit.errors import Finding
from benchkit.reporting.json_text import format_json
from benchkit.reporting.to_json import finding_values, write_cell

FORMAT_VERSION = 1

#: The keys of a finding, in the order of the CSV's columns.
KEYS = ("code", "severity", "where", "message", "remedy", "numbers")


def to_json(findings: Sequence[Finding]) -> str:
    """Write findings as JSON; floats round-trip, unknown numbers are null."""
    document = {
        "format_version": FORMAT_VERSION,
        "findings": [finding_values(finding) for finding in findings],
    }
    return format_json(document) + "\n"


def to_csv(findings: Sequence[Finding]) -> str:
    """Write findings as CSV; the numbers are ``name=value``, separated by semicolons."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(KEYS)
    for finding in findings:
        values = finding_values(finding)
        numbers = [f"{name}={value}" for name, value in values["numbers"].items()]
        writer.writerow([write_cell(v) for v in (*(values[key] for key in KEYS[:-1]), numbers)])
    return sink.getvalue()
