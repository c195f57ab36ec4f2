"""A light frame behaves like a pandas frame, and becomes one for anything else."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchkit import schema
from benchkit.codes import as_pandas, match_rows, number_maps, number_rows
from benchkit.light import LightColumn, LightFrame, make_array

TYPES = {
    "variant": "str",
    "subject": "str?",
    "run": "i32",
    "value": "f64?",
    "n": "i64?",
    "started_at": "time?",
    "env": "map",
}


def make_light(seed: int, size: int = 40) -> LightFrame:
    draw = random.Random(seed)  # noqa: S311 - values of a table
    shared = [{"cpu": "a"}, {"cpu": "b"}, {}]
    times = [None, *(datetime(2026, 11, day, tzinfo=UTC) for day in (1, 2))]
    values: dict[str, list[Any]] = {
        "variant": draw.choices(["none", "otlp", "apm"], k=size),
        "subject": draw.choices(["", "db", None], k=size),
        "run": draw.choices(range(1, 6), k=size),
        "value": draw.choices([None, 1.5, 2.0, -0.0], k=size),
        "n": draw.choices([None, 1, 10], k=size),
        "started_at": draw.choices(times, k=size),
        "env": draw.choices(shared, k=size),
    }
    index = np.arange(size)
    return LightFrame(
        {n: LightColumn(make_array(values[n], t), index, t) for n, t in TYPES.items()}, index
    )


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "eq": lambda f: f[f["variant"] == "otlp"],
    "ne and isna": lambda f: f[(f["variant"] != "otlp") & f["subject"].isna()],
    "or not": lambda f: f[~(f["run"].eq(2) | f["value"].notna())],
    "array": lambda f: f[f["n"].notna() & np.arange(len(f)).__gt__(9)],
    "isin": lambda f: f[f["subject"].isin(["db", "x"])],
    "gt": lambda f: f[f["value"].gt(1.5)],
    "times": lambda f: f[f["started_at"].notna()],
    "loc": lambda f: f.loc[f["run"] == 1, ["variant", "n"]],
    "loc one": lambda f: f.loc[f["run"] == 1, "subject"],
    "iloc": lambda f: f.iloc[[3, 1]][["run", "env"]],
    "iloc column": lambda f: f["subject"].iloc[np.array([5, 4])],
    "assign": lambda f: f.assign(one="a", many=range(len(f)))[["one", "many", "run"]],
    "reset": lambda f: f[f["run"] > 2].reset_index(drop=True),
    "twice": lambda f: f.drop_duplicates(["variant", "subject", "run"]),
    "duplicated": lambda f: f[f.duplicated(["variant", "n"], keep=False)],
    "later": lambda f: f[f.duplicated(["variant", "started_at"])],
    "texts": lambda f: f["run"].astype(str),
    "filled": lambda f: f["subject"].astype("str").fillna(""),
    "map": lambda f: f["variant"].map(lambda name: name != "apm"),
    "lengths": lambda f: f["env"].map(len),
    "known": lambda f: f["started_at"].dropna(),
    "unique": lambda f: f["variant"].drop_duplicates(),
    "other": lambda f: f.sort_values(["variant", "run"], kind="stable"),
    "group": lambda f: f.groupby("variant")["value"].max(),
    "counts": lambda f: (f["run"].nunique(), f["subject"].nunique(), int((f["run"] == 3).sum())),
    "names": lambda f: (len(f), list(f), "n" in f, list(f.columns), f[f["run"] == 9].empty),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_light_frame_answers_like_pandas(question: str, seed: int) -> None:
    light = make_light(seed)
    answer, expected = QUESTIONS[question](light), QUESTIONS[question](light.to_pandas())
    if isinstance(expected, tuple):
        assert answer == expected
        return
    assert _spell(answer) == _spell(expected)
    assert np.asarray(answer.index).tolist() == expected.index.tolist()


def _spell(table: Any) -> list[Any]:  # noqa: ANN401 - of pandas or light
    """Return values column by column; unknown ones are None."""
    columns = [table[n] for n in table.columns] if hasattr(table, "columns") else [table]
    return [[None if _is_unknown(value) else value for value in c.tolist()] for c in columns]


def _is_unknown(value: object) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or value != value  # noqa: PLR0124


@pytest.mark.parametrize("seed", range(3))
def test_rows_and_maps_are_numbered_as_in_pandas(seed: int) -> None:
    light, other = make_light(seed), make_light(seed + 9)
    for names in (["variant"], ["variant", "subject", "run"], ["n", "started_at", "value"]):
        numbered, expected = number_rows(light, names), number_rows(light.to_pandas(), names)
        assert [each.tolist() for each in numbered] == [each.tolist() for each in expected]
    names = ["variant", "run"]
    expected_places = match_rows(light.to_pandas(), other.to_pandas(), names).tolist()
    assert match_rows(light, other, names).tolist() == expected_places
    assert match_rows(light, other.to_pandas(), names).tolist() == expected_places
    numbers, maps = number_maps(light["env"])
    expected_numbers, expected_maps = number_maps(light.to_pandas()["env"])
    assert (numbers.tolist(), maps) == (expected_numbers.tolist(), expected_maps)


def test_conversion_to_pandas_has_the_types_of_the_schema() -> None:
    types = as_pandas(make_light(0)).dtypes
    assert {name: str(types[name]) for name in ("run", "value", "n", "started_at")} == {
        column.name: column.dtype
        for column in (*schema.COLUMNS, *schema.RUN_COLUMNS)
        if column.name in {"run", "value", "n", "started_at"}
    }
    assert {str(types[name]) for name in ("variant", "subject")} == {"category"}


def test_pyarrow_finds_pandas_once_it_is_imported() -> None:
    code = (
        "import sys; from benchkit.light import hold_pandas; import pyarrow as pa; hold_pandas();"
        "assert 'pandas' not in sys.modules; import pandas as pd;"
        "print(pa.array([1, None]).to_pandas().isna().tolist(), pa.Table.from_pandas("
        "pd.DataFrame({'a': [1]})).num_rows)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[False, True] 1"
    assert math.isnan(make_array([None], "f64?")[0])
