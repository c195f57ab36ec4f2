"""The list of runs that a harness writes next to raw files: `runs.json`.

It records when each run was measured: wrk and ab print no times, and without them CPU and memory
cannot be restricted to the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from benchkit.errors import Diagnostic
from benchkit.labels.declared import UnusableError, read_code, read_text, read_time, read_whole
from benchkit.labels.run_toml import DAMAGED

#: Maximum number of runs in one list; each is compared with each file.
_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """The time window in which one run was measured.

    Parameters
    ----------
    start, end : datetime
        UTC.
    benchmark, group : str
        Empty if the list does not record them.
    listed : tuple of (str, int)
        The list, and the number of the entry in it.
    """

    variant: str
    run: int
    start: datetime
    end: datetime
    benchmark: str = ""
    group: str = ""
    exit_code: int | None = None
    listed: tuple[str, int] = field(default=("", 0), compare=False, repr=False)


def read_windows(text: str, path: str) -> tuple[list[Window], list[Diagnostic]]:
    """Read a `runs.json`; invalid entries are reported and left out.

    Two entries that assign different times to one run are both left out. The runs count as damaged
    if a left-out entry records how a command exited.

    Parameters
    ----------
    text : str
        JSON.
    path : str
        The path in diagnostics.
    """
    damage = f"; {DAMAGED}" if '"exit' in text else ""
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 0)
        what = f"not valid JSON ({error}), so it sets no start or end of a run{damage}"
        return [], [Diagnostic(path, line, what, severity="warning")]
    if not isinstance(data, list):
        hint = 'use a list of {"variant": …, "run": …, "start": …, "end": …}'
        return [], [Diagnostic(path, 0, f"not a list of runs{damage}", hint, "warning")]
    if len(data) > _MOST:
        what = f"{len(data):,} entries, more than {_MOST:,}; all of them are ignored{damage}"
        hint = "write a runs.json into each folder of results"
        return [], [Diagnostic(path, 0, what, hint, "error")]
    windows, problems = dict[int, Window](), []
    for number, entry in enumerate(data, 1):
        try:
            windows[number] = replace(_window(entry), listed=(path, number))
        except ValueError as error:
            damage = f"; {DAMAGED}" if _may_fail(entry) else ""
            what = f"entry {number} is ignored: {error}{damage}"
            problems.append(Diagnostic(path, 0, what, severity="warning"))
    problems += [_contradiction(path, windows, *pair) for pair in _contradict(windows)]
    return list(windows.values()), problems


def _contradict(windows: Mapping[int, Window]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of entries that may describe one run but record different times."""
    seen: dict[tuple[str, int, str], dict[str, int]] = {}
    for number, window in windows.items():
        before = seen.setdefault((window.variant, window.run, window.benchmark), {})
        # an entry without a group applies to the runs of every group
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
        f"{f'; {DAMAGED}' if a.exit_code or b.exit_code else ''}"
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
    code = _get_code(entry)
    return Window(
        variant=read_text(entry["variant"]),
        run=read_whole(run),
        start=start,
        end=end,
        benchmark=read_text(entry.get("benchmark", "")),
        group=read_text(entry.get("group", "")),
        exit_code=None if code is None else read_code(code),
    )


def _get_code(entry: Mapping[str, object]) -> object:
    """Return the exit code, or None, which a harness also writes if it is unknown."""
    return entry.get("exit_code", entry.get("exit"))


def _may_fail(entry: object) -> bool:
    return isinstance(entry, Mapping) and _get_code(entry) not in (None, 0)
