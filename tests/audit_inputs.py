"""Result folders for the audit: real reports, and the same with a single change.

A rule is tried on real tool output, read as every result is; only the change differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import benchkit as bk
from benchkit.errors import Finding

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
WRK = FIXTURES / "tracing-wrk/none/wrk-1.txt"
AB = FIXTURES / "nginx-ab/nginx/ab-c20-1.txt"
VEGETA = FIXTURES / "skywalking-vegeta/no-agent/vegeta-report-1.json"
SPANS = FIXTURES / "tracing-resources/otlp/spans-1.prom"
#: wrk's requests in the run that the spans belong to.
REQUESTS = 139642

#: Path below the folder -> text.
Files = Mapping[str, str]


def text_of(path: Path, *changes: tuple[str, str]) -> str:
    """Return a fixture's text after all replacements; each pattern must occur."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def wrk(*changes: tuple[str, str]) -> str:
    """Return a report of wrk: 10406 requests/s on 8 connections, mean 0.86 ms, p99 4.63 ms."""
    return text_of(WRK, *changes)


def ab(*changes: tuple[str, str]) -> str:
    """Return a report of ab: 11323 requests/s on 20 connections."""
    return text_of(AB, *changes)


def vegeta(*changes: tuple[str, str]) -> str:
    """Return a JSON report of vegeta: 300 requests/s for 30 s."""
    return text_of(VEGETA, *changes)


def spans(*changes: tuple[str, str]) -> dict[str, str]:
    """Return a run of wrk and its spans: 558587 made, 121344 saved, 437243 dropped."""
    requests = wrk(("156120 requests in 15.00s", f"{REQUESTS} requests in 13.42s"))
    return {"otlp/wrk-1.txt": requests, "otlp/spans-1.prom": text_of(SPANS, *changes)}


def check(folder: Path, files: Files) -> tuple[Finding, ...]:
    """Write the files and return the findings of the audit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return bk.load(folder).check()


def select(findings: tuple[Finding, ...], code: str) -> list[Finding]:
    """Return the findings with a code."""
    return [finding for finding in findings if finding.code == code]
