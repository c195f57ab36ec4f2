"""The gate as OpenMetrics text, for a push gateway or a scraped file.

The cost of a change is worth recording over time, with its uncertainty.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest

from benchkit.gating.outcome import OVER, WORDS, RowOutcome
from benchkit.gating.result import GateResult
from benchkit.units import printable

LABELS = (
    "gate", "group", "benchmark", "params", "tool", "subject", "metric", "stat", "variant",
    "baseline",
)  # fmt: skip
_ENDS = (("", "value"), ("_lower", "low"), ("_upper", "high"))


def to_openmetrics(result: GateResult) -> str:
    """Write a gate's result as OpenMetrics text."""
    text: bytes = generate_latest(_Collector(result))  # type: ignore[no-untyped-call]
    return text.decode()


def read_labels(row: RowOutcome) -> list[str]:
    """Return a row's labels, in the order of `LABELS`."""
    return [printable(row.rule.name), *(printable(getattr(row.contrast, k)) for k in LABELS[1:])]


class _Collector:
    """The interface that the library requires of metrics."""

    def __init__(self, result: GateResult) -> None:
        self._result = result

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        yield from _estimates(self._result)
        yield _outcomes(self._result)
        meaning = "Rows that were not compared, because only the baseline has them."
        lost = GaugeMetricFamily("benchkit_gate_not_compared", meaning)
        lost.add_metric([], sum(len(rule.dropped) for rule in self._result.outcome.rules))
        yield lost
        code = GaugeMetricFamily("benchkit_gate_exit_code", "Exit code of the gate.")
        code.add_metric([], int(self._result.exit_code))
        yield code


def _estimates(result: GateResult) -> Iterator[Metric]:
    kinds = (
        (True, "benchkit_overhead_ratio", "Variant divided by baseline", LABELS),
        (
            False, "benchkit_overhead_difference", "Variant minus baseline, in the metric's unit",
            (*LABELS, "unit"),
        ),
    )  # fmt: skip
    meanings = {"": ".", "_lower": ": lower end of its interval.", "_upper": ": upper end."}
    for is_ratio, name, meaning, labels in kinds:
        rows = [row for row in result.outcome.rows if row.evidence.is_ratio is is_ratio]
        for suffix, field in _ENDS if rows else ():
            family = GaugeMetricFamily(
                f"{name}{suffix}", f"{meaning}{meanings[suffix]}", labels=labels
            )
            for row in rows:
                value = getattr(row.evidence, field)
                unit = [] if is_ratio else [row.contrast.unit]
                if value is not None:
                    family.add_metric([*read_labels(row), *unit], value)
            yield family


def _outcomes(result: GateResult) -> Metric:
    family = GaugeMetricFamily(
        "benchkit_gate_outcome",
        "1 for the outcome that the row has, 0 for every other outcome.",
        labels=(*LABELS, "outcome"),
    )
    for row in result.outcome.rows:
        for word in WORDS:
            family.add_metric([*read_labels(row), word], float(row.word == word))
    return family


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def to_gitlab(result: GateResult) -> str:
    """Write a gate's result as GitLab's metrics report.

    GitLab shows every text that differs between two pipelines, so numbers are rounded, and an
    additional row does not rename others.
    """
    return "\n".join(_lines(result)) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    for row in result.outcome.rows:
        labels = zip(LABELS, read_labels(row), strict=True)
        pairs = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in labels if text)
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
    sign = -1 if row.contrast.better == "higher" else 1  # costs are positive
    if row.evidence.is_ratio:
        return "benchkit_overhead_percent", f"{round(100 * sign * (value - 1), 1) + 0:g}"
    return "benchkit_overhead_difference", f"{float(f'{sign * value:.3g}') + 0:.15g}"
