"""What a row of the bench is: ours beside a peer's, and what the ratio may be.

Processes and functions are held to goals in one way, and who measures others has to measure itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Goal:
    """One row of the result: ours / peer, and what it may be at most; no limit is no goal.

    ``ours`` and ``peer`` are in ``unit``; ``ratios`` are those of the single rounds; ``id`` is what
    the goal is called (P1 to P11), empty for others.
    """

    name: str
    ours: float
    peer: float
    ratio: float
    limit: float | None
    met: bool
    id: str = ""
    stretch: float | None = None
    unit: str = "s"
    ratios: list[float] = field(default_factory=list)


def hold(
    name: str,
    ours: float,
    peer: float,
    limit: float | None,
    *,
    id: str = "",  # noqa: A002 - what people call it
    stretch: float | None = None,
    unit: str = "s",
    ratios: Sequence[float] = (),
) -> Goal:
    """Make a row of two measurements; a peer that takes no time at all is none."""
    ratio = ours / peer if peer > 0 else float("inf")
    met = limit is None or ratio <= limit
    return Goal(name, ours, peer, ratio, limit, met, id, stretch, unit, list(ratios) or [ratio])


def fail(name: str, limit: float, *, id: str) -> Goal:  # noqa: A002 - what people call it
    """Make the row of a peer that is not there: nothing was shown."""
    return Goal(name, math.nan, math.nan, math.nan, limit, met=False, id=id)


def table(goals: Sequence[Goal]) -> str:
    """Write the goals as a Markdown table, which a terminal shows as well."""
    lines = ["| goal | work, ours / peer | ours | peer | ratio | at most | |"]
    lines += ["| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for goal in goals:
        limit = "–" if goal.limit is None else f"{goal.limit:.3g}"
        word = "–" if goal.limit is None else "met" if goal.met else "not met"
        if goal.stretch is not None and goal.ratio <= goal.stretch:
            word = "met, stretch too"
        if math.isnan(goal.ratio):
            lines.append(f"| {goal.id} | {goal.name} | – | – | – | {limit} | FAILED |")
            continue
        numbers = f"{goal.ours:.3g} {goal.unit} | {goal.peer:.3g} {goal.unit} | {goal.ratio:.3g}"
        lines.append(f"| {goal.id} | {goal.name} | {numbers} | {limit} | {word} |")
    return "\n".join(lines)


def write(
    goals: Sequence[Goal], missing: Sequence[str], versions: dict[str, str], out: Path
) -> None:
    """Write the goals as JSON, and their ratios as ``go test -bench -json`` beside it.

    The second file, ``<name>.gobench.json``, is what `benchkit compare OLD NEW` reads: a benchmark
    per goal, a result per round, in the unit ``ratio``, of which less is better.
    """
    document = {
        "format_version": 2,
        "versions": versions,
        "missing": list(missing),
        "goals": [asdict(goal) for goal in goals],
    }
    out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = ["Unit ratio better=lower"]
    for goal in goals:
        if math.isnan(goal.ratio):
            continue
        name = "".join(c if c.isalnum() else "_" for c in f"{goal.id} {goal.name}".strip())
        lines += [f"Benchmark{name}\t1\t{ratio:.6g} ratio" for ratio in goal.ratios]
    events = [
        json.dumps({"Action": "output", "Package": "benchkit", "Output": f"{line}\n"})
        for line in lines
    ]
    events.append(json.dumps({"Action": "pass", "Package": "benchkit"}))
    beside = out.with_name(f"{out.stem}.gobench.json")
    beside.write_text("\n".join(events) + "\n", encoding="utf-8")
