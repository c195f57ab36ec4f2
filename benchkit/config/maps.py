"""How to read a table that no tool wrote: ``[[map]]``, or a file of maps for ``--map``.

The key of a label is a column's name, or ``{constant = "…"}`` for all rows.

Units as people write them in tables, and the base units that they are multiples of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from benchkit.config.files import (
    as_key,
    list_keys,
    parse_toml,
    read_file,
    read_text,
    read_texts,
    require_keys,
)
from benchkit.errors import ConfigError
from benchkit.metrics import VOCABULARY
from benchkit.units import scale

MAP = "map"
BETTER = ("lower", "higher")
_TIMES = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms", "msec", "millis", "millisecond", "milliseconds"),
    "us": ("us", "µs", "μs", "usec", "micros", "microsecond", "microseconds"),
    "ns": ("ns", "nsec", "nanos", "nanosecond", "nanoseconds"),
}
_EXPONENTS = {"s": 0, "ms": -3, "us": -6, "ns": -9}
_OPERATIONS = ("req", "reqs", "request", "requests", "op", "ops", "query", "queries", "")
_RATES = {"rps", "qps", "tps", "ops", "hz", "iops"}
_COUNTS = {"", "1", "count", "ratio", "share"}
_DECIMAL = {"": 0, "k": 3, "m": 6, "g": 9, "t": 12}
_BINARY = {"ki": 10, "mi": 20, "gi": 30, "ti": 40}


class Cell(NamedTuple):
    """The source of a label or value: a column, or a constant for all rows."""

    column: str = ""
    constant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One metric of a table."""

    column: str
    metric: Cell
    stat: Cell
    unit: Cell
    better: str = ""


_KIND = "column"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMap:
    """The columns of a table that hold labels and values."""

    variant: Cell = field(default=Cell(), metadata=as_key(_KIND, "the variant: none, otlp, …"))
    group: Cell = field(default=Cell(), metadata=as_key(_KIND, "never compared with other groups"))
    benchmark: Cell = field(
        default=Cell(), metadata=as_key(_KIND, "the workload: endpoint, scenario")
    )
    params: tuple[str, ...] = field(
        default=(), metadata=as_key("texts", "columns with levels of the workload")
    )
    run: Cell = field(
        default=Cell(),
        metadata=as_key(_KIND, "number of the run; without it, each row is a run"),
    )
    subject: Cell = field(default=Cell(), metadata=as_key(_KIND, "the part of the run"))
    metric: Cell = field(default=Cell(), metadata=as_key(_KIND, "name of the metric"))
    stat: Cell = field(
        default=Cell(), metadata=as_key(_KIND, "statistic: mean, p99, …, or sample for raw values")
    )
    value: Cell = field(default=Cell(), metadata=as_key(_KIND, "the column with the values"))
    unit: Cell = field(default=Cell(), metadata=as_key(_KIND, "unit of the values: ms, req/s, MiB"))
    better: str = field(
        default="", metadata=as_key("|".join(BETTER), "whether lower or higher values are better")
    )
    values: tuple[Measure, ...] = field(
        default=(),
        metadata=as_key(
            "tables", "one metric per column: `column`, `metric`, `stat`, `unit`, `better`"
        ),
    )
    files: tuple[str, ...] = field(
        default=(),
        metadata=as_key("texts", "glob patterns of the files; by default, all with these columns"),
    )
    records: str = field(
        default="", metadata=as_key("text", "path of the list of records in JSON: `results.items`")
    )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The metrics, in any of their notations."""
        if self.values:
            return self.values
        about = {"metric": self.metric, "stat": self.stat, "unit": self.unit}
        return (Measure(column=self.value.column, **about, better=self.better),)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that a table must have."""
        labels = (getattr(self, name) for name in LABELS)
        cells = [*labels, *(cell for one in self.measures for cell in (one.metric, one.unit))]
        named = [cell.column for cell in cells if cell.column]
        values = (one.column for one in self.measures)
        return tuple(dict.fromkeys((*named, *self.params, *values)))


#: Keys that name a column or a constant, except those of a metric.
LABELS = ("group", "variant", "benchmark", "run", "subject", "stat")
_CELLS = tuple(each.name for each in fields(TableMap) if each.metadata["kind"] == _KIND)
_MEASURE = tuple(each.name for each in fields(Measure))


def load_maps(path: Path) -> tuple[TableMap, ...]:
    """Read the maps of a file: ``[[map]]``, or the keys of one map alone.

    Raises
    ------
    ConfigError
        If it cannot be read, or a map cannot be used.
    """
    try:
        table = parse_toml(read_file(path))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path)) from error
    except ValueError as error:
        raise ConfigError(f"not valid TOML: {error}", where=str(path)) from error
    return parse_maps(table[MAP] if set(table) == {MAP} else [table], str(path))


def parse_maps(tables: object, where: str) -> tuple[TableMap, ...]:
    """Read every ``[[map]]``.

    Raises
    ------
    ConfigError
        If a key is unknown or missing, or a value has the wrong type.

    Examples
    --------
    >>> (read,) = parse_maps([{"variant": "build", "value": "ms", "metric": "wait"}], "map.toml")
    >>> read.columns
    ('build', 'wait', 'ms')
    """
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        raise ConfigError("`map` is not a list of tables", where=where, hint="use [[map]]")
    many = len(tables) > 1
    return tuple(
        _parse(table, f"{where} [[map]] {n}" if many else f"{where} [[map]]")
        for n, table in enumerate(tables, 1)
    )


def _parse(table: Mapping[str, object], where: str) -> TableMap:
    require_keys(table, list_keys(TableMap), where)
    fields: dict[str, object] = {
        name: _read_cell(table[name], name, where) for name in _CELLS if name in table
    }
    for name in ("params", "files"):
        if name in table:
            fields[name] = read_texts(table[name], name, where)
    if "records" in table:
        fields["records"] = read_text(table["records"], "records", where)
    fields["better"] = _read_better(table.get("better", ""), where)
    if "values" in table:
        fields["values"] = tuple(_read_measures(table["values"], f"{where} values"))
    read = TableMap(**fields)  # type: ignore[arg-type]
    _require_values(read, where)
    for measure in read.measures:
        _require_unit(measure, where)
    return read


def _require_values(read: TableMap, where: str) -> None:
    """Refuse a map without a column of values, or one that names it twice."""
    if read.values:
        named = [name for name in ("metric", "value", "unit") if getattr(read, name) != Cell()]
        if named or read.better:
            what = f"{(named or ['better'])[0]} cannot be combined with values"
            raise ConfigError(what, where=where, hint="move it into the entries of values")
    elif not read.value.column:
        hint = 'use value = "COLUMN", or values = [{column = "COLUMN"}] for one metric per column'
        raise ConfigError("no column of values", where=where, hint=hint)
    elif read.metric == Cell():
        hint = 'use metric = "COLUMN", or metric = {constant = "latency"}'
        raise ConfigError("no metric", where=where, hint=hint)


def _require_unit(measure: Measure, where: str) -> None:
    """Refuse a unit that is wrong for a known metric."""
    known = VOCABULARY.get(measure.metric.constant)
    if known is None or measure.unit.column:
        return
    unit = measure.unit.constant
    if find_unit(unit).base != known.unit:
        shown = f"has unit {unit!r}" if unit else "has no unit"
        hint = f"give a unit of {known.unit!r}, such as {_EXAMPLES[known.unit]}"
        raise ConfigError(f"{known.name} {shown}", where=where, hint=hint)


_EXAMPLES = {"s": "ms", "B": "KiB", "B/s": "MB/s", "1/s": "req/s", "1": "count", "cores": "cores"}


def _read_measures(values: object, where: str) -> Iterator[Measure]:
    hint = 'use values = [{column = "p50_ms", metric = "latency", stat = "p50", unit = "ms"}]'
    if not isinstance(values, list) or not values:
        raise ConfigError("`values` is not a list of tables", where=where, hint=hint)
    for entry in values:
        if not isinstance(entry, Mapping):
            raise ConfigError("`values` is not a list of tables", where=where, hint=hint)
        require_keys(entry, _MEASURE, where)
        texts = {name: read_text(entry[name], name, where) for name in entry}
        column = read_text(entry.get("column"), "column", where)
        yield Measure(
            column=column,
            metric=Cell(constant=texts.get("metric", column)),
            stat=Cell(constant=texts.get("stat", "")),
            unit=Cell(constant=texts.get("unit", "")),
            better=_read_better(texts.get("better", ""), where),
        )


def _read_better(value: object, where: str) -> str:
    if value in ("", *BETTER):
        return str(value)
    raise ConfigError(f"`better` is {value!r}", where=where, hint=f"use {' or '.join(BETTER)}")


def _read_cell(value: object, key: str, where: str) -> Cell:
    if isinstance(value, Mapping) and set(value) == {"constant"} and key not in {"run", "value"}:
        return Cell(constant=read_text(value["constant"], f"{key}.constant", where))
    if isinstance(value, str) and value:
        return Cell(column=value)
    also = "" if key in {"run", "value"} else f', or {key} = {{constant = "…"}}'
    hint = f'use {key} = "COLUMN"{also}'
    raise ConfigError(f"{key} is not the name of a column", where=where, hint=hint)


class Unit(NamedTuple):
    """A unit as a multiple of its base unit: ten to ``exponent``, times ``factor``."""

    base: str
    exponent: int = 0
    factor: Fraction = Fraction(1)

    def convert(self, number: str) -> float:
        """Convert a decimal text to the base unit, rounding once if the factor is 1."""
        value = scale(number, self.exponent)
        return value if self.factor == 1 else float(Fraction(value) * self.factor)


_SINGLE = {
    "%": Unit("1", -2),
    **dict.fromkeys(_COUNTS, Unit("1")),
    **dict.fromkeys(("core", "cores"), Unit("cores")),
    **dict.fromkeys(("min", "minute", "minutes"), Unit("s", factor=Fraction(60))),
    **dict.fromkeys(("h", "hour", "hours"), Unit("s", factor=Fraction(3600))),
}


@lru_cache(maxsize=1 << 10)
def find_unit(text: str) -> Unit:
    """Return the meaning of a unit; an unknown one is its own base unit.

    Examples
    --------
    >>> find_unit("ms").convert("12.5"), find_unit("req/s").base, find_unit("widgets").base
    (0.0125, '1/s', 'widgets')
    >>> find_unit("KiB").convert("2"), find_unit("MB/s")
    (2048.0, Unit(base='B/s', exponent=6, factor=Fraction(1, 1)))
    """
    word = text.strip()
    lower = word.lower()
    if lower in _SINGLE:
        return _SINGLE[lower]
    time = lower.removesuffix("/op").removesuffix("/iter")
    for name, known in _TIMES.items():
        if time in known:
            return Unit("s", _EXPONENTS[name])
    above, slash, below = lower.partition("/")
    if lower in _RATES or (slash and below in _TIMES["s"] and above in {*_OPERATIONS, "1"}):
        return Unit("1/s")
    if slash and below not in {*_TIMES["s"], "op"}:
        return Unit(word)
    return _find_bytes(above, "B/s" if below in _TIMES["s"] else "B") or Unit(word)


def _find_bytes(word: str, base: str) -> Unit | None:
    """Return a unit of data; ``kB`` is 1,000 bytes and ``KiB`` 1,024."""
    prefix = word.removesuffix("bytes").removesuffix("byte").removesuffix("b")
    if prefix == word:
        return None
    if prefix in _DECIMAL:
        return Unit(base, _DECIMAL[prefix])
    return Unit(base, factor=Fraction(1 << _BINARY[prefix])) if prefix in _BINARY else None
