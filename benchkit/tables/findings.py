"""Findings as text: a few lines under a comparison, or all of them by code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchkit.errors import SEVERITIES, Finding, describe
from benchkit.tables.model import Cell, Column, Table
from benchkit.tables.wording import count_of
from benchkit.units import printable

#: Maximum number of lines for findings under a comparison.
_SHOWN = 6
#: How to see the remaining findings: on the command line, and in Python.
_REST = "list all with `benchkit check`; explain one with `benchkit explain CODE`"
IN_PYTHON = "see all in .findings; explain one with `benchkit explain CODE`"
_NOUNS = {"error": "error", "warning": "warning", "info": "note"}


def summarise_findings(
    findings: Sequence[Finding], shown: int = _SHOWN, *, rest: str = _REST
) -> tuple[str, ...]:
    """Write the most severe findings, joining equal ones, and count the rest.

    Parameters
    ----------
    findings : sequence of Finding
        The most severe first.
    shown : int
        Maximum number of lines.
    rest : str
        Where to see the findings that are not listed.

    Returns
    -------
    tuple of str
        The last one counts the remaining findings, and says how to see them.

    Examples
    --------
    >>> twice = [Finding(code="B423", severity="warning", message="lost", where=v) for v in "ab"]
    >>> summarise_findings(twice)
    ('! B423 a: lost (and 1 more finding like this one)',)
    """
    alike = _put_together(findings)
    lines = []
    for same in alike[:shown]:
        others = count_of(len(same) - 1, "more finding")
        more = f" (and {others} like this one)" if len(same) > 1 else ""
        lines.append(f"! {same[0]}{more}")
    left = sum(len(same) for same in alike[shown:])
    if left:
        what = "one more finding" if left == 1 else f"{left} more findings"
        lines.append(f"… and {what}: {rest}")
    return tuple(lines)


def count_lines(findings: Iterable[Finding]) -> int:
    """Count findings; equal ones count once."""
    return len(_put_together(findings))


def _put_together(findings: Iterable[Finding]) -> list[list[Finding]]:
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        alike.setdefault((finding.severity, finding.code, finding.remedy), []).append(finding)
    return list(alike.values())


def count_findings(findings: Iterable[Finding]) -> str:
    """Count findings by severity, in one line.

    Examples
    --------
    >>> count_findings([Finding(code="B423", severity="warning", message="lost")])
    '1 warning'
    >>> count_findings([])
    'no findings'
    """
    counts = Counter(finding.severity for finding in findings)
    parts = [
        f"{counts[severity]} {_NOUNS[severity]}{'s' if counts[severity] > 1 else ''}"
        for severity in SEVERITIES
        if counts[severity]
    ]
    return ", ".join(parts) or "no findings"


def list_findings(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Write each finding below its code, and each remedy once.

    Parameters
    ----------
    findings : sequence of Finding
        The most severe first.

    Returns
    -------
    tuple of str
        One text of several lines for each code.
    """
    by_code: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_code.setdefault((finding.severity, finding.code), []).append(finding)
    return tuple(_list_code(same) for same in by_code.values())


def _list_code(same: Sequence[Finding]) -> str:
    from benchkit.audit.catalogue import CATALOGUE

    first = same[0]
    entry = CATALOGUE.get(first.code)
    lines = [f"{first.code} {first.severity}" + (f": {entry.says}" if entry else "")]
    by_remedy: dict[str, list[Finding]] = {}
    for finding in same:
        by_remedy.setdefault(finding.remedy, []).append(finding)
    for remedy, findings in by_remedy.items():
        lines += [f"  {describe(finding.message, where=finding.where)}" for finding in findings]
        lines += [f"  → {remedy}"] if remedy else []
    return "\n".join(map(printable, lines))


def findings_table(findings: Sequence[Finding]) -> Table:
    """List findings as rows."""
    names = ("code", "severity", "where", "message", "remedy")
    return Table(
        title="Findings",
        columns=tuple(Column(name, name) for name in names),
        rows=tuple(tuple(Cell(str(getattr(f, name))) for name in names) for f in findings),
    )
