"""The names of the methods by which two samples of runs are compared."""

from __future__ import annotations

EXACT, RANK, ALIGNED, SIGNED, WELCH, HISTORY, SINGLE, WITHIN, REFUSED, DIFFERENCE = (
    "exact",
    "hodges-lehmann",
    "aligned",
    "signed-rank",
    "welch",
    "prediction",
    "single run",
    "within-run",
    "too few events",
    "difference",
)
#: Of an early-stopping series: its rounds so far, or the reason why they give no verdict.
SEQUENTIAL, UNJUDGED = "sequential", "incomplete series"
#: Methods that decide several rows together: see `benchkit.stats.families`.
MAX_T, LEAST_WELCH, PAIRED_T = "max-t", "least-welch", "paired-t"
#: Methods that tell a direction at most: nothing of how runs differ is known.
DIRECTIONS = frozenset({SINGLE, WITHIN, REFUSED, UNJUDGED})
