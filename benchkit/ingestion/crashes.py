"""Reports below which their source says that a program crashed: their runs failed."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence

from benchkit.errors import Diagnostic
from benchkit.ingestion.surroundings import read_lines
from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Source
from benchkit.reading.crashes import find_crash
from benchkit.redaction import redact_quote

_HINT = (
    "its results are kept but not compared; find out what crashed and measure again, or remove the "
    "line if it is not of this run"
)


def mark_crashes(source: Source, runs: Sequence[tuple[Format, Reading]]) -> Iterator[Diagnostic]:
    """Mark the runs as failed that are the last before a program crashed, and say so."""
    reports = [run for form, run in runs if _is_report(form, run)]
    if not reports:
        return
    lines = source.text().split("\n") if source.is_small else read_lines(source)
    starts = sorted(run.line for _, run in runs)
    for run in reports:
        below = bisect(starts, run.last_line)
        last = starts[below] - 1 if below < len(starts) else len(lines)
        whole = registry.tool(run.tool).whole_exits
        found = find_crash(lines, run.last_line + 1, last, whole, run.tool)
        if found is not None:
            number, reason = found[0], redact_quote(" ".join(found[1].split()))
            run.status, run.remark = "failed", f"{number}: {reason}"
            what = f"the run failed: {reason}"
            yield Diagnostic(source.label, number, what, _HINT, "warning", is_remark=True)


def _is_report(form: Format, run: Reading) -> bool:
    """Tell whether a run is a text that ends with its results, and that has not failed yet."""
    is_text = form.embeds and not (form.is_companion or form.reads_ends)
    is_run = run.status != "failed" and registry.tool(run.tool).role != "summary"
    return is_text and is_run and run.last_line > 0
