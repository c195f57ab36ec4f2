"""A light frame: the part of a data frame that comparisons of small files need, without pandas.

Importing pandas takes longer than comparing two small files. The methods here behave like those of
pandas; any other method converts the frame to a pandas one.
"""

# ruff: noqa: ANN401 - what pandas takes and gives, too
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, np.dtype[Any]]

#: Maximum number of rows of a light frame.
MOST = 5_000
_MISSING = float("nan")
#: The pandas types of columns that hold objects here.
_PANDAS = {"i64?": "Int64", "time?": "datetime64[us, UTC]"}


def hold_pandas() -> None:
    """Prevent pyarrow from importing pandas when it makes its first array.

    Pyarrow looks for pandas once, and again if something else imports it later.
    """
    import pyarrow as pa

    if "pandas" in sys.modules or not hasattr(pa.lib, "_pandas_api"):
        return
    finder = _Finder(pa.lib._pandas_api.__init__)
    sys.meta_path.insert(0, finder)
    pa.array([0])
    finder.is_shut = False


class _Finder:
    """A module finder that hides pandas while it is active, and notices when pandas is imported."""

    def __init__(self, look_again: Callable[[], None]) -> None:
        self.is_shut, self._look_again = True, look_again

    def find_spec(self, name: str, *_: object) -> None:
        """Find nothing itself: leave that to the other finders."""
        if name == "pandas" and self.is_shut:
            raise ModuleNotFoundError(name=name)
        if name == "pandas":
            sys.meta_path.remove(self)
            self._look_again()


def make_array(values: Sequence[object], type_: str) -> Array:
    """Return the values of a column as a type that `benchkit.schema` names."""
    if type_ in {"i32", "f64", "f64?"}:
        return np.array(values, np.int32 if type_ == "i32" else np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = [_MISSING if v is None else v for v in values] if type_ == "str?" else values
    return array


def _hold(values: object, size: int) -> Array:
    """Return an array of values, or of one value repeated for all rows."""
    if isinstance(values, LightColumn):
        return values.values
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, str) or not isinstance(values, Iterable):
        return np.full(size, values, dtype=object if isinstance(values, str) else None)
    listed = list(values)
    if listed and all(type(value) in {bool, int, float} for value in listed):
        return np.array(listed)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124 - NaN


class LightColumn:
    """A column, or a mask, of a light frame."""

    __slots__ = ("index", "type", "values")
    __array_ufunc__ = None  # so that an array leaves & and | to the column
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Array, index: Array, type_: str = "") -> None:
        self.values, self.index, self.type = values, index, type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.to_pandas(), name)

    def to_pandas(self) -> pd.Series:
        """Convert it to pandas."""
        return LightFrame({"": self}, self.index).to_pandas()[""]

    def _with(self, values: Array) -> LightColumn:
        return LightColumn(values, self.index)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self.values, dtype)

    def tolist(self) -> list[Any]:
        """Return the values."""
        return self.values.tolist()  # type: ignore[no-any-return]

    def to_numpy(self, dtype: Any = None) -> Array:
        """Return the values as an array."""
        return np.asarray(self.values, dtype)

    def __getitem__(self, chosen: Any) -> Any:
        mask = np.asarray(chosen)
        if mask.dtype != bool:
            return self.to_pandas()[chosen]
        return LightColumn(self.values[mask], self.index[mask], self.type)

    @property
    def iloc(self) -> _Places:
        """The values at some positions."""
        return _Places(lambda at: LightColumn(self.values[at], self.index[at], self.type))

    def __eq__(self, other: object) -> LightColumn:  # type: ignore[override]
        return self._with(np.asarray(self.values == _bare(other), dtype=bool))

    def __ne__(self, other: object) -> LightColumn:  # type: ignore[override]
        return self._with(np.asarray(self.values != _bare(other), dtype=bool))

    def __gt__(self, other: object) -> Any:
        if self.values.dtype == object:
            return self.to_pandas() > other
        return self._with(self.values > _bare(other))

    eq, ne, gt = __eq__, __ne__, __gt__

    def __and__(self, other: object) -> LightColumn:
        return self._with(self.values & np.asarray(other))

    def __or__(self, other: object) -> LightColumn:
        return self._with(self.values | np.asarray(other))

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> LightColumn:
        return self._with(~self.values)

    def any(self) -> bool:
        """Return whether any value is true."""
        return bool(self.values.any())

    def all(self) -> bool:
        """Return whether all values are true."""
        return bool(self.values.all())

    def sum(self) -> Any:
        """Return the sum of numbers, or the number of true values of a mask."""
        return self.values.sum()

    def isna(self) -> LightColumn:
        """Mark unknown values."""
        if self.values.dtype == object:
            return self._with(np.fromiter(map(_is_missing, self.values), bool, len(self)))
        return self._with(self.values != self.values)

    def notna(self) -> LightColumn:
        """Mark known values."""
        return ~self.isna()

    def dropna(self) -> LightColumn:
        """Return the known values."""
        return self[self.notna()]  # type: ignore[no-any-return]

    def isin(self, values: Iterable[object]) -> LightColumn:
        """Mark the values that are in a collection."""
        known = set(values)
        return self._with(np.fromiter((v in known for v in self.tolist()), bool, len(self)))

    def unique(self) -> Array:
        """Return the distinct values in order of first appearance."""
        return _hold(dict.fromkeys(self.tolist()), 0)

    def nunique(self) -> int:
        """Count the distinct known values."""
        return len({value for value in self.tolist() if not _is_missing(value)})

    def drop_duplicates(self) -> LightColumn:
        """Keep the first of equal values."""
        return self.iloc[LightFrame({"": self}, self.index).number_rows([""])[1]]  # type: ignore[no-any-return]

    def astype(self, dtype: Any) -> Any:
        """Return texts unchanged, whole numbers as texts, or all values as objects."""
        if dtype in {"object", object}:
            return LightColumn(self.values.astype(object), self.index, self.type)
        if dtype is bool and self.values.dtype == bool:
            return self
        if dtype in {"str", str} and self.type.startswith("str"):
            return self
        if dtype in {"str", str} and self.values.dtype == np.int32:
            return self._with(_hold(map(str, self.tolist()), 0))
        return self.to_pandas().astype(dtype)

    def fillna(self, value: object) -> LightColumn:
        """Replace unknown values by a given one."""
        filled = (value if _is_missing(each) else each for each in self.tolist())
        return LightColumn(make_array([*filled], "str"), self.index, self.type)

    def map(self, function: Any) -> Any:
        """Apply a function to each value; the results share one plain type."""
        if callable(function) and not self.isna().any():
            results = [function(value) for value in self.tolist()]
            if len(set(map(type, results))) == 1 and type(results[0]) in {bool, int, float}:
                return self._with(np.array(results))
        return self.to_pandas().map(function)


def _bare(other: object) -> Any:
    return other.values if isinstance(other, LightColumn) else other


class _Places:
    """Values or rows by position, mask or name."""

    def __init__(self, take: Callable[[Any], Any]) -> None:
        self._take = take

    def __getitem__(self, at: Any) -> Any:
        return self._take(np.asarray(at, np.int64) if isinstance(at, list) else at)


class LightFrame:
    """Named columns of equal length."""

    __slots__ = ("_columns", "index")

    def __init__(self, columns: Mapping[str, LightColumn], index: Array) -> None:
        self._columns, self.index = dict(columns), index

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_columns":
            raise AttributeError(name)
        return getattr(self.to_pandas(), name)

    def to_pandas(self) -> pd.DataFrame:
        """Convert it to pandas, with texts as codes."""
        import pandas as pd

        made: dict[str, Any] = {}
        for name, column in self._columns.items():
            if column.type in {"str", "str?"}:
                texts = [v if isinstance(v, str) else None for v in column.values]
                known = pd.Index(sorted({*texts} - {None}), dtype="str")  # type: ignore[type-var]
                made[name] = pd.Categorical(texts, categories=known)
            elif column.type in _PANDAS:
                made[name] = pd.Series(column.values).astype(_PANDAS[column.type]).array  # type: ignore[call-overload]
            elif column.values.dtype == object and not column.type:
                made[name] = pd.Series(column.tolist()).array
            else:
                made[name] = column.values
        return pd.DataFrame(made, index=self.index, copy=False)

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    @property
    def columns(self) -> list[str]:
        """The column names."""
        return list(self._columns)

    def keys(self) -> list[str]:
        """Return the column names."""
        return self.columns

    @property
    def empty(self) -> bool:
        """Whether it has no rows."""
        return not len(self)

    def __getitem__(self, chosen: Any) -> Any:
        if isinstance(chosen, str):
            return self._columns[chosen]
        if isinstance(chosen, list) and chosen and all(isinstance(name, str) for name in chosen):
            return LightFrame({name: self._columns[name] for name in chosen}, self.index)
        mask = np.asarray(chosen, dtype=None if len(self) else bool)
        return self._take(mask) if mask.dtype == bool else self.to_pandas()[chosen]

    def __setitem__(self, name: str, values: object) -> None:
        type_ = values.type if isinstance(values, LightColumn) else ""
        self._columns[name] = LightColumn(_hold(values, len(self)), self.index, type_)

    def _take(self, at: Any) -> LightFrame:
        index = self.index[at]
        columns = self._columns.items()
        return LightFrame({n: LightColumn(c.values[at], index, c.type) for n, c in columns}, index)

    @property
    def iloc(self) -> _Places:
        """The rows at some positions."""
        return _Places(self._take)

    @property
    def loc(self) -> Any:
        """The rows of a mask, with some of their columns."""
        return _Places(self._locate)

    def _locate(self, chosen: Any) -> Any:
        rows, names = chosen if isinstance(chosen, tuple) else (chosen, self.columns)
        if np.asarray(rows).dtype != bool:
            return self.to_pandas().loc[chosen]
        return self[names][rows]

    def assign(self, **columns: object) -> LightFrame:
        """Return it with added or replaced columns."""
        frame = LightFrame(self._columns, self.index)
        for name, values in columns.items():
            frame[name] = values
        return frame

    def reset_index(self, *, drop: bool) -> LightFrame:
        """Return the rows renumbered."""
        if not drop:
            return self.to_pandas().reset_index()  # type: ignore[return-value]
        index = np.arange(len(self))
        return LightFrame(
            {n: LightColumn(c.values, index, c.type) for n, c in self._columns.items()}, index
        )

    def number_rows(self, names: Iterable[str]) -> tuple[Array, Array]:
        """Assign numbers to the distinct rows of some columns; see `benchkit.codes.number_rows`."""
        columns = [_spell(self._columns[name]) for name in names]
        known: dict[object, int] = {}
        numbers = np.empty(len(self), dtype=np.int64)
        firsts: list[int] = []
        for place, row in enumerate(zip(*columns, strict=True)):
            number = numbers[place] = known.setdefault(row, len(known))
            if number == len(firsts):
                firsts.append(place)
        return numbers, np.array(firsts, dtype=np.int64)

    def match_rows(self, other: LightFrame, names: Sequence[str]) -> Array:
        """Return, for each row, the last equal row of another frame, or -1."""
        rows = zip(*(_spell(other[name]) for name in names), strict=True)
        last = {row: place for place, row in enumerate(rows)}
        sought = zip(*(_spell(self[name]) for name in names), strict=True)
        return np.fromiter((last.get(row, -1) for row in sought), np.int64, len(self))

    def drop_duplicates(self, names: Sequence[str] | None = None) -> LightFrame:
        """Keep the first of equal rows."""
        return self._take(self.number_rows(names or self._columns)[1])

    def duplicated(self, names: Sequence[str], keep: bool | str = "first") -> LightColumn:
        """Mark the rows equal to an earlier one, or with ``keep=False`` to any other one."""
        numbers, firsts = self.number_rows(names)
        if keep is False:
            return LightColumn(np.bincount(numbers)[numbers] > 1, self.index)
        is_first = np.zeros(len(self), dtype=bool)
        is_first[firsts] = True
        return LightColumn(~is_first, self.index)

    def itertuples(self, **_: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows as plain tuples."""
        return zip(*self._columns.values(), strict=True)


def _spell(column: LightColumn) -> list[Any]:
    """Return values that are equal for equal rows; unknown values count as equal."""
    if column.values.dtype == object or column.values.dtype.kind == "f":
        return [None if _is_missing(value) else value for value in column.tolist()]
    return column.tolist()
