"""Events that concern no row: crashes, damage, new benchmarks, unread files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from benchkit.audit.copies import list_equal_pairs
from benchkit.audit.replication import list_remarks
from benchkit.config.rules import Habits
from benchkit.derived.record import began_alike, list_starts
from benchkit.errors import (
    DataError,
    Finding,
    OutdatedError,
    SourceReport,
    UnmeasuredError,
    describe,
)
from benchkit.gating.events import (
    ADDED,
    BASELINE_CRASH,
    CRASH,
    DAMAGED,
    MIXED,
    NOT_COMPARED,
    UNDECIDABLE,
    UNKNOWN,
    Occurrence,
)
from benchkit.ingestion.gone import MIXED as MIXED_CODE
from benchkit.ingestion.pooled import TWICE
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.comparison.model import Contrast
    from benchkit.gating.events import Pair
    from benchkit.schema import Runs

#: Maximum number of names; the rest are counted.
_SHOWN = 2
#: The problem with one file, and with several.
_UNREAD = "cannot be read", "cannot be read"
_FORMATLESS = "has an unknown format", "have an unknown format"
#: Roles of runs that show that a variant was tried.
_TRIED = ("failed", "warmup", "aggregate", "part", "damaged", "empty")


class _File(NamedTuple):
    """The paths of identical content, and the start of its runs."""

    paths: set[str]
    starts: set[datetime | None]

    def is_copy(self, other: _File) -> bool:
        return self.paths.isdisjoint(other.paths) and began_alike(self.starts, other.starts)


def list_incidents(
    runs: Runs,
    reports: Sequence[SourceReport],
    habits: Habits,
    *,
    baselines: Collection[str],
    variants: Collection[str] | None,
    stale: Mapping[str, DataError] | None = None,
    strict: bool = False,
) -> tuple[Occurrence, ...]:
    """Return the events that follow from runs and files.

    Parameters
    ----------
    runs : Runs
        Of every role.
    reports : sequence of SourceReport
        For sources that were just read; empty for a store.
    baselines : collection of str
        A failed run of one of these does not affect the decision on the variant.
    variants : collection of str or None
        The gated ones; None for all.
    stale : mapping of str to DataError, optional
        Those that have only earlier runs, with the reason.
    strict : bool
        Whether a file of an unknown format fails the gate.
    """
    is_crossed = (runs["role"] == "measured") & runs["remark"].notna()
    is_measured = runs["variant"].isin(runs.loc[runs["role"] == "measured", "variant"])
    is_lost = (runs["role"] == "damaged") | ((runs["role"] == "empty") & is_measured)
    known = runs[(runs["role"] == "failed") | is_crossed], runs[is_lost]
    failed, damaged = (_select(list_remarks(rows), variants, baselines) for rows in known)
    return (
        *_list_crashes(failed, baselines, habits),
        *_list_damage(damaged, habits),
        *_list_unknown(runs, reports, strict=strict),
        *_list_unmeasured(runs, variants, baselines, habits),
        *_list_stale(stale or {}, variants, baselines, habits),
        *_list_copies(runs, variants, baselines),
    )


def list_added(pairs: Sequence[Pair], only_in: Mapping[str, Sequence[str]]) -> Iterator[Occurrence]:
    """Yield the benchmarks that only the variant of a pair has."""
    baselines = {baseline for baseline, _ in pairs}
    for baseline, variant in pairs:
        if names := [name for name in only_in.get(variant, ()) if name]:
            text = printable(f"{join(names, 3)}, only in {variant}")
            if variant not in baselines:
                yield Occurrence(event=ADDED, action="pass", text=text, pair=(baseline, variant))


def list_mixed(
    findings: Sequence[Finding], pairs: Sequence[Pair], habits: Habits
) -> Iterator[Occurrence]:
    """Yield the compared variants of which two measurements are pooled, or one counts twice."""
    compared = {name for pair in pairs for name in pair}
    both = {", ".join(sorted(pair)) for pair in pairs}
    for finding in findings:
        text = describe(finding.message, hint=finding.remedy)
        if finding.code == MIXED_CODE and finding.where in compared:
            text = describe(text, where=f"two measurements of {finding.where} count as one")
        elif finding.code != TWICE or finding.where not in both:
            continue
        yield Occurrence(event=MIXED, action=habits.on_damaged, text=printable(text))


def list_equal(rows: Sequence[Contrast], runs: Runs) -> Iterator[Occurrence]:
    """Yield the variants whose values equal the baseline's: only one measurement was made."""
    for baseline, variant in list_equal_pairs(rows, runs):
        text = f"all values of {variant} equal those of {baseline}: one measurement under two names"
        yield Occurrence(event=NOT_COMPARED, action="fail", text=printable(text))


def join(names: Sequence[str], shown: int = _SHOWN) -> str:
    """Join names; if there are many, the first ones and a count.

    Examples
    --------
    >>> join(["a", "b"]), join(["a", "b", "c", "d"])
    ('a and b', 'a, b and 2 more')
    """
    more = len(names) - shown
    listed = [*names[:shown], *([f"{more} more"] if more > 0 else [])]
    text = f"{', '.join(listed[:-1])} and {listed[-1]}" if len(listed) > 1 else "".join(listed)
    return printable(text)


def _select(
    incidents: dict[str, list[str]], variants: Collection[str] | None, baselines: Collection[str]
) -> dict[str, list[str]]:
    """Keep what concerns the gate; items without a variant may belong to any."""
    if variants is None:
        return incidents
    return {name: texts for name, texts in incidents.items() if name in {"", *variants, *baselines}}


def _list_crashes(
    failed: Mapping[str, list[str]], baselines: Collection[str], habits: Habits
) -> Iterator[Occurrence]:
    for variant, texts in failed.items():
        event = BASELINE_CRASH if variant in baselines else CRASH
        count = "a run" if len(texts) == 1 else f"{len(texts)} runs"
        side = f" of the baseline {variant}" if event is BASELINE_CRASH else f" of {variant}"
        text = printable(f"{count}{side if variant else ''} failed: ") + join(texts)
        yield Occurrence(event=event, action=habits.on_failure, text=text)


def _list_damage(damaged: Mapping[str, list[str]], habits: Habits) -> Iterator[Occurrence]:
    if texts := [*dict.fromkeys(text for of_variant in damaged.values() for text in of_variant)]:
        files = "1 file is damaged" if len(texts) == 1 else f"{len(texts)} files are damaged"
        yield Occurrence(event=DAMAGED, action=habits.on_damaged, text=f"{files}: {join(texts)}")


def _list_unknown(
    runs: Runs, reports: Sequence[SourceReport], *, strict: bool
) -> Iterator[Occurrence]:
    sources = runs[runs["role"] == "damaged"]["sources"].tolist()
    damaged = {str(source["path"]) for of_run in sources for source in of_run}
    labels: dict[bool, list[str]] = {}
    for report in reports:
        if report.outcome in {"refused", "empty"} and report.label not in damaged:
            labels.setdefault(report.is_unread, []).append(report.label)
    for is_unread, names in labels.items():
        one, many = _UNREAD if is_unread else _FORMATLESS
        text = f"1 file {one}" if len(names) == 1 else f"{len(names)} files {many}"
        action = "fail" if strict else UNKNOWN.default
        yield Occurrence(event=UNKNOWN, action=action, text=f"{text}: {join(names)}")


def _list_unmeasured(
    runs: Runs, variants: Collection[str] | None, baselines: Collection[str], habits: Habits
) -> Iterator[Occurrence]:
    """Yield the variants that were tried but have no measured run.

    If this follows from a crash or damage that fails the gate, that cause decides.
    """
    measured = set(runs[runs["role"] == "measured"]["variant"])
    causes = {"failed": habits.on_failure, "damaged": habits.on_damaged}
    tried: dict[str, set[str]] = {}
    chosen = runs[runs["role"].isin(_TRIED)]
    for variant, role in zip(chosen["variant"], chosen["role"], strict=True):
        tried.setdefault(variant, set()).add(role)
    for variant, roles in tried.items():
        is_ours = variants is None or variant in {*variants, *baselines}
        if variant in measured or not variant or not is_ours:
            continue
        is_consequence = any(causes.get(role) == "fail" for role in roles)
        text = printable(f"no run of {variant} was measured, so it was not compared")
        yield Occurrence(event=NOT_COMPARED, action="pass" if is_consequence else "fail", text=text)


def _list_stale(
    stale: Mapping[str, DataError],
    variants: Collection[str] | None,
    baselines: Collection[str],
    habits: Habits,
) -> Iterator[Occurrence]:
    """Yield the variants that should have been measured again, except those of other jobs."""
    for variant, error in stale.items():
        if variant in baselines and isinstance(error, OutdatedError):
            text = printable(f"the runs of {variant} are of an earlier measurement: {error}")
            yield Occurrence(event=UNDECIDABLE, action=habits.on_undecided, text=text)
        elif variants is None and variant not in baselines and isinstance(error, UnmeasuredError):
            remedy = "or name the variants to judge with --variant"
            text = printable(f"variant {variant} was not compared: {error}, {remedy}")
            yield Occurrence(event=NOT_COMPARED, action="fail", text=text)


def _list_copies(
    runs: Runs, variants: Collection[str] | None, baselines: Collection[str]
) -> Iterator[Occurrence]:
    """Yield the variants whose files are copies of a baseline's, so they were not measured.

    A file shared by several variants in it is not a copy; nor are files of runs with different
    recorded starts.
    """
    files: dict[str, dict[str, _File]] = {}
    measured = runs[runs["role"] == "measured"]
    columns = measured["variant"], measured["sources"], list_starts(measured)
    for variant, sources, start in zip(*columns, strict=True):
        for source in sources:
            file = files.setdefault(variant, {}).setdefault(source["sha256"], _File(set(), set()))
            file.paths.add(source["path"])
            file.starts.add(start)
    for variant, digests in files.items():
        is_ours = variants is None or variant in variants
        for baseline in (set(baselines) & set(files)) - {variant} if is_ours else ():
            theirs = files[baseline]
            if all(
                digest and digest in theirs and file.is_copy(theirs[digest])
                for digest, file in digests.items()
            ):
                text = f"the files of {variant} are copies of those of {baseline}"
                yield Occurrence(event=NOT_COMPARED, action="fail", text=printable(text))
