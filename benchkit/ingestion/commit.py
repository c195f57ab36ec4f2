"""`ingest`: read sources into the store in one commit, or not at all.

No run is duplicated or lost, and an interrupted ingest leaves the store unchanged.

Each commit has one name in a store, whatever length it was given in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit.errors import DataError, Diagnostic, Finding, SourceReport, StoreError
from benchkit.ingestion.changes import COLUMNS, Change
from benchkit.ingestion.discovery import Discovery, Options, assign, discover
from benchkit.ingestion.gone import Folders, find_gone
from benchkit.ingestion.harvest import Harvest
from benchkit.ingestion.listed import COLUMNS as OF_RUNS
from benchkit.ingestion.listed import list_failed
from benchkit.ingestion.origins import name_job, name_origin
from benchkit.ingestion.pooled import find_split_blocks
from benchkit.ingestion.progress import Meter, Watch
from benchkit.ingestion.reading import Known
from benchkit.ingestion.recorded import Place
from benchkit.ingestion.rows import fill_texts, load_entries
from benchkit.ingestion.sources import Found
from benchkit.ingestion.stored import list_parts, list_sources
from benchkit.ingestion.upgrade import mask_addresses
from benchkit.ingestion.workers import (
    Alone,
    Crew,
    Executor,
    choose_jobs,
    find_share,
    plan_tasks,
)
from benchkit.processes import count_cores
from benchkit.redaction import redact_origin
from benchkit.redaction.marks import current_key, draw_key, use_key
from benchkit.schema import REFUSED_ROLES
from benchkit.store import Store, new_batch
from benchkit.store.batch_files import write_files
from benchkit.store.keys import CONSEQUENCE, NAME, keep_key, read_key

if TYPE_CHECKING:
    import pyarrow as pa

    from benchkit.ingestion.keeper import Keeper
    from benchkit.store import Store


#: Columns of stored pieces that name their commits.
_COLUMNS = ("env", "role")
#: Columns read at once if a commit is named: reading a large log a second time costs as much again.
_READ_AT_COMMIT = (*COLUMNS, "env")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSummary:
    """The result of an ingest.

    Parameters
    ----------
    reports : tuple of SourceReport
        One per source.
    skipped : tuple of (path, reason)
        Files skipped because of their names.
    count_runs : callable
        Returns the number of runs in the store afterwards.
    superseded : int
        Number of stored runs that new runs of the same sources replaced.
    commit : str
        The commit of the results, by its name in the store.
    """

    reports: tuple[SourceReport, ...]
    skipped: tuple[tuple[str, str], ...]
    diagnostics: tuple[Diagnostic, ...]
    findings: tuple[Finding, ...]
    count_runs: Callable[[], int]
    superseded: int = 0
    commit: str = ""

    @property
    def runs(self) -> int:
        """The number of runs in the store afterwards."""
        return self.count_runs()

    def count(self, *outcomes: str) -> int:
        """Return the number of sources that ended as one of ``outcomes``."""
        return sum(report.outcome in outcomes for report in self.reports)

    @property
    def errors(self) -> list[Diagnostic]:
        """The refused sources, with reasons."""
        return [each for each in self.diagnostics if each.severity == "error"]

    @property
    def has_result(self) -> bool:
        """Return whether at least one run was read or already stored."""
        return self.count("read", "unchanged", "duplicate") > 0


def ingest(
    arguments: Sequence[str],
    store: Store,
    options: Options | None = None,
    *,
    live: Sequence[Found] = (),
    strict: bool = False,
    jobs: int | None = 1,
    cluster: str | Keeper = "",
    watch: Watch | None = None,
) -> IngestSummary:
    """Read sources into a store.

    Parameters
    ----------
    arguments : sequence of str
        Files, folders, ``label=path`` or ``-``; empty if there are only live sources.
    options : Options, optional
    live : sequence of Found
        Sources that are queried for their content.
    strict : bool
        Refuse everything if any source is refused.
    jobs : int or None
        Number of reading processes; None: as many as save time. The result is the same.
    cluster : str or Keeper
        The Dask cluster whose workers read instead; the result is the same.
    watch : callable, optional
        Called a few times a second with the progress.

    Raises
    ------
    DataError
        If an argument does not exist, or under ``strict`` if a source was refused; the store is
        then unchanged.
    """
    options = options or Options()
    origin = name_origin(store.url) if options.origin is None else redact_origin(options.origin)
    options = replace(options, origin=origin)
    discovery = _discover(arguments, options, store, live)
    while True:
        if options.commit:
            named = resolve_commit(options.commit, _read_commits(store.pieces(_READ_AT_COMMIT)))
            options = replace(options, commit=named)
            assign(discovery.found, options)
        with suppress(RenamedError):  # renamed by another writer: try again under its name
            return _store(discovery, store, options, strict, jobs, cluster, watch)


def _store(
    discovery: Discovery, store: Store, options: Options, strict: bool, jobs: int | None,
    cluster: str | Keeper, watch: Watch | None,
) -> IngestSummary:  # fmt: skip
    """Read the discovered sources into a store."""
    is_listed = bool(list_failed(discovery))
    columns = _READ_AT_COMMIT if options.commit else COLUMNS
    columns = (*columns, *(OF_RUNS * is_listed))
    with (
        _start(discovery.found, store, options, jobs, cluster) as executor,
        store.locked(frees=False),
    ):
        mask_addresses(store, discovery.masked)
        stored, meter = store.pieces(columns), Meter(discovery.found, watch)
        require_commit(options.commit, stored)
        store.require_values()
        harvest = _harvest(discovery.found, store, stored, executor, meter, strict=strict)
        harvest.complete(discovery, options)
        # An empty store is not created only to remember refused sources.
        is_kept = bool(harvest.parts or (stored is not None and len(stored)))
        refused = [*harvest.list_refused(options)] if is_kept and not options.importing else []
        change = Change(store, stored, harvest.parts, Folders(discovery, options), refused)

        def build(stored: pa.Table | None) -> pa.Table:
            require_commit(options.commit, stored)
            return change.build(stored)

        if harvest.parts or change.has_marks:
            store.commit_pieces(build, columns=columns)
        harvest.leave_out(change.copies)
        diagnostics = [*discovery.diagnostics, *harvest.diagnostics, *change.notes]
        if change.replaced and options.origin and options.origin == name_job():
            diagnostics.append(_replaced(options.origin, change.replaced))
        elif change.replaced and options.commit:
            diagnostics.append(_replaced_at(options.commit, change.replaced))
        if harvest.parts:
            diagnostics += _tidy(store)
        harvest.findings += [*find_split_blocks(change.new), *change.pooled]
        if change.gone:
            harvest.findings += find_gone(change.gone, change.list_renewed())
    return IngestSummary(
        reports=tuple(harvest.reports), skipped=tuple(discovery.skipped),
        diagnostics=tuple(diagnostics), findings=tuple(harvest.findings),
        count_runs=change.count_runs, superseded=change.superseded, commit=options.commit,
    )  # fmt: skip


def _discover(
    arguments: Sequence[str], options: Options, store: Store, live: Sequence[Found]
) -> Discovery:
    """Find the sources; secrets get marks by the store's key, which a new store receives now."""
    key = read_key(store.url)
    use_key(key or draw_key())
    discovery = discover(arguments, options) if arguments or not live else Discovery()
    if key is None and (kept := keep_key(store.url, current_key())) != current_key():
        use_key(kept)  # from another writer, who was first
        return _discover(arguments, options, store, live)
    if key is None and store.holds_marks():
        what = f"{NAME} is missing: {CONSEQUENCE}"
        hint = "restore the file, and ingest again"
        discovery.notes.append(Diagnostic(store.url, 0, what, hint, "warning"))
    assign(live, options)
    discovery.found += live
    if options.importing:
        discovery.roots.clear()  # a history is complete even if its folder lost files
    return discovery


@contextmanager
def _start(
    sources: Sequence[Found],
    store: Store,
    options: Options,
    jobs: int | None,
    cluster: str | Keeper,
) -> Iterator[Executor]:  # fmt: skip
    """Start the readers, and stop them in any case."""
    executor = _choose(sources, store, options, jobs, cluster)
    try:
        yield executor
    finally:
        executor.stop()


@contextmanager
def _stopping(executor: Executor) -> Iterator[None]:
    """After a failure, stop the readers before their files are deleted."""
    try:
        yield
    except BaseException:
        executor.stop()
        raise


def _choose(
    sources: Sequence[Found],
    store: Store,
    options: Options,
    jobs: int | None,
    cluster: str | Keeper,
) -> Executor:  # fmt: skip
    if cluster:
        from benchkit.ingestion.cluster import Cluster

        return Cluster(cluster, sources, options, store.url if store.is_remote else "")
    count = choose_jobs(sources, jobs, options)
    if count == 1:
        return Alone(sources, options, find_share(sources, jobs or count_cores()))
    # Once, before the processes fork: pyarrow looks for pandas when it makes its first array.
    import pyarrow as pa
    import pyarrow.parquet

    pa.array([0])
    return Crew(count, sources, options, find_share(sources, jobs or count_cores()))


def _harvest(
    sources: Sequence[Found],
    store: Store,
    stored: pa.Table | None,
    executor: Executor,
    meter: Meter,
    *,
    strict: bool,
) -> Harvest:
    """Read the sources and add their values, which stay invisible for now."""
    batch = new_batch()
    with store.staging(batch) as folder, _stopping(executor):
        held = list_sources(stored, [source.address for source in sources])
        known = Known(batch=batch, sources=held, folder=folder)
        harvest = Harvest(sources, known, stored)
        catches = executor.read_all(plan_tasks(sources), known, meter.see)

        def batches() -> Iterator[pa.RecordBatch]:
            for found in catches:
                values = list(harvest.take(found))
                for outcome in found.outcomes:
                    meter.end(outcome.index, outcome.report.values)
                _refuse_strictly(harvest, strict)
                yield from values

        files = write_files(folder, batch, batches())
        store.add([*harvest.files, *files])
    return harvest


def _tidy(store: Store) -> Iterator[Diagnostic]:
    """Merge small files if there are many; a failure loses nothing."""
    try:
        store.tidy()
    except StoreError as error:
        what = f"could not merge small files ({error.what})"
        yield Diagnostic(store.url, 0, what, "the next ingest tries again", "note")


def _replaced(job: str, runs: int) -> Diagnostic:
    hint = "if these are jobs of a matrix, ingest each job with its own `--origin NAME`"
    what = f"this ingest replaced {_count_earlier(runs, 'CI job')}"
    return Diagnostic(job, 0, what, hint, "warning")


def _replaced_at(commit: str, runs: int) -> Diagnostic:
    hint = (
        "to count both as repeats, for example two jobs of one commit, run `benchkit undo` and add "
        "each job with its own `--origin NAME`"
    )
    what = f"replaced {_count_earlier(runs, 'commit')}"
    return Diagnostic(commit, 0, what, hint, "warning")


def _count_earlier(runs: int, whole: str) -> str:
    count = "1 earlier run" if runs == 1 else f"{runs} earlier runs"
    why = "because the files at the same paths now have different results"
    return f"{count} of this {whole}, {why}"


def list_places(store: Store) -> frozenset[Place]:
    """Return the commits of a store, with the labels that the runs of each share."""
    return frozenset(
        Place(commit, part.tool, part.group.removeprefix(commit).removeprefix("/"))
        for part in list_parts(store)
        if (commit := part.env.get("commit"))
    )


def _refuse_strictly(harvest: Harvest, strict: bool) -> None:
    if not strict:
        return
    refused = {r.label: r.reason for r in harvest.reports if r.outcome in {"refused", "empty"}}
    refused |= {p.label: "damaged" for p in harvest.parts if p.role == "damaged"}
    for label, reason in refused.items():
        raise DataError(
            f"refused {len(refused)} of {len(harvest.reports)} sources; the first: {reason}",
            where=label,
            hint="nothing was stored; fix or exclude them, or omit --strict",
        )


class RenamedError(Exception):
    """Another writer stored the commit under another name in the meantime."""


def list_commits(store: Store) -> dict[str, set[str]]:
    """Return the commits that the runs of a store record, with the dates recorded for each."""
    return _read_commits(store.pieces(_COLUMNS))


def resolve_commit(commit: str, known: Collection[str]) -> str:
    """Return the name of a commit among the known ones."""
    from benchkit.history.naming import resolve  # other ingests do not need numpy this early

    return resolve(commit, known)


def require_commit(commit: str, stored: pa.Table | None) -> None:
    """Raise `RenamedError` if stored pieces use another name for the commit."""
    if commit and resolve_commit(commit, _read_commits(stored)) != commit:
        raise RenamedError


def _read_commits(stored: pa.Table | None) -> dict[str, set[str]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if stored is None or not len(stored):
        return {}
    rows = fill_texts(stored, [*_COLUMNS])
    is_refused = pc.is_in(rows["role"], pa.array(REFUSED_ROLES))
    if pc.any(is_refused).as_py():  # avoids copying all rows
        rows = rows.filter(pc.invert(is_refused))
    commits: dict[str, set[str]] = {}
    for env in map(load_entries, filter(None, rows["env"].unique().to_pylist())):
        if commit := env.get("commit"):
            commits.setdefault(commit, set()).update(filter(None, [env.get("date")]))
    return commits
