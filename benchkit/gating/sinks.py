"""The outputs of a gate: names, and the functions that write them.

A new output is a function and a line here; only the requested one is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from benchkit.errors import ExitCode
from benchkit.gating.outcome import OVER
from benchkit.gating.result import GateResult
from benchkit.units import printable

#: Name -> ``module:function``.
SINKS = {
    "json": "benchkit.gating.to_json:to_json",
    "md": "benchkit.gating.markdown:to_markdown",
    "comment": "benchkit.gating.markdown:to_comment",
    "junit": "benchkit.gating.junit:to_junit",
    "openmetrics": "benchkit.gating.openmetrics:to_openmetrics",
    "gitlab": "benchkit.gating.openmetrics:to_gitlab",
    "annotations": "benchkit.gating.annotations:to_annotations",
    "outputs": "benchkit.gating.sinks:to_outputs",
}


def render_sink(name: str, result: GateResult) -> str:
    """Write a result in one of the output formats."""
    module, _, function = SINKS[name].partition(":")
    write = cast("Callable[[GateResult], str]", getattr(import_module(module), function))
    return write(result)


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
