"""The container of a measurement, and containers that would count twice.

Parents, pods and pause containers repeat the usage of their children, and every form identifies
them by the same labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchkit.errors import Diagnostic

#: Metrics of each container, and of spans and histograms that services count themselves.
METRICS = (
    *("cpu_time", "cpu_periods", "cpu_throttled_periods"),
    *("memory_working_set", "memory_usage"),
    *("network_in", "network_out", "disk_read", "disk_write"),
)
SCRAPED = (
    *("spans_created", "spans_saved", "spans_dropped"),
    *("observed_time_bucket", "observed_time_sum", "observed_time_count"),
)
#: From this value on, a memory limit is the kernel's code for none; these numbers exceed a float's
#: precision.
_UNLIMITED = 1 << 62


@dataclass(frozen=True, slots=True)
class Container:
    """The subject of a measurement.

    Parameters
    ----------
    key : str
        The cgroup path if it is known, else the subject.
    subject : str or None
        The usual name: ``namespace/pod/container``, the Docker name, else the cgroup. None for a
        measurement of everything that was observed.
    is_named : bool
        Whether a container runtime named it; cgroups inside it are parts of it.
    """

    key: str
    subject: str | None
    is_named: bool


def container_of(labels: Mapping[str, str]) -> Container | None:
    """Return the container that labels identify; None for a pause container or a whole pod.

    Parameters
    ----------
    labels : mapping of str to str
        ``id``, ``name``, ``container``, ``pod``, ``namespace``; from old kubelets
        ``container_name`` and ``pod_name``. An empty label counts as missing.

    Examples
    --------
    >>> container_of({"id": "/docker/4f1c", "name": "redis"}).subject
    'redis'
    >>> container_of({"container": "POD", "pod": "web-1", "namespace": "shop"}) is None
    True
    """
    path, name = labels.get("id", ""), labels.get("name", "")
    inside = labels.get("container") or labels.get("container_name") or ""
    pod = labels.get("pod") or labels.get("pod_name") or ""
    if inside == "POD" or name.startswith("k8s_POD_") or (pod and not inside):
        return None
    if inside:
        subject = "/".join(filter(None, (labels.get("namespace", ""), pod, inside)))
        return Container(path or subject, subject, is_named=True)
    if name:
        return Container(path or name, name, is_named=True)
    return Container(path, path or None, is_named=False)


def pod_of(labels: Mapping[str, str]) -> str:
    """Return the name of the pod in labels; empty if there is none.

    Examples
    --------
    >>> pod_of({"pod": "web-1", "namespace": "shop", "interface": "eth0"})
    'shop/web-1'
    >>> pod_of({"name": "k8s_POD_web-1_shop_4f1c_0"})
    'shop/web-1'
    """
    pod, space = labels.get("pod") or labels.get("pod_name") or "", labels.get("namespace", "")
    if not pod:
        _, _, pod, space, *_ = [*labels.get("name", "").split("_"), "", "", "", ""]
    return "/".join(filter(None, (space, pod)))


def nested(containers: Iterable[Container]) -> frozenset[str]:
    """Return the keys of containers that repeat others: parents, and cgroups inside a container.

    Examples
    --------
    >>> cgroups = [Container(key, key, is_named=False) for key in ("/", "/bench", "/bench/server")]
    >>> sorted(nested(cgroups))
    ['/', '/bench']
    """
    named = {each.key: each.is_named for each in containers}
    repeated = set()
    above: list[str] = []
    # Split, a cgroup sorts before everything inside it, and that before all others.
    cgroups = [key for key in named if key.startswith("/")]
    for key in sorted(cgroups, key=lambda key: key.split("/")):
        while above and not key.startswith(above[-1].removesuffix("/") + "/"):
            above.pop()
        if any(named[parent] for parent in above):
            repeated.add(key)
        else:
            repeated.update(above)
        above.append(key)
    return frozenset(repeated)


def undecided(containers: Iterable[Container]) -> frozenset[str]:
    """Return the keys that may be parents if a sorted list was truncated.

    Examples
    --------
    >>> cgroups = [Container(key, key, is_named=False) for key in ("/bench/a", "/bench/b")]
    >>> sorted(undecided(cgroups))
    ['/bench/b']
    """
    listed = list(containers)
    last = max((each.key for each in listed), default="")
    # "0" follows "/": a key that sorts there or later comes after all children
    return frozenset(
        each.key for each in listed if not each.is_named and last < each.key.rstrip("/") + "0"
    )


def limits_of(subject: str, quota: float, period: float, memory: float) -> dict[str, str]:
    """Return a container's limits as entries of `Reading.env`; empty without limits.

    Examples
    --------
    >>> limits_of("web", 150000, 100000, 2147483648)
    {'limit.web.cpu': '1.5', 'limit.web.memory': '2147483648'}
    >>> limits_of("web", -1, 100000, 9223372036854771712)
    {}
    """
    limits = {}
    if quota > 0 and period > 0:
        limits[f"limit.{subject}.cpu"] = f"{quota / period:.12g}"
    if 0 < memory < _UNLIMITED:
        limits[f"limit.{subject}.memory"] = str(int(memory))
    return limits


def name_left_out(
    label: str, repeated: Sequence[str], pauses: int = 0, kind: str = ""
) -> Iterator[Diagnostic]:
    """Yield notes about containers that would count twice, and about those that run nothing."""
    if repeated:
        listed = ", ".join(repeated[:3]) + (", …" if len(repeated) > 3 else "")
        what = (
            f"{listed}: parents or parts of containers are left out, so that nothing counts twice"
        )
        yield Diagnostic(label, 0, what, severity="note")
    if pauses:
        what = f"{pauses} {kind} of pause containers and whole pods are left out"
        yield Diagnostic(label, 0, what, severity="note")
