"""What is to be said about a report of wrk or wrk2 beside its numbers.

A report that is cut, or whose latencies are censored, looks like any other.
"""

from __future__ import annotations

from benchkit.errors import Diagnostic


def incomplete(path: str, line: int, tool: str, missing: list[str]) -> Diagnostic:
    """Say which lines a report lacks."""
    names = ", ".join(f"`{name}`" for name in missing) + " line" + "s" * (len(missing) > 1)
    what = f"this {tool} report lacks its {names}; what stands in it is kept as a partial run"
    hint = "give the whole output of the run, or run it again"
    return Diagnostic(path, line, what, hint, "warning")


def damaged(path: str, line: int, text: str) -> Diagnostic:
    """Say that a line cannot be read."""
    what = f"this line of a wrk report is cut or changed and was passed over: {text[:60]!r}"
    return Diagnostic(path, line, what, "give the output as wrk printed it", "warning")


def nameless(path: str, line: int) -> Diagnostic:
    """Say that a histogram may be of either kind of latency."""
    what = (
        "a histogram stands here without its heading, so nothing tells whether its latencies are "
        "corrected; it is left out"
    )
    hint = "give the output from `Latency Distribution (HdrHistogram - ...` on"
    return Diagnostic(path, line, what, hint, "warning")


def censored(path: str, line: int, timeouts: int, requests: int | None) -> Diagnostic:
    """Say that timeouts are missing from the latencies."""
    of = "" if requests is None or timeouts > requests else f" of {requests}"
    what = (
        f"{timeouts}{of} requests timed out, and wrk leaves these out of its latencies: "
        "mean, percentiles and maximum look better than they were"
    )
    hint = "run again with --timeout above the slowest response, or compare request_rate"
    return Diagnostic(path, line, what, hint, "warning", is_remark=True)


def unsampled(path: str, line: int, tool: str, requests: int | None, timeouts: int) -> Diagnostic:
    """Say that there is no latency at all."""
    if requests == 0:
        what, hint = "no request was completed in this run", "see whether the server answered"
        return Diagnostic(path, line, what, hint, "warning", is_remark=True)
    known = "requests were completed" if requests is None else f"{requests} requests were completed"
    late = f" ({timeouts} timed out)" if timeouts else ""
    what = f"{known}{late}, but {tool} recorded no latency; its zeros are left out"
    hint = "run again with --timeout above the slowest response"
    if tool == "wrk2":
        hint = "run for well over the 10 s that wrk2 takes to calibrate"
    return Diagnostic(path, line, what, hint, "warning", is_remark=True)


def unreachable(path: str, line: int, verb: str, server: str, reason: str) -> Diagnostic:
    """Say that wrk could not begin."""
    what = f"wrk was unable to {verb} {server} ({reason}), so this run measured nothing"
    hint = "wait until the server accepts connections, then run again"
    return Diagnostic(path, line, what, hint, "warning", is_remark=True)


def foreign(path: str, line: int) -> Diagnostic:
    """Say that a report is of go-wrk, whose lines look like wrk's and mean something else."""
    what = (
        "this report is of go-wrk, which benchkit does not read: its `Requests/sec` divides by the "
        "time spent in requests, not by the length of the run"
    )
    hint = "run wrk or hey in its place"
    return Diagnostic(path, line, what, hint, "warning")


def absent(path: str) -> Diagnostic:
    """Say that there is no report at all."""
    what = "no report of wrk or wrk2 stands here, or not enough of one to be told from other text"
    return Diagnostic(path, 0, what, "give the whole output of the run")
