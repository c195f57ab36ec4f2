"""When each run was measured: `runs.json`, for tools that print no times.

Wrk and ab tell no times, and without them CPU and memory cannot be cut to the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from benchkit.errors import Diagnostic
from benchkit.labels.values import UnusableError, read_text, read_time, read_whole

#: Runs that one list may hold: each is held against each file.
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """When one run was measured.

    Parameters
    ----------
    start, end : datetime
        UTC.
    benchmark, group : str
        Empty where the list does not tell them.
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

    So are two entries that give one run different times: neither is used for it.

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
        what = f"not valid JSON ({error}), so it sets no start or end of a run"
        return [], [Diagnostic(path, line, what, severity="warning")]
    if not isinstance(data, list):
        hint = 'use a list of {"variant": …, "run": …, "start": …, "end": …}'
        return [], [Diagnostic(path, 0, "not a list of runs", hint, "warning")]
    if len(data) > _MOST:
        what = f"{len(data):,} entries, more than {_MOST:,}; all of them are ignored"
        hint = "write a runs.json into each folder of results"
        return [], [Diagnostic(path, 0, what, hint, "error")]
    windows, problems = dict[int, Window](), []
    for number, entry in enumerate(data, 1):
        try:
            windows[number] = _window(entry)
        except ValueError as error:
            what = f"entry {number} is ignored: {error}"
            problems.append(Diagnostic(path, 0, what, severity="warning"))
    problems += [_contradiction(path, windows, *pair) for pair in _contradict(windows)]
    return list(windows.values()), problems


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


def _contradict(windows: Mapping[int, Window]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of entries that may be about one run and give it different times."""
    seen: dict[tuple[str, int, str], dict[str, int]] = {}
    for number, window in windows.items():
        before = seen.setdefault((window.variant, window.run, window.benchmark), {})
        # an entry without a group is about the runs of every group
        about = (window.group, "") if window.group else tuple(before)[:1]
        for other in dict.fromkeys(before[group] for group in about if group in before):
            if (windows[other].start, windows[other].end) != (window.start, window.end):
                yield other, number
        before.setdefault(window.group, number)


def _contradiction(path: str, windows: Mapping[int, Window], one: int, two: int) -> Diagnostic:
    a, b = windows[one], windows[two]
    what = (
        f"entries {one} and {two} give run {a.run} of {a.variant} different times "
        f"({_span(a)}; {_span(b)}): both are ignored"
    )
    return Diagnostic(path, 0, what, "keep the correct entry", "warning")


def _span(window: Window) -> str:
    return " to ".join(
        time.isoformat().replace("+00:00", "Z") for time in (window.start, window.end)
    )


def _window(entry: object) -> Window:
    if not isinstance(entry, Mapping):
        msg = "not an object"
        raise UnusableError(msg)
    run = entry.get("run", entry.get("repeat"))
    window = {**entry, "run": run}
    missing = [key for key in ("variant", "run", "start", "end") if window.get(key) is None]
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
