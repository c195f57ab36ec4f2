"""The catalogue: every code of a finding, with its explanation.

`benchkit explain`, the manual's table and the test for unexplained codes use the same source.
"""

from __future__ import annotations

from benchkit.audit.catalogue.entry import Entry as Entry
from benchkit.audit.catalogue.reading import READING
from benchkit.audit.catalogue.resources import LOAD, RESOURCES
from benchkit.audit.catalogue.sides import SIDES
from benchkit.audit.catalogue.statistics import STATISTICS

_ENTRIES = (*READING, *SIDES, *STATISTICS, *LOAD, *RESOURCES)

#: code -> entry, in the order of the codes.
CATALOGUE: dict[str, Entry] = {
    entry.code: entry for entry in sorted(_ENTRIES, key=lambda entry: entry.code)
}
