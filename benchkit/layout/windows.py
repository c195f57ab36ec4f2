"""When each run was measured: `runs.json`, for tools that print no times.

In: a list of `{"variant": "none", "repeat": 1, "start": "…Z", "end": "…Z"}`. Out: `Window`s.
Why: wrk and ab tell no times, and without them CPU and memory cannot be cut to the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from benchkit.errors import Diagnostic
from benchkit.layout.values import UnusableError, read_text, read_time, read_whole


@dataclass(frozen=True, slots=True)
class Window:
    """When one run was measured.

    Parameters
    ----------
    variant : str
    run : int
    start, end : datetime
        UTC.
    benchmark, group : str
        Empty where the list does not tell them.
    exit_code : int or None
    """

    variant: str
    run: int
    start: datetime
    end: datetime
    benchmark: str = ""
    group: str = ""
    exit_code: int | None = None


def read_windows(text: str, path: str) -> tuple[list[Window], list[Diagnostic]]:
    """Read a `runs.json`; an entry that cannot be used is told and left out.

    Parameters
    ----------
    text : str
        JSON.
    path : str
        How diagnostics name it.
    """
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        what = f"not valid JSON ({error}); no run gets its start and end from it"
        return [], [Diagnostic(path, line, what, severity="warning")]
    if not isinstance(data, list):
        hint = 'write a list of {"variant": …, "run": …, "start": …, "end": …}'
        return [], [Diagnostic(path, 0, "not a list of runs", hint, "warning")]
    windows, problems = [], []
    for number, entry in enumerate(data, 1):
        try:
            windows.append(_window(entry))
        except ValueError as error:
            what = f"entry {number} is not used: {error}"
            problems.append(Diagnostic(path, 0, what, severity="warning"))
    return windows, problems


def find_window(
    windows: Sequence[Window], variant: str, run: int, *, benchmark: str = "", group: str = ""
) -> Window | None:
    """Return the one window of a run, or None where there is none or it cannot be told which.

    Parameters
    ----------
    benchmark, group : str
        An entry that tells its benchmark or group is only for runs of these. An entry without a
        benchmark is for runs whose path names none.
    """
    fitting = {
        (window.start, window.end): window
        for window in windows
        if window.variant == variant
        and window.run == run
        and window.benchmark == benchmark
        and window.group in ("", group)
    }
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _window(entry: object) -> Window:
    if not isinstance(entry, Mapping):
        msg = "it is not an object"
        raise UnusableError(msg)
    run = entry.get("run", entry.get("repeat"))
    told = {**entry, "run": run}
    missing = [key for key in ("variant", "run", "start", "end") if told.get(key) is None]
    if missing:
        raise UnusableError("it lacks " + ", ".join(missing))
    start, end = read_time(entry["start"]), read_time(entry["end"])
    if end < start:
        msg = "its end is before its start"
        raise UnusableError(msg)
    code = entry.get("exit_code")
    return Window(
        variant=read_text(entry["variant"]),
        run=read_whole(run),
        start=start,
        end=end,
        benchmark=read_text(entry.get("benchmark", "")),
        group=read_text(entry.get("group", "")),
        exit_code=code if isinstance(code, int) else None,
    )
