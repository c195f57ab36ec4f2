"""The role of each container: the service under load, or a collector or store of its spans.

The cost of an agent is paid in the service, that of a collector in addition to it; a single sum of
both would be meaningless.

Roles in a sidecar take precedence: ``[containers]`` in `run.toml` or `benchkit.toml`, as in
``service = "server"`` or ``storage = ["elasticsearch"]``. Otherwise the last known word of the name
decides (``90-application-redis-1`` is a dependency), and among the candidates for the service those
named in `containers.json` take precedence. Otherwise the only container whose name is unknown is
the service. A container that is idle compared with the others has no role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from benchkit.parsers import registry
from benchkit.regexes import regex
from benchkit.schema import CONTAINER_ROLES

SERVICE, AGENT, COLLECTOR, STORAGE, DEPENDENCY, GENERATOR, MONITOR = CONTAINER_ROLES
#: Roles that process the spans of others.
BACKEND = frozenset({COLLECTOR, STORAGE})

_WORDS = {
    SERVICE: "server service app api application web webapp frontend consumer sut",
    AGENT: "agent beyla obi",
    COLLECTOR: "collector otelcol otel jaeger zipkin apmserver oapserver oap skywalking tempo sink",
    STORAGE: "elasticsearch opensearch clickhouse cassandra scylla banyandb h2",
    DEPENDENCY: "redis mysql mariadb postgres postgresql mongo mongodb memcached kafka rabbitmq db "
    "database storage provider",
    GENERATOR: "loadgen generator",
    MONITOR: "prometheus grafana cadvisor kibana exporter ui",
}
_ENV = "container."
#: Minimum share of the busiest candidate's CPU; containers that use less are idle.
_IDLE = 0.001
_HEX = regex(r"[0-9a-f]{13,64}")


def role_of(subject: str, facts: Mapping[str, str] | None = None) -> str:
    """Return the role of a container; empty if neither a sidecar nor its name shows it.

    Parameters
    ----------
    subject : str
        As in the table: a Docker name, a cgroup, ``namespace/pod/container``.
    facts : mapping of str to str, optional
        Facts about the machine: ``container.storage`` -> ``elasticsearch,redis``.

    Examples
    --------
    >>> role_of("/bench/server"), role_of("30-apm-apm-server-1"), role_of("/docker/4f1c")
    ('service', 'collector', '')
    >>> role_of("/bench/storage", {"container.storage": "storage"})
    'storage'
    """
    title = name_of(subject, facts)
    for key, names in (facts or {}).items():
        if key.startswith(_ENV) and _is_named(subject, title, names):
            return key.removeprefix(_ENV)
    name = (title or subject.rstrip("/").rpartition("/")[2]).lower()
    joined = re.sub(r"(apm|oap)[-_]server", r"\1server", name)
    known = _list_words()
    words = [word for word in re.split(r"[^a-z0-9]+", joined) if word in known]
    return known[words[-1]] if words else ""


@cache
def _list_words() -> Mapping[str, str]:
    """Return the roles by words in container names, including the names of load tools."""
    tools = {tool.name: GENERATOR for tool in registry.all_tools() if tool.role == "load"}
    return tools | {word: role for role, words in _WORDS.items() for word in words.split()}


def find_service(cores: Mapping[str, float], facts: Mapping[str, str] | None = None) -> str | None:
    """Return the container under load, or None if it is ambiguous.

    Parameters
    ----------
    cores : mapping of str to float
        The containers of a run, and the CPU that each used on average.
    facts : mapping of str to str, optional
        As in `role_of`.

    Examples
    --------
    >>> find_service({"/bench/collector": 0.1, "/bench/server": 0.9, "/bench/app": 0.0})
    '/bench/server'
    >>> find_service({"/docker/4f1c": 0.9, "redis": 0.1})
    '/docker/4f1c'
    >>> find_service({"blue": 0.5, "green": 0.5}) is None
    True
    """
    if declared := list_declared(cores, facts):
        return _choose(cores, declared)
    if (facts or {}).get(f"{_ENV}{SERVICE}"):
        return None
    working = [subject for subject in cores if cores[subject] > 0] or list(cores)
    roles = {subject: role_of(subject, facts) for subject in working}
    for role in (SERVICE, ""):
        candidates = [subject for subject in working if roles[subject] == role]
        named = [subject for subject in candidates if name_of(subject, facts)]
        if candidates:
            return _choose(cores, named or candidates)
    return None


def list_declared(subjects: Iterable[str], facts: Mapping[str, str] | None = None) -> list[str]:
    """Return the containers that a sidecar declares as the service.

    Examples
    --------
    >>> list_declared(["bench-server-1", "bench-redis-1"], {"container.service": "server"})
    ['bench-server-1']
    """
    names = (facts or {}).get(f"{_ENV}{SERVICE}", "")
    if not names:
        return []
    exact = [subject for subject in subjects if _is_named(subject, name_of(subject, facts), names)]
    return exact or [subject for subject in subjects if _is_replica(subject, names)]


def _is_replica(subject: str, names: str) -> bool:
    """Return whether Docker Compose created the container for one of the services."""
    return any(re.search(rf"[-_]{re.escape(n.strip())}[-_]\d+$", subject) for n in names.split(","))


def _choose(cores: Mapping[str, float], candidates: Sequence[str]) -> str | None:
    """Return the only candidate that is not idle compared with the busiest of them."""
    least = _IDLE * max(cores[subject] for subject in candidates)
    working = [subject for subject in candidates if cores[subject] >= least]
    return working[0] if len(working) == 1 else None


def name_of(subject: str, facts: Mapping[str, str] | None = None) -> str:
    """Return a container's name from `containers.json`; empty if it has none.

    Examples
    --------
    >>> name_of("/docker/4f1c", {"name./docker/4f1c": "consumer"})
    'consumer'
    >>> role_of("/docker/4f1c", {"name./docker/4f1c": "consumer"})
    'service'
    """
    return (facts or {}).get(f"name.{subject}", "")


def _is_named(subject: str, own: str, names: str) -> bool:
    """Return whether one of several comma-separated names matches this container."""
    titles = (own, f"{own} ({shorten(subject)})") if own else ()
    return any(is_called(subject, name) or name.strip() in titles for name in names.split(","))


def is_called(subject: str, name: str) -> bool:
    """Return whether a name that people write matches this container.

    Examples
    --------
    >>> is_called("/bench/server", "server"), is_called("/docker/70106e645a75", "70106e")
    (True, True)
    >>> is_called("/system.slice/app.service", "app")
    True
    """
    last, name = subject.rstrip("/").rpartition("/")[2], name.strip()
    is_id = len(name) > 5 and _HEX.fullmatch(f"{name:0<13}") is not None
    names = (subject, last, last.removesuffix(".service"))
    return name in names or (is_id and last.startswith(name))


def shorten(subject: str) -> str:
    """Write a container's name for people: an id is cut to its first twelve digits, as in Docker.

    Examples
    --------
    >>> shorten("/docker/70106e645a7532240887c74de138d1a4"), shorten("/bench/server")
    ('70106e645a75', '/bench/server')
    """
    last = subject.rstrip("/").rpartition("/")[2]
    return last[:12] if _HEX.fullmatch(last) else subject


def name_id(subject: str, facts: Mapping[str, str] | None = None) -> str:
    """Return the name of an id from `containers.json`; empty for other names, or if unknown.

    Examples
    --------
    >>> container = "/docker/70106e645a7532240887c74de138d1a4"
    >>> name_id(container, {f"name.{container}": "consumer"}), name_id("/bench/server")
    ('consumer', '')
    """
    return name_of(subject, facts) if shorten(subject) != subject else ""


def entitle(subject: str, facts: Mapping[str, str] | None = None) -> str:
    """Write a container's name for people, with the name from `containers.json` for an id.

    Examples
    --------
    >>> container = "/docker/70106e645a7532240887c74de138d1a4"
    >>> entitle(container, {f"name.{container}": "consumer"}), entitle("/bench/server")
    ('consumer (70106e645a75)', '/bench/server')
    """
    short, name = shorten(subject), name_id(subject, facts)
    return f"{name} ({short})" if name else short


def limit_of(subject: str, what: str, facts: Mapping[str, str]) -> float | None:
    """Return a container's limit, in cores or B; None if none is recorded.

    Parameters
    ----------
    what : {'cpu', 'memory'}
    facts : mapping of str to str
        ``limit.<container>.cpu`` as recorded by cAdvisor and sidecars.

    Examples
    --------
    >>> limit_of("/bench/server", "cpu", {"limit.server.cpu": "2"})
    2.0
    """
    for key, value in facts.items():
        if key.startswith("limit.") and key.endswith(f".{what}"):
            name = key.removeprefix("limit.").removesuffix(f".{what}")
            if is_called(subject, name):
                return read_positive(value)
    return None


def read_positive(text: str) -> float | None:
    """Parse a finite number above 0; None otherwise."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < float("inf") else None
