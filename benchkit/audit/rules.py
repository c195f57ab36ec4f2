"""All audit rules, in the order in which their findings are shown.

In: comparisons and runs. Out: findings. Why: a rule is one function in one file of this
package; this is the only place that lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from benchkit.audit.forms import find_disagreements
from benchkit.audit.inside import find_changing_runs, find_components, find_waves
from benchkit.audit.names import find_other_params, find_unmatched_names
from benchkit.audit.order import find_drift, find_fixed_first, find_one_sided_order
from benchkit.audit.outliers import find_coarse_values, find_far_runs, find_two_states
from benchkit.audit.replication import (
    find_few_runs,
    find_left_out,
    find_single_runs,
    find_thin_tails,
)
from benchkit.comparison import Comparisons
from benchkit.derived.batches import Batches
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

Rule = Callable[[Comparisons, "Runs"], Iterator[Finding]]
InsideRule = Callable[[Comparisons, Batches], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    find_unmatched_names,
    find_other_params,
    find_single_runs,
    find_few_runs,
    find_left_out,
    find_one_sided_order,
    find_fixed_first,
    find_drift,
    find_far_runs,
    find_coarse_values,
    find_two_states,
    find_thin_tails,
)
#: Over what was compared, and the stretches of runs.
INSIDE_RULES: tuple[InsideRule, ...] = (find_waves, find_changing_runs, find_components)


def audit(
    comparisons: Comparisons, runs: Runs, observations: Observations | None = None
) -> tuple[Finding, ...]:
    """Apply every rule; those that look at single values need the observations."""
    found = [f for rule in RULES for f in rule(comparisons, runs)]
    if observations is not None:
        batches = Batches(observations)
        found += [f for rule in INSIDE_RULES for f in rule(comparisons, batches)]
        found += find_disagreements(observations)
    return tuple(found)
