"""Runs that count as one variant because they were read by themselves, and together would not."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from shlex import quote

from benchkit.errors import Finding
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.gone import MIXED, SHOWN, row_of
from benchkit.ingestion.parts import Part
from benchkit.labels.numbering import series_of
from benchkit.labels.tree import is_run, name_without_run


def find_pooled(parts: Sequence[Part]) -> Iterator[Finding]:
    """B111: runs that were read by themselves count as one variant, and together would not.

    These are runs of several folders of one parent, which as one tree are groups or variants unless
    they count runs, and labelled files whose names two variants share, which are benchmarks.
    """
    measured = [part for part in parts if part.role == "measured"]
    for (parent, variant), names in _list_pooled_folders(measured).items():
        folders = [_name_folder(f"{parent}/{name}") for name in names]
        together = folders if len(folders) <= SHOWN else [_name_folder(parent)]
        command = " ".join(("benchkit ingest", *map(quote, together), "--store NEW"))
        label = quote(f"{name_path(list(names)[-1])}={folders[-1]}")
        remedy = f"run `{command}` to read them together, or label each folder, {label}"
        yield _describe_pooled(variant, f"folders of {_name_folder(parent)}", names, remedy)
    for variant, files in _list_pooled_files(measured).items():
        remedy = (
            "ingest the files of a variant in one command with `--store NEW`, or each with "
            "--benchmark NAME"
        )
        yield _describe_pooled(variant, "names of files", files, remedy)


def _describe_pooled(variant: str, what: str, names: Iterable[str], remedy: str) -> Finding:
    shown = [name_path(name) for name in names]
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return Finding(
        code=MIXED,
        severity="error",
        where=variant,
        message=f"runs of {len(shown)} {what} count together: {', '.join(shown[:SHOWN])}{more}",
        remedy=remedy,
        numbers={"pooled": len(shown)},
    )


def _list_pooled_folders(measured: Sequence[Part]) -> dict[tuple[str, str], dict[str, None]]:
    roots = [_find_root(part) for part in measured]
    rows: dict[tuple[str, Hashable], dict[str, None]] = {}
    pooled: dict[tuple[str, str], dict[str, None]] = {}
    if len(set(roots)) < 2:
        return pooled
    for part, root in zip(measured, roots, strict=True):
        parent, _, name = root.rpartition("/")
        if _is_named_by_path(part, root) and not is_run(name):
            row = rows.setdefault((parent, row_of(part)), {})
            row[name] = None
            if len(row) > 1:
                pooled.setdefault((parent, part.variant), {}).update(row)
    return pooled


def _list_pooled_files(measured: Sequence[Part]) -> dict[str, dict[str, None]]:
    """Return the names of labelled files that were ingested apart and are of one row."""
    rows: dict[Hashable, dict[str, dict[str, set[int]]]] = {}
    for part in measured:
        if "variant=" in part.assigned:
            row = series_of(part)._replace(variant=""), part.benchmark, part.params
            names = rows.setdefault(row, {}).setdefault(part.variant, {})
            names.setdefault(name_without_run(part.path), set()).add(part.batch)
    pooled: dict[str, dict[str, None]] = {}
    for sides in rows.values():
        for variant, names in sides.items():
            others = (other for name, other in sides.items() if name != variant)
            is_apart = len(names) > 1 and not set.intersection(*names.values())
            if is_apart and any(len(names.keys() & other.keys()) > 1 for other in others):
                pooled.setdefault(variant, {}).update(dict.fromkeys(names))
    return pooled


def _name_folder(path: str) -> str:
    """Return a folder as it may be shown, from the working folder where it lies below it."""
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - texts
    return name_path(path.removeprefix(here) if f"{path}/" != here else ".")


def _find_root(part: Part) -> str:
    """Return the folder that was named, or that of the file that was."""
    folder = os.path.dirname(part.path)  # noqa: PTH120 - texts
    return folder.removesuffix(f"/{part.folder}") if part.folder else folder


def _is_named_by_path(part: Part, root: str) -> bool:
    """Tell whether a part has its variant from its path below the folder that was named."""
    inner = part.path.removeprefix(root).split("/")
    return "variant=" not in part.assigned and any(n.startswith(part.variant) for n in inner)
