"""Notes on numbers of files that are ambiguous, or that contradict their sidecars."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from benchkit.errors import Diagnostic
from benchkit.ingestion.addresses import name_path
from benchkit.ingestion.sources import Found
from benchkit.labels.stems import split_name
from benchkit.labels.walk import OF_FILE


def note_numbers(sources: Sequence[Found]) -> Iterator[Diagnostic]:
    """Note file numbers that are ambiguous, or that contradict their sidecars."""
    yield from _note_benchmarks(sources)
    yield from _note_renamed(sources)


def _note_benchmarks(sources: Iterable[Found]) -> Iterator[Diagnostic]:
    """Note numbers of tools' files that count as benchmarks, but may be runs with gaps."""
    alike: dict[tuple[str, ...], dict[int, str]] = defaultdict(dict)
    for source in sources:
        labels = source.labels
        name, _, number = labels.benchmark.rpartition("-")
        if labels.tool and labels.run is not None and number == f"{labels.run}":
            place = labels.folder, labels.variant, labels.tool, name
            alike[place][int(number)] = name_path(source.label)
    for paths in alike.values():
        numbers = sorted(paths)
        is_ladder = len(numbers) > 2 and not any(number & (number - 1) for number in numbers)
        if len(numbers) > 1 and max(numbers) <= 2 * len(numbers) + 1 and not is_ladder:
            listed = ", ".join(map(str, numbers))
            what = (
                f"the numbers {listed} count as benchmarks, because many between them are missing"
            )
            hint = "if they are runs, add --layout '{variant}/{tool}-{run}.{ext}'"
            yield Diagnostic(paths[numbers[0]], 0, what, hint, "note")


def _note_renamed(sources: Iterable[Found]) -> Iterator[Diagnostic]:
    """Warn about files whose names and original sidecars have different run numbers."""
    for source in sources:
        stated, number = source.sidecar.run, source.labels.run
        is_captured = source.sidecar.exit_code is not None
        if not is_captured or None in (stated, number) or stated == number or not source.path:
            continue
        stem, _ = split_name(source.path.name)
        if stem.endswith(f"{number}"):
            sidecar = name_path(f"{source.path.name}{OF_FILE}")
            states = f"{sidecar} states run {stated}, which is used"
            what = f"the file name counts run {number}, but {states}"
            hint = "give both the same number"
            yield Diagnostic(name_path(source.label), 0, what, hint, "warning")
