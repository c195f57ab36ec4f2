"""The gate as GitLab's metrics report: few lines, rounded, ended as OpenMetrics asks.

GitLab compares the texts of two pipelines and shows every one that differs, so that digits nobody
reads would be shown as changes. The labels of a row are its own: one more row changes the name of
no other.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.gating.openmetrics import LABELS, read_labels
from benchkit.gating.outcome import OVER, RowOutcome
from benchkit.gating.result import GateResult

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def to_gitlab(result: GateResult) -> str:
    """Write a gate's result as GitLab's metrics report."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    for row in result.outcome.rows:
        labels = zip(LABELS, read_labels(row), strict=True)
        pairs = ",".join(f'{key}="{own.translate(_ESCAPES)}"' for key, own in labels if own)
        name, value = _round(row)
        if value:
            yield f"{name}{{{pairs}}} {value}"
    yield f"benchkit_gate_over {result.outcome.count(OVER)}"
    yield f"benchkit_gate_not_shown {result.outcome.unshown}"
    yield f"benchkit_gate_exit_code {int(result.exit_code)}"
    yield "# EOF"


def _round(row: RowOutcome) -> tuple[str, str]:
    value = row.evidence.value
    if value is None:
        return "", ""
    sign = -1 if row.contrast.better == "higher" else 1  # what costs is positive
    if row.evidence.is_ratio:
        return "benchkit_overhead_percent", f"{round(100 * sign * (value - 1), 1) + 0:g}"
    return "benchkit_overhead_difference", f"{float(f'{sign * value:.3g}') + 0:.15g}"
