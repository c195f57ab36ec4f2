"""The store: two Delta tables, one for values and one for the pieces of runs that own them.

Delta provides atomic commits, crash safety, time travel and many concurrent readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.store.columns import new_batch, values_schema

if TYPE_CHECKING:
    from benchkit.store.confines import DEFAULT, choose_place
    from benchkit.store.tables import Store

__all__ = ["DEFAULT", "Store", "choose_place", "new_batch", "values_schema"]


def __getattr__(name: str) -> object:
    """Import the modules that open a store on first use: comparing files does not need one."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from benchkit.store import confines, tables

    return getattr(tables if name == "Store" else confines, name)
