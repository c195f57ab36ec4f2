"""The one table: its columns, their types and meanings, and the frames that hold it.

Everything before this module produces these two frames, and everything after it consumes them; the
columns are defined only here.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, NewType

from benchkit.codes import is_coded, list_values
from benchkit.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    import pandas as pd
    import pyarrow as pa

    Observations = NewType("Observations", pd.DataFrame)
    Runs = NewType("Runs", pd.DataFrame)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in words (``?`` marks an optional value), its meaning."""

    name: str
    type: str
    meaning: str
    unit: str = ""

    @property
    def dtype(self) -> str:
        """The pandas type."""
        return _DTYPES[self.type]

    @property
    def nullable(self) -> bool:
        """Whether the value may be unknown."""
        return self.type.endswith("?")


_DTYPES = {
    "str": "str",
    "str?": "str",
    "i32": "int32",
    "i64?": "Int64",
    "f64": "float64",
    "f64?": "float64",
    "time?": "datetime64[us, UTC]",
    "list": "object",
    "map": "object",
}

#: Each row is one measured value. The order is public: `export` uses it.
COLUMNS: tuple[Column, ...] = (
    Column("group", "str", "leading folders; groups are never pooled or compared"),
    Column("variant", "str", "the variant compared: none, otlp, …"),
    Column("benchmark", "str", "the workload: endpoint, Go benchmark, scenario"),
    Column("params", "str", "the level of the workload as key=value, sorted by key"),
    Column("run", "i32", "number of the run; runs are the unit of replication"),
    Column("subject", "str?", "the part of the run: container, URL, phase, status code, reason"),
    Column("metric", "str", "a metric's name, or the unit of a Go benchmark"),
    Column("stat", "str", "sample, mean, p99, count, …; raw samples and a tool's p99 never mix"),
    Column("value", "f64", "in the base unit"),
    Column("unit", "str", "base units only: s, B, B/s, 1/s, 1 (a count or ratio), cores"),
    Column("n", "i64?", "how many events the value summarises"),
    Column("time", "time?", "time of the value, if the tool reports it"),
    Column("resolution", "f64?", "the rounding step of the source in the base unit"),
    Column("origin", "str", "whether the tool reported the value, or benchkit computed it"),
    Column("tool", "str", "the tool that measured it"),
    Column("source", "str", "path:line"),
)


class Workload(NamedTuple):
    """The labels that both sides of a comparison have in common."""

    group: str
    benchmark: str
    params: str
    tool: str

    def side(self, variant: str) -> Side:
        """Return the side of one variant."""
        return Side(self.group, variant, self.benchmark, self.params, self.tool)


class Side(NamedTuple):
    """The labels that repeats have in common: the runs of one variant of one workload."""

    group: str
    variant: str
    benchmark: str
    params: str
    tool: str

    @property
    def workload(self) -> Workload:
        """The part that is equal on the sides it is compared with."""
        return Workload(self.group, self.benchmark, self.params, self.tool)

    def labels(self, run: int) -> Labels:
        """Return the labels of one of its runs."""
        return Labels(self.group, self.variant, self.benchmark, self.params, run, self.tool)


class Trial(NamedTuple):
    """The labels that a run shares with files recorded alongside it."""

    group: str
    variant: str
    run: int


class Labels(NamedTuple):
    """The labels that identify a run."""

    group: str
    variant: str
    benchmark: str
    params: str
    run: int
    tool: str

    @property
    def side(self) -> Side:
        """The part that is equal for its repeats."""
        return Side(self.group, self.variant, self.benchmark, self.params, self.tool)

    @property
    def trial(self) -> Trial:
        """The part that is equal for files recorded alongside it."""
        return Trial(self.group, self.variant, self.run)


RUN_KEY = Labels._fields

LoadModel = Literal["open", "closed", "unknown"]


def means(meaning: str, unit: str = "") -> dict[str, str]:
    """Return the metadata of a declared field."""
    return {"meaning": meaning, "unit": unit}


@dataclass(slots=True, kw_only=True, eq=False)
class RunFacts:
    """The facts about a run other than its labels; unknown facts keep their defaults.

    This is the only list of them: readings, parts, sidecars, the store and the table of runs derive
    their fields and columns from it.
    """

    started_at: datetime | None = field(default=None, metadata=means("start of the measured part"))
    duration: float | None = field(
        default=None, metadata=means("length of the measured part in s", unit="s")
    )
    load_model: LoadModel = field(default="unknown", metadata=means("open, closed or unknown"))
    target_rate: float | None = field(
        default=None,
        metadata=means("target requests per second of an open load", unit="1/s"),
    )
    connections: int | None = field(default=None, metadata=means("connections or virtual users"))
    tool_version: str | None = field(default=None, metadata=means("version of the tool"))
    command: str | None = field(default=None, metadata=means("the command line"))
    block: int | None = field(
        default=None, metadata=means("the round of an interleaved session that the run belongs to")
    )
    position: int | None = field(default=None, metadata=means("position of the run in its block"))
    corrected: str | None = field(
        default=None, metadata=means("true if the tool corrected for coordinated omission")
    )
    stopping: dict[str, str] = field(
        default_factory=dict,
        metadata=means("round and rule of an early-stopping series; baseline of a plan"),
    )
    conditions: dict[str, str] = field(
        default_factory=dict, metadata=means("the machine during the run: stolen, frequency, …")
    )
    units: dict[str, str] = field(
        default_factory=dict,
        metadata=means("facts that the tool states about its metrics: assume=exact, better=lower"),
    )
    env: dict[str, str] = field(
        default_factory=dict,
        metadata=means("known facts about the machine: CPU, kernel, limits, commit"),
    )
    remark: str | None = field(
        default=None, metadata=means("why a run failed, thresholds it crossed, damaged parts")
    )

    def complete(self, other: RunFacts) -> None:
        """Fill in unknown facts from another record of the run; tables stay as they are."""
        known = _get_facts(other)
        if known == _UNKNOWN:
            return
        for name, unknown, value in zip(_FACTS, _UNKNOWN, known, strict=True):
            if value != unknown and getattr(self, name) == unknown:
                setattr(self, name, value)


_FIELDS = fields(RunFacts)
_FACTS = tuple(fact.name for fact in _FIELDS if fact.default is not MISSING)
_UNKNOWN = tuple(fact.default for fact in _FIELDS if fact.default is not MISSING)
_get_facts = attrgetter(*_FACTS)

#: Column types by the annotation of the field.
TYPES = {
    "str": "str",
    "str | None": "str?",
    "int": "i64",
    "int | None": "i64?",
    "float | None": "f64?",
    "datetime | None": "time?",
    "dict[str, str]": "map",
    "LoadModel": "str",
}
#: The column of each run fact.
FACTS = tuple(Column(f.name, TYPES[str(f.type)], **f.metadata) for f in _FIELDS)

#: Columns of a value itself; the others are its labels and its place.
VALUE_COLUMNS = tuple(c for c in COLUMNS if c.name not in {*RUN_KEY, "source"})

#: The role of a run, in the table of runs and in exports of several roles.
ROLE = Column("role", "str", "measured, warmup, aggregate, part, failed, damaged, empty or "
              "companion; only measured is compared")  # fmt: skip

#: Each row is one run. Unknown values are null.
RUN_COLUMNS: tuple[Column, ...] = (
    *(column for column in COLUMNS if column.name in RUN_KEY[:-1]),
    ROLE,
    Column("tool", "str", "tool of the run; runs of different tools are never repeats"),
    *FACTS[:-3],
    Column("sources", "list", "path and sha256 of every source of the run"),
    *FACTS[-3:],
    Column("declared_run", "i64?", "the run number from its path or sidecar"),
    Column("origin", "str?", "the CI job or machine that ingested it; empty for the local machine"),
)

#: Entries of a run's environment that identify the machine; the others are configuration.
FINGERPRINT = (
    "cpu", "cpus", "memory", "cpu_limit", "memory_limit", "os", "kernel", "arch", "goos", "goarch",
    "machine.cores", "machine.memory",
)  # fmt: skip

#: Roles of a run. A ``part`` is what one of several load generators measured; ``damaged`` is a
#: source of a known tool that lost something, ``empty`` a folder without a result.
ROLES = ("measured", "warmup", "aggregate", "part", "failed", "companion", "damaged", "empty")
REFUSED_ROLES = ("refused", "unread", "duplicate")  # sources in a store that are not runs
LOST_ROLES = frozenset(("damaged", "empty", *REFUSED_ROLES))
#: Roles of a container that ran during the load.
CONTAINER_ROLES = (
    *("service", "agent", "collector", "storage"),
    *("dependency", "generator", "monitor"),
)


def column_names(columns: Sequence[Column] = COLUMNS) -> list[str]:
    """Return the names in their public order."""
    return [column.name for column in columns]


def observations(data: Mapping[str, object] | pd.DataFrame) -> Observations:
    """Create the table of observations: exactly `COLUMNS` with their types, or with a role, too.

    A `SchemaError` names the column that is missing, unknown or of the wrong type.
    """
    return _frame(data, (*COLUMNS, ROLE) if ROLE.name in data else COLUMNS)  # type: ignore[return-value]


def runs(data: Mapping[str, object] | pd.DataFrame) -> Runs:
    """Create the table of runs: exactly `RUN_COLUMNS`, with only the roles in `ROLES`."""
    frame = _frame(data, RUN_COLUMNS)
    strange = sorted(set(frame["role"].unique()) - set(ROLES))
    if strange:
        expected = f"expected one of {', '.join(ROLES)}"
        raise SchemaError(f"a run has the role {strange[0]!r}; {expected}")
    return frame  # type: ignore[return-value]


def list_labels(frame: Observations | Runs | pd.DataFrame) -> Iterator[Labels]:
    """Yield the labels of each row of a table."""
    return map(Labels._make, zip(*(list_values(frame[name]) for name in RUN_KEY), strict=True))


def format_params(params: Mapping[str, str]) -> str:
    """Write params in canonical form: ``connections=8,threads=8``, sorted by key.

    Examples
    --------
    >>> format_params({"threads": "2", "connections": "8"})
    'connections=8,threads=2'
    """
    return ",".join(f"{key}={params[key]}" for key in sorted(params))


def to_arrow(frame: Observations | Runs | pd.DataFrame) -> pa.Table:
    """Return observations or runs as an Arrow table, for Parquet, DuckDB and others.

    Parameters
    ----------
    frame : Observations or Runs
        Other columns are left out. The facts about a run's machine and metrics become maps, and its
        sources a list: pandas alone cannot write them if they are empty.

    Raises
    ------
    SchemaError
        If a column is missing.

    Examples
    --------
    >>> import benchkit as bk
    >>> from benchkit import schema
    >>> table = schema.to_arrow(bk.load("fixtures/tracing-wrk/none").runs)
    >>> table.num_rows, table.schema.field("units").type
    (16, MapType(map<string, string>))
    """
    import pandas as pd
    import pyarrow as pa

    columns = RUN_COLUMNS if "sources" in frame.columns else COLUMNS
    if missing := [c.name for c in columns if c.name not in frame.columns]:
        raise SchemaError(f"missing columns: {missing}")
    types = arrow_types()
    kept = [pa.field(c.name, types[c.type], nullable=c.nullable) for c in columns]
    entries = {c.name: frame[c.name] for c in columns}
    for name in (c.name for c in columns if c.type == "map"):
        entries[name] = entries[name].map(lambda table: [*table.items()])
    table = pa.Table.from_pandas(pd.DataFrame(entries), pa.schema(kept), preserve_index=False)
    return table.replace_schema_metadata()


def arrow_types() -> dict[str, pa.DataType]:
    """Return the Arrow type of each column type."""
    import pyarrow as pa

    types = {
        "str": pa.string(),
        "i32": pa.int32(),
        "i64": pa.int64(),
        "f64": pa.float64(),
        "time": pa.timestamp("us", "UTC"),
        "list": pa.list_(pa.struct([("path", pa.string()), ("sha256", pa.string())])),
        "map": pa.map_(pa.string(), pa.string()),
    }
    return types | {f"{name}?": type_ for name, type_ in types.items()}


def _frame(data: Mapping[str, object] | pd.DataFrame, columns: tuple[Column, ...]) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    names, expected = list(data.keys()), column_names(columns)
    missing = [name for name in expected if name not in names]
    extra = [name for name in names if name not in expected]
    if missing or extra:
        wrong = ("lacks the columns", missing), ("has the unknown columns", extra)
        fault = " and ".join(f"{verb} {those}" for verb, those in wrong if those)
        raise SchemaError(f"the table {fault}", hint=f"the columns are {', '.join(expected)}")
    typed = {}
    for column in columns:
        try:
            array = _as_typed(column, data[column.name])
        except (TypeError, ValueError, OverflowError) as error:
            msg = f"column {column.name!r} is not of type {column.type}: {error}"
            raise SchemaError(msg) from error
        if not column.nullable and column.dtype != "object" and pd.isna(array).any():
            msg = f"column {column.name!r} has a missing value; it needs one in every row"
            raise SchemaError(msg)
        typed[column.name] = array
    if len({*map(len, typed.values())}) > 1:
        raise SchemaError("the columns have different lengths")
    frame = pd.DataFrame(typed, index=getattr(data, "index", None), copy=False)
    if "value" in typed and not np.isfinite(frame["value"].to_numpy()).all():
        raise SchemaError("a value is not a finite number", hint="leave out what was not measured")
    return frame


def _as_typed(column: Column, values: object) -> pd.api.extensions.ExtensionArray:
    """Return values as an array of a column's type; texts may be codes."""
    import numpy as np
    import pandas as pd

    array = getattr(values, "array", values)
    if column.dtype == "str" and is_coded(array):
        return array
    series = pd.Series(values)
    if column.type == "i32":  # astype("int32") alone would turn 1.5 into 1
        series, limits = series.astype("Int64"), np.iinfo(column.dtype)
        if ((series < limits.min) | (series > limits.max)).any():
            raise ValueError(f"a number is outside the range from {limits.min} to {limits.max}")
    typed: pd.api.extensions.ExtensionArray = series.astype(column.dtype).array  # type: ignore[call-overload]
    return typed
