"""Outputs of a GitHub step, for the steps after it."""

from __future__ import annotations

from benchkit.errors import ExitCode
from benchkit.gating.outcome import OVER
from benchkit.gating.result import GateResult
from benchkit.units import printable


def to_outputs(result: GateResult) -> str:
    """Write ``verdict``, ``exit-code``, ``over``, ``not-shown``, ``policy`` and ``sentence``."""
    outcome, is_unusable = result.outcome, result.exit_code is ExitCode.USAGE
    values = {
        "verdict": "not-configured" if is_unusable else result.verdict,
        "exit-code": int(result.exit_code),
        "over": outcome.count(OVER),
        "not-shown": outcome.unshown,
        "policy": result.policy,
        "sentence": result.sentence.replace("\n", " "),
    }
    return "".join(f"{name}={printable(str(value))}\n" for name, value in values.items())
