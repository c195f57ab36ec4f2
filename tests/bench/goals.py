"""A row of the bench: our time, a peer's time, and the largest ratio allowed.

Processes and functions have goals of the same form; a tool that measures others must measure
itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Goal:
    """One row of the result: the ratio ours / peer and its limit; without a limit it is not a goal.

    ``ours`` and ``peer`` are in ``unit``; ``ratios`` are those of the single rounds; ``id`` is the
    name of the goal (P1 to P11), empty for other rows.
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


def judge(
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
    """Make a row of two measurements; a peer that takes no time is not valid."""
    ratio = ours / peer if peer > 0 else float("inf")
    met = limit is None or ratio <= limit
    return Goal(name, ours, peer, ratio, limit, met, id, stretch, unit, list(ratios) or [ratio])


def fail(name: str, limit: float, *, id: str) -> Goal:  # noqa: A002 - what people call it
    """Make the row of a missing peer: nothing was shown."""
    return Goal(name, math.nan, math.nan, math.nan, limit, met=False, id=id)


def table(goals: Sequence[Goal]) -> str:
    """Write the goals as a Markdown table, which is readable in a terminal, too."""
    lines = ["| goal | work, ours / peer | ours | peer | ratio | at most | |"]
    lines += ["| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for goal in goals:
        limit = "–" if goal.limit is None else f"{goal.limit:.3g}"
        status = "–" if goal.limit is None else "met" if goal.met else "not met"
        if goal.stretch is not None and goal.ratio <= goal.stretch:
            status = "met, stretch too"
        if math.isnan(goal.ratio):
            lines.append(f"| {goal.id} | {goal.name} | – | – | – | {limit} | FAILED |")
            continue
        numbers = f"{goal.ours:.3g} {goal.unit} | {goal.peer:.3g} {goal.unit} | {goal.ratio:.3g}"
        lines.append(f"| {goal.id} | {goal.name} | {numbers} | {limit} | {status} |")
    return "\n".join(lines)


def write(
    goals: Sequence[Goal], missing: Sequence[str], versions: dict[str, str], out: Path
) -> None:
    """Write the goals as JSON, and their ratios as ``go test -bench -json`` next to it.

    The second file, ``<name>.gobench.json``, is input for `benchkit compare OLD NEW`: a benchmark
    per goal, a result per round, in the unit ``ratio``, where less is better.
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
    second = out.with_name(f"{out.stem}.gobench.json")
    second.write_text("\n".join(events) + "\n", encoding="utf-8")
