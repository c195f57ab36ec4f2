"""Facts about a text exposition that are needed before its values are read.

A parent appears above its children, and is recognised only after they have been read.

`Sample` is one line of a text exposition.

The library reads escapes in labels and unusual blanks, which takes ten times as long as reading a
plain line; the number of the line is tracked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchkit.parsers.base import Source
from benchkit.parsers.containers import Container, limits_of, nested, undecided
from benchkit.parsers.counters import Measure, histogram_of, measure_of, place
from benchkit.reading.bounds import require_few
from benchkit.reading.source import UnreadableError, UntilDamage
from benchkit.regexes import regex
from benchkit.units import read_number

_MACHINE = {"machine_cpu_cores": "cores", "machine_memory_bytes": "memory"}
_SPEC = "container_spec_"
_NAME = regex(r"\s*([a-zA-Z_:][\w:.]*)")
#: A line in the usual form: no escape, no blank except before the numbers, no exemplar.
_PLAIN = regex(
    r'([a-zA-Z_:][\w:]*+)(?:\{((?:[a-zA-Z]\w*+="[^"\\\n]*+"(?:,|(?=\})))*+)\})?'
    r" ([-+]?\d{1,300}+(?:\.\d{1,300}+)?(?:[eE][-+]?\d{1,3}+)?)(?: (-?\d{1,20}+))?\s*+",
    re.ASCII,
)
_LABEL = regex(r'\b(\w++)="([^"]*+)"', re.ASCII)
_EXEMPLAR = regex(r" # \{[^{}]*\} \S+(?: \S+)?$")
#: Times in ms since 1970 exceed the first number from 1973 on; OpenMetrics writes s.
_LEAST_MILLISECONDS, _LARGEST_MILLISECONDS = 1e11, 1e14
_ABOUT = frozenset({"cadvisor_version_info", "machine_cpu_cores", "machine_memory_bytes"})


@dataclass(slots=True)
class Survey:
    """Facts from the whole text.

    Parameters
    ----------
    containers : dict of key to Container
    repeated, open : frozenset of str
        Keys of containers that repeat others, and of those that may still turn out to.
    pauses : int
        Samples of pause containers and whole pods.
    has_pods : bool
        Whether there are counters of whole pods, which count their network.
    histograms : set of str
        The names of histograms of times that have buckets, without their endings.
    env : dict of str to str
        Limits and the machine.
    version : str or None
        The version of cAdvisor.
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
            if sample.labels.get("le", "+Inf") != "+Inf":  # alone, this is a native one
                self.histograms.add(histogram_of(sample.name))
        elif measure is not None:
            self.has_spans |= measure.is_span
            spot = place(measure, sample.labels)
            if spot is None:
                self.pauses += 1
            elif spot.container is None:
                self.has_pods |= not measure.is_span
            else:
                self.containers.setdefault(spot.container.key, spot.container)
                require_few(len(self.containers), sample.line)
        elif sample.name.startswith(_SPEC):
            spot = place(Measure("", "", ""), sample.labels)
            if spot is not None and spot.container is not None:
                spec = self._spec.setdefault(spot.container.key, {})
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


class Sample(NamedTuple):
    """A sample line; ``time`` is in µs since 1970, if the line has one."""

    line: int
    name: str
    labels: dict[str, str]
    value: float
    time: int | None


@dataclass(slots=True)
class Text:
    """The relevant lines of a source.

    Parameters
    ----------
    damaged : UnreadableError or None
        Why the text ends early, once `events` has ended.
    unreadable : list of int
        Lines that the library rejects.
    """

    source: Source
    damaged: UnreadableError | None = None
    unreadable: list[int] = field(default_factory=list)

    def events(self) -> Iterator[str | Sample]:
        """Yield relevant samples, and the name of each family where it begins."""
        family = ""
        lines = UntilDamage(self.source.whole_lines(lambda _: True))
        for number, line in lines:
            match = _NAME.match(line)
            name = match[1] if match else ""
            if name != family or not name:
                family = name
                yield family
            if name and (measure_of(name) or name in _ABOUT or name.startswith(_SPEC)):
                sample = _read_plain(number, line) or self._read(number, line)
                if sample is not None:
                    yield sample
        self.damaged = lines.damage

    def _read(self, number: int, line: str) -> Sample | None:
        from prometheus_client.parser import text_string_to_metric_families

        try:
            text = _EXEMPLAR.sub("", line)
            (family,) = text_string_to_metric_families(text)
            (sample,) = family.samples
            read_number(text.rpartition("}")[2].split()["}" not in text])
            value = float(sample.value)
            time = None if sample.timestamp is None else _micros(float(sample.timestamp) * 1000)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError):
            self.unreadable.append(number)
            return None
        return Sample(number, sample.name, dict(sample.labels), value, time)


def _read_plain(number: int, line: str) -> Sample | None:
    """Read a plain line with the same result as the library; return None for any other."""
    if (match := _PLAIN.fullmatch(line)) is None:
        return None
    name, text, value, stamp = match.groups()
    pairs = _LABEL.findall(text) if text else []
    labels = dict(pairs)
    if len(labels) < len(pairs):
        return None
    try:
        time = None if stamp is None else _micros(float(int(stamp) / 1000) * 1000)
    except OverflowError:
        return None
    return Sample(number, name, labels, float(value), time)


def _micros(stamp: float) -> int:
    """Return a line's time in µs; raise `OverflowError` if it is not a time."""
    if not abs(stamp) < _LARGEST_MILLISECONDS:
        msg = "no time"
        raise OverflowError(msg)
    return round(stamp * (1000 if abs(stamp) >= _LEAST_MILLISECONDS else 1_000_000))
