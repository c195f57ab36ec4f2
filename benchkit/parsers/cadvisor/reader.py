"""Conversion of cAdvisor's answers to a reading, its samples and diagnostics.

A parent repeats its children, and cAdvisor repeats an observation until the next one.

The shapes of cAdvisor's answers are converted to one.

Six endpoints wrap the same three things: a name, a specification, and a list of observations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchkit.parsers.base import Diagnostic, Head, Reading, Record, Source
from benchkit.parsers.cadvisor.columns import Looks, read_look, read_summary
from benchkit.parsers.containers import Container, container_of, limits_of, name_left_out, nested
from benchkit.parsers.counters import dig, is_number
from benchkit.parsers.documents import Part, read_around, read_documents
from benchkit.parsers.series import Gatherer, micros
from benchkit.reading.signs import begins_json

_LABEL = "io.kubernetes."


@dataclass(frozen=True, slots=True)
class Observed:
    """One container in an answer.

    Parameters
    ----------
    container : Container or None
        None for a pause container.
    stats : list
        As in the answer; not validated yet.
    form : {'v1', 'v2', 'summary'}
    """

    container: Container | None
    form: str
    spec: dict[str, Any] = field(default_factory=dict)
    stats: list[Any] = field(default_factory=list)


def observed(answer: object) -> Iterator[Observed]:
    """Yield the containers in an answer of any endpoint."""
    if isinstance(answer, list):
        for item in answer:
            if isinstance(item, dict) and "timestamp" in item and "name" not in item:
                yield Observed(container_of({"id": "/"}), "v2", stats=[item])  # machinestats
            else:
                yield from observed(item)
    elif isinstance(answer, dict) and isinstance(answer.get("name"), str):
        yield _of_info(answer["name"], answer, "v1")
    elif isinstance(answer, dict):
        for path, value in answer.items():
            if isinstance(value, list):
                yield Observed(container_of({"id": path}), "v2", stats=value)
            elif isinstance(value, dict) and isinstance(value.get("name"), str):
                yield _of_info(value["name"], value, "v1")
            elif isinstance(value, dict) and ("minute_usage" in value or "latest_usage" in value):
                yield Observed(container_of({"id": path}), "summary", stats=[value])
            elif isinstance(value, dict) and ("stats" in value or "spec" in value):
                yield _of_info(path, value, "v2")


def _of_info(path: str, info: dict[str, Any], form: str) -> Observed:
    spec = info.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    stats = info.get("stats")
    container = _container(path, {**spec, **info})
    return Observed(container, form, spec, stats if isinstance(stats, list) else [])


def _container(path: str, info: dict[str, Any]) -> Container | None:
    aliases, labels = info.get("aliases"), info.get("labels")
    known = {"id": path}
    if isinstance(aliases, list) and aliases and isinstance(aliases[0], str):
        known["name"] = aliases[0]
    if isinstance(labels, dict):
        for label, key in (
            ("container", "container.name"),
            ("pod", "pod.name"),
            ("namespace", "pod.namespace"),
        ):
            known[label] = str(labels.get(_LABEL + key, ""))
    return container_of(known)


def limits(spec: dict[str, Any], subject: str) -> dict[str, str]:
    """Return a container's limits as entries of `Reading.env`."""
    paths = ("cpu", "quota"), ("cpu", "period"), ("memory", "limit")
    return limits_of(subject, *(dig(spec, *path) or 0 for path in paths))


_SIGNS = tuple(
    tuple(map(re.compile, signs))
    for signs in (
        (r'"stats"\s*:\s*(?:\[|null)', r'"spec"\s*:\s*\{'),
        (r'"subcontainers"\s*:\s*\[', r'"name"\s*:\s*"/'),
        (r'"has_cpu"\s*:', r'"has_memory"\s*:'),
        (r'"minute_usage"\s*:\s*\{', r'"latest_usage"\s*:|"hour_usage"\s*:'),
        (r'"num_cores"\s*:\s*\d', r'"memory_capacity"\s*:\s*\d'),
        (r'"timestamp"\s*:\s*"', r'"cpu"\s*:\s*\{\s*"usage"\s*:\s*\{\s*"total"'),
    )
)


def recognises(head: Head) -> bool:
    """Return whether a source begins like this format."""
    if not head.is_start or not begins_json(head.text):
        return False
    return any(all(sign.search(head.text) for sign in signs) for signs in _SIGNS)


def parse(source: Source) -> Iterator[Record]:
    """Yield one reading, its samples, and diagnostics.

    Examples
    --------
    >>> look = b'{"timestamp":"2026-11-21T01:21:41Z","cpu":{"usage":{"total":1500000000}}}'
    >>> answer = b'{"/bench/server":{"spec":{},"stats":[' + look + b"]}}"
    >>> reading, samples = parse(Source(None, "cadvisor.json", answer))
    >>> samples.subject, samples.metric, samples.values.tolist()
    ('/bench/server', 'cpu_time', [1.5])
    """
    containers, problems = _read_in_columns(source) or _sort(source.label, read_documents(source))
    yield from _read(source.label, containers)
    yield from problems
    if not containers and not problems:
        yield Diagnostic(source.label, 0, "the response contains no container", "request a cgroup")


_Sorted = tuple[list[tuple[int, Observed]], list[Diagnostic]]


def _read_in_columns(source: Source) -> _Sorted | None:
    """Read a large answer; return None if cAdvisor does not write it like that."""
    from benchkit.parsers.cadvisor.columns import find_looks

    parts: list[Part] = []

    def find(data: bytes) -> list[Part]:
        parts.extend(find_looks(data))
        return parts

    observations, problems = _sort(source.label, read_around(source, find) or ())
    used = sum(isinstance(look, Looks) for _, each in observations for look in each.stats)
    return (observations, problems) if parts and used == len(parts) else None


def _sort(label: str, answers: Iterable[tuple[int, Any]]) -> _Sorted:
    """Return the containers in all answers, and diagnostics about the answers."""
    containers: list[tuple[int, Observed]] = []
    problems: list[Diagnostic] = []
    for line, answer in answers:
        if isinstance(answer, Diagnostic):
            problems.append(answer)
        elif isinstance(answer, dict) and is_number(answer.get("num_cores")):
            problems.append(_machine(label, line, answer))
        else:
            containers += ((line, each) for each in observed(answer))
    return containers, problems


def _read(label: str, containers: list[tuple[int, Observed]]) -> Iterator[Record]:
    repeated = nested(each.container for _, each in containers if each.container)
    kept = [
        (line, each)
        for line, each in containers
        if each.container is not None and each.container.key not in repeated
    ]
    if not kept:
        if containers:
            yield Diagnostic(
                label, 0, "the response contains only pause containers", "request other containers"
            )
        return
    reading = Reading(tool="cadvisor", form=kept[0][1].form, line=kept[0][0])
    gatherer, undated = Gatherer(reading), 0
    for line, each in kept:
        subject = each.container.subject if each.container else None
        reading.env.update(limits(each.spec, subject or ""))
        for look in each.stats:
            if isinstance(look, Looks):
                _take_all(gatherer, subject, look)
            else:
                undated += not (isinstance(look, dict) and _take(gatherer, each, look, line))
        reading.last_line = line
    if gatherer.count or reading.rows:
        yield reading
        yield from gatherer.blocks()
    else:
        yield Diagnostic(
            label, 0, "the response contains no statistics", "request stats, with a count"
        )
    yield from _remarks(label, containers, sorted(repeated), undated)


def _take_all(gatherer: Gatherer, subject: str | None, looks: Looks) -> None:
    for measure, origin, values, exists in looks.columns:
        gatherer.extend(
            measure, subject, values[exists], looks.times[exists], looks.line, origin=origin
        )


def _take(gatherer: Gatherer, each: Observed, look: dict[str, Any], line: int) -> bool:
    """Add the values of an observation; return False if it has no time."""
    time, subject = micros(look.get("timestamp")), each.container.subject if each.container else ""
    if time is None:
        return False
    looks = (("sample", value) for value in read_look(look, line))
    known = read_summary(look, line) if each.form == "summary" else looks
    for stat, (measure, value, at, origin) in known:
        if stat == "sample":
            gatherer.add(measure, subject, value, time=time, line=at, origin=origin)
        else:
            gatherer.reading.add(measure.metric, stat, value, measure.unit, at, subject=subject)
    return True


def _remarks(
    label: str, containers: list[tuple[int, Observed]], repeated: list[str], undated: int
) -> Iterator[Diagnostic]:
    yield from name_left_out(label, repeated)
    if any(each.container is None for _, each in containers):
        yield Diagnostic(label, 0, "pause containers and whole pods are left out", severity="note")
    if undated:
        what = f"{undated} snapshots with a missing or unreadable time are left out"
        yield Diagnostic(label, 0, what, "take a new snapshot", "warning")


def _machine(label: str, line: int, answer: dict[str, Any]) -> Diagnostic:
    cores, memory = answer["num_cores"], dig(answer, "memory_capacity")
    size = f" and {int(memory)} bytes of memory" if memory is not None else ""
    what = f"describes a machine with {cores} CPUs{size}, but no container"
    hint = "copy the relevant facts into run.toml, under [env]"
    return Diagnostic(label, line, what, hint, "note")
