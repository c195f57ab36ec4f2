"""How a folder is understood: the labels of each file, what gave them, what else it could mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import DataError
from benchkit.ingestion.discovery import Options, discover
from benchkit.ingestion.loading import Loaded, load
from benchkit.ingestion.sources import Found
from benchkit.labels.readings import FileLabels, Reading, list_readings, write_pattern
from benchkit.labels.stems import ToolNames
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES
from benchkit.tables.runs import write_numbers

if TYPE_CHECKING:
    import pandas as pd

#: Values of one label that are listed for a file; the rest is counted.
_LISTED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The labels of each file, other readings of their paths, and why nothing was read, if so."""

    files: tuple[FileLabels, ...]
    readings: tuple[Reading, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    reason: DataError | None = None


def explain_layout(arguments: Sequence[str], options: Options) -> Layout:
    """Read the files that ``arguments`` name, and say what each became.

    Raises
    ------
    DataError
        If there is no file.
    ConfigError
        If no file follows the layout.
    """
    tools = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())
    discovery = discover(arguments, options)
    reason, loaded = None, None
    try:
        loaded = load(arguments, options, None, samples=False)
    except DataError as error:
        reason = error
    runs, outcomes = _list_runs(loaded), _list_outcomes(loaded)
    files = tuple(
        _describe(source, runs.get(source.label), outcomes.get(source.label, ""), options, tools)
        for source in discovery.found
    )
    measured = [
        source
        for source, labels in zip(discovery.found, files, strict=True)
        if "measured" in labels.role.split(", ") and source.path is not None
    ]
    return Layout(
        files=files,
        readings=() if options.layout else _list_others(measured, arguments, tools),
        skipped=tuple(discovery.skipped),
        reason=reason,
    )


def _list_others(
    sources: Sequence[Found], arguments: Sequence[str], tools: ToolNames
) -> tuple[Reading, ...]:
    """Return other readings of one folder; what is named file by file has none."""
    root = Path(arguments[0])
    if len(arguments) != 1 or not root.is_dir() or not sources:
        return ()
    others = list_readings(
        [_place(source) for source in sources],
        [source.labels for source in sources],
        SIDE_NAMES,
        tools,
        root_name=root.resolve().name,
    )
    return tuple(others)


def _place(source: Found) -> str:
    """Return the path of a source below its folder."""
    root = source.sidecars.root if source.sidecars and not source.is_named else None
    if source.path is None or root is None:
        return source.label
    return source.path.relative_to(root).as_posix()


def _list_runs(loaded: Loaded | None) -> dict[str, pd.DataFrame]:
    """Return the runs of each source by its name."""
    if loaded is None:
        return {}
    rows: dict[str, list[int]] = defaultdict(list)
    for at, sources in enumerate(loaded.runs["sources"]):
        for source in sources:
            rows[source["path"]].append(at)
    return {name: loaded.runs.iloc[places] for name, places in rows.items()}


def _list_outcomes(loaded: Loaded | None) -> dict[str, str]:
    reports = loaded.reports if loaded else ()
    return {report.label: report.outcome for report in reports}


def _describe(
    source: Found,
    runs: pd.DataFrame | None,
    outcome: str,
    options: Options,
    tools: ToolNames,
) -> FileLabels:
    """Return the labels of a source: those of its runs, else those of its path."""
    path = _place(source)
    pattern = options.layout if source.labels.by_layout else None
    pattern = pattern or write_pattern(path, source.labels, tools)
    if runs is None:
        return FileLabels(
            path=source.label, variant=source.labels.variant, role=outcome, origin=pattern
        )
    texts = {name: _join(runs[name].astype(str).tolist()) for name in _COLUMNS}
    by_path = "variant" in pattern and texts["variant"] == source.labels.variant
    origin = pattern if by_path else f"{_name_origin(source, texts, options)}; {pattern}"
    numbers = write_numbers({*runs["run"].tolist()})
    return FileLabels(path=source.label, run=numbers, origin=origin, **texts)


_COLUMNS = ("group", "variant", "benchmark", "params", "role", "tool")


def _join(values: Sequence[str]) -> str:
    distinct = [*dict.fromkeys(filter(None, values))]
    more = f" and {len(distinct) - _LISTED} more" if len(distinct) > _LISTED else ""
    return ", ".join(distinct[:_LISTED]) + more


def _name_origin(source: Found, texts: Mapping[str, str], options: Options) -> str:
    """Say what gave the variant, where the path did not."""
    variant = texts["variant"]
    if variant == (source.variant or options.variant):
        return "variant: command line"
    if variant == source.sidecar.variant:
        return "variant: sidecar"
    return "variant: name of the folder" if variant == source.labels.variant else "variant: content"
