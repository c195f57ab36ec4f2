"""One line of a text exposition.

Escapes of labels and odd blanks are the library's business, which takes ten times as long as a
plain line needs; which line it was is ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from benchkit.parsers.base import Source
from benchkit.parsers.counters import measure_of
from benchkit.reading.source import UnreadableError, UntilDamage
from benchkit.regexes import regex
from benchkit.units import read_number

_NAME = regex(r"\s*([a-zA-Z_:][\w:.]*)")
#: A line as every exporter writes it: no escape, no blank but before the numbers, no exemplar.
_PLAIN = regex(
    r'([a-zA-Z_:][\w:]*+)(?:\{((?:[a-zA-Z]\w*+="[^"\\\n]*+"(?:,|(?=\})))*+)\})?'
    r" ([-+]?\d{1,300}+(?:\.\d{1,300}+)?(?:[eE][-+]?\d{1,3}+)?)(?: (-?\d{1,20}+))?\s*+",
    re.ASCII,
)
_LABEL = regex(r'\b(\w++)="([^"]*+)"', re.ASCII)
_EXEMPLAR = regex(r" # \{[^{}]*\} \S+(?: \S+)?$")
#: Times in ms since 1970 are larger from 1973 on; OpenMetrics writes s.
_LEAST_MILLISECONDS, _LARGEST_MILLISECONDS = 1e11, 1e14
_ABOUT = frozenset({"cadvisor_version_info", "machine_cpu_cores", "machine_memory_bytes"})
_SPEC = "container_spec_"


class Sample(NamedTuple):
    """A sample line; ``time`` in µs since 1970, where the line carries one."""

    line: int
    name: str
    labels: dict[str, str]
    value: float
    time: int | None


@dataclass(slots=True)
class Text:
    """The lines of a source that matter.

    Parameters
    ----------
    damaged : UnreadableError or None
        Why the text ends where it does, after `events` has ended.
    unreadable : list of int
        Lines that the library refuses.
    """

    source: Source
    damaged: UnreadableError | None = None
    unreadable: list[int] = field(default_factory=list)

    def events(self) -> Iterator[str | Sample]:
        """Yield samples that matter, and the name of the family where another one begins."""
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
            (found,) = text_string_to_metric_families(text)
            (sample,) = found.samples
            read_number(text.rpartition("}")[2].split()["}" not in text])
            value = float(sample.value)
            time = None if sample.timestamp is None else _micros(float(sample.timestamp) * 1000)
        except (ValueError, TypeError, IndexError, KeyError, OverflowError):
            self.unreadable.append(number)
            return None
        return Sample(number, sample.name, dict(sample.labels), value, time)


def _read_plain(number: int, line: str) -> Sample | None:
    """Read a line as the library does, if it is a plain one."""
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
    """Return a line's time in µs; `OverflowError` where it is none."""
    if not abs(stamp) < _LARGEST_MILLISECONDS:
        msg = "no time"
        raise OverflowError(msg)
    return round(stamp * (1000 if abs(stamp) >= _LEAST_MILLISECONDS else 1_000_000))
