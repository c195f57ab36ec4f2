"""The rule about what disturbed runs, as `capture` records it: finding B418."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchkit.errors import Finding
from benchkit.listing import list_names
from benchkit.schema import Labels, list_labels
from benchkit.units import format_number

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Share of the CPU time that may be stolen; of the usual clock that a run may lack.
_STOLEN, _SLOWER = 0.02, 0.05
#: How many times as often as usual a service may lose a CPU, and how much more often in a second.
_FACTOR, _MORE = 3, 50
#: Fewest runs that show what is usual.
_FEWEST = 4
_SHOWN = 3


class _Known(NamedTuple):
    """A run, one condition of it, and what all benchmarks of one command have in common."""

    run: Labels
    value: float
    command: Hashable


def find_disturbances(runs: Runs) -> Iterator[Finding]:
    """B418: during some runs, CPU time was stolen, the clock was low, or others took the CPU."""
    recorded = runs[(runs["role"] == "measured") & runs["conditions"].map(bool).astype(bool)]
    yield from _find_stolen(_keep_one_each(_read(recorded, "stolen")))
    yield from _find_slow(_keep_one_each(_read(recorded, "frequency")))
    yield from _find_displaced(list(_read(recorded, "service_switches", is_rate=True)))


def _read(runs: Runs, name: str, *, is_rate: bool = False) -> Iterator[_Known]:
    """Yield the runs with a condition, per second of the run if it is a count."""
    columns = (runs[column].tolist() for column in ("conditions", "duration"))
    for labels, conditions, duration in zip(list_labels(runs), *columns, strict=True):
        if not isinstance(conditions, Mapping) or name not in conditions:
            continue
        try:
            value = float(conditions[name]) / (duration if is_rate else 1)
        except (ValueError, TypeError, ZeroDivisionError):
            continue
        if isfinite(value):
            recorded = frozenset((key, str(text)) for key, text in conditions.items())
            yield _Known(labels, value, (labels.variant, labels.run, recorded))


def _keep_one_each(known: Iterable[_Known]) -> list[_Known]:
    """Return one row per command: its conditions are recorded with each of its benchmarks."""
    return list({each.command: each for each in known}.values())


def _find_stolen(known: Sequence[_Known]) -> Iterator[Finding]:
    over = [each for each in known if each.value > _STOLEN]
    if over:
        worst = max(over, key=lambda each: each.value)
        yield _tell(
            over,
            worst,
            len(known),
            f"other virtual machines took up to {100 * worst.value:.1f} % of the CPU time",
            "repeat these runs, or use a dedicated host; alternate between the variants",
        )


def _find_slow(known: Sequence[_Known]) -> Iterator[Finding]:
    usual = median(each.value for each in known) if len(known) >= _FEWEST else 0.0
    below = [each for each in known if each.value < usual * (1 - _SLOWER)]
    if below:
        worst = min(below, key=lambda each: each.value)
        clocks = (f"{format_number(value / 1e9)} GHz" for value in (worst.value, usual))
        yield _tell(
            below,
            worst,
            len(known),
            "the CPU clock fell to {} (median: {})".format(*clocks),
            "cool the machine, pause between runs, and fix the frequency; see `benchkit doctor`",
        )


def _find_displaced(known: Sequence[_Known]) -> Iterator[Finding]:
    reported: set[Hashable] = set()
    for same in _by_side(known):
        usual = median(each.value for each in same)
        over = [each for each in same if each.value > max(usual * _FACTOR, usual + _MORE)]
        commands = {each.command for each in over}
        if not commands <= reported:
            reported |= commands
            worst = max(over, key=lambda each: each.value)
            yield _tell(
                over,
                worst,
                len(same),
                "the service lost its CPU to other programs up to "
                f"{format_number(worst.value)} times a second (median: {format_number(usual)})",
                "stop other programs, or wait for a quiet machine: `benchkit capture "
                "--quiet-before 5s --pin`",
            )


def _by_side(known: Sequence[_Known]) -> Iterator[list[_Known]]:
    """Yield the runs of each side that has enough of them; variants may differ by nature."""
    sides: dict[object, list[_Known]] = {}
    for each in known:
        sides.setdefault(each.run.side, []).append(each)
    return (same for same in sides.values() if len(same) >= _FEWEST)


def _tell(
    disturbed: Sequence[_Known], worst: _Known, total: int, message: str, remedy: str
) -> Finding:
    names = list_names(_name_runs([each.run for each in disturbed]), _SHOWN)
    return Finding(
        code="B418",
        severity="warning",
        message=f"{message} in {len(disturbed)} of {total} runs: {names}",
        remedy=remedy,
        numbers={"runs": len(disturbed), "worst": worst.value},
    )


def _name_runs(runs: Sequence[Labels]) -> Iterator[str]:
    """Name runs, those of one number with what tells them apart."""
    counts = Counter((run.variant, run.run) for run in runs)
    for run in runs:
        place = ", ".join(filter(None, (run.group, run.benchmark, run.params)))
        on = f" on {place}" if place and counts[run.variant, run.run] > 1 else ""
        yield f"run {run.run} of '{run.variant}'{on}"
