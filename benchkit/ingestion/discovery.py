"""Discovery of the sources that the user names, with labels from paths and sidecars.

Files, folders, ``label=path``, standard input and distant results are all turned into the same kind
of source.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

from benchkit.config.labels import NO_LABELS, LabelTables
from benchkit.config.maps import TableMap
from benchkit.errors import ConfigError, DataError, Diagnostic, MissingError
from benchkit.ingestion.addresses import (
    is_distant,
    name_address,
    name_path,
    refuse_store,
    show_path,
    split_label,
)
from benchkit.ingestion.file_numbers import note_numbers
from benchkit.ingestion.recorded import Importing
from benchkit.ingestion.repeats import (
    holds_results,
    is_archive,
    leave_out_repeats,
    leave_out_sidecars,
    list_archives,
    read_once,
)
from benchkit.ingestion.sources import (
    STDIN,
    Found,
    read_standard_input,
    require_file,
    write_assigned,
)
from benchkit.ingestion.together import (
    Order,
    distinguish,
    join_labelled,
    lead_apart,
    list_declared,
    name_files,
    read_archives,
    read_together,
)
from benchkit.labels.matching import Rename, parse_rename
from benchkit.labels.patterns import PathLabels, compile_pattern, read_path
from benchkit.labels.sidecars import Sidecar, Sidecars
from benchkit.labels.stems import ToolNames
from benchkit.labels.template import list_unmatched
from benchkit.labels.tree import read_tree
from benchkit.labels.walk import DOCUMENT, README, is_store, walk
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES

if TYPE_CHECKING:
    from benchkit.ingestion.distant import Copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The command line's settings for the sources, which take precedence over all other labels.

    With a ``commit``, the same path is a separate source for each commit, and each commit is a
    separate group; ``importing`` does the same with the commits that the sources record. ``origin``
    is the CI job or machine to which the sources belong in a store; None: inferred.
    ``configured_rename`` are the rules of the settings, which apply if ``rename`` is empty.
    """

    origin: str | None = None
    layout: str | None = None
    variant: str | None = None
    benchmark: str | None = None
    meta: tuple[tuple[str, str], ...] = ()
    commit: str = ""
    importing: Importing | None = None
    as_format: str | None = None
    rename: tuple[str, ...] = ()
    configured_rename: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    split: tuple[str, bool] | tuple[()] = ()
    samples: bool = True
    max_unpacked: int | None = None
    labels: LabelTables = NO_LABELS
    maps: tuple[TableMap, ...] = ()

    def renames(self) -> tuple[Rename, ...]:
        """Return the parsed ``s#a#b#`` expressions."""
        return tuple(parse_rename(text) for text in self.rename or self.configured_rename)


@dataclass(slots=True)
class Discovery:
    """The sources found, the files skipped with reasons, and the problems met.

    ``labelled`` are the sources of each folder whose variant comes from the command line, or from a
    sidecar above several folders. ``masked`` are the addresses that contained a secret, as an
    earlier build stored them. ``order`` is the meaning of the arguments' order. ``roots`` are the
    folders of this machine: the user's label for each, and its sidecars. ``copies`` of distant
    results, with their labels, exist as long as this object.
    """

    found: list[Found] = field(default_factory=list)
    roots: list[tuple[str, Sidecars]] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    sidecars: list[Sidecars] = field(default_factory=list)
    labelled: list[list[Found]] = field(default_factory=list)
    copies: list[tuple[str, Copy]] = field(default_factory=list)
    order: Order = Order.FILES
    notes: list[Diagnostic] = field(default_factory=list)
    masked: set[str] = field(default_factory=set)

    @property
    def is_ordered(self) -> bool:
        """Return whether the first source is from the baseline, unless a name decides."""
        is_named = all(source.is_named for source in self.found)
        return self.order is Order.FOLDERS or (self.order is Order.FILES and is_named)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The problems of the sidecars read so far, each once, after ``notes``."""
        problems = (problem for sidecars in self.sidecars for problem in sidecars.diagnostics)
        return list(dict.fromkeys((*self.notes, *problems)))


def discover(arguments: Sequence[str], options: Options) -> Discovery:
    """Find the sources that ``arguments`` name.

    Raises
    ------
    DataError
        If an argument is neither a file nor a folder, and cannot be copied from elsewhere.
    ConfigError
        If the layout or a rename is invalid.
    """
    if options.layout is not None:
        compile_pattern(options.layout)
    if options.as_format:
        registry.by_name(options.as_format)
    tools = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())
    result = Discovery()
    for argument in arguments:
        _add_argument(result, argument, options, tools)
    if not options.as_format:
        result.found = leave_out_sidecars(result.found, result.skipped)
    variant = options.variant or ""
    if not options.layout:
        result.order = read_together(result.found, variant, tools)
    unlabelled = [] if options.variant else [s for s in result.found if not s.variant]
    labelled = result.labelled if options.layout else join_labelled(result.labelled, tools)
    lead_apart([*labelled, *list_declared(unlabelled)], tools)
    if not options.layout:
        name_files(result.found, variant, tools)
        result.notes += note_numbers(result.found)
    result.found = read_once(result.found)
    assign(result.found, options)
    if options.layout:
        result.notes += _check_layout(options.layout, result.found)
    if not options.variant and result.order is Order.FILES:
        distinguish(result.found)
    if not result.found:
        raise _refuse_empty(result, " ".join(arguments))
    for source in result.found:
        source.label, address = name_path(source.label), name_address(source.address)
        if address != (plain := show_path(source.address)):
            result.masked.add(plain)
        source.address = address
    result.skipped = [(name_path(path), reason) for path, reason in result.skipped]
    return result


def _refuse_empty(result: Discovery, where: str) -> DataError:
    """Return the error for folders without results; it names skipped files and how to read one."""
    skipped = result.skipped
    if not skipped and result.notes:
        left_out = result.notes[0]
        return DataError(f"no file to read; {left_out.what}", where=where, hint=left_out.hint)
    if not skipped:
        return DataError("no file to read", where=where, hint="check --exclude, and the path")
    documents = (each for each in skipped if each[1] in {DOCUMENT, README})
    first, reason = next(documents, skipped[0])
    more = f" and {len(skipped) - 1} more" if len(skipped) > 1 else ""
    what = f"no file to read; skipped: {name_path(first)} ({reason}){more}"
    hint = f"to read such a file anyway, name it, for example {shlex.quote(name_path(first))}"
    return DataError(what, where=where, hint=hint)


def _check_layout(layout: str, found: Sequence[Found]) -> list[Diagnostic]:
    """Report the files that do not follow a layout, and refuse it if no file does."""
    files = [source for source in found if source.path is not None]
    return list_unmatched(layout, {each.label: each.labels.by_layout for each in files})


def assign(sources: Sequence[Found], options: Options) -> None:
    """Complete the identity of sources with labels from the command line."""
    for source in sources:
        source.origin = options.origin or ""
        source.assigned = write_assigned(source.variant or options.variant, options.commit)


def _add_argument(result: Discovery, argument: str, options: Options, tools: ToolNames) -> None:
    """Find the sources of one argument, with its label."""
    variant, path = split_label(argument)
    variant = show_path(variant)
    if not path:
        raise ConfigError("an empty path", where="PATH", hint="give a file or folder")
    try:
        packed, start = list_archives(path, options.exclude), len(result.found)
        for place in packed or (path,):
            _add(result, place, variant, options, tools, Path(path) if packed else None)
        if packed:
            read_archives(result.found[start:], Path(path), options.layout, tools)
    except MissingError as error:
        error.argument = argument
        if not name_path(argument).endswith(path):  # token=abc
            error.where = name_path(argument)
        raise
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=name_path(path)) from error


def _add(
    result: Discovery, path: str, variant: str, options: Options, tools: ToolNames,
    top: Path | None,
) -> None:  # fmt: skip
    """Find the sources of one path, perhaps an archive below a ``top`` folder."""
    if path == STDIN:
        result.found.append(_standard_input(variant, options))
    elif is_archive(path) if Path(path).exists() else is_distant(path):
        _add_distant(result, path, variant, options, tools, top)
    elif not _add_local(result, Path(path), variant, options, tools):
        raise MissingError("no such file or folder", where=name_path(path), hint="check the path")


def _standard_input(variant: str, options: Options) -> Found:
    data = read_standard_input()
    labels = read_path(PurePosixPath("stdin"), tools=ToolNames())
    return Found(
        label=STDIN,
        address=STDIN,
        path=None,
        labels=labels,
        sidecar=Sidecars(Path(), options.labels).settings,
        variant=variant,
        is_named=True,
        data=data,
    )


def live_source(address: str, ask: Callable[[], bytes]) -> Found:
    """Return a source that is queried for its content, and covers all runs of the store.

    Parameters
    ----------
    address : str
        Its name and identity, without credentials.
    ask : callable
        Returns the content, or raises a `BenchkitError`.
    """
    labels = PathLabels("", "prometheus", "", (), 0, "measured", "", "", "", "")
    return Found(
        label=address, address=address, path=None, labels=labels, sidecar=Sidecar(), ask=ask
    )


def _add_local(
    result: Discovery, path: Path, variant: str, options: Options, tools: ToolNames,
    copy: Copy | None = None,
) -> bool:  # fmt: skip
    """Add a folder or a file, perhaps a copy of a distant one; return whether it exists."""
    if is_store(path):
        raise refuse_store(str(path))
    if path.is_dir():
        _add_folder(result, path, variant, options, tools, copy)
    elif path.exists():
        require_file(path)
        named = _named_file(path, variant, options, tools, copy)
        result.found.append(named)
        result.sidecars += [named.sidecars] if named.sidecars else []
    return path.exists()


def _add_distant(
    result: Discovery, path: str, variant: str, options: Options, tools: ToolNames,
    top: Path | None,
) -> None:  # fmt: skip
    """Add the copy of distant results, under their original names."""
    from benchkit.ingestion.distant import bring

    result.copies.append((variant, copy := bring(path, options.max_unpacked, top)))
    found, skipped = len(result.found), len(result.skipped)
    _add_local(result, copy.path, variant, options, tools, copy)
    for source in result.found[found:]:
        source.place = copy.place_file(source.path, path) if source.path else ""
        source.label, source.address = map(copy.rename, (source.label, str(source.path)))
    result.notes += _leave_out_known(result.found, found)
    result.roots = [root for root in result.roots if root[1].root != copy.path]
    result.skipped[skipped:] = [(copy.rename(p), why) for p, why in result.skipped[skipped:]]
    result.notes += copy.list_problems()


def _leave_out_known(sources: list[Found], start: int) -> Iterator[Diagnostic]:
    """Remove sources that also come earlier in the list, and report them."""
    known = {(each.address, each.variant) for each in sources[:start]}
    added = sources[start:]
    sources[start:] = [each for each in added if (each.address, each.variant) not in known]
    for source in [each for each in added if (each.address, each.variant) in known]:
        what = "passed over: its address, without what signs it, is that of an argument before it"
        yield Diagnostic(name_path(source.label), 0, what, "give each address once", "warning")


def _named_file(
    path: Path, variant: str, options: Options, tools: ToolNames, copy: Copy | None
) -> Found:
    place: PurePath = copy.place if copy else path
    folder, tables = path.parent, options.labels
    sidecars = copy.sidecars(folder, tables) if copy else Sidecars(folder, tables)
    labels = read_path(
        PurePosixPath(show_path(place.as_posix())),
        tools=tools,
        root_name="" if len(place.parts) > 1 else show_path(path.resolve().parent.name),
        pattern=options.layout,
    )
    own_labels = labels._replace(group="", benchmark="" if variant else labels.benchmark)
    return Found(
        label=show_path(path),
        address=str(path.resolve()),
        path=path,
        labels=own_labels,
        sidecar=sidecars.for_file(path),
        variant=variant,
        is_named=True,
        is_labelled=bool(variant),
        sidecars=sidecars,
    )


def _take_pages(passed: list[tuple[Path, str]]) -> list[Path]:
    """Take the documents with results from the skipped files of a folder without other files."""
    pages = [p for p, why in passed if why in {DOCUMENT, README} and holds_results(p)]
    passed[:] = [each for each in passed if each[0] not in pages]
    return pages


def _add_folder(
    result: Discovery, root: Path, variant: str, options: Options, tools: ToolNames,
    copy: Copy | None,
) -> None:  # fmt: skip
    sidecars = copy.sidecars(root, options.labels) if copy else Sidecars(root, options.labels)
    base = str(root.resolve())
    start = 0 if root == Path() else len(root.as_posix()) + 1
    passed: list[tuple[Path, str]] = []
    unseen: dict[Path, str] = {}
    walked = walk(root, options.exclude, passed, unseen, copy.below if copy else "")
    paths = leave_out_repeats(list(walked), passed)
    paths = paths or _take_pages(passed)
    places = [show_path(str(path)[start:]).replace(os.sep, "/") for path in paths]
    name = show_path(PurePosixPath(base).name)
    every = [sidecars.for_file(path) for path in (*paths, *unseen)]
    read = read_tree(
        places, SIDE_NAMES, tools, root_name=name, pattern=options.layout,
        stated=[sidecar.run for sidecar in every[: len(paths)]],
    )  # fmt: skip
    for path in unseen:  # a source like any other, whose reading reports the reason
        places.append(place := show_path(str(path)[start:]).replace(os.sep, "/"))
        read.append(read_path(place, tools=tools))
    sources = [
        Found(
            label=show_path(path), address=f"{base}/{path.as_posix()[start:]}", path=path,
            labels=labels, sidecar=sidecar, variant=variant, is_named=bool(variant),
            sidecars=sidecars, refusal=unseen.get(path, "") if unseen else "",
        )
        for path, place, labels, sidecar in zip(
            (*paths, *unseen), places, read, every, strict=True
        )
    ]  # fmt: skip
    result.found += sources
    result.labelled += [sources] if variant or options.variant else []
    result.roots.append((variant, sidecars))
    result.skipped.extend((show_path(p), why) for p, why in passed)
    result.sidecars.append(sidecars)
