"""The account of a run's spans: expected, created, saved, dropped, and the source of each count.

Also which counts of spans, among the files next to the load, belong to a run.

Several benchmarks may share a run's number, and the log of another benchmark must not be counted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from benchkit.derived.record import Measured
from benchkit.derived.requests import request_counts
from benchkit.schema import Labels, Trial

if TYPE_CHECKING:
    from benchkit.schema import Observations

_SPANS = {"spans_created": "created", "spans_saved": "saved", "spans_dropped": "dropped"}


class Counts(NamedTuple):
    """Counts of spans; None if not counted."""

    created: float | None
    saved: float | None
    dropped: float | None
    source: str


#: The source of counts from a sidecar; they are part of the run itself.
RUN_FILE = "run.toml"

#: backend -> kind of count -> value
_Counts = dict[str, dict[str, float]]


def count_spans(
    observations: Observations, measured: Sequence[Measured]
) -> dict[Labels, dict[str, Counts]]:
    """Return the counts by `Measured.key` and backend.

    Notes
    -----
    The files are those with the same group, variant and number. A file whose name contains that of
    a benchmark (``server-k6-full-1.log``) belongs to this benchmark; the others belong to the
    benchmark that no file name contains: the one without a name, or named by its URL. A backend
    whose counts are all zero is skipped, and so are stages of an account (``otlp/sent``).
    """
    files = _read(observations)
    shared: dict[Trial, list[Measured]] = {}
    for run in measured:
        if run.trial in files:
            shared.setdefault(run.trial, []).append(run)
    counted = {}
    for trial, runs in shared.items():
        words = {run.benchmark for run in runs if _is_word(run.benchmark)}
        for run in runs:
            path = _choose(run, words, files[trial], is_alone=len(runs) == 1)
            if path is not None:
                counts = files[trial][path].items()
                counted[run.key] = {name: _counts(c, path) for name, c in counts if any(c.values())}
    return {key: counts for key, counts in counted.items() if counts}


def _choose(
    run: Measured, words: Collection[str], paths: Iterable[str], *, is_alone: bool
) -> str | None:
    named = {path: _words(path) for path in paths}
    if _is_word(run.benchmark):
        fitting = [path for path, parts in named.items() if run.benchmark in parts]
        if fitting or not is_alone:
            return min(fitting, key=len, default=None)
    rest = [path for path, parts in named.items() if is_alone or parts.isdisjoint(words)]
    return min(rest, key=len, default=None)


def _is_word(benchmark: str) -> bool:
    """Return whether a benchmark's name came from a file name, not from a URL."""
    return bool(benchmark) and not benchmark.startswith("/")


def _words(path: str) -> set[str]:
    return set(re.split(r"[-_.]", path.rpartition("/")[2]))


def _counts(counts: Mapping[str, float], path: str) -> Counts:
    return Counts(counts.get("created"), counts.get("saved"), counts.get("dropped"), path)


def _read(observations: Observations) -> dict[Trial, dict[str, _Counts]]:
    rows = observations["metric"].isin(list(_SPANS)) & observations["stat"].eq("count")
    spans = observations[rows]
    names = ("group", "variant", "run", "source", "subject", "metric", "value", "origin")
    files: dict[Trial, dict[str, _Counts]] = {}
    for group, variant, run, source, subject, metric, value, origin in zip(
        *(spans[name].tolist() for name in names), strict=True
    ):
        backend = subject if isinstance(subject, str) else ""
        if "/" in backend or origin == "computed" or source.partition(":")[0] == RUN_FILE:
            continue
        path = source.rpartition(":")[0]
        counts = files.setdefault(Trial(group, variant, run), {}).setdefault(path, {})
        counts.setdefault(backend, {})[_SPANS[metric]] = value
    return files


COUNTED, DERIVED, SIDECAR, COUNTERS = "counted", "derived", "sidecar", "counters"
#: The counts of a sidecar, and the entries of the run's environment that hold them.
_DECLARED = tuple((name, f"spans.{name}") for name in Counts._fields[:3])
#: Relative tolerance of a whole number of spans per request: some requests are in flight when the
#: load ends, and a probe before it is traced too.
_NEAR = 0.002
#: Minimum share of created spans that counts as a gap (neither saved nor dropped) or as saved
#: twice.
_GAP = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account of the spans of one run.

    Parameters
    ----------
    backend : str
        The source of these counters: ``otlp``, ``exporter``.
    requests : float or None
        As counted by the load tool.
    per_request : float or None
        Number of spans per request.
    per_request_from : {'sidecar', 'counters', ''}
        ``counters``: inferred from the counts that it would check.
    created, saved, dropped : float or None
        None if neither counted nor, for ``dropped``, derivable.
    dropped_how : {'counted', 'derived', ''}
        ``derived``: created minus saved; nothing is derived from a surplus.
    source : str
        Location of the counts; for those of a sidecar, `RUN_FILE` and the location that it records.
    """

    run: Measured
    backend: str
    requests: float | None
    per_request: float | None
    per_request_from: str
    created: float | None
    saved: float | None
    dropped: float | None
    dropped_how: str
    source: str

    @property
    def declared(self) -> dict[str, float]:
        """Return the counts that a sidecar records, by metric."""
        declared = _declare(self.run) if self.source.startswith(RUN_FILE) else {}
        return {f"spans_{name}": value for name, value in declared.items()}

    @property
    def expected(self) -> float | None:
        """Requests times spans per request."""
        if self.requests is None or self.per_request is None:
            return None
        return self.requests * self.per_request

    @property
    def accounted(self) -> float | None:
        """Saved spans plus those counted as dropped."""
        if self.saved is None or self.dropped is None or self.dropped_how != COUNTED:
            return None
        return self.saved + self.dropped

    @property
    def made(self) -> float | None:
        """The created spans if counted; else the larger of the expected and the accounted spans."""
        if self.created is not None:
            return self.created
        return max((n for n in (self.expected, self.accounted) if n is not None), default=None)

    @property
    def has_surplus(self) -> bool:
        """Whether more was saved than created: foreign spans, which may hide as many losses."""
        return _is_surplus(self.saved, self.expected if self.created is None else self.created)

    @property
    def share(self) -> float | None:
        """Dropped spans as a share of created ones."""
        return self.dropped / self.made if self.dropped is not None and self.made else None

    @property
    def unaccounted(self) -> float | None:
        """Spans created, but neither saved nor counted as dropped: still queued, or lost."""
        if self.made is None or self.saved is None or self.dropped is None:
            return None
        return self.made - self.saved - self.dropped

    @property
    def has_gap(self) -> bool:
        """Whether the spans counted as created differ from those saved plus those dropped."""
        if self.created is None:
            return False
        return abs(self.unaccounted or 0.0) > _GAP * self.created

    @property
    def has_incomplete_traces(self) -> bool | None:
        """Whether the saved spans are not a whole number of traces.

        None if that is unknown: foreign spans may be among them, or none was dropped.
        """
        if self.saved is None or not self.per_request or self.has_surplus or self.has_gap:
            return None
        if self.saved % self.per_request == 0:
            return False
        return True if self.dropped else None

    @property
    def complete_at_most(self) -> float | None:
        """Maximum number of complete traces; the counts do not show how many are complete."""
        if self.saved is None or not self.per_request or self.has_surplus:
            return None
        return self.saved // self.per_request


def list_accounts(observations: Observations, measured: Sequence[Measured]) -> list[Account]:
    """Return an account per run and backend with counts.

    Parameters
    ----------
    observations : Observations
        With the counts of spans under the labels of the files that contain them.

    Notes
    -----
    Spans per request are taken from ``[spans] per_request`` of a sidecar. Otherwise they are the
    created spans (or else the saved ones) over the requests, if that is a whole number within 0.2
    %. Counts of a sidecar take precedence over those of the first backend that was counted. If
    nothing counted the created spans, the spans saved and counted as dropped determine the spans
    per request, and the minimum that was created. A drop is derived from the created spans, or from
    the number that a sidecar lets expect, and only if no more were saved, within the same 0.2 %:
    spans per request inferred from the saved ones hide the losses of each request.
    """
    requests = request_counts(observations)
    counted = count_spans(observations, measured)
    accounts = []
    for run in measured:
        by_backend = dict(counted.get(run.key, {}))
        declared = _declare(run)
        if declared:
            name = next(iter(by_backend), run.variant)
            before = by_backend.get(name, Counts(None, None, None, ""))
            by_backend[name] = before._replace(**declared, source=_name_source(run))
        for backend, counts in by_backend.items():
            accounts.append(_account(run, backend, counts, requests.get(run.key)))
    return accounts


def _declare(run: Measured) -> dict[str, float]:
    """Return the counts that a sidecar records: created, saved, dropped."""
    numbers = ((name, _number(run.env[at])) for name, at in _DECLARED if at in run.env)
    return {name: value for name, value in numbers if value is not None}


def _name_source(run: Measured) -> str:
    source = run.env.get("spans.source", "")
    return f"{RUN_FILE}: {source}" if source else RUN_FILE


def _account(run: Measured, backend: str, counts: Counts, requests: float | None) -> Account:
    made = counts.created
    if made is None and counts.saved is not None and counts.dropped is not None:
        made = counts.saved + counts.dropped
    per_request, how = _number(run.env.get("spans.per_request")) or None, SIDECAR
    if per_request is None:
        per_request, how = _whole(counts.saved if made is None else made, requests), COUNTERS
    if made is None and requests is not None and per_request is not None and how == SIDECAR:
        made = requests * per_request
    dropped, dropped_how = counts.dropped, COUNTED
    if dropped is None and made is not None and counts.saved is not None:
        surplus = _is_surplus(counts.saved, made)
        dropped, dropped_how = None if surplus else max(made - counts.saved, 0.0), DERIVED
    return Account(
        run=run,
        backend=backend,
        requests=requests,
        per_request=per_request,
        per_request_from=how if per_request is not None else "",
        created=counts.created,
        saved=counts.saved,
        dropped=dropped,
        dropped_how=dropped_how if dropped is not None else "",
        source=counts.source,
    )


def _is_surplus(saved: float | None, made: float | None) -> bool:
    return saved is not None and made is not None and saved > made * (1 + _NEAR)


def _whole(spans: float | None, requests: float | None) -> float | None:
    """Return spans per request if it is nearly a whole number."""
    if not spans or not requests:
        return None
    near = round(spans / requests)
    return float(near) if near and abs(spans / requests - near) <= _NEAR * near else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None
