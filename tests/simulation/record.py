"""The record of a run of the suite, and the manual's table made from it.

All measurements are kept, and readers see only these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchkit.history.newest import SERIES
from simulation.bisection import write_bisections
from simulation.grid import RATIOS
from simulation.joint import write_lines
from simulation.stopping import write_spendings, write_stoppings
from simulation.suite import FAMILIES, PROMISES, explain, find_broken
from simulation.worlds import describe

PATH = Path(__file__).with_name("simulation.json")
_HEAD = (
    "| method | runs | sessions | false alarms | covered | false “equivalent” "
    "| 5 % shown | |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
)
#: Methods with promises, as the table names them.
METHODS = {
    "hodges-lehmann": "ranks",
    "welch": "Welch",
    "signed-rank": "signed ranks of pairs",
    "aligned": "aligned by rounds",
    "prediction": "one run against a history",
}

#: Content of the table of newest commits: which move, and which share.
_MOVES = (
    ((0.0, 0.1), "any"),
    ((0.1, 0.1), "found"),
    ((0.1, 0.1), "false"),
    ((0.0, 0.1), "named"),
    ((0.3, 0.1), "named"),
    ((1.0, 0.05), "named"),
    ((1.0, 0.1), "named"),
)

Row = dict[str, Any]


def read_record() -> dict[str, Any]:
    """Return the last record."""
    record: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return record


def write_record(record: Mapping[str, Sequence[Row]]) -> None:
    """Save the measurements, one row per line."""
    lists = [
        f'"{name}": [\n' + ",\n".join(map(json.dumps, entries)) + "\n]"
        for name, entries in record.items()
    ]
    text = ",\n".join(['"format_version": 2', *lists])
    PATH.write_text(f"{{{text}}}\n", encoding="utf-8")


def write_table() -> str:
    """Return the manual's table: the worst over all numbers of runs, by method and world."""
    record = read_record()
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in record["rows"]:
        if row["method"] in METHODS:
            groups.setdefault((row["method"], row["world"], explain(row)), []).append(row)
    order = list(METHODS)
    lines = [_line(groups[key]) for key in sorted(groups, key=lambda key: order.index(key[0]))]
    rates = {family.name: family.primary for family in FAMILIES}
    families = record["families"]
    lines += [_family_line(family, is_primary=rates[family["family"]]) for family in families]
    return "\n".join([_HEAD, *lines, *write_lines(record)])


def write_grid() -> str:
    """Return the manual's table of families: the error, then the power for a change of 20 %."""
    grid = read_record()["grid"]
    errors = [cell for cell in grid if not cell["effect"]]
    head = [
        "| rows | runs | spread 1× | 2× | 3× | 6× | one row 6× | decided by |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    places = dict.fromkeys((cell["rows"], cell["n"], cell["m"]) for cell in errors)
    lines = [_grid_line(place, [c for c in errors if _place(c) == place]) for place in places]
    powers = [cell for cell in grid if cell["effect"]]
    runs = dict.fromkeys((cell["n"], cell["m"]) for cell in powers)
    shown = [
        f"| {n} + {m} | {_percent(calm['rows_shown'])} | {_percent(slow['rows_shown'])} |"
        for n, m in runs
        for calm, slow in [[c for c in powers if (c["n"], c["m"]) == (n, m)]]
    ]
    power = [
        "The next table gives the share of 60 rows that are shown if each of them costs 20 % more.",
        "",
        "| runs | normal runs | one run in ten is 20 % slow |",
        "| --- | --- | --- |",
    ]
    return "\n".join([*head, *lines, "", *power, *shown])


def write_histories() -> str:
    """Return the manual's tables of histories: the newest commit, then changes before it."""
    record = read_record()["histories"]
    newest = [row for row in record if "moved" in row]
    heads = (
        "series", "common", "no change: some series outside", "a tenth changes by 10 %: found",
        "false alarms among those outside", "machine suspected: no change",
        "machine suspected: a third changes by 10 %", "machine suspected: all change by 5 %",
        "machine suspected: all change by 10 %",
    )  # fmt: skip
    head = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    kinds = dict.fromkeys(map(_kind, newest))
    lines = [_newest_line([row for row in newest if _kind(row) == kind]) for kind in kinds]
    steady = [
        f"| {row['series']} | {row['correlation']:g} | {row['per_100']:.3f} | "
        f"{_percent(row['any'])} |"
        for row in record
        if "correlation" in row
    ]
    changes = [
        "The next table gives the false step changes in 50 commits that do not change.",
        "",
        "| series | correlation | false changes per 100 commits | histories with one |",
        "| --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *lines, "", *changes, *steady])


def write_searches() -> str:
    """Return the manual's table of searches for a commit."""
    return write_bisections(read_record()["bisections"])


def write_stopped() -> str:
    """Return the manual's table of sessions that stop by themselves."""
    return write_stoppings(read_record()["stoppings"])


def write_spent() -> str:
    """Return the manual's table of mean rounds by spending."""
    return write_spendings(read_record()["spendings"])


def _kind(row: Row) -> tuple[int, float, int, bool, bool]:
    return row["series"], row["common"], row["runs"], row["is_slow"], row["is_far"]


def _newest_line(rows: Sequence[Row]) -> str:
    by_move = {(round(row["moved"], 1), row["shift"]): row for row in rows}
    first = rows[0]
    cells = [
        by_move.get(move, {}).get(share) if share != "named" or first["series"] >= SERIES else None
        for move, share in _MOVES
    ]
    slow = f", 1 run in 10 is 20 % slow, {first['runs']} per commit" if first["is_slow"] else ""
    far = ", all 10 % slow once before" if first["is_far"] else ""
    texts = ["–" if cell is None else _percent(cell) for cell in cells]
    return f"| {first['series']}{slow}{far} | {first['common']:g} | {' | '.join(texts)} |"


def _place(cell: Row) -> tuple[int, int, int]:
    return cell["rows"], cell["n"], cell["m"]


def _grid_line(place: tuple[int, int, int], cells: Sequence[Row]) -> str:
    rows, n, m = place
    by_spread = {(c["ratio"], c["everywhere"]): c for c in cells}
    spreads = [by_spread.get((ratio, True)) for ratio in RATIOS]
    errors = [_percent(c["any"]) if c else "–" for c in (*spreads, by_spread.get((6.0, False)))]
    methods = dict.fromkeys(name for c in cells for name, share in c["methods"].items() if share)
    return f"| {rows} | {n} + {m} | {' | '.join(errors)} | {', '.join(methods)} |"


def _line(rows: Sequence[Row]) -> str:
    method, world = rows[0]["method"], rows[0]["world"]
    alarms, equivalent = (
        max(promise.share(row) for promise in PROMISES if promise.name == name for row in rows)
        for name in ("false alarms", "equivalent")
    )
    coverage = [promise for promise in PROMISES if promise.name == "covers"]
    covered = [min(promise.share(row) for promise in coverage) for row in rows]
    is_one = method == "prediction"
    cells = [
        METHODS[method],
        _runs(rows),
        describe(world),
        _percent(alarms),
        ", ".join(map(_percent, covered)) if is_one else _percent(min(covered)),
        _percent(equivalent) if not is_one else "–",
        _spread([row["effects"]["0.05"]["regression"] for row in rows]),
        _judge(rows, explain(rows[0])),
    ]
    return f"| {' | '.join(cells)} |"


def _runs(rows: Sequence[Row]) -> str:
    """Write numbers of runs: of both sides, or of variants and rounds."""
    if rows[0]["variants"]:
        shapes = [f"{row['variants']} × {row['runs'][0]}" for row in rows]
    else:
        shapes = [f"{n} + {m}" for n, m in (row["runs"] for row in rows)]
    return ", ".join(shapes)


def _judge(rows: Iterable[Row], why: str) -> str:
    broken = {name: row for row in rows for name in find_broken(row)}
    return f"**breaks**: {why or 'not explained'}" if broken else "holds"


def _family_line(family: Row, *, is_primary: bool) -> str:
    limit = 0.05
    slack = 3 * (limit * (1 - limit) / family["sessions"]) ** 0.5
    kept = "holds" if family["false"] <= limit + slack else "**breaks**"
    name = "Holm's family" if is_primary else "Benjamini–Hochberg, share of false rejections"
    share = _percent(family["false"])
    return f"| {name} | | {describe(family['family'])} | {share} | – | – | – | {kept} |"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _spread(shares: Sequence[float]) -> str:
    """Write the smallest and the largest of several shares."""
    ends = [f"{100 * share:.0f}" for share in (min(shares), max(shares))]
    return f"{'–'.join(dict.fromkeys(ends))} %"
