"""The store: two Delta tables, one for values and one for the pieces of runs they belong to.

Atomic commits, crash safety, time travel and many readers, none of it written by us.
"""

from benchkit.store.columns import new_batch, values_schema
from benchkit.store.confines import DEFAULT, choose_place
from benchkit.store.tables import Store

__all__ = ["DEFAULT", "Store", "choose_place", "new_batch", "values_schema"]
