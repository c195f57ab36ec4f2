"""All that is derived from the values of a run, in the order in which it is.

A rule is one function in one file of this package; this is the only place that lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.derived.dropped_iterations import derive_dropped
from benchkit.derived.histograms import derive_histograms
from benchkit.derived.record import Measured
from benchkit.derived.resources import derive_resources
from benchkit.derived.spans import derive_spans
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Observations

Rule = Callable[
    ["Observations", Sequence[Measured], "Observations"],
    tuple[list[dict[str, Any]], list[Finding]],
]

ALL: tuple[Rule, ...] = (derive_resources, derive_histograms, derive_spans, derive_dropped)
