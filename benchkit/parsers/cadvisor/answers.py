"""The shapes of cAdvisor's answers, brought to one.

Six endpoints wrap the same three things: a name, a specification, and a list of what was seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchkit.parsers.containers import Container, container_of, limits_of
from benchkit.parsers.counters import dig

_LABEL = "io.kubernetes."


@dataclass(frozen=True, slots=True)
class Observed:
    """One container of an answer.

    Parameters
    ----------
    container : Container or None
        None for a pause container.
    stats : list
        As the answer has them; nothing is checked yet.
    form : {'v1', 'v2', 'summary'}
    """

    container: Container | None
    form: str
    spec: dict[str, Any] = field(default_factory=dict)
    stats: list[Any] = field(default_factory=list)


def observed(answer: object) -> Iterator[Observed]:
    """Yield the containers of an answer, whatever its endpoint."""
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
        for label, own in (
            ("container", "container.name"),
            ("pod", "pod.name"),
            ("namespace", "pod.namespace"),
        ):
            known[label] = str(labels.get(_LABEL + own, ""))
    return container_of(known)


def limits(spec: dict[str, Any], subject: str) -> dict[str, str]:
    """Return a container's limits as entries of `Reading.env`."""
    paths = ("cpu", "quota"), ("cpu", "period"), ("memory", "limit")
    return limits_of(subject, *(dig(spec, *path) or 0 for path in paths))
