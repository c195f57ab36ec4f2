"""Variants that carry a number: the cost of one more unit of it.

The number is part of their names (``spans=4``, ``0.1``), or their runs record it, as a plan does
(``spans = 4``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.comparison.model import SEQUENTIAL, UNJUDGED, Contrast, Row
from benchkit.derived.record import keep_measured, list_settings
from benchkit.regexes import regex
from benchkit.stats.multiplicity import holm
from benchkit.stats.sample import ROUNDING
from benchkit.stats.scalability import Line, fit_line, fit_rounds
from benchkit.stats.spending import SequentialDesign

if TYPE_CHECKING:
    from benchkit.schema import Runs

#: Prefix of entries in a run's environment that record a number of its variant.
_ENTRY = "dose."
#: Minimum number of doses for a line; fewer are compared as variants.
FEWEST = 3
_AMOUNT = r"\d{1,15}(?:\.\d{1,9})?"
_SIGNED = regex(r"-?\d{1,15}(?:\.\d{1,18})?(?:e-\d{1,2})?")
_DOSE = regex(rf"(?:(?:(?P<kind>.+)[\s,;/])?(?P<name>[^\s,;/=]+)=)?(?P<amount>{_AMOUNT})")
#: Name of a number that has no name.
_NAMELESS = "variant"
_RATE = "1/s"


@dataclass(frozen=True, kw_only=True)
class Response:
    """A metric at several doses.

    Parameters
    ----------
    unit : str
        The unit of the values; ``s`` for a rate, whose values are the time per request.
    kind, name : str
        What the variants have in common, and the name of their number.
    values : mapping of float to tuple of float
        By dose, in ascending order: one value per run, in the base unit; for a series that stops
        early, one per complete round.
    is_series : bool
        Whether the runs belong to a series that stops early.
    design : SequentialDesign, optional
        The design of that series, once it can be judged.
    misfit : float
        The p-value of "the doses lie on a line", adjusted (Holm); NaN if it cannot be tested.
    """

    row: Row
    unit: str
    kind: str
    name: str
    values: Mapping[float, tuple[float, ...]]
    confidence: float
    is_series: bool = False
    design: SequentialDesign | None = None
    misfit: float = math.nan

    @property
    def is_straight(self) -> bool | None:
        """Whether the doses lie on a line; None if that cannot be tested."""
        return None if math.isnan(self.misfit) else self.misfit > (1 - self.confidence) * ROUNDING

    @property
    def is_rate(self) -> bool:
        """Whether the values are times that represent a rate, since costs add up in time."""
        return self.unit == "s" and self.row.metric == "request_rate"

    @property
    def runs(self) -> int:
        """Number of runs over all doses."""
        return sum(map(len, self.values.values()))

    @cached_property
    def line(self) -> Line:
        """The line through all runs."""
        if self.is_series:
            rounds = [*self.values.values()]
            return fit_rounds([*self.values], rounds, self.design, self.confidence)
        doses = np.repeat([*self.values], [len(values) for values in self.values.values()])
        return fit_line(doses, np.concatenate([*self.values.values()]), self.confidence)


class Dose(NamedTuple):
    """A number of a variant: what else its variants have in common, its name and its amount."""

    kind: str
    name: str
    amount: float


def write_doses(numbers: Mapping[str, float]) -> dict[str, str]:
    """Return the entries of a run's environment that record the numbers of its variant."""
    return {f"{_ENTRY}{name}": f"{number}" for name, number in numbers.items()}


def read_doses(runs: Runs) -> dict[str, list[Dose]]:
    """Return the numbers that runs record of their variants, unless runs contradict each other."""
    measured = keep_measured(runs)
    stated: dict[str, set[tuple[tuple[str, float], ...]]] = {}
    for variant, env in list_settings(measured, "variant"):
        entries = sorted(
            (name.removeprefix(_ENTRY), float(value))
            for name, value in env.items()
            if name.startswith(_ENTRY) and _SIGNED.fullmatch(f"{value}")
        )
        stated.setdefault(variant, set()).add(tuple(entries))
    alone = {variant: known.pop() for variant, known in stated.items() if len(known) == 1}
    return {variant: [*_list_doses(entries)] for variant, entries in alone.items()}


def _list_doses(entries: Sequence[tuple[str, float]]) -> Iterator[Dose]:
    for name, amount in entries:
        others = (f"{other}={size:g}" for other, size in entries if other != name)
        yield Dose(", ".join(others), name, amount)


def explain_no_line(numbers: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Explain for each number that enough variants have why no line is fitted over it, if none is.

    Examples
    --------
    >>> [*explain_no_line({"a": {"n": 0}, "b": {"n": 4, "m": 1}, "c": {"n": 9}})]
    ['no line is fitted over n: its variants also differ in m']
    >>> [*explain_no_line({"a": {"n": 0}, "b": {"n": 4}, "c": {"n": 4}, "d": {"n": 9}})]
    ['no line is fitted over n: several variants have n = 4']
    """
    kinds: dict[str, dict[str, list[float]]] = {}
    for entries in numbers.values():
        for kind, name, amount in _list_doses(sorted(entries.items())):
            kinds.setdefault(name, {}).setdefault(kind, []).append(amount)
    for name, by_kind in kinds.items():
        sets = [*by_kind.values()]
        if sum(map(len, sets)) < FEWEST or any(FEWEST <= len(s) == len({*s}) for s in sets):
            continue
        equal = [amount for some in sets for amount in some if some.count(amount) > 1]
        others = {other for known in numbers.values() if name in known for other in known}
        why = f"its variants also differ in {', '.join(sorted(others - {name}))}"
        if equal:
            why = f"several variants have {name} = {equal[0]:g}"
        yield f"no line is fitted over {name}: {why}"


def _read_name(variant: str) -> list[Dose]:
    dose = _DOSE.fullmatch(variant)
    if not dose:
        return []
    return [Dose(dose["kind"] or "", dose["name"] or _NAMELESS, float(dose["amount"]))]


def list_responses(
    contrasts: Iterable[Contrast],
    confidence: float,
    stated: Mapping[str, Sequence[Dose]] | None = None,
) -> list[Response]:
    """Return the primary metrics measured at three or more doses, one of them repeatedly.

    Parameters
    ----------
    stated : mapping of str to sequence of Dose
        The numbers of variants whose names do not contain them. Numbers shared by two variants are
        not doses.
    """
    costs_by_dose: dict[tuple[Row, str, str], dict[float, tuple[float, ...]]] = {}
    owners: dict[tuple[Row, str, str, float], str] = {}
    shared: set[tuple[Row, str, str]] = set()
    units: dict[Row, str] = {}
    designs: dict[Row, set[SequentialDesign | None]] = {}
    for contrast in contrasts:
        if not contrast.primary:
            continue
        if contrast.method in (SEQUENTIAL, UNJUDGED):
            designs.setdefault(contrast.key, set()).add(contrast.stopping)
        sides = (
            (contrast.baseline, contrast.baseline_values),
            (contrast.variant, contrast.variant_values),
        )
        for variant, values in sides:
            is_rate = contrast.unit == _RATE
            if not values or (is_rate and min(values) <= 0):
                continue
            costs = tuple(1 / value for value in values) if is_rate else values
            for kind, name, amount in (stated or {}).get(variant) or _read_name(variant):
                key = contrast.key, kind, name
                costs_by_dose.setdefault(key, {})[amount] = costs
                if owners.setdefault((*key, amount), variant) != variant:
                    shared.add(key)
                units[contrast.key] = "s" if is_rate else contrast.unit
    responses = []
    for (row, kind, name), by_dose in costs_by_dose.items():
        if (row, kind, name) in shared:
            continue
        known = designs.get(row, set())
        kept = min(map(len, by_dose.values())) if known else None  # only complete rounds
        runs = {dose: by_dose[dose][:kept] for dose in sorted(by_dose)}
        if len(runs) >= FEWEST and sum(map(len, runs.values())) > len(runs):
            responses.append(
                Response(
                    row=row, unit=units[row], kind=kind, name=name, values=runs,
                    confidence=confidence, is_series=bool(known),
                    design=next(iter(known)) if len(known) == 1 else None,
                )
            )  # fmt: skip
    tested = [each for each in responses if not math.isnan(each.line.misfit)]
    adjusted = holm([each.line.misfit for each in tested]).tolist() if tested else ()
    misfits = dict(zip(map(id, tested), adjusted, strict=True))
    return [replace(each, misfit=misfits.get(id(each), math.nan)) for each in responses]
