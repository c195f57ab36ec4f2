"""Checks of a table that a user made or changed, before it is compared.

benchkit checks what it reads itself. A table made or joined by a user may contain a run twice, or
mix milliseconds and seconds, and would be compared without a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, get_args

from benchkit import metrics, schema
from benchkit.codes import spell_out
from benchkit.config.maps import find_unit
from benchkit.errors import SchemaError
from benchkit.parsers import registry
from benchkit.parsers.guessed import guess_measure
from benchkit.parsers.mapped import choose_stat
from benchkit.redaction import show_part

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.schema import Observations

#: Columns that may be empty, which CSV cannot distinguish from unknown.
_MAY_BE_EMPTY = ("group", "benchmark", "params", "origin", "tool", "source")
#: The subject of a value, at one time.
_ABOUT = [*schema.RUN_KEY, "subject", "metric", "stat", "time"]
#: The column of exported tables that holds a run's load model.
_LOAD_MODEL = "load_model"
#: How pandas shows missing values.
_MISSING = ("nan", "<NA>", "NaT", "")
#: Statistics with many values in a run; all others have one.
_MANY = ("sample", "counter")


def take(frame: pd.DataFrame) -> tuple[Observations, dict[schema.Labels, str]]:
    """Create observations from a user's table, with the load models stated for its runs.

    Parameters
    ----------
    frame : DataFrame
        With the columns of `benchkit.schema.COLUMNS`, of which ``variant``, ``metric`` and
        ``value`` are enough; others are ignored. Identical rows count once.

    Raises
    ------
    SchemaError
        If a column is missing, a value or unit is invalid, or a run has two different values.
    """
    observations = schema.observations(spell_out(_complete(frame)))
    _require_units(observations)
    return _drop_copies(observations), _read_load_models(frame, observations)


def _read_load_models(frame: pd.DataFrame, observations: Observations) -> dict[schema.Labels, str]:
    """Return the load model stated for each run in the column of an exported table."""
    column = frame[_LOAD_MODEL].tolist() if _LOAD_MODEL in frame.columns else []
    stated = {
        (labels, model)
        for labels, model in zip(schema.list_labels(observations), column, strict=False)
        if isinstance(model, str) and model
    }
    models = dict(stated)
    if strange := sorted({*models.values()} - {*get_args(schema.LoadModel)}):
        hint = f"expected one of {', '.join(get_args(schema.LoadModel))}"
        raise SchemaError(f"unknown load model {strange[0]!r}", where=_LOAD_MODEL, hint=hint)
    if len(models) < len(stated):
        raise SchemaError("a run has two load models", where=_LOAD_MODEL, hint="keep one of them")
    return models


def name_columns(frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return a table with the columns of the schema, and values in base units.

    Raises
    ------
    SchemaError
        If a name is not in the schema, a column does not exist, or a value is not a number.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"build": ["old"], "wait_ms": [12.5]})
    >>> name_columns(table, {"variant": "build", "value": "wait_ms"}).to_dict("records")
    [{'variant': 'old', 'value': 0.0125, 'metric': 'wait', 'unit': 's', 'stat': 'mean'}]
    """
    known = [*schema.column_names(), _LOAD_MODEL]
    for name, column in columns.items():
        if name not in known:
            hint = f"the names are {', '.join(known)}"
            raise SchemaError(f"unknown name {name!r} in columns", where="columns", hint=hint)
        if column not in list(frame.columns):  # also values without a hash
            hint = f"the table has {', '.join(map(str, frame.columns))}"
            raise SchemaError(f"no column {column!r}", where="columns", hint=hint)
    taken = {name: frame[column] for name, column in columns.items()}
    others = [name for name in known if name in frame.columns and name not in taken]
    named = frame.assign(**taken)[[*taken, *others]]
    return _convert(named, columns["value"]) if "value" in columns else named


def _convert(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return values in base units; without metric and unit, the column determines them."""
    guessed = guess_measure(column)
    if "metric" not in frame.columns:
        frame = frame.assign(metric=guessed.metric.constant)
        if guessed.stat.constant and "stat" not in frame.columns:
            frame = frame.assign(stat=guessed.stat.constant)
    usual = frame["metric"].map(lambda name: metrics.lookup(str(name)).unit)
    units = frame["unit"] if "unit" in frame.columns else guessed.unit.constant or usual
    frame = frame.assign(unit=units)
    known = [find_unit(str(unit)) for unit in frame["unit"]]
    values = [
        unit.convert(repr(_require_number(value, column, index)))
        for unit, (index, value) in zip(known, frame["value"].items(), strict=True)
    ]
    frame = frame.assign(value=values, unit=[unit.base for unit in known])
    return frame if "stat" in frame.columns else frame.assign(stat=frame["metric"].map(choose_stat))


def _require_number(value: object, column: str, index: object) -> float:
    """Return a value of a column as a finite number, or refuse it."""
    if value is None or str(value) in _MISSING:
        what, hint = (
            f"no value at index {index}",
            f"leave out such rows: .dropna(subset=[{column!r}])",
        )
    else:
        with suppress(TypeError, ValueError):
            if isfinite(number := float(value)):  # type: ignore[arg-type]
                return number
        what, hint = f"a value that is not a number at index {index}: {show_part(str(value))}", ""
    raise SchemaError(f"column {column!r} has {what}", where="columns", hint=hint)


def _complete(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill in what a file cannot express: empty text, and columns without any value."""
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()].tolist()
        raise SchemaError(f"duplicate columns in the table: {twice}", hint="drop one of each pair")
    frame = _number_runs(_name_amounts(frame))
    columns: dict[str, pd.Series | None] = {}
    for column in schema.COLUMNS:
        if column.name not in frame.columns:
            if column.nullable:
                columns[column.name] = None
            continue
        series = frame[column.name]
        if column.name in _MAY_BE_EMPTY:
            series = series.astype("object").where(series.notna(), "")
        elif column.nullable and series.dtype.kind == "O":
            series = series.where(series != "", None)  # as read with every cell as text
        columns[column.name] = series
    filled = frame.assign(**columns)
    kept = filled[[name for name in schema.column_names() if name in filled.columns]]
    return kept if kept.index.is_unique else kept.reset_index(drop=True)


def _name_amounts(frame: pd.DataFrame) -> pd.DataFrame:
    """Add omitted labels, statistics and units, as usual for each metric."""
    blank = [name for name in _MAY_BE_EMPTY if name not in frame.columns]
    frame = frame.assign(**dict.fromkeys(blank, ""))
    if blank and "origin" in blank:
        frame = frame.assign(origin="reported")
    if "metric" not in frame.columns:
        return frame
    if "stat" not in frame.columns:
        frame = frame.assign(stat=frame["metric"].map(choose_stat))
    if "unit" not in frame.columns:
        known = metrics.vocabulary()
        frame = frame.assign(
            unit=[known[name].unit if name in known else "1" for name in frame["metric"]]
        )
    return frame


def _number_runs(frame: pd.DataFrame) -> pd.DataFrame:
    """Take run numbers from an index of that name, else number the values with equal labels."""
    if "run" in frame.columns:
        return frame
    if "run" in frame.index.names:
        return frame.reset_index("run")
    names = [*schema.RUN_KEY, "subject", "metric", "stat", "time"]
    labels = [name for name in names if name in frame.columns]
    return frame.assign(run=frame.groupby(labels, dropna=False, sort=False).cumcount() + 1)


def _require_units(observations: Observations) -> None:
    """Refuse a metric with a different unit than its own, or with two units."""
    units = observations[["metric", "unit"]].drop_duplicates()
    first: dict[str, str] = {}
    for metric, unit in zip(units["metric"], units["unit"], strict=True):
        known = metrics.vocabulary().get(metric)
        expected = known.unit if known else first.setdefault(metric, unit)
        if unit != expected:
            what = f"{metric} has unit {unit!r}"
            also = "" if known else f" and {expected!r}"
            hint = (
                f"its unit must be {expected!r}: convert value, resolution and unit"
                if known
                else ""
            )
            raise SchemaError(
                what + also, where="unit", hint=hint or "convert one unit to the other"
            )


def _drop_copies(observations: Observations) -> Observations:
    """Drop duplicate rows; refuse a run with two values of one statistic."""
    is_event = observations["stat"].isin(_MANY)
    is_event &= observations["tool"].map(lambda name: registry.tool(name).role != "microbenchmark")
    summaries = observations[~is_event]
    is_copy = summaries.duplicated()
    _refuse_two_ways(summaries[~is_copy])
    if not is_copy.any():
        return observations
    return observations.drop(index=summaries.index[is_copy])


def _refuse_two_ways(summaries: pd.DataFrame) -> None:
    """Refuse rows with equal labels and different values.

    Outputs of one run differ in file name, in rounding, or in who computed a value.
    """
    twice = summaries[summaries.duplicated([*_ABOUT, "origin", "resolution"], keep=False)]
    files = [source.rpartition(":")[0].rpartition("/")[2] for source in twice["source"]]
    form = [*_ABOUT, "origin", "resolution", "source"]
    twice = twice.assign(source=files).drop_duplicates([*form, "value"])
    again = twice[twice.duplicated(form)]
    if again.empty:
        return
    row = again.iloc[0]
    runs = len(again[list(schema.RUN_KEY)].drop_duplicates())
    about = " ".join(str(row[name]) for name in ("benchmark", "params") if row[name])
    raise SchemaError(
        f"{runs} run{'s' if runs > 1 else ''} with two different values of the same statistic, "
        f"for example {row['variant']} {row['run']}{' of ' + about if about else ''} by "
        f"{row['tool']}: {row['metric']}.{row['stat']}",
        where="run",
        hint="if you joined two sessions, give the second one its own run numbers: "
        "second.assign(run=second.run + first.run.max())",
    )
