"""Every regular expression of the package on the adversarial texts of `soak.patterns`."""

from __future__ import annotations

from soak.campaign import Budget, Outcome
from soak.patterns import collect, slow

TITLE = "every regular expression on adversarial repeats"
SECONDS = 180.0
_TEXTS = 60


def run(budget: Budget) -> Outcome:
    """Measure the expressions one after another."""
    known = collect()
    uses = budget.random("regexes").sample(known, len(known))
    losses: list[str] = []
    tried = 0
    for use in uses[: budget.trials(len(uses))]:
        if budget.is_over:
            break
        losses += map(str, slow([use], _TEXTS))
        tried += 1
    return Outcome(
        tried, losses, {"texts per expression, at most": _TEXTS}, budget.trials(len(uses))
    )
