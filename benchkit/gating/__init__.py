"""The regression gate: from what was shown to pass or fail.

A gate never measures; it holds what was measured against a policy, and a gate that compared
nothing never passes.

The room is called gating because `benchkit.gate` is the function: a submodule of the same name
would replace it as soon as it is imported.
"""

from __future__ import annotations

from benchkit.gating.outcome import GateOutcome, RowOutcome, RuleOutcome

__all__ = ["GateOutcome", "RowOutcome", "RuleOutcome"]
