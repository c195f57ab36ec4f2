"""How a folder is read: the labels of each file, their origin, and alternative readings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchkit.config import parse_split
from benchkit.errors import DataError, Diagnostic
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.discovery import Options, discover
from benchkit.ingestion.loading import Loaded, load_found
from benchkit.ingestion.sources import Found
from benchkit.ingestion.together import place_below
from benchkit.labels.readings import FileLabels, Reading, list_readings, write_pattern
from benchkit.labels.splitting import NameSplit, split_commands, split_headings, suggest_split
from benchkit.labels.stems import ToolNames
from benchkit.parsers import registry
from benchkit.redaction import redact_label, redact_name
from benchkit.selection import SIDE_NAMES
from benchkit.tables.runs import write_numbers

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Maximum number of values of one label listed for a file; the rest are counted.
_LISTED = 3
#: Maximum number of files used to find other readings of a folder.
_READ = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The labels of each file, other readings of the paths, and the reason if nothing was read.

    ``diagnostics`` are the problems of sidecars and archives; problems of files are listed with the
    files. ``unread`` counts the files of each variant, by path, that are not among ``files``; files
    that are not compared have an empty variant. ``splits`` may turn the only variant into sides;
    nothing was read with them.
    """

    files: tuple[FileLabels, ...]
    unread: Mapping[str, int] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    splits: tuple[NameSplit, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: DataError | None = None


def explain_layout(arguments: Sequence[str], options: Options, most: int | None = None) -> Layout:
    """Read the files that ``arguments`` name, and describe the result for each.

    At most ``most`` files are read: the first ones of each variant.

    Raises
    ------
    DataError
        If there is no file.
    ConfigError
        If no file follows the layout.
    """
    tools = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())
    discovery = discover(arguments, options)
    sources = _choose_first(discovery.found, most or len(discovery.found))
    read = {id(source) for source in sources}
    unread = Counter(
        source.shown_variant if _may_be_measured(source, tools) else ""
        for source in discovery.found
        if id(source) not in read
    )
    reason, loaded = None, None
    try:
        loaded = load_found(replace(discovery, found=sources), options, samples=False)
    except DataError as error:
        reason = error
    runs, outcomes = _list_runs(loaded), _list_outcomes(loaded)
    files = tuple(
        _describe(source, runs.get(source.label), outcomes.get(source.label, ""), options, tools)
        for source in sources
    )
    roles = {file.path: file.role.split(", ") for file in files}
    measured = [
        source
        for source in discovery.found
        if "measured" in roles.get(source.label, ["measured"])
        and _may_be_measured(source, tools)
        and source.path is not None
    ]
    return Layout(
        files=files,
        unread=unread,
        readings=() if options.layout else _list_others(measured, arguments, tools),
        splits=_list_splits(loaded, options),
        skipped=tuple(discovery.skipped),
        diagnostics=tuple(discovery.diagnostics),
        reason=reason,
    )


def _choose_first(sources: Sequence[Found], most: int) -> list[Found]:
    """Return at most this many sources, the first ones of each variant, in order."""
    taken: Counter[str] = Counter()
    ranked = []
    for place, source in enumerate(sources):
        ranked.append((taken[variant := source.shown_variant], place))
        taken[variant] += 1
    return [sources[place] for place in sorted(place for _, place in sorted(ranked)[:most])]


def _may_be_measured(source: Found, tools: ToolNames) -> bool:
    labels = source.labels
    return labels.role == "measured" and labels.tool not in tools.companions and not labels.series


def _list_others(
    sources: Sequence[Found], arguments: Sequence[str], tools: ToolNames
) -> tuple[Reading, ...]:
    """Return other readings of one folder, based on some of its files; none for named files."""
    root = Path(arguments[0])
    if len(arguments) != 1 or not root.is_dir() or not sources:
        return ()
    is_part = len(sources) > _READ
    if is_part:
        places = sorted(Random(0).sample(range(len(sources)), _READ))  # noqa: S311 - no secret
        sources = [sources[place] for place in places]
    others = list_readings(
        [_place(source, root) for source in sources],
        [source.labels for source in sources],
        SIDE_NAMES,
        tools,
        root_name=root.resolve().name,
    )
    return tuple(replace(other, is_part=is_part) for other in others if not _holds_secret(other))


def _holds_secret(reading: Reading) -> bool:
    """Return whether a reading contains a secret; with it masked, the pattern matches no path."""
    names = *reading.variants, *reading.benchmarks, *reading.groups, *reading.pattern.split("/")
    return any(redact_name(name) != name for name in names)


def _list_splits(loaded: Loaded | None, options: Options) -> tuple[NameSplit, ...]:
    """Return the splits that may make sides of the runs, if the paths give only one variant."""
    if loaded is None or options.split or loaded.runs["variant"].nunique() > 1:
        return ()
    return tuple(list_splits(loaded.runs, is_page=len(loaded.reports) == 1))


def _place(source: Found, folder: Path | None = None) -> str:
    """Return the path of a source below its folder; an archive may be one in a ``folder``."""
    if source.place and folder:
        return place_below(source, folder)
    root = source.sidecars.root if source.sidecars and not source.is_named else None
    if source.path is None or root is None:
        return source.label
    return source.path.relative_to(root).as_posix()


def _list_runs(loaded: Loaded | None) -> dict[str, list[tuple[str, ...]]]:
    """Return the labels of the runs of each source, by its name."""
    runs: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    if loaded is None:
        return runs
    columns = (loaded.runs[name].astype(str).tolist() for name in (*_COLUMNS, "run"))
    for sources, *labels in zip(loaded.runs["sources"], *columns, strict=True):
        for source in sources:
            runs[source["path"]].append(tuple(labels))
    return runs


def _list_outcomes(loaded: Loaded | None) -> dict[str, str]:
    reports = loaded.reports if loaded else ()
    return {report.label: report.outcome for report in reports}


def _describe(
    source: Found,
    runs: Sequence[tuple[str, ...]] | None,
    outcome: str,
    options: Options,
    tools: ToolNames,
) -> FileLabels:
    """Return the labels of a source: those of its runs, otherwise those of its path."""
    path = _place(source)
    pattern = options.layout if source.labels.by_layout else None
    pattern = name_path(pattern or write_pattern(path, source.labels, tools))
    variant = redact_label(source.labels.variant)
    if runs is None:
        return FileLabels(path=source.label, variant=variant, role=outcome, origin=pattern)
    *columns, counts = zip(*runs, strict=True)
    texts = {name: _join(column) for name, column in zip(_COLUMNS, columns, strict=True)}
    by_path = "variant" in pattern and texts["variant"] == variant
    elsewhere = f"{_name_origin(source, texts, options)}; {pattern.replace('{variant}', '*')}"
    origin = pattern if by_path else elsewhere
    numbers = write_numbers({*map(int, counts)})
    return FileLabels(path=source.label, run=numbers, origin=origin, **texts)


_COLUMNS = ("group", "variant", "benchmark", "params", "role", "tool")


def _join(values: Sequence[str]) -> str:
    distinct = [*dict.fromkeys(filter(None, values))]
    more = f" and {len(distinct) - _LISTED} more" if len(distinct) > _LISTED else ""
    return ", ".join(distinct[:_LISTED]) + more


def _name_origin(source: Found, texts: Mapping[str, str], options: Options) -> str:
    """Return the origin of a variant that is not from the path."""
    variant = texts["variant"]
    if variant == redact_label(source.variant or options.variant or ""):
        return "variant: command line"
    if variant == redact_label(source.sidecar.variant or ""):
        return "variant: sidecar"
    is_folder = variant == redact_label(source.labels.variant)
    return "variant: name of the folder" if is_folder else "variant: content"


def list_splits(runs: Runs, *, is_page: bool) -> Iterator[NameSplit]:
    """Yield the splits suggested by benchmark names, headings of a page and timed commands.

    None of them is certain to result in comparable sides; the caller has to try.
    """
    benchmarks = runs["benchmark"].unique().tolist()
    if by_names := suggest_split(benchmarks, SIDE_NAMES):
        yield by_names
    if is_page:
        yield from split_headings(_list_headings(runs))
    timed = split_commands(benchmarks)
    tools = map(registry.tool, runs["tool"].unique())
    if timed and all(tool.compares_commands for tool in tools):
        yield timed


def suppose(options: Options, split: NameSplit) -> Options:
    """Return the options with those of a split appended."""
    rename = (split.rename,) if split.rename else ()
    return replace(options, split=parse_split(split.pattern), rename=(*options.rename, *rename))


def _list_headings(runs: Runs) -> list[tuple[str, ...]]:
    """Return the parts of each benchmark's name, followed by all other labels that repeats share.

    Names of load tools need not end with a path. The host is left out, because each variant may use
    a different one.
    """
    columns = ["benchmark", "tool", "params", "group"]
    measured = runs[runs["role"] == "measured"][columns].drop_duplicates()
    result: list[tuple[str, ...]] = []
    for name, tool, params, group in measured.itertuples(index=False, name=None):
        shared = [pair for pair in params.split(",") if not pair.startswith("host=")]
        parts = name.split(" / ")
        is_whole = registry.tool(tool).role != "load" or parts[-1].startswith("/")
        headings, last = (parts[:-1], parts[-1]) if is_whole else (parts, "")
        result.append((*headings, "\n".join((last, tool, *shared, group))))
    return result
