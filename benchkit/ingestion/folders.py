"""Files and folders that should hold results, but from which none was read.

A variant's folder without a result becomes a part with role ``empty``, which records that the
variant was tried. An unreadable file among results with similar names becomes one with role
``damaged``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchkit.errors import Diagnostic, SourceReport
from benchkit.ingestion.addresses import name_address, name_path
from benchkit.ingestion.discovery import Discovery, Options, assign
from benchkit.ingestion.outcomes import is_aside, is_result, mark_damage, mark_folder
from benchkit.ingestion.parts import Part
from benchkit.ingestion.sources import Found, unpacked
from benchkit.labels.patterns import PathLabels
from benchkit.labels.sidecars import Sidecar
from benchkit.labels.stems import RESULT_WORDS
from benchkit.labels.walk import prune
from benchkit.parsers import registry
from benchkit.parsers.unread import FAILED

_NO_RESULT = "this variant's folder contains no result"
_NO_RUN = "this folder contains no result, but other numbered folders next to it do"
#: Outcomes of sources that hold results.
READ = frozenset({"read", "unchanged", "duplicate"})
_WITHOUT = frozenset({"refused", "empty"})
#: Beginnings of the reasons for skipping files that do not fill a folder.
_HOLLOW = (
    *("a hidden file", "a sidecar", "a README", "a log of commands", "cannot be"),
    "the standard error of a tool",
)


#: Words in names of files for errors, which are empty if nothing went wrong.
_ERROR_WORDS = frozenset({"err", "error", "errors", "stderr"})


def list_lost_files(
    sources: Sequence[Found], reports: Sequence[SourceReport], options: Options
) -> Iterator[Part]:
    """Yield a part for each file that was refused although it is named like results next to it.

    If no source of a commit has a result, each one is lost: the commit was tried.

    Parameters
    ----------
    reports : sequence of SourceReport
        One for each source, in order.
    """
    each = list(zip(sources, reports, strict=True))
    refused = [(source, report) for source, report in each if report.outcome in _WITHOUT]
    if not refused:
        return
    read: set[tuple[str, str]] = set()
    for source, report in each:
        if report.outcome in READ:
            read.update(_list_shapes(source, is_unseen=True))
            read.add(_number(os.path.dirname(str(source.path))))  # noqa: PTH120 - a text
    is_commit_lost = bool(options.commit) and not any(r.outcome in READ for r in reports)
    for source, report in refused:
        is_unseen = report.is_unread or not source.size or report.reason.startswith(FAILED)
        shapes = _list_shapes(source, is_unseen=is_unseen)
        if not is_aside(source) and (is_commit_lost or not read.isdisjoint(shapes)):
            yield mark_damage(source, options, [Diagnostic(source.label, 0, report.reason)], ())


def list_cut_outputs(
    sources: Sequence[Found], cut: Mapping[int, Diagnostic], parts: Sequence[Part], options: Options
) -> Iterator[Part]:
    """Yield a part for each truncated output of go test, if similar outputs are complete.

    Parameters
    ----------
    cut : mapping of index to Diagnostic
        The sources with truncated output, and the diagnostic about it.
    parts : sequence of Part
        The parts of all sources.
    """
    firsts = {part.path: part for part in reversed(parts)}
    damaged = {part.path for part in parts if part.role == "damaged"}
    unended = {sources[index].address for index in cut}
    tools = {part.tool for part in parts if part.path in unended}
    whole = {
        part.path
        for part in parts
        if part.tool in tools and "goos" in part.env and part.path not in unended
    }
    ended = {kind for source in sources if source.address in whole for kind in _list_kinds(source)}
    for index, problem in cut.items():
        source = sources[index]
        first = firsts.get(source.address)
        is_marked = first is None or source.address in damaged or is_aside(source)
        if first is not None and not is_marked and not ended.isdisjoint(_list_kinds(source)):
            part = mark_damage(source, options, [replace(problem, is_remark=False)], ())
            part.tool, part.sha256, part.fingerprint = first.tool, first.sha256, first.fingerprint
            yield part


def _list_kinds(source: Found) -> Iterator[tuple[str, str]]:
    """Yield keys that similar outputs share: folder and suffix, a name, or a label each."""
    folder, name = os.path.split(unpacked(source.address))
    yield folder, os.path.splitext(name)[1]  # noqa: PTH122 - a text
    yield "", name
    if source.is_labelled:
        yield "", ""


def _list_shapes(source: Found, *, is_unseen: bool) -> Iterator[tuple[str, str]]:
    """Yield the shapes of a file's name: itself, with any number, and with any variant.

    Any text may be named like a variant, so only an ``is_unseen`` file has the last shape: one
    without text, or with the text of a failure.
    """
    if source.path is None or not _ERROR_WORDS.isdisjoint(_list_words(source.path)):
        return
    path = unpacked(str(source.path))
    folder, name = os.path.split(path)
    variant = source.labels.variant
    yield "", name
    if (numbered := _number(path))[1] != name:
        yield numbered
    if is_unseen and variant and name.startswith(variant):
        yield folder, f"*{name.removeprefix(variant)}"


def _number(path: str) -> tuple[str, str]:
    """Return the folder of a path, and its name with numbers replaced."""
    folder, name = os.path.split(path)
    return folder, re.sub(r"[0-9]+", "#", name)


def list_lost_folders(
    discovery: Discovery, reports: Sequence[SourceReport], options: Options
) -> Iterator[Part]:
    """Yield a part for each variant's folder that should hold results, but holds none.

    These are folders named with others, folders next to those that give files their variant, and
    folders that differ from ones with results only in a number. A folder with only scripts or
    documents does not count: one of its files must be named like a result, or like a file read
    elsewhere.

    Parameters
    ----------
    reports : sequence of SourceReport
        One for each source, in order.
    """
    walked: dict[int, list[tuple[Found, bool]]] = {}
    for source, report in zip(discovery.found, reports, strict=True):
        if source.path is not None:
            walked.setdefault(id(source.sidecars), []).append((source, report.outcome in READ))
    if not any(is_read for sources in walked.values() for _, is_read in sources):
        return
    for label, sidecars in discovery.roots:
        root, sources = sidecars.root, walked.get(id(sidecars), [])
        filled = _list_folders(source for source, is_read in sources if is_read)
        homes = {}
        if not label:
            homes = _find_homes(root, [source for source, is_read in sources if is_read])
        places: dict[Path, list[tuple[str, str]]] = {}
        if len(discovery.found) > len(sources):
            places[root] = [("", label or root.name)]
        for home, group in homes.items():
            places |= {path: [(group, path.name)] for path in _list_inner(home)}
        numbered = _find_numbered(root, [source for source, is_read in sources if is_read])
        empty = {
            path: rows for path, rows in {**numbered, **places}.items() if str(path) not in filled
        }
        if not empty:
            continue
        tried = _list_folders(source for source, _ in sources)
        known = {source.path.name for source, is_read in sources if is_read and source.path}
        meant = _list_folders(source for source, _ in sources if _is_called_so(source, known))
        for path, rows in empty.items():
            name = str(path)
            if name not in meant if name in tried else _holds_more(name, discovery.skipped):
                continue
            place = path.relative_to(root).as_posix() if path != root else path.name
            reason = _NO_RESULT if path in places else _NO_RUN
            for group, variant in rows:
                labels = PathLabels(group, variant, "", (), None, "measured", "", "", "", place)
                found = Found(
                    label=name_path(path), address=name_address(path.resolve()), path=path,
                    labels=labels, sidecar=Sidecar(),
                )  # fmt: skip
                assign([found], options)
                yield mark_folder(found, options, reason)


def _is_called_so(source: Found, known: Collection[str]) -> bool:
    """Return whether a file is named like a result, or like a file that was read elsewhere."""
    if source.path is None:
        return False
    words = _list_words(source.path)
    return source.path.name in known or is_result(source) or not RESULT_WORDS.isdisjoint(words)


def _list_words(path: Path) -> list[str]:
    return re.split(r"[\W\d_]+", path.stem.lower())


def _list_folders(sources: Iterator[Found]) -> set[str]:
    """Return the folders that hold sources, and all their parent folders."""
    folders: set[str] = set()
    for folder in {os.path.dirname(str(source.path)) for source in sources}:  # noqa: PTH120 - texts
        folders.update((folder, *map(str, Path(folder).parents)))
    return folders


def _find_homes(root: Path, sources: Sequence[Found]) -> dict[Path, str]:
    """Return the folders whose subfolders are the variants of sources, each with its group."""
    homes: dict[Path, str] = {}
    known = dict.fromkeys(  # in the order of the sources, which is always the same
        (os.path.dirname(str(source.path)), source.labels.variant, source.labels.group)  # noqa: PTH120
        for source in sources
    )
    for folder, variant, group in known:
        parts = Path(folder).relative_to(root).parts
        if variant in parts:
            depth = len(parts) - parts[::-1].index(variant) - 1
            homes.setdefault(root.joinpath(*parts[:depth]), group)
    return homes


def _find_numbered(root: Path, sources: Sequence[Found]) -> dict[Path, list[tuple[str, str]]]:
    """Return the folders that differ only in a number from two that hold results.

    Each comes with the group and name of the variants in the others.
    """
    held: dict[tuple[str, str], dict[str, None]] = {}
    variants: dict[tuple[str, str], dict[str, str]] = {}
    known = dict.fromkeys(
        (
            os.path.dirname(str(source.path)),  # noqa: PTH120 - texts
            source.variant or source.labels.variant,
            source.labels.group,
        )
        for source in sources
        if registry.tool(source.labels.tool).role != "companion"
    )
    for place, variant, group in known:
        for folder in (Path(place), *Path(place).parents):
            if folder == root or not folder.is_relative_to(root):
                break
            shape = _number(str(folder))
            if shape[1] != folder.name:
                held.setdefault(shape, {})[folder.name] = None
                variants.setdefault(shape, {}).setdefault(variant, group)
    return {
        path: [(group, variant) for variant, group in variants[shape].items()]
        for shape, names in held.items()
        if len(names) > 1
        for path in _list_inner(Path(shape[0]))
        if _number(str(path)) == shape
    }


def _list_inner(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        # Links are skipped: a linked folder is examined under its real name.
        folders = sorted(
            Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)
        )
    return [folder for folder in folders if not prune(folder)]


def _holds_more(folder: str, skipped: Sequence[tuple[str, str]]) -> bool:
    """Return whether skipped files in a folder, or the folder itself, explain its purpose."""
    place = name_path(folder)
    return any(
        (path == place or path.startswith(f"{place}/")) and not reason.startswith(_HOLLOW)
        for path, reason in skipped
    )
