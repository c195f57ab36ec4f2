"""Texts and table rows as codes: many runs share few distinct labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from benchkit.light import LightColumn, LightFrame

    T = TypeVar("T")
    Table = TypeVar("Table", bound=pd.DataFrame)


def code(texts: Sequence[str | None] | pa.ChunkedArray) -> pd.Categorical:
    """Encode texts as codes into their distinct values, sorted alphabetically."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    column = texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([texts], pa.string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    known = chunks[0].dictionary.to_pylist() if chunks else []
    names = sorted(known)
    places = {name: place for place, name in enumerate(names)}
    ranks = np.array([*(places[name] for name in known), -1], dtype=np.int32)
    codes = [chunk.indices.fill_null(len(known)).to_numpy() for chunk in chunks]
    numbers = ranks[np.concatenate([np.empty(0, np.int32), *codes])]
    describe = _describe if len(names) <= _FEW else _describe.__wrapped__
    return pd.Categorical.from_codes(numbers, dtype=describe(tuple(names)))


#: Maximum number of texts whose type is cached: creating a type costs more than encoding a column.
_FEW = 16


@lru_cache(maxsize=1024)
def _describe(names: tuple[str, ...]) -> pd.CategoricalDtype:
    import pandas as pd

    return pd.CategoricalDtype(pd.Index(names, dtype="str"))


def is_coded(column: object) -> TypeGuard[pd.Categorical]:
    """Return whether an array holds texts as codes."""
    import pandas as pd

    return isinstance(column, pd.Categorical) and column.categories.dtype == "str"


def list_values(column: pd.Series | LightColumn) -> list[Any]:
    """Return the values of a column; for codes, pandas takes ten times as long.

    Examples
    --------
    >>> import pandas as pd
    >>> list_values(pd.Series(["b", None, "a"], dtype="category"))
    ['b', nan, 'a']
    """
    import numpy as np

    from benchkit.light import LightColumn

    if isinstance(column, LightColumn) or not is_coded(column.array):
        return column.tolist()
    names = [*column.array.categories.tolist(), np.nan]  # unknown values have the code -1
    values: list[Any] = np.array(names, dtype=object)[column.array.codes].tolist()
    return values


def as_pandas(frame: T) -> T:
    """Convert a table to pandas; all columns of a light one."""
    from benchkit.light import LightFrame

    known: object = frame
    return known.to_pandas() if isinstance(known, LightFrame) else frame  # type: ignore[return-value]


def spell_out(frame: Table) -> Table:
    """Return a table whose texts are replaced by codes."""
    frame = as_pandas(frame)
    arrays = {name: column.array for name, column in frame.items()}
    spelled = {
        name: array.categories.array.take(array.codes, allow_fill=True)
        for name, array in arrays.items()
        if is_coded(array)
    }
    return type(frame)({**arrays, **spelled}, index=frame.index, copy=False)


def number_rows(
    frame: pd.DataFrame | LightFrame, names: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Assign numbers to the distinct rows of some columns, in order of first appearance.

    Returns
    -------
    numbers : ndarray of int64, shape (rows,)
    firsts : ndarray of int64, shape (numbers,)
        The first row of each number.
    """
    from benchkit.light import LightFrame

    if isinstance(frame, LightFrame):
        return frame.number_rows(names)
    import numpy as np
    import pandas as pd

    numbers, size = np.zeros(len(frame), dtype=np.int64), 1
    for name in names:
        codes, count = _number_values(frame[name])
        if size * (count + 1) >= 1 << 62:
            numbers, known = pd.factorize(numbers)
            size = len(known)
        numbers = numbers * (count + 1) + codes + 1
        size *= count + 1
    numbers, known = pd.factorize(numbers)
    firsts = np.empty(len(known), dtype=np.int64)
    firsts[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers.astype(np.int64), firsts


def _number_values(column: pd.Series) -> tuple[np.ndarray, int]:
    """Assign numbers to a column's distinct values, -1 to missing ones; also return their count."""
    import pandas as pd

    if is_coded(column.array):
        return column.array.codes.astype("int64"), len(column.array.categories)
    numbers, known = pd.factorize(column)
    return numbers, len(known)


def match_rows(
    frame: pd.DataFrame | LightFrame, other: pd.DataFrame | LightFrame, names: Sequence[str]
) -> np.ndarray:
    """Return, for each row, the last row of another table with the same labels, or -1.

    Examples
    --------
    >>> import pandas as pd
    >>> other = pd.DataFrame({"variant": ["a", "b", "a"], "run": [1, 1, 2]})
    >>> sought = pd.DataFrame({"variant": ["a", "b", "c"], "run": [2, 2, 1]})
    >>> match_rows(sought, other, ["variant", "run"]).tolist()
    [2, -1, -1]
    """
    from benchkit.light import LightFrame

    if isinstance(frame, LightFrame) and isinstance(other, LightFrame):
        return frame.match_rows(other, names)
    frame, other = as_pandas(frame), as_pandas(other)
    import numpy as np
    import pandas as pd

    sought, keys = np.zeros(len(frame), dtype=np.int64), np.zeros(len(other), dtype=np.int64)
    for name in names:
        codes, texts = pd.factorize(other[name])
        rows, own_texts = pd.factorize(frame[name])
        places = pd.Index(np.asarray(texts)).get_indexer(pd.Index(np.asarray(own_texts)))
        keys, known = pd.factorize(keys * (len(texts) + 1) + codes)
        # a label missing from the other table is -1, so the row matches none of its keys
        sought = pd.Index(known).get_indexer(sought * (len(texts) + 1) + places[rows])
    order = np.argsort(keys, kind="stable")
    last = np.searchsorted(keys[order], sought, side="right") - 1
    return np.where(sought < 0, -1, np.append(order, -1)[last])


def number_maps(
    column: pd.Series | LightColumn,
) -> tuple[np.ndarray, list[Mapping[str, str]]]:
    """Assign numbers to the distinct mappings of a column; a missing one counts as empty.

    Returns
    -------
    numbers : ndarray of int64, shape (rows,)
    maps : list of mapping
        Indexed by number. Rows that share one object cost almost nothing.
    """
    import numpy as np

    from benchkit.light import LightColumn

    objects = column.tolist()
    if isinstance(column, LightColumn):
        texts = [str(value) if isinstance(value, Mapping) else "{}" for value in objects]
        of_text = dict(zip(reversed(texts), reversed(objects), strict=True))
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return np.array([places[text] for text in texts], np.int64), [
            of_text[text] or {} for text in places
        ]
    import pandas as pd

    shared, ids = pd.factorize(np.fromiter(map(id, objects), np.int64, len(objects)))
    firsts = np.empty(len(ids), dtype=np.int64)
    firsts[shared[::-1]] = np.arange(len(objects))[::-1]
    known, maps = dict[str, int](), list[Mapping[str, str]]()
    numbers = np.empty(len(ids), dtype=np.int64)
    for place, first in enumerate(firsts.tolist()):
        entries = objects[first] if isinstance(objects[first], Mapping) else {}
        number = numbers[place] = known.setdefault(str(entries), len(maps))
        if number == len(maps):
            maps.append(entries)
    return numbers[shared], maps
