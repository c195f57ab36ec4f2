"""The regression gate: from evidence to pass or fail.

A gate never measures; it compares measurements with a policy, and a gate that compared nothing
never passes.

The package is called gating because `benchkit.gate` is the function: a submodule of the same name
would replace it on import.
"""

from __future__ import annotations

from benchkit.gating.outcome import GateOutcome, RowOutcome, RuleOutcome

__all__ = ["GateOutcome", "RowOutcome", "RuleOutcome"]
