"""Texts of tables as codes: the labels of many runs are few, and repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Table = TypeVar("Table", bound=pd.DataFrame)


def code(texts: Sequence[str | None] | pa.ChunkedArray) -> pd.Categorical:
    """Return texts as codes of the different ones, which stand in alphabetical order."""
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
    return pd.Categorical.from_codes(numbers, categories=pd.Index(names, dtype="str"))


def is_coded(series: pd.Series) -> bool:
    """Tell whether a column holds texts as codes."""
    import pandas as pd

    kind = series.dtype
    return isinstance(kind, pd.CategoricalDtype) and kind.categories.dtype == "str"


def spell_out(frame: Table) -> Table:
    """Return a table with texts in place of codes."""
    coded = [name for name in frame.columns if is_coded(frame[name])]
    spelled: Table = frame.astype(dict.fromkeys(coded, "str"))
    return spelled
