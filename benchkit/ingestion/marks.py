"""Pieces without values: a run that failed, a source of a known tool that is damaged.

They are stored like runs and never compared, so that a gate on the store knows of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from benchkit.errors import Diagnostic, SourceReport
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.parts import Part, enter_commit, show_facts, show_label, show_remark
from benchkit.ingestion.sources import Found
from benchkit.parsers import registry
from benchkit.parsers.base import Format

#: Roles of paths and sidecars whose loss concerns no comparison.
_ASIDE = frozenset({"warmup", "aggregate", "part"})


def list_marks(
    found: Found,
    options: Options,
    report: SourceReport,
    problems: Sequence[Diagnostic],
    formats: Sequence[Format],
    *,
    is_stored: bool = False,
) -> Iterator[Part]:
    """Yield the piece for a source that failed, or of which something was lost.

    A source that ``is_stored`` gave results before.
    """
    if report.outcome == "failed":
        yield mark_failure(found, options, report.reason, formats)
    elif is_damaged(found, problems, formats, is_stored=is_stored):
        yield mark_damage(found, options, problems, formats)


def is_damaged(
    found: Found,
    problems: Sequence[Diagnostic],
    formats: Sequence[Format],
    *,
    is_stored: bool = False,
) -> bool:
    """Tell whether something was lost of a source that is, or was, a known tool's.

    Parameters
    ----------
    found : Found
    problems : sequence of Diagnostic
        Everything that was met while the source was read.
    formats : sequence of Format
        Those that claimed it; none if it was refused before.
    is_stored : bool
        Whether a store holds what the source gave before.
    """
    if not any(problem.is_damage for problem in problems):
        return False
    if is_stored:
        return True
    return not is_aside(found) and bool(formats or is_result(found))


def mark_damage(
    found: Found, options: Options, problems: Sequence[Diagnostic], formats: Sequence[Format]
) -> Part:
    """Return a piece for what was lost of a source."""
    losses = [problem for problem in problems if problem.is_damage]
    return _mark(found, options, "damaged", formats, _describe(losses))


def mark_failure(found: Found, options: Options, reason: str, formats: Sequence[Format]) -> Part:
    """Return a piece for a run that failed and left nothing to read."""
    return _mark(found, options, "failed", formats, show_remark(found.label, f": {reason}"))


def mark_folder(found: Found, options: Options, reason: str) -> Part:
    """Return a piece for a folder of a variant without a result."""
    return _mark(found, options, "empty", (), show_remark(found.label, f": {reason}"))


def is_result(found: Found) -> bool:
    """Tell whether the labels of a source say that a benchmark tool wrote it."""
    path, side = found.labels, found.sidecar
    is_captured = side.tool or side.command or side.exit_code is not None
    return bool(path.tool or _is_numbered(found) or is_captured or found.is_labelled)


def lost_variant(found: Found, formats: Sequence[Format] = ()) -> str:
    """Return whose measured run a source without a result would have held.

    Parameters
    ----------
    found : Found
    formats : sequence of Format
        Those that claimed it; none if it was refused.

    Returns
    -------
    str
        Empty where nothing tells that it is a load tool's result: any text may lie in the folder.
    """
    path = found.labels
    told = found.variant or found.sidecar.variant
    is_result = any(not form.is_companion for form in formats)
    if path.role != "measured" or registry.tool(path.tool).role == "companion":
        return ""
    is_known = path.tool or is_result or _is_numbered(found)
    return show_label(told or (path.variant if is_known else ""))


def _is_numbered(found: Found) -> bool:
    return found.labels.run is not None and PurePosixPath(found.label).stem.isdecimal()


def explain_failures(parts: Sequence[Part], problems: Sequence[Diagnostic], found: Found) -> None:
    """Remark on runs of which their parser reports neither the failure nor the threshold.

    A failed run has the first diagnostic of its source. An exit code that reports a crossed
    threshold is that of all runs of a source, unless one of them names it.
    """
    first = next((problem for problem in problems if problem.severity != "note"), None)
    code, is_unnamed = found.sidecar.exit_code, not any(part.remark for part in parts)
    for part in parts:
        if part.role == "failed" and not part.remark and first is not None:
            part.remark = show_remark(first.where, f": {first.what}")
        elif part.role == "measured" and is_unnamed and code:
            what = f"its command ended with exit {code}: crossed a threshold"
            part.remark = show_remark(found.label, f": {what}")


def last_index(part: Part) -> int:
    """Return the place in the source of the last run that a piece stands for."""
    return part.index if part.places is None else int(part.places.indices[-1])


def is_aside(found: Found) -> bool:
    """Tell whether the labels of a source say that no comparison needs it."""
    return (found.sidecar.role or found.labels.role) in _ASIDE


def _describe(losses: Sequence[Diagnostic]) -> str:
    """Say what was lost first, and how often more was."""
    more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
    return show_remark(losses[0].where, f": {losses[0].what}{more}")


def _mark(
    found: Found, options: Options, role: str, formats: Sequence[Format], remark: str
) -> Part:
    path, side = found.labels, found.sidecar
    tool = next((name for form in formats for name in form.tools), path.tool)
    part = Part(
        path=found.address,
        origin=found.origin,
        assigned=found.assigned,
        label=found.label,
        tool=tool,
        group=show_label(side.group or path.group),
        variant=show_label(found.variant or options.variant or side.variant or path.variant),
        benchmark=show_label(options.benchmark or side.benchmark or path.benchmark),
        run=side.run if side.run is not None else path.run,
        role=role,
        status="failed" if role == "failed" else "partial",
        folder=path.folder,
        leftover=path.leftover,
        remark=remark,
    )
    part.env = show_facts(side.env)
    enter_commit(part, options)
    return part
