"""What is to be said about a report of ab beside its numbers.

A run that was interrupted, or whose failures are only pages of another length, looks like any
other.
"""

from __future__ import annotations

from benchkit.errors import Diagnostic


def incomplete(path: str, line: int, missing: list[str]) -> Diagnostic:
    """Say which lines a report lacks."""
    names = ", ".join(f"`{name}`" for name in missing) + " line" + "s" * (len(missing) > 1)
    what = f"this ab report lacks its {names}; what stands in it is kept as a partial run"
    return Diagnostic(path, line, what, "give the whole output of the run", "warning")


def damaged(path: str, line: int, text: str) -> Diagnostic:
    """Say that a line cannot be read."""
    what = f"this line of an ab report is cut or changed and was passed over: {text[:60]!r}"
    return Diagnostic(path, line, what, "give the output as ab printed it", "warning")


def interrupted(path: str, line: int, complete: int | None, asked: int | None) -> Diagnostic:
    """Say that a run was stopped before its end."""
    of = f" of {asked}" if asked else ""
    done = f"after {complete}{of} requests" if complete is not None else "before its end"
    what = f"ab was interrupted {done}; its statistics are of these, as a partial run"
    return Diagnostic(path, line, what, "run it again to its end before comparing it", "warning")


def failed(path: str, line: int, trouble: str, completed: int | None) -> Diagnostic:
    """Say that ab stopped without a report."""
    after = "" if completed is None else f" after {completed} requests"
    why = f" ({trouble})" if trouble else ""
    what = f"ab stopped{after} without a report{why}, so this run measured nothing"
    hint = "see that the server accepts this many connections, or use ab -r, and run again"
    if not trouble:
        hint = "see what ab wrote to its standard error, or give the whole output"
    return Diagnostic(path, line, what, hint, "warning", is_remark=True)


def idle(path: str, line: int) -> Diagnostic:
    """Say that no request was completed."""
    what = "no request was completed in this run"
    return Diagnostic(path, line, what, "see whether the server answers", "warning", is_remark=True)


def silent(path: str, line: int, complete: int) -> Diagnostic:
    """Say that the server sent nothing."""
    what = f"ab counts {complete} complete requests, but the server sent not one byte"
    hint = "see whether the server closes connections without an answer"
    return Diagnostic(path, line, what, hint, "warning", is_remark=True)


def refused(path: str, line: int, complete: int) -> Diagnostic:
    """Say that every answer was an error."""
    what = f"all {complete} responses were outside 2xx: rates and times are of error pages"
    return Diagnostic(
        path, line, what, "see what the server answers at this path", "warning", is_remark=True
    )


def lengths(path: str, line: int, count: int) -> Diagnostic:
    """Say that failures are only bodies of another length than the first."""
    what = (
        f"{count} requests count as failed only because their body had another length than the "
        "first, as pages made on request do"
    )
    return Diagnostic(path, line, what, "run ab with -l if lengths may differ", "note")


def windowed(path: str, line: int, window: int, complete: int) -> Diagnostic:
    """Say that the times are averages."""
    what = (
        f"ab kept {window} averages of {complete} requests, so only its means are kept: least, "
        "greatest, median and percentiles are not of single requests"
    )
    return Diagnostic(
        path, line, what, "run ab with -n as large as the run", "warning", is_remark=True
    )


def unclear_clock(path: str, line: int, text: str) -> Diagnostic:
    """Say that the length of the run can be read in two ways."""
    what = (
        f"`{text} seconds` of ab 2.0 may be thousandths or millionths, and no line tells which; "
        "the length of the run is left out"
    )
    return Diagnostic(
        path, line, what, "give the whole report, with its rate", "warning", is_remark=True
    )


def unknown_unit(path: str, line: int, unit: str) -> Diagnostic:
    """Say that a table is in a unit that ab does not use."""
    what = f"this table is in {unit}, which ab does not print; its rows were passed over"
    return Diagnostic(path, line, what, "give the output of an unchanged ab", "warning")


def absent(path: str) -> Diagnostic:
    """Say that there is no report at all."""
    what = "no report of ab stands here, or not enough of one to be told from other text"
    return Diagnostic(path, 0, what, "give the whole output of the run")
