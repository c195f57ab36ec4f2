"""One source with what lies around it, and labels that tell it from the others."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchkit.errors import DataError, Diagnostic
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.identity import Identity
from benchkit.ingestion.streams import refuse_irregular
from benchkit.labels.patterns import PathLabels
from benchkit.labels.sidecars import Sidecar, Sidecars
from benchkit.labels.stems import ToolNames, form_tokens
from benchkit.labels.tree import lead_by_folders, read_tree
from benchkit.labels.walk import OUTSIDE
from benchkit.reading.source import Source
from benchkit.selection import BASELINE_NAMES


@dataclass(slots=True, kw_only=True)
class Found:
    """One source with what lies around it.

    Parameters
    ----------
    label : str
        How messages and the ``source`` column name it.
    address : str
        Where it lies: its resolved path, or its URL.
    path : Path or None
    labels : PathLabels
    sidecar : Sidecar
    variant : str
        The user's word for it on the command line; empty if none.
    is_named : bool
        Whether the file itself, or a label for its folder, stood on the command line.
    is_labelled : bool
        Whether a label for the file itself stood there: it is a result, whatever it holds.
    data : bytes or None
        Standard input's content.
    sidecars : Sidecars or None
        Those of its folder, for the windows of runs.
    ask : callable or None
        Gives the content of a live source.
    bytes : int
        Its size, once it was asked for.
    refusal : str
        Why it was passed over in its folder.
    origin, assigned : str
        As `Identity` has them.
    """

    label: str
    address: str
    path: Path | None
    labels: PathLabels
    sidecar: Sidecar
    variant: str = ""
    is_named: bool = False
    is_labelled: bool = False
    data: bytes | None = None
    sidecars: Sidecars | None = None
    ask: Callable[[], bytes] | None = None
    bytes: int = -1
    refusal: str = ""
    origin: str = ""
    assigned: str = ""

    @property
    def identity(self) -> Identity:
        """What tells it from other sources in a store; standard input is told by its content."""
        return Identity(self.origin, self.address, self.assigned)

    @property
    def size(self) -> int:
        """Bytes on disk when first asked; 0 where the file system does not tell."""
        if self.bytes < 0:
            self.bytes = self.measure()
        return self.bytes

    def measure(self) -> int:
        """Return the bytes on disk now; 0 where the file system does not tell."""
        try:
            return os.stat(self.path).st_size if self.path else len(self.data or b"")  # noqa: PTH116 - half the time
        except OSError:
            return 0

    def load(self) -> Source:
        """Open the source."""
        if self.path is None:
            return Source(None, self.label, self.ask() if self.ask else self.data or b"")
        if self.refusal == OUTSIDE:
            raise DataError(OUTSIDE, hint="name its target, if it is a result")
        refuse_irregular(self.path)
        return Source.load(self.path, self.label)


def lead_apart(folders: Sequence[Sequence[Found]], tools: ToolNames) -> None:
    """Keep the folders below labelled folders apart, with a note on each that holds several."""
    trees = [[source.labels for source in sources] for sources in folders]
    for sources, tree in zip(folders, lead_by_folders(trees, tools), strict=True):
        groups = []
        for source, labels in zip(sources, tree, strict=True):
            if labels.group != source.labels.group:
                groups.append(labels.group)
            source.labels = labels
        if len(names := list(dict.fromkeys(groups))) > 1 and (beside := sources[0].sidecars):
            beside.diagnostics.append(_note(name_path(beside.root), names))


def list_declared(sources: Sequence[Found]) -> list[list[Found]]:
    """Return the sources in folders below each sidecar that names their variant."""
    declared: dict[Path, list[Found]] = {}
    for source in sources:
        variant, path = source.sidecar.variant, source.path
        if not (variant and path and source.sidecars) or source.sidecar.group is not None:
            continue
        folder = source.sidecars.declaring_folder(path, variant)
        if folder and source.labels.variant in path.relative_to(folder).parts[:-1]:
            declared.setdefault(folder, []).append(source)
    return list(declared.values())


def _note(root: str, groups: Sequence[str]) -> Diagnostic:
    more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
    what = f"its folders {', '.join(groups[:3])}{more} are groups, not runs of one benchmark"
    hint = "if they are repeats, call them run1, run2 and so on"
    return Diagnostic(root, 0, what, hint, "note")


def read_together(found: Sequence[Found], variant: str, tools: ToolNames) -> None:
    """Read the names of unlabelled files of one folder together, as those of the folder.

    Two files alone whose names tell two variants stay two: both sides of a comparison. Of files in
    a folder each, only the numbers are read together.

    Parameters
    ----------
    found : sequence of Found
    variant : str
        The label of named files without one, which are then left as they are; empty if none.
    tools : ToolNames
    """
    named = [
        source
        for source in found
        if source.path and source.is_named and not (source.variant or variant)
    ]
    folders: dict[str, list[Found]] = defaultdict(list)
    for source in named:
        if not source.labels.series:
            folders[os.path.dirname(os.path.abspath(source.label))].append(source)  # noqa: PTH100, PTH120 - addresses, too
    for folder, same in folders.items():
        names = [PurePosixPath(source.label).name for source in same]
        tree = read_tree(names, BASELINE_NAMES, tools, root_name=PurePosixPath(folder).name)
        alone = {source.labels.variant for source in same}
        if len(same) == 1 or len(named) == len(alone) == 2 > len({each.variant for each in tree}):
            continue
        for source, labels in zip(same, tree, strict=True):
            source.labels = _keep_place(source.labels, labels)
    lone = [same[0] for same in folders.values() if len(same) == 1]
    names = [PurePosixPath(source.label).name for source in lone]
    for source, labels in zip(lone, read_tree(names, (), tools, root_name=""), strict=True):
        if source.labels.run is not None and labels.run is None and labels.by_stem:
            source.labels = _keep_place(source.labels, labels)


def _keep_place(alone: PathLabels, together: PathLabels) -> PathLabels:
    """Return the labels of a file read with others; a tool's file keeps those of its folders."""
    if together.tool:
        return alone._replace(benchmark=together.benchmark, leftover=together.leftover)
    return together._replace(folder=alone.folder)


def name_files(found: Sequence[Found], variant: str, tools: ToolNames) -> None:
    """Read the names of files under one label together, as those of a folder with that label.

    They are benchmarks where one label has several, and some of them stand under another, too.

    Parameters
    ----------
    found : sequence of Found
    variant : str
        The label of named files without one; empty if none.
    tools : ToolNames
    """
    labelled: dict[str, list[Found]] = defaultdict(list)
    for source in found:
        is_covered = variant and source.is_named and not source.variant
        if source.path and (source.is_labelled or is_covered):
            labelled[source.variant or variant].append(source)
    trees = lead_by_folders(
        [
            read_tree(
                [PurePosixPath(source.label).name for source in same], (), tools, root_name=of
            )
            for of, same in labelled.items()
        ],
        tools,
    )
    names = [{labels.benchmark for labels in tree} for tree in trees]
    is_shared = len(names) == 1 or len(set().union(*names)) < sum(map(len, names))
    if is_shared and any(len(each) > 1 for each in names):
        for same, tree in zip(labelled.values(), trees, strict=True):
            for source, labels in zip(same, tree, strict=True):
                source.labels = labels._replace(folder=source.labels.folder)


def distinguish(found: list[Found]) -> None:
    """Give named files with equal labels the shortest paths that tell them apart."""
    named = [source for source in found if source.is_named and not source.variant and source.path]
    _tell_by_stem(named)
    count = Counter(_key(source) for source in named)
    for key in (key for key, times in count.items() if times > 1):
        same = [source for source in named if _key(source) == key]
        for source, variant in zip(same, _shortest([s.label for s in same]), strict=True):
            source.variant = variant


def _tell_by_stem(named: Sequence[Found]) -> None:
    """Take what is left of the stems for the variants, where nothing else tells files apart.

    ``k6-base.txt`` and ``k6-otel.txt`` of one folder are two variants, not two benchmarks of one.
    """
    variants = {source.sidecar.variant or source.labels.variant for source in named}
    left = [source.labels.leftover for source in named]
    if len(variants) == 1 and len(set(left)) == len(named) > 1 and all(left):
        for source in named:
            source.variant = source.labels.leftover
            source.labels = source.labels._replace(benchmark="")


def _key(source: Found) -> tuple[object, ...]:
    return (
        source.sidecar.variant or source.labels.variant,
        source.labels.run,
        source.labels.role,
        source.labels.tool,
        form_tokens(source.label),
        source.labels.leftover,
    )


def _shortest(labels: Sequence[str]) -> Iterator[str]:
    """Yield for each path its shortest ending that no other path has."""
    parts = [PurePosixPath(label.replace("\\", "/")).parts for label in labels]
    for length in range(1, max(map(len, parts)) + 1):
        ends = ["/".join(p[-length:]) for p in parts]
        if len(set(ends)) == len(ends):
            yield from ends
            return
    yield from (f"{label}#{number}" for number, label in enumerate(labels))
