"""What a text exposition is about, before its values are read.

A parent stands above its children, and is only known as one when they have been seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from benchkit.parsers.containers import Container, limits_of, nested, undecided
from benchkit.parsers.counters import Measure, histogram_of, measure_of, place
from benchkit.parsers.exposition.lines import Sample, Text
from benchkit.reading.bounds import require_few

_MACHINE = {"machine_cpu_cores": "cores", "machine_memory_bytes": "memory"}
_SPEC = "container_spec_"


@dataclass(slots=True)
class Survey:
    """What the whole text tells.

    Parameters
    ----------
    containers : dict of key to Container
    repeated, open : frozenset of str
        Keys of containers that repeat others, and of those that may yet do so.
    pauses : int
        Samples of pause containers and whole pods.
    has_pods : bool
        Whether there are counters of whole pods: of their network.
    histograms : set of str
        The names of histograms of times that have buckets, without their endings.
    env : dict of str to str
        Limits and the machine.
    version : str or None
        Of cAdvisor.
    """

    containers: dict[str, Container] = field(default_factory=dict)
    repeated: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    pauses: int = 0
    has_pods: bool = False
    has_spans: bool = False
    histograms: set[str] = field(default_factory=set)
    env: dict[str, str] = field(default_factory=dict)
    version: str | None = None
    _spec: dict[str, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, text: Text) -> Survey:
        """Read the whole text once."""
        survey, inside, ended = cls(), False, False
        for event in text.events():
            if isinstance(event, Sample):
                measure = measure_of(event.name)
                survey._note(event, measure)
                inside |= measure is not None and not measure.is_span and not measure.is_histogram
            else:
                ended |= inside
        survey.repeated = nested(survey.containers.values())
        if inside and not ended:
            survey.open = undecided(survey.containers.values()) - survey.repeated
        survey._set_limits()
        return survey

    def _note(self, sample: Sample, measure: Measure | None) -> None:
        if measure is not None and measure.is_histogram:
            if sample.labels.get("le", "+Inf") != "+Inf":  # alone, that of a native one
                self.histograms.add(histogram_of(sample.name))
        elif measure is not None:
            self.has_spans |= measure.is_span
            found = place(measure, sample.labels)
            if found is None:
                self.pauses += 1
            elif found.container is None:
                self.has_pods |= not measure.is_span
            else:
                self.containers.setdefault(found.container.key, found.container)
                require_few(len(self.containers), sample.line)
        elif sample.name.startswith(_SPEC):
            found = place(Measure("", "", ""), sample.labels)
            if found is not None and found.container is not None:
                spec = self._spec.setdefault(found.container.key, {})
                spec[sample.name.removeprefix(_SPEC)] = sample.value
        elif sample.name == "cadvisor_version_info":
            self.version = sample.labels.get("cadvisorVersion") or None
            if kernel := sample.labels.get("kernelVersion"):
                self.env["kernel"] = kernel
        elif sample.value > 0 and sample.name in _MACHINE:
            self.env[f"machine.{_MACHINE[sample.name]}"] = f"{sample.value:.0f}"

    def _set_limits(self) -> None:
        for key, spec in self._spec.items():
            subject = self.containers[key].subject if key in self.containers else None
            if subject is None or key in self.repeated:
                continue
            quota, period = spec.get("cpu_quota", 0), spec.get("cpu_period", 0)
            self.env |= limits_of(subject, quota, period, spec.get("memory_limit_bytes", 0))
