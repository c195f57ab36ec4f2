"""Runs that count as repeats although they were measured separately: finding B111.

The content of the store decides, not the way a command was written: the places of the files, which
of them one ingest read, and the commits that runs record.

Blocks of one file that only something other than a name distinguishes: finding B109.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from shlex import quote

from benchkit.derived.record import began_alike
from benchkit.errors import Finding
from benchkit.ingestion.addresses import PACKED, is_gone, name_path
from benchkit.ingestion.copies import OF_VALUES
from benchkit.ingestion.gone import MIXED, SHOWN, find_gone
from benchkit.ingestion.parts import Part, show_label
from benchkit.ingestion.places import (
    batch_of,
    find_folder,
    is_of_folder,
    is_one_place,
    is_piped,
    list_added_files,
    list_lookalikes,
    list_pooled_names,
    list_rows,
    part_files,
    part_places,
)
from benchkit.ingestion.sources import unpacked
from benchkit.labels.numbering import series_of
from benchkit.listing import list_names
from benchkit.store.columns import began_at

#: The finding that one measurement counts twice.
TWICE = "B103"
#: Remedies for files of a variant that are pooled.
_ADDED = (
    "give each measurement its own label; if they are repeats, ingest all results with one command "
    "and `--store NEW`"
)
_POOLED = (
    "ingest all files of a variant with one command and `--store NEW`, or each file with its own "
    "--benchmark NAME"
)
_ALIKE = (
    "rename or delete one of each pair, or label each with label=path; then ingest with "
    "`--store NEW`"
)
#: Descriptions of the features that distinguish blocks.
_REASONS = {
    "caption": "the surrounding text",
    "goos": "operating system",
    "goarch": "architecture",
    "cpu": "processor",
    "toolchain": "toolchain",
    "connections": "connections",
    "rate": "target rate",
    "document_length": "document length",
    "request_size": "request size",
    "response_size": "response size",
    "tls": "TLS",
    "duration": "length",
    "requests": "number of requests",
    "table": "their table",
    "iterations": "the number of iterations",
}


def find_pooled(parts: Sequence[Part], others: Sequence[Part] = ()) -> Iterator[Finding]:
    """B111: repeats of a row record several commits, or lie apart and were never read together.

    A packed file next to a plain one of the same name with other content is another measurement. If
    one ingest reads several folders, their names decide whether they are groups or runs.

    Parameters
    ----------
    others : sequence of Part
        Other variants of the same rows, to check whether they got new files as well.
    """
    measured = [part for part in parts if part.role == "measured"]
    is_apart = len({part.batch for part in measured}) > 1 and not is_one_place(measured)
    are_recorded = len({part.env.get("commit") for part in measured}) > 1
    commits: dict[str, dict[str, None]] = {}
    places: dict[str, dict[str, Part]] = {}
    for row in list_rows(measured if is_apart or are_recorded else ()).values():
        variant = row[0].variant
        if len(recorded := _list_commits(row)) > 1:
            commits.setdefault(variant, {}).update(dict.fromkeys(recorded))
        elif len(apart := part_places(row)) > 1:
            near = {_name_place(unit, apart): unit[0] for unit in apart}
            places.setdefault(variant, {}).update(near)
    for variant, names in commits.items():
        remedy = "ingest each commit into its own store, or run `benchkit history add`"
        yield _describe(variant, "commits", map(show_label, names), remedy)
    for variant, near in places.items():
        what = "folders" if all(map(is_of_folder, near.values())) else "inputs"
        yield _describe(variant, what, near, _advise(list(near), [*near.values()]))
    sides = [*measured, *(part for part in others if part.role == "measured")]
    packed = _name_packed(measured)
    yield from (finding for name, finding in packed.items() if name not in {*places, *commits})
    known = {part.variant for part in measured} - {*places, *commits, *packed}
    for variant, finding in _name_files(measured, sides).items():
        if variant in known:
            yield finding


def find_mixed_commits(parts: Sequence[Part]) -> Iterator[Finding]:
    """B111 per variant and commit, with ``VARIANT at COMMIT`` as its place.

    A history pools the jobs that measured a commit, so only the runs of one job can be mixed.
    """
    commits: dict[tuple[str, str], list[Part]] = defaultdict(list)
    for part in parts:
        if commit := part.env.get("commit"):
            commits[part.origin, commit].append(part)
    for (_, commit), own in commits.items():
        for finding in (*find_gone(own, own), *find_pooled(own)):
            if finding.code == MIXED:
                yield advise_history(replace(finding, where=f"{finding.where} at {commit}"))


def advise_history(finding: Finding) -> Finding:
    """Return a finding with the remedy for a history, which is different for B111."""
    if finding.code != MIXED:
        return finding
    remedy = (
        "if they are repeats, move them to name-1.txt and name-2.txt in one folder and add the "
        "folder; otherwise run `benchkit undo`, which takes back only the last addition"
    )
    return replace(finding, remedy=remedy)


def join_read(
    kept: Sequence[Part],
    new: Sequence[Part],
    superseded: Sequence[Part],
    present: Collection[str],
) -> None:
    """Record on new parts, in place, with which earlier ones their ingest read them together.

    Parameters
    ----------
    kept, new : sequence of Part
        The stored parts of the same series, and those that were read.
    superseded : sequence of Part
        The stored parts that new ones replace; these inherit their links to other ingests.
    present : collection of str
        The paths of all sources that were present.
    """
    passed_on = {key: batch_of(part) for part in superseded for key in _contents_of(part)}
    rows_of_parts = list_rows(part for part in kept if part.role == "measured")
    for row, fresh in list_rows(new).items():
        contents = {key for part in fresh for key in _contents_of(part)}
        known = {passed_on[key] for key in contents & passed_on.keys()}
        units = part_files(rows_of_parts[row]) if row in rows_of_parts else []
        seen = [
            unit
            for unit in units
            if any(part.path in present or not known.isdisjoint(_keys_of(part)) for part in unit)
        ]
        joined = seen if len(seen) > 1 or known else []
        first = min(known.union(*(map(batch_of, unit) for unit in seen)), default=0)
        for part in (*fresh, *(part for unit in joined for part in unit)):
            part.joined = first


def find_twice(parts: Sequence[Part]) -> Iterator[Finding]:
    """B103: the same measurement counts under several labels, or in several groups."""
    yield from _find_relabelled(parts)
    yield from _find_regrouped(parts)


def _find_relabelled(parts: Sequence[Part]) -> Iterator[Finding]:
    """B103: one file's measurement counts under several labels from the command line."""
    if len({part.assigned for part in parts}) < 2:
        return
    files: dict[tuple[str, str, str, str | None], dict[str, Part]] = {}
    for part in parts:
        if part.role == "measured":
            key = part.origin, part.path, part.sha256, part.env.get("commit")
            files.setdefault(key, {})[part.assigned] = part
    relabelled: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for same in files.values():
        for pair in combinations(sorted({part.variant for part in same.values()}), 2):
            relabelled[pair][next(iter(same.values())).label] = None
    for (one, other), names in relabelled.items():
        yield Finding(
            code=TWICE,
            severity="warning",
            where=f"{one}, {other}",
            message=f"the same values of {list_names(names, SHOWN)} count as {one} and as {other}",
            remedy="if a label is wrong, ingest all results again with the right labels and "
            "`--store NEW`",
            numbers={"files": len(names)},
        )


def _find_regrouped(parts: Sequence[Part]) -> Iterator[Finding]:
    """B103: identical files are in several groups, and their values count in each."""
    files: dict[tuple[str, str, str | None], dict[str, Part]] = defaultdict(dict)
    for part in parts:
        if part.role == "measured":
            files[part.origin, part.sha256, part.env.get("commit")].setdefault(part.path, part)
    copies: dict[tuple[str, ...], list[Part]] = defaultdict(list)
    for same in files.values() if len({part.group for part in parts}) > 1 else ():
        groups = _list_alike(same.values())
        if len(groups) > 1:
            copies[tuple(groups)].append(next(iter(same.values())))
    for names, own in copies.items():
        subject = "this file is" if len(own) == 1 else f"this file and {len(own) - 1} more are"
        places = " and ".join(group or "(no group)" for group in names)
        yield Finding(
            code=TWICE,
            severity="warning",
            where=own[0].label,
            message=f"{subject} in the groups {places}, and the same values count in each group",
            remedy="if one is a copy, leave it out with `--exclude`, or run `benchkit undo` "
            "if it came with the last ingest",
            numbers={"files": len(own), "groups": len(names)},
        )


def _list_alike(same: Iterable[Part]) -> list[str]:
    """Return the groups of runs that may have begun at the same time as those of another group."""
    started: dict[str, set[datetime | None]] = defaultdict(set)
    for part in same:
        started[series_of(part).group].add(part.started_at)
    return sorted(
        group
        for group, own in started.items()
        if any(began_alike(own, others) for other, others in started.items() if other != group)
    )


def _list_commits(row: Sequence[Part]) -> list[str]:
    """Return the distinct commits that runs record, ignoring abbreviations of others."""
    commits = sorted({part.env["commit"] for part in row if part.env.get("commit")})
    following = [*commits[1:], ""]
    pairs = zip(commits, following, strict=False)
    return [commit for commit, longer in pairs if not longer.startswith(commit)]


def _contents_of(part: Part) -> tuple[str, ...]:
    """Return the keys that identify a measurement again; after a replacement, not by its path."""
    is_other = part.renewed == part.batch
    return (part.sha256,) if is_other else (part.sha256, unpacked(part.path))


def _keys_of(part: Part) -> tuple[int, int]:
    return part.batch, part.joined


def _name_place(unit: Sequence[Part], apart: Sequence[Sequence[Part]]) -> str:
    """Return the name of a unit's place: its folder up to the part that differs from others."""
    part = unit[0]
    if is_piped(part):
        moment = datetime.fromtimestamp(began_at(part.batch) / 1e6, UTC)
        return f"standard input at {moment:%Y-%m-%d %H:%M:%S} UTC"
    folders = [find_folder(each[0]) for each in apart if not is_piped(each[0])]
    shared = len(os.path.commonprefix([folder.split("/") for folder in folders]))  # noqa: RUF071 - lists
    return _name_folder("/".join(find_folder(part).split("/")[: shared + 1]))


def _name_folder(path: str) -> str:
    """Return a folder for display, relative to the working directory if it lies below it."""
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - texts
    return name_path(path.removeprefix(here) if f"{path}/" != here else ".")


def _advise(names: Sequence[str], parts: Sequence[Part]) -> str:
    """Return the remedy for places whose runs count together, given one part of each."""
    if not all(map(is_of_folder, parts)):
        return (
            "if they are repeats, write them to name-1.txt and name-2.txt in one folder and "
            "ingest the folder with `--store NEW`; otherwise give each one its own --variant"
        )
    label = show_label(parts[0].assigned.partition("variant=")[2])
    gone = [name for name, part in zip(names, parts, strict=True) if is_gone(part.path)]
    if left := [name for name in names if gone and name not in gone]:
        sources = (quote(f"{label}={name}" if label else name) for name in left)
        command = " ".join(("benchkit ingest", *sources, "--store NEW"))
        lost = f"the runs of {list_names(gone, SHOWN)}, whose files are gone"
        return f"for a store without {lost}, run `{command}`"
    folders = names if len(names) <= SHOWN else [os.path.dirname(names[0]) or "."]  # noqa: PTH120 - texts
    command = " ".join(("benchkit ingest", *map(quote, folders), "--store NEW"))
    together = "give all folders to one command with `--store NEW`" if label else f"run `{command}`"
    other = quote(f"{os.path.basename(os.path.abspath(names[-1]))}={names[-1]}")  # noqa: PTH100, PTH119 - addresses, too
    return (
        f"if they are repeats, {together}, or name the folders run1, run2 and so on; otherwise "
        f"label each folder: {other}"
    )


def _describe(variant: str, what: str, names: Iterable[str], remedy: str) -> Finding:
    shown = list(names)
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return Finding(
        code=MIXED,
        severity="error",
        where=variant,
        message=f"runs of {len(shown)} {what} count together: {', '.join(shown[:SHOWN])}{more}",
        remedy=remedy,
        numbers={"pooled": len(shown)},
    )


def _name_files(measured: Sequence[Part], sides: Sequence[Part]) -> dict[str, Finding]:
    """Return the findings on variants by their files; of several kinds the last counts."""
    kinds: dict[str, tuple[Mapping[str, Iterable[str]], str]] = {
        "files": (list_added_files(sides), _ADDED),
        "names of files": (list_pooled_names(sides), _POOLED),
        "files whose paths look alike": (list_lookalikes(measured), _ALIKE),
    }
    return {
        variant: _describe(variant, what, files, remedy)
        for what, (named, remedy) in kinds.items()
        for variant, files in named.items()
    }


def _name_packed(measured: Sequence[Part]) -> dict[str, Finding]:
    """Return findings on variants with a packed file whose runs differ from the plain file's."""
    files: dict[tuple[str, ...], dict[str, list[Part]]] = defaultdict(lambda: defaultdict(list))
    for part in measured:
        files[part.origin, part.assigned, unpacked(part.path)][part.path].append(part)
    others: dict[str, list[str]] = defaultdict(list)
    for pair in (same for same in files.values() if len(same) > 1):
        (_, plain), (_, packed) = sorted(pair.items())
        runs = _list_contents(plain), _list_contents(packed)
        if all(runs) and not (runs[0] <= runs[1] or runs[1] <= runs[0]):
            others[packed[0].variant].append(name_path(packed[0].label))
    return {
        variant: Finding(
            code=MIXED,
            severity="error",
            where=variant,
            message=f"{list_names(names, SHOWN)} and the file of the same name without "
            f"`{PACKED}` contain different measurements",
            remedy="delete the one that is outdated, or rename one and give both the same label "
            "(label=path) if they are repeats; then ingest with `--store NEW`",
            numbers={"pooled": len(names)},
        )
        for variant, names in others.items()
    }


def _list_contents(parts: Sequence[Part]) -> set[tuple[str, int]]:
    """Return the digests of the values of runs, with their benchmarks."""
    return {
        (part.benchmark, int(content) & OF_VALUES)
        for part in parts
        for content in part.contents
        if content
    }


def find_split_blocks(parts: Sequence[Part]) -> list[Finding]:
    """Return a finding for each file whose blocks are distinguished by something other than names.

    A table has results of several benchmarks and variants; only those of one of them are counted.
    """
    split: dict[str, dict[Hashable, list[Part]]] = defaultdict(lambda: defaultdict(list))
    for part in parts:
        if part.split_by:
            name = part.declared_benchmark or part.target
            split[part.label][part.variant, part.tool, name, part.declared_params].append(part)
    largest = {label: max(named.values(), key=_count_tests) for label, named in split.items()}
    return [
        _report_split(label, blocks, tests, is_table=len(split[label]) > 1)
        for label, blocks in largest.items()
        if (tests := _count_tests(blocks)) > 1
    ]


def _count_tests(blocks: Sequence[Part]) -> int:
    return len({(part.benchmark, part.params) for part in blocks})


def _report_split(label: str, blocks: Sequence[Part], tests: int, *, is_table: bool) -> Finding:
    results = f"{len(blocks)} results{' per benchmark' * is_table}"
    reasons = " and ".join(dict.fromkeys(_REASONS[part.split_by] for part in blocks))
    return Finding(
        code="B109",
        severity="info",
        message=f"the file contains {results} without distinguishing headings; they "
        f"count as {tests} different tests, because they differ in {reasons}",
        remedy="if they are repeats, write each result to its own file: name-1.txt, name-2.txt",
        where=label,
        numbers={"blocks": len(blocks), "tests": tests},
    )
