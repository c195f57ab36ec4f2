"""The outcome of reading one source: its runs and values, or why there are none.

A failed run and a damaged source of a known tool are pieces without values. They are stored like
runs but never compared, so that a gate on the store knows of them.
"""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from benchkit.errors import DataError, Diagnostic, SourceReport
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.copies import Contents
from benchkit.ingestion.discovery import Options
from benchkit.ingestion.parts import Part, enter_commit, show_facts, show_label, show_remark
from benchkit.ingestion.pieces import PIECE_BITS
from benchkit.ingestion.sources import Found, Identity
from benchkit.listing import list_first
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Row
from benchkit.reading.cleaning import find_odd_byte

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.store.files import DataFile

#: Roles of runs that no comparison needs.
_ASIDE = frozenset({"warmup", "aggregate", "part"})
#: Maximum number of names in a message, and of left-out files after the first.
_NAMED = 3
#: Maximum number of reasons that are listed if nothing was read.
_REASONS = 3


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The outcome of reading one source.

    Parameters
    ----------
    index : int
        Its position among the sources.
    rows : list of (piece, rows)
        The values per run, except those in files.
    batches, files
        The samples, and files of values per run, from `ValueSink`.
    contents : list of Contents
        The contents of runs whose values are in files.
    has_load : bool
        Whether it may hold results of a load, not only a companion's counters.
    is_original : bool
        Whether another source with the same bytes would be a copy of it.
    is_foreign : bool
        Whether it is complete, but of unknown format.
    is_split : bool
        Whether a name, heading or caption in it contains a variant.
    """

    index: int
    report: SourceReport
    sha256: str = ""
    parts: list[Part] = field(default_factory=list)
    rows: list[tuple[int, list[Row] | pa.RecordBatch]] = field(default_factory=list)
    batches: list[pa.RecordBatch] = field(default_factory=list)
    files: list[DataFile] = field(default_factory=list)
    contents: list[Contents] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    has_load: bool = False
    is_original: bool = False
    is_foreign: bool = False
    is_split: bool = False


def mark(
    outcome: Outcome,
    found: Found,
    options: Options,
    batch: int,
    claims: Sequence[Format] = (),
    stored: Container[Identity] = (),
) -> None:
    """Add a piece for a failed run without values, or for damage, to an outcome.

    Damage in a source that names its variants itself affects each of them.

    Parameters
    ----------
    claims : sequence of Format
        The formats that claimed the source; none if it was refused before.
    stored : container of Identity
        The sources from which a store already has content.
    """
    problems, parts = outcome.diagnostics, outcome.parts
    if options.importing or (not problems and not found.sidecar.exit_code):
        return
    _explain_failures(parts, problems, found)
    if outcome.report.outcome == "failed":
        remark = show_remark(found.label, f": {outcome.report.reason}")
        part = _mark(found, options, "failed", claims, remark)
    elif any(problem.is_damage for problem in problems) and (
        found.identity in stored
        or (not is_aside(found) and (claims or is_result(found, is_foreign=outcome.is_foreign)))
    ):
        part = mark_damage(found, options, problems, claims)
        part.tool = next((each.tool for each in parts if each.status == "partial"), part.tool)
    else:
        return
    fingerprint = parts[0].fingerprint if parts else ""
    variants = {each.variant for each in parts}
    if part.role == "damaged" and variants and part.variant not in variants:
        marks = [replace(part, variant=name) for name in sorted(variants)]
    else:
        marks = [part]
    first = 1 + max((int(each.indices[-1]) for each in parts), default=-1)
    for index, each in enumerate(marks, first):
        each.index = index
        each.piece = (outcome.index << PIECE_BITS) + index
        each.batch, each.sha256 = batch, outcome.sha256
        each.fingerprint = fingerprint
        parts.append(each)


def pass_over(index: int, found: Found, reason: str) -> Outcome:
    """Return the outcome of a run that its sidecar records as failed, without readable results."""
    reason = f"its sidecar records a failed run: {reason}"
    report = SourceReport(
        label=found.label, outcome="failed", reason=reason, variant=lost_variant(found)
    )
    problem = Diagnostic(found.label, 0, reason, severity="note")
    return Outcome(index=index, report=report, diagnostics=[problem])


def refusal(index: int, found: Found, problem: Diagnostic, *, is_unread: bool = False) -> Outcome:
    """Return the outcome of a source that was refused."""
    report = SourceReport(
        label=found.label, outcome="refused", reason=problem.what, variant=lost_variant(found),
        is_unread=is_unread,
    )  # fmt: skip
    return Outcome(index=index, report=report, diagnostics=[problem])


def describe_foreign(problems: Sequence[Diagnostic]) -> Diagnostic:
    """Report in one line which files next to results are not results."""
    first, *others = problems
    if not others:
        return replace(first, what=f"left out: {first.what}", severity="warning")
    named = ", ".join(problem.path for problem in others[:_NAMED])
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    what = f"left out: unknown format; the same holds for {named}{more}"
    hint = f"for the reason, run `benchkit runs {shlex.quote(first.path)}`"
    return Diagnostic(first.path, 0, what, hint, "warning")


def refuse_all(problems: Sequence[Diagnostic]) -> DataError:
    """Return the error that nothing was read, with the most frequent reason first."""
    if not problems:
        return DataError("no results were read", hint="list the formats with `benchkit formats`")
    problems = [each for each in problems if each.severity != "note"] or problems
    counts = Counter(each.what for each in problems)
    reasons = counts.most_common(_REASONS)
    first, *others = [next(each for each in problems if each.what == what) for what, _ in reasons]
    alike = counts[first.what] - 1
    named = [f"and {alike} more"] if alike else []
    for each in others:
        times = f" ({counts[each.what]} times)" if counts[each.what] > 1 else ""
        named.append(f"also {each.where}: {each.what}{times}")
    if rest := len(problems) - sum(count for _, count in reasons):
        named.append(f"and {rest} more for other reasons")
    also = f" ({'; '.join(named)})" if named else ""
    return DataError(
        f"no results were read: {first.what}{also}", where=first.where, hint=first.hint
    )


def make_report(
    found: Found,
    formats: Sequence[Format],
    runs: int,
    values: int,
    diagnostics: list[Diagnostic],
) -> SourceReport:
    """Report a source that was read; if it has no run, the last problem is the reason."""
    names = tuple(form.name for form in formats)
    if runs:
        return SourceReport(
            label=found.label, outcome="read", formats=names, runs=runs, values=values
        )
    if not diagnostics:
        what = f"was read as {' and '.join(names)}, but has no result"
        hint = "check that the run has ended and that this is its format"
        diagnostics.append(Diagnostic(found.label, 0, what, hint))
    reason = diagnostics[-1].what
    if found.sidecar.role == "failed":
        reason = f"its sidecar records a failed run: {reason}"
        diagnostics.append(Diagnostic(found.label, 0, reason, severity="note"))
        return SourceReport(
            label=found.label, outcome="failed", reason=reason, variant=lost_variant(found)
        )
    variant = lost_variant(found, formats)
    return SourceReport(
        label=found.label, outcome="empty", formats=names, reason=reason, variant=variant
    )


def report_odd_bytes(label: str, parts: Iterable[Part]) -> Iterator[Diagnostic]:
    """Warn once about names with bytes that are not UTF-8."""
    names = (name for part in parts for name in (part.benchmark, part.variant))
    odd = next(filter(None, map(find_odd_byte, names)), None)
    if odd is not None:
        what = f"the file is not UTF-8: byte 0x{odd[1]:02X} of its names is shown as {odd[0]}"
        yield Diagnostic(label, 0, what, "write it as UTF-8", "warning", is_remark=True)


def mark_damage(
    found: Found, options: Options, problems: Sequence[Diagnostic], formats: Sequence[Format]
) -> Part:
    """Return a piece for the lost part of a source."""
    losses = [problem for problem in problems if problem.is_damage]
    return _mark(found, options, "damaged", formats, _describe(losses))


def mark_folder(found: Found, options: Options, reason: str) -> Part:
    """Return a piece for a variant's folder without a result."""
    return _mark(found, options, "empty", (), show_remark(found.label, f": {reason}"))


def mark_refused(found: Found, options: Options, report: SourceReport) -> Part:
    """Return a piece by which a store remembers a source without a result, or a copy."""
    refused = "unread" if report.is_unread else "refused"
    role = "duplicate" if report.outcome == "duplicate" else refused
    part = _mark(found, options, role, (), show_remark(found.label, f": {report.reason}"))
    if role != "duplicate":
        part.variant = report.variant
    return part


def report_refused(part: Part) -> SourceReport:
    """Return the report on a refused source, or a copy, that a store remembers."""
    is_copy = part.role == "duplicate"
    is_labelled = not is_copy or "variant=" in part.assigned
    return SourceReport(
        label=part.label,
        outcome="duplicate" if is_copy else "refused",
        reason=(part.remark or "").partition(": ")[2],
        variant=part.variant if is_labelled else "",
        is_unread=part.role == "unread",
    )


def is_result(found: Found, *, is_foreign: bool = False) -> bool:
    """Return whether the labels of a source show that a benchmark tool wrote it.

    Settings and logs of companions have similar names: ``prometheus.yml``.
    """
    path, side = found.labels, found.sidecar
    if is_foreign and path.tool and registry.tool(path.tool).role == "companion":
        return found.is_labelled
    is_captured = side.tool or side.command or side.exit_code is not None
    return bool(path.tool or _is_numbered(found) or is_captured or found.is_labelled)


def lost_variant(found: Found, formats: Sequence[Format] = ()) -> str:
    """Return the variant whose measured run a source without a result would have held.

    Parameters
    ----------
    formats : sequence of Format
        The formats that claimed it; none if it was refused.

    Returns
    -------
    str
        Empty if nothing shows that it is a load tool's result: any text may lie in the folder.
    """
    path = found.labels
    label = found.variant or found.sidecar.variant
    is_result = any(not form.is_companion for form in formats)
    if path.role != "measured" or registry.tool(path.tool).role == "companion":
        return ""
    is_known = path.tool or is_result or _is_numbered(found)
    return show_label(label or (path.variant if is_known else ""))


def _is_numbered(found: Found) -> bool:
    return found.labels.run is not None and PurePosixPath(found.label).stem.isdecimal()


def is_aside(found: Found) -> bool:
    """Return whether the labels of a source show that no comparison needs it."""
    return (found.sidecar.role or found.labels.role) in _ASIDE


def _describe(losses: Sequence[Diagnostic]) -> str:
    """Describe the first loss, with the number of further ones."""
    more = f" (and {len(losses) - 1} more)" if len(losses) > 1 else ""
    return show_remark(losses[0].where, f": {losses[0].what}{more}")


def _explain_failures(parts: Sequence[Part], problems: Sequence[Diagnostic], found: Found) -> None:
    """Add remarks to runs whose parser reports neither the failure nor the threshold.

    A failed run gets the first diagnostic from its first line on, or else the first of its source.
    An exit code that reports a crossed threshold applies to all runs of a source, unless one of
    them names it.
    """
    loud = [problem for problem in problems if problem.severity != "note"]
    furthest = [*accumulate((each.line for each in loud), max)]
    code, is_unnamed = found.sidecar.exit_code, not any(part.remark for part in parts)
    for part in parts:
        if part.role == "failed" and not part.remark and loud:
            at = bisect_left(furthest, part.line)
            first = loud[at if at < len(loud) else 0]
            part.remark = show_remark(first.where, f": {first.what}")
        elif part.role == "measured" and is_unnamed and code:
            what = f"its command exited with code {code}, because a threshold was crossed"
            part.remark = show_remark(found.label, f": {what}")


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
        folder=name_path(path.folder),
        leftover=name_path(path.leftover),
        remark=remark,
    )
    part.env = show_facts(side.env)
    enter_commit(part, options)
    return part


def report_unsplit(pattern: str, parts: Sequence[Part]) -> Iterator[Diagnostic]:
    """Report that the pattern of ``--split`` yields no variant, if there are results."""
    measured = [part for part in parts if part.role == "measured"]
    if measured:
        what = f"the pattern {pattern!r} matches no benchmark name, heading or caption"
        named = chain.from_iterable(
            (*part.headings.values(), part.caption, part.benchmark) for part in measured
        )
        names = [*filter(None, dict.fromkeys(named))]
        hint = f"there are {list_first(names, _NAMED)}" if names else "the results have no names"
        yield Diagnostic("--split", 0, what, hint, "warning")
