"""Where a gate's outcome goes: names, and what writes them.

A new sink is a function and a line here, and only the one that is asked for is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from benchkit.gating.result import GateResult

#: Name -> ``module:function``.
SINKS = {
    "json": "benchkit.gating.to_json:to_json",
    "md": "benchkit.gating.markdown:to_markdown",
    "comment": "benchkit.gating.markdown:to_comment",
    "junit": "benchkit.gating.junit:to_junit",
    "openmetrics": "benchkit.gating.openmetrics:to_openmetrics",
    "gitlab": "benchkit.gating.openmetrics:to_gitlab",
    "annotations": "benchkit.gating.annotations:to_annotations",
    "outputs": "benchkit.gating.outputs:to_outputs",
}


def render_sink(name: str, result: GateResult) -> str:
    """Write a result as one of the sinks does."""
    module, _, function = SINKS[name].partition(":")
    write = cast("Callable[[GateResult], str]", getattr(import_module(module), function))
    return write(result)
