"""Failed runs in a `runs.json` for which no result was read.

The command of such a run may have printed nothing, or its entry may spell the variant or benchmark
differently. If they were ignored, the other runs would pass a gate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Diagnostic
from benchkit.ingestion.addresses import name_address, name_path
from benchkit.ingestion.discovery import Discovery, Options, assign
from benchkit.ingestion.outcomes import mark_damage
from benchkit.ingestion.parts import Part, show_label
from benchkit.ingestion.rows import read_parts
from benchkit.ingestion.sources import Found, Identity
from benchkit.labels.patterns import PathLabels
from benchkit.labels.sidecars import Sidecar
from benchkit.labels.walk import EXCLUDED
from benchkit.labels.windows import Window
from benchkit.parsers import registry

if TYPE_CHECKING:
    import pyarrow as pa

#: Columns of stored runs that are needed in addition to those that each ingest reads.
COLUMNS = ("tool", "run", "benchmark", "leftover")
_NO_LABELS = PathLabels("", "", "", (), None, "measured", "", "", "", "")


class Run(NamedTuple):
    """The labels by which an entry identifies a run."""

    source: Identity
    tool: str
    group: str
    variant: str
    run: int | None
    benchmark: str
    leftover: str

    def fits(self, window: Window) -> bool:
        """Return whether an entry is about this run; a commit may precede the run's group."""
        return (
            self.run == window.run
            and self.variant == show_label(window.variant)
            and show_label(window.benchmark) in (self.benchmark, self.leftover)
            and f"/{self.group}".endswith(f"/{show_label(window.group)}" if window.group else "")
            and registry.tool(self.tool).role != "companion"
        )


def list_failed(discovery: Discovery) -> list[tuple[list[Window], set[Identity]]]:
    """Return the failed runs of each list in the named folders, with the sources it covers.

    Nothing counts as missing in folders from which the user excludes files.
    """
    if any(reason.startswith(EXCLUDED) for _, reason in discovery.skipped):
        return []
    lists: dict[int, tuple[list[Window], set[Identity]]] = {}
    for source in discovery.found:
        if source.sidecars and source.path and not source.is_chosen:
            windows = source.sidecars.windows(source.path)
            if id(windows) not in lists:
                lists[id(windows)] = [each for each in windows if each.exit_code], set()
            lists[id(windows)][1].add(source.identity)
    return [(failed, sources) for failed, sources in lists.values() if failed]


def list_lost_runs(
    discovery: Discovery, parts: Sequence[Part], stored: pa.Table | None, options: Options
) -> Iterator[tuple[Part, Diagnostic]]:
    """Yield damage for each list with failed runs that have no result, and name them.

    Parameters
    ----------
    parts : sequence of Part
        The parts that were read.
    stored : Table or None
        The pieces in the store, with these `COLUMNS`: unchanged sources are not read.
    """
    failed = list_failed(discovery)
    read = [_name_run(part) for part in parts] if failed else []
    anew = {run.source for run in read}
    for windows, sources in failed:
        path = windows[0].listed[0]
        address = name_address(Path(path).resolve() if Path(path).exists() else path)
        folder = f"{os.path.dirname(address)}/"  # noqa: PTH120 - a text
        near = [run for run in read if run.source in sources]
        near += [run for run in _list_stored(stored, folder) if run.source not in anew]
        lost = [window for window in windows if not any(run.fits(window) for run in near)]
        if lost:
            problem = _describe(lost)
            found = Found(  # at an address without a file: it is gone once the entry fits
                label=name_path(path), address=f"{address}/{lost[0].listed[1]}", path=Path(path),
                labels=_NO_LABELS, sidecar=Sidecar(),
            )  # fmt: skip
            assign([found], options)
            yield mark_damage(found, options, [problem], ()), problem


def _name_run(part: Part) -> Run:
    names = part.tool, part.group, part.variant, part.run, part.benchmark, part.leftover
    return Run(part.identity, *names)


def _list_stored(stored: pa.Table | None, folder: str) -> Iterator[Run]:
    """Yield the stored runs of a folder."""
    if stored is not None and len(stored):
        import pyarrow.compute as pc

        yield from map(_name_run, read_parts(stored.filter(pc.starts_with(stored["path"], folder))))


def _describe(lost: Sequence[Window]) -> Diagnostic:
    """Name the first entry whose run has no result, and count the others."""
    window, (path, number) = lost[0], lost[0].listed
    names = filter(None, (window.variant, window.benchmark, window.group))
    more = f", and {len(lost) - 1} more entries" if len(lost) > 1 else ""
    what = (
        f"entry {number}: run {window.run} of {', '.join(names)} exited with code "
        f"{window.exit_code}, but no result has these labels{more}"
    )
    hint = "correct the labels of the entry, or measure the run again"
    return Diagnostic(path, 0, what, hint, "warning")
