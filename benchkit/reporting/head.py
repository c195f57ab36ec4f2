"""The line below the verdict: what was compared, the load and machine, the date, the runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from benchkit.codes import number_maps, number_rows
from benchkit.derived.record import keep, keep_measured
from benchkit.listing import list_names
from benchkit.tables.derived import follow, lead
from benchkit.tables.wording import count_of, format_bare
from benchkit.units import format_number, format_quantity, printable

if TYPE_CHECKING:
    from benchkit.errors import Finding
    from benchkit.schema import Runs
    from benchkit.tables.derived import Part
    from benchkit.verdict import Verdicts

#: Limits for the names in the line, and for the length of sides and benchmarks; the rest are
#: counted.
_NAMED, _ROOM, _SHORT = 6, 100, 40
NO_PARTS: Mapping[str, Part] = MappingProxyType({})
#: Lengths of runs up to this ratio count as equal.
_SAME_LENGTH = 1.05


def write_status(
    verdicts: Verdicts,
    runs: Runs | None,
    findings: Sequence[Finding],
    parts: Mapping[str, Part] = NO_PARTS,
) -> str:
    """Summarise in one line what the verdict is based on, and how many findings need attention."""
    margin = format_bare(verdicts.margin) if verdicts.comparisons.contrasts else ""
    texts = (
        describe_setting(verdicts, runs, parts),
        f"margin {margin}" if margin else "",
        _count_urgent(findings),
    )
    return " · ".join(filter(None, texts))


def write_lines(
    verdicts: Verdicts, runs: Runs | None, parts: Mapping[str, Part], findings: Sequence[Finding]
) -> list[str]:
    """Write the lines above the tables of a terminal: the verdict and its context."""
    below = (describe_setting(verdicts, runs, parts), *follow(verdicts, parts))
    return [lead(verdicts, parts, findings), *(f"  {line}" for line in filter(None, below))]


def describe_setting(
    verdicts: Verdicts, runs: Runs | None, parts: Mapping[str, Part] = NO_PARTS
) -> str:
    """Summarise in one line what was compared: sides, benchmarks, runs, tool, load, date, machine.

    If a sweep is shown instead of a comparison, the line describes the sweep.
    """
    contrasts = verdicts.comparisons.contrasts
    compared = None if runs is None else _keep_compared(runs, verdicts, parts)
    benchmarks, tools = ([*{getattr(c, of): 0 for c in contrasts}] for of in ("benchmark", "tool"))
    counts = {n for c in contrasts for n in (c.n_baseline, c.n_variant)}
    sides = _name_sides(verdicts)
    if not contrasts and compared is not None:
        sides, benchmarks, tools = (
            compared[of].unique().tolist() for of in ("variant", "benchmark", "tool")
        )
        sides = [_list(sides, "variants")]
    texts = [
        *sides,
        _list(_name_benchmarks(benchmarks), "benchmarks", _SHORT),
        _count_runs(counts, 0 if compared is None else len(compared)),
        *map(printable, tools),
        *([] if compared is None else _describe_load(compared)),
        *([] if compared is None else _describe_circumstances(compared)),
    ]
    return " · ".join(filter(None, texts))


def _keep_compared(runs: Runs, verdicts: Verdicts, parts: Mapping[str, Part]) -> Runs:
    """Return the measured runs that were compared or swept; without either, all of them."""
    measured = keep_measured(runs)
    contrasts = verdicts.comparisons.contrasts
    shown = {(v, c.benchmark, c.tool) for c in contrasts for v in (c.baseline, c.variant)}
    if not contrasts and "sweep" in parts:
        sweeps = [each.sweep for each in parts["sweep"].saturations]
        shown = {(sweep.variant, sweep.benchmark, sweep.tool) for sweep in sweeps}
    names = ("variant", "benchmark", "tool")
    numbers, firsts = number_rows(measured, names)
    places = zip(*(measured.iloc[firsts][name].tolist() for name in names), strict=True)
    is_shown = np.array([place in shown for place in places], dtype=bool)
    return keep(measured, is_shown[numbers]) if shown else measured


def _name_sides(verdicts: Verdicts) -> list[str]:
    """Name the compared variants of each baseline: ``otlp and apm vs. none``."""
    compared = {(c.baseline, c.variant) for c in verdicts.comparisons.contrasts}
    sides: dict[str, list[str]] = {}
    for base, variant in verdicts.comparisons.pairs:
        if (base, variant) in compared:
            sides.setdefault(base, []).append(variant)
    return [f"{_list(names, 'variants')} vs. {printable(base)}" for base, names in sides.items()]


def _name_benchmarks(names: Sequence[str]) -> list[str]:
    """Return the names, with an unnamed one last; nothing if it is the only one."""
    named = [*filter(None, names)]
    return [*named, "unnamed"] if 0 < len(named) < len(names) else named


def _list(names: Sequence[str], noun: str, room: int = _ROOM) -> str:
    """List a few names; count the rest and long ones."""
    shown = [*map(printable, names)]
    if len(shown) > 1 and (len(shown) > _NAMED or len(", ".join(shown)) > room):
        return f"{len(shown)} {noun}"
    return list_names(shown)


def _count_runs(counts: Iterable[int], total: int) -> str:
    few, many = min(counts, default=0), max(counts, default=0)
    if not many:
        return f"{count_of(total, 'run')}, no comparison"
    return f"{few} to {many} runs per side" if few < many else f"{count_of(few, 'run')} per side"


def _count_urgent(findings: Sequence[Finding]) -> str:
    urgent = sum(finding.severity != "info" for finding in findings)
    verb = "needs" if urgent == 1 else "need"
    return f"{count_of(urgent, 'finding')} {verb} attention" if urgent else ""


def _describe_load(runs: Runs) -> list[str]:
    """Describe the load: the model, the target rate, the levels, the length.

    The rate is shown only if every run of an open loop records one.
    """
    models = [model for model in dict.fromkeys(runs["load_model"]) if model != "unknown"]
    rates = runs.loc[runs["load_model"] == "open", "target_rate"].tolist()
    lengths = [length for length in runs["duration"].tolist() if length > 0]  # except NaN
    at = " at " + _range(rates, "requests/s") if rates and all(r > 0 for r in rates) else ""
    each = f"{_describe_lengths(lengths)} each" if lengths else ""
    loops = f"{' and '.join(models)} loop{at}" if models else ""
    return [loops, _describe_levels(runs["params"].unique().tolist()), each]


def _describe_lengths(lengths: Sequence[float]) -> str:
    low, high = min(lengths), max(lengths)
    ends = [*dict.fromkeys(format_quantity(end, "s") for end in (low, high))]
    is_one = len(ends) > 1 and high <= low * _SAME_LENGTH
    return f"about {ends[0]}" if is_one else " to ".join(ends)


def _range(values: Sequence[float], unit: str) -> str:
    numbers = dict.fromkeys(format_number(end, 3) for end in (min(values), max(values)))
    return f"{' to '.join(numbers)} {unit}"


def _describe_levels(params: Sequence[str]) -> str:
    """Write the parameters of all runs; one that differs only by number is a range.

    Examples
    --------
    >>> _describe_levels(["connections=1,threads=2", "connections=16,threads=2"])
    'connections=1 to 16, threads=2'
    """
    levels = [dict(part.partition("=")[::2] for part in each.split(",")) for each in params]
    shared = [name for name in levels[0] if all(name in each for each in levels)] if levels else []
    texts = []
    for name in shared:
        values = [*dict.fromkeys(each[name] for each in levels)]
        if len(values) > 1 and not all(value.isdecimal() for value in values):
            continue
        ends = dict.fromkeys((min(values, key=_number), max(values, key=_number)))
        texts.append(f"{name}={' to '.join(ends)}" if values[0] else name)
    return printable(", ".join(texts))


def _number(value: str) -> int:
    return int(value) if value.isdecimal() else 0


def _describe_circumstances(runs: Runs) -> list[str]:
    """Say on which machine and on which days the runs were made, or that neither is recorded."""
    numbers, envs = number_maps(runs["env"])
    counts = zip(envs, np.bincount(numbers).tolist(), strict=True)
    cpus = [(env["cpu"], count) for env, count in counts if env.get("cpu")]
    kinds = [*dict.fromkeys(printable(cpu) for cpu, _ in cpus)]
    machine = f"{len(kinds)} kinds of CPU" if len(kinds) > 1 else "".join(kinds)
    starts = runs["started_at"].dropna().tolist()
    ends = (min(starts), max(starts)) if starts else ()
    days = " to ".join(dict.fromkeys(f"{day:%Y-%m-%d}" for day in ends))
    known = (("machine", machine, sum(count for _, count in cpus)), ("date", days, len(starts)))
    missing = [noun for noun, text, _ in known if not text]
    return [
        *(_limit(text, count, len(runs)) for _, text, count in known if text),
        f"{' and '.join(missing)} not recorded" if missing and len(runs) else "",
    ]


def _limit(text: str, count: int, total: int) -> str:
    """Say how many runs record a fact, if not all do."""
    return text if count == total else f"{text} ({count} of {total} runs)"
