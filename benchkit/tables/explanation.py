"""Explanations of codes, metrics and formats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from benchkit.audit import find_documented
from benchkit.audit.catalogue import CATALOGUE, Entry
from benchkit.metrics import Metric, split_metric, vocabulary
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Tool
from benchkit.tables.model import Cell, Column, Table

_UNITS = {"1": "1 (a count or a share)"}
#: Maximum width of headings and texts together, in columns.
_WIDTH = 92


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One explained name.

    Parameters
    ----------
    kind : {'code', 'metric', 'format'}
    parts : tuple of (heading, text)
        A part may have several lines.
    """

    kind: str
    name: str
    summary: str
    parts: tuple[tuple[str, str], ...]


def explain_code(entry: Entry) -> Explanation:
    """Explain a code of findings."""
    return Explanation(
        kind="code",
        name=entry.code,
        summary=entry.says,
        parts=(
            ("severity", entry.severity),
            ("what", entry.what),
            ("why", entry.why),
            ("example", entry.example),
            ("do", entry.do),
        ),
    )


def explain_plugged(code: str) -> tuple[Explanation, ...]:
    """Explain a code of a rule in another package, by the docstring of the rule.

    Parameters
    ----------
    code : str
        A name with a digit, in any case; other names are not codes.
    """
    if not any(map(str.isdigit, code)):
        return ()
    explanations = []
    for rule, text in find_documented(code):
        says, _, rest = text.partition("\n")
        if says.upper().startswith(f"{code.upper()}:"):
            says = says[len(code) + 1 :].strip()
        parts = (("what", rest.strip()), ("from", f"the plug-in {rule}"))
        filled = tuple(part for part in parts if part[1])
        explanations.append(Explanation(kind="code", name=code.upper(), summary=says, parts=filled))
    return tuple(explanations)


def explain_metric(metric: Metric) -> Explanation:
    """Explain a metric or stat of the vocabulary."""
    better = "neither direction" if metric.better == "none" else metric.better
    parts = [
        ("unit", _UNITS.get(metric.unit, metric.unit)),
        ("better", better),
        ("stats", ", ".join(metric.stats)),
        ("from", registry.list_sources(metric)),
        ("compared", _describe_use(metric)),
    ]
    return Explanation(
        kind="metric",
        name=metric.name,
        summary=metric.meaning,
        parts=tuple(p for p in parts if p[1]),
    )


def explain_format(form: Format) -> Explanation:
    """Explain a format: its forms, how each is recognised, and the data it does not contain."""
    parts = [("tools", ", ".join(form.tools))]
    for one in form.forms:
        lines = [f"of {one.versions}", f"recognised by {one.signature}"]
        lines += [f"not recorded: {one.not_recorded}"] if one.not_recorded else []
        parts.append((one.name, "\n".join(lines)))
    return Explanation(kind="format", name=form.name, summary=form.summary, parts=tuple(parts))


def find_explanations(word: str, formats: Iterable[Format]) -> tuple[Explanation, ...]:
    """Explain a name: a code, a metric (with or without its stat), a format or a tool.

    Parameters
    ----------
    word : str
        In any case.

    Returns
    -------
    tuple of Explanation
        Empty if the name is unknown.
    """
    term = word.strip().lower()
    entry = CATALOGUE.get(term.upper())
    explanations = [explain_code(entry)] if entry else [*explain_plugged(term)]
    words = vocabulary()
    metric = words.get(split_metric(term)[0])
    explanations += [explain_metric(metric)] if metric else []
    explanations += [
        explain_format(form)
        for form in formats
        if term == form.name.lower() or term in map(str.lower, form.tools)
    ]
    return tuple(explanations)


def suggest(word: str, formats: Iterable[Format]) -> str:
    """Return the nearest name that can be explained; empty if none is near."""
    tools = [name for form in formats for name in (form.name, *form.tools)]
    known = {name.lower(): name for name in (*CATALOGUE, *vocabulary(), *tools)}
    near = get_close_matches(word.strip().lower(), known, 1)
    return known[near[0]] if near else ""


def write_explanation(explanation: Explanation) -> str:
    """Write an explanation as text, one part below the other."""
    width = max(len(heading) for heading, _ in explanation.parts)
    lines = [*_wrap(f"{explanation.name}: {explanation.summary}", _WIDTH), ""]
    for heading, text in explanation.parts:
        for index, line in enumerate(_wrap(text, _WIDTH - width)):
            lines.append(f"  {heading if not index else '':<{width}}  {line}")
    return "\n".join(lines)


def codes_table(entries: Iterable[Entry]) -> Table:
    """List codes with their meanings."""
    return Table(
        title="Codes of findings",
        columns=(Column("code", "code"), Column("severity", "severity"), Column("says", "meaning")),
        rows=tuple((Cell(e.code), Cell(e.severity), Cell(e.says)) for e in entries),
        footer=("for details and the remedy: benchkit explain CODE",),
    )


def _describe_use(metric: Metric) -> str:
    if metric.assume == "exact":
        return "exactly, without a test"
    if not metric.compared:
        return "no: it is a total or a setting of the run"
    loads = [(Tool(name=f"{load} loops"), load) for load in ("closed", "open")]
    loads += [(each, "unknown") for each in registry.all_tools() if each.role == "microbenchmark"]
    headline = " and ".join(
        tool.name
        for tool, load in loads
        if metric.name in (name for name, _ in tool.find_primaries(load))
    )
    return f"as a primary metric of {headline}" if headline else "as a secondary metric"


def _wrap(text: str, width: int) -> list[str]:
    from textwrap import wrap

    return [part for line in text.split("\n") for part in wrap(line, width)]
