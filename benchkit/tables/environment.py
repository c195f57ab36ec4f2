"""Where and on what the runs were made: differences between variants first, then the rest.

In: the frame of runs. Out: `Table`s. Why: a variant measured on another machine is another
experiment, and the reader has to see it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from benchkit.tables.model import Cell, Column, Table
from benchkit.units import printable

if TYPE_CHECKING:
    from benchkit.schema import Runs

UNKNOWN = "not recorded"
_TOLD = ("tool", "tool_version", "load_model", "target_rate", "connections", "command")

#: variant -> what -> the values met, in order
_Facts = dict[str, dict[str, dict[str, None]]]


def environment_tables(runs: Runs) -> tuple[Table, ...]:
    """Build the table of what differs between variants and the table of what they share.

    Parameters
    ----------
    runs : Runs

    Returns
    -------
    tuple of Table
        Either table is left out where it has no rows.
    """
    facts = _gather(runs)
    names = list(dict.fromkeys(name for told in facts.values() for name in told))
    rows = {name: [_join(facts[variant].get(name, ())) for variant in facts] for name in names}
    differing = {name: texts for name, texts in rows.items() if len(set(texts)) > 1}
    common = {name: texts[0] for name, texts in rows.items() if name not in differing}
    tables = []
    if differing:
        tables.append(_differences(differing, list(facts)))
    if common:
        tables.append(_common(common))
    return tuple(tables)


def _gather(runs: Runs) -> _Facts:
    facts: _Facts = {}
    columns = [runs[name].tolist() for name in ("variant", "role", "env", *_TOLD)]
    for variant, role, env, *told in zip(*columns, strict=True):
        if role != "measured":
            continue
        known = facts.setdefault(variant, {})
        for name, value in (*zip(_TOLD, told, strict=True), *_entries(env)):
            text = _write(value)
            if text:
                known.setdefault(name, {})[text] = None
    return facts


def _entries(env: object) -> Iterable[tuple[str, object]]:
    return env.items() if isinstance(env, Mapping) else ()


def _write(value: object) -> str:
    """Write a fact; nothing where it is unknown (None, NaN and NA are not equal to themselves)."""
    if isinstance(value, str):
        return "" if value == "unknown" else printable(value)
    if isinstance(value, bool | int):
        return f"{value}"
    if isinstance(value, float) and not math.isnan(value):
        return f"{value:g}"
    return ""


def _join(values: Iterable[str]) -> str:
    shown = list(values)
    if len(shown) > 3:
        return f"{'; '.join(shown[:2])}; and {len(shown) - 2} more"
    return "; ".join(shown) or UNKNOWN


def _differences(rows: Mapping[str, list[str]], variants: list[str]) -> Table:
    return Table(
        title="Differs between variants",
        columns=(Column("what", "what"), *(Column(v, printable(v)) for v in variants)),
        rows=tuple((Cell(printable(n)), *(Cell(t) for t in texts)) for n, texts in rows.items()),
    )


def _common(rows: Mapping[str, str]) -> Table:
    return Table(
        title="Common to all variants",
        columns=(Column("what", "what"), Column("value", "value")),
        rows=tuple((Cell(printable(name)), Cell(text)) for name, text in rows.items()),
    )
