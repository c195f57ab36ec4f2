"""Workers of a Dask cluster that read sources, with results in the order of the sources.

The worker that reads samples writes them directly to the store; all other results travel as they do
from the processes of a `Crew`. A lost worker costs a retry: the scheduler gives its task to another
one, and a source that kills two workers gets a diagnostic.
"""

from __future__ import annotations

import logging
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from benchkit.errors import BenchkitError, ConfigError, DataError, Diagnostic, StoreError
from benchkit.ingestion import orders
from benchkit.ingestion.harvest import Catch
from benchkit.ingestion.keeper import LOCAL, UNWATCHED, Keeper, is_installed, start_workers
from benchkit.ingestion.progress import Seen
from benchkit.ingestion.ranges import Passed, plan_spans
from benchkit.ingestion.reading import Known
from benchkit.ingestion.workers import Alone, Task, find_share, mourn
from benchkit.reading.spans import SECTION
from benchkit.redaction.marks import current_key
from benchkit.regexes import regex

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.outcomes import Outcome
    from benchkit.ingestion.sources import Found

_ADDRESS = regex(r"(?:tcp|tls|ws|wss)://\S++")
#: Seconds within which a scheduler must answer, and its first worker must join.
_PATIENCE = 30
#: Seconds between two looks at the workers' progress while waiting.
_LOOK = 0.2
#: Tasks per thread of the cluster that may be ready ahead of their turn.
_AHEAD = 4
#: Bytes of a file, and threads of a cluster, up to which one worker reads it, using several cores.
RANGED_BYTES, RANGED_THREADS = 4 * SECTION, 3
#: Progress of a file's ranges that can be summed.
_COUNTS = ("bytes", "values")
#: Lost workers after which a task is given up.
_DEATHS = 2


class Cluster:
    """The workers of a Dask cluster.

    Parameters
    ----------
    cluster : str or Keeper
        The scheduler's address; ``local:N`` for N processes on this machine; or these processes.
    store : str
        The address of a remote store; empty if the store is a folder.

    Raises
    ------
    ConfigError
        If dask.distributed is not installed, or ``cluster`` is not an address.
    DataError
        If the cluster does not answer, or its workers run another benchkit.
    """

    def __init__(
        self,
        cluster: str | Keeper,
        sources: Sequence[Found],
        options: Options,
        store: str = "",
    ) -> None:
        self._sources, self._options, self._store = sources, options, store
        self._topic = f"benchkit-{uuid.uuid4().hex}"
        self._seen = deque[Seen]()
        self._ranges: dict[int, dict[int, Seen]] = {}  # by source and start
        self._is_unshared = False
        self._keeper = start_workers(cluster) if isinstance(cluster, str) else cluster
        self._spec = self._keeper.spec if self._keeper else f"{cluster}"
        self._client, self._own = _connect(self._spec, self._keeper)
        try:
            self._threads = self._require_workers()
            self._share = find_share(sources, self._threads)
        except BaseException:
            self.stop()
            raise
        self._client.subscribe_topic(self._topic, lambda event: self._note(*event[1]))

    def read_all(
        self, tasks: Sequence[Task], known: Known, see: Callable[[Seen], None]
    ) -> Iterator[Catch]:
        """Read the sources, task by task; the parameters are those of `Crew.read_all`.

        Raises
        ------
        StoreError
            If the store refuses the samples, or the workers do not see its folder.
        DataError
            If the cluster is lost.
        """
        here = Alone(self._sources, self._options)
        waiting = deque(tasks)
        sent: deque[tuple[Task, Future | None]] = deque()
        while waiting or sent:
            while waiting and len(sent) < _AHEAD * self._threads:
                sent.append((waiting[0], self._submit(waiting.popleft(), known)))
            task, future = sent.popleft()
            for part, found in self._await(task, future, known, see):
                if found is not None:
                    self._require_files(found)
                    yield found
                    continue
                for own in here.read_all([part], known, see):  # the worker lacks these files
                    self._note_unshared(own)
                    yield own

    def stop(self) -> None:
        """Cancel unfinished tasks and leave the cluster; stop a local one."""
        if self._keeper is not None:
            self._keeper.stop()
        with suppress(Exception):  # a lost scheduler has nothing to cancel
            self._client.close()
        if self._own is not None:
            self._own.close()

    def _require_workers(self) -> int:
        """Return how many threads read; require every worker to run this benchkit."""
        from benchkit import __version__

        hint = "start one with `dask worker ADDRESS --nthreads 1`"
        try:
            count = 1 if self._keeper is None else self._keeper.count
            self._client.wait_for_workers(count, timeout=_PATIENCE)
        except TimeoutError:
            what = f"no worker joined within {_PATIENCE} seconds"
            raise DataError(what, where=self._spec, hint=hint) from None
        if self._keeper is not None:
            return self._keeper.count
        answers = self._client.run(orders.find_version, on_error="return")
        for worker, version in answers.items():
            if isinstance(version, OSError):
                continue  # it has just died, and another one takes its place
            if isinstance(version, Exception):
                what = f"its workers cannot import benchkit ({type(version).__name__}: {version})"
                hint = f"install benchkit {__version__} on the workers"
                raise DataError(what, where=self._spec, hint=hint) from None
            if version != __version__:
                what = f"worker {worker} has benchkit {version}, this process has {__version__}"
                raise DataError(what, where=self._spec, hint="install the same version everywhere")
        threads: int = sum(self._client.nthreads().values())
        return max(count, threads)

    def _submit(self, task: Task, known: Known) -> Future | None:
        """Submit a task; return None if only this process can query its sources.

        A file that is larger than its share is read in ranges.
        """
        sources = tuple(map(_anywhere, self._sources[slice(*task)]))
        if any(one.ask is not None for one in sources):
            return None
        stored = {one: known.sources[one] for one in (found.identity for found in sources)
                  if one in known.sources}  # fmt: skip
        folder = known.folder and known.folder.absolute()
        order = orders.Order(
            first=task[0], sources=sources, options=self._options, key=current_key(),
            known=replace(known, sources=stored, folder=folder), store=self._store,
            share=self._share, topic=self._topic,
        )  # fmt: skip
        (found, *others), submit = sources, partial(self._client.submit, pure=False)
        is_new = not (others or stored or self._options.importing or found.path is None)
        is_ranged = is_new and self._threads > RANGED_THREADS
        if not is_ranged or found.size <= max(self._share, RANGED_BYTES):
            return submit(orders.read, order)
        digest = submit(orders.take_digest, order)  # first, because only one worker can compute it
        passed: list[Future | Passed] = [(0, b"")]
        spans = plan_spans(found.size, self._threads)
        for span in spans[:-1]:
            passed.append(submit(orders.add, passed[-1], submit(orders.scan, order, span)))
        ranges = [
            submit(orders.read_range, order, *each) for each in zip(spans, passed, strict=True)
        ]
        return submit(orders.join, order, digest, ranges)

    def _await(
        self, task: Task, future: Future | None, known: Known, see: Callable[[Seen], None]
    ) -> Iterator[tuple[Task, Catch | None]]:
        """Yield the results of a task, or of each of its sources if it killed its workers."""
        from distributed import KilledWorker

        try:
            found = None if future is None else self._wait(future, see)
        except KilledWorker:
            first, last = task
            if last - first == 1:
                yield task, Catch([self._mourn(first, known)])
                return
            for index in range(first, last):
                alone = index, index + 1
                yield from self._await(alone, self._submit(alone, known), known, see)
            return
        yield task, found

    def _wait(self, future: Future, see: Callable[[Seen], None]) -> Catch | None:
        """Return the result of a task, and report the workers' progress in the meantime."""
        from distributed import KilledWorker

        done = Event()  # a result awaited with a timeout may be lost when it expires
        future.add_done_callback(lambda _: done.set())
        while not done.wait(_LOOK):
            while self._seen:
                see(self._seen.popleft())
            if self._keeper is not None and not self._keeper.is_alive():
                raise self._lose("the process that starts its workers was killed")
        try:
            result: Catch | None = future.result()
        except (BenchkitError, KilledWorker):
            raise
        except Exception as error:
            raise self._lose(f"{type(error).__name__}: {error}") from error
        return result

    def _lose(self, reason: str) -> DataError:
        hint = "nothing was stored; try again, or read without --cluster"
        return DataError(f"the cluster is lost ({reason})", where=self._spec, hint=hint)

    def _note(self, start: int, *place: int) -> None:
        """Add up the progress of a source's ranges."""
        seen = Seen(*place)
        ranges = self._ranges.setdefault(seen.index, {})
        ranges[start] = seen
        size, values = (sum(getattr(each, name) for each in ranges.values()) for name in _COUNTS)
        self._seen.append(Seen(seen.index, size, values))

    def _mourn(self, index: int, known: Known) -> Outcome:
        what, hint = (
            ("the workers died while they read this file"),
            "if they ran out of memory, give each worker more",
        )
        return mourn(index, self._sources[index], self._options, known, what, hint)

    def _note_unshared(self, found: Catch) -> None:
        """Note once that this process reads the files, because the workers do not see them."""
        if not self._is_unshared:
            self._is_unshared = True
            first = found.outcomes[0]
            what = "the workers cannot read this file; this process reads it"
            hint = "move the results to a path that the workers can read"
            first.diagnostics.append(Diagnostic(first.report.label, 0, what, hint, "note"))

    def _require_files(self, found: Catch) -> None:
        """Refuse files of samples that lie on a worker's disk, not in the store."""
        for outcome in found.outcomes:
            for file in () if self._store else outcome.files:
                if not file.path.is_file():
                    raise StoreError(
                        "on the workers, this path is a different folder",
                        where=str(file.path.parent),
                        hint="use a store on a path that all machines share, or --store s3://…",
                    )


def _connect(spec: str, keeper: Keeper | None) -> tuple[Client, LocalCluster | None]:
    """Return a client of the cluster, and what ends the cluster if this process starts it."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if keeper is not None:
        return _start(keeper)
    if not (_ADDRESS.fullmatch(spec) or LOCAL.fullmatch(spec)):
        hint = "use local, local:4, or the address of a scheduler: tcp://host:8786"
        raise ConfigError(f"{spec!r} is not the address of a cluster", where="--cluster", hint=hint)
    if not is_installed():
        hint = "install it: pip install '.[distributed]'"
        raise ConfigError("dask.distributed is not installed", where="--cluster", hint=hint)
    from distributed import Client

    try:
        return Client(spec, timeout=_PATIENCE, set_as_default=False), None
    except (OSError, TimeoutError, ValueError) as error:
        what = f"the scheduler does not answer ({error})"
        raise DataError(what, where=spec, hint="check its address") from None


def _start(keeper: Keeper) -> tuple[Client, LocalCluster]:
    """Start a scheduler in this process, which the workers join."""
    try:
        import dask  # while the workers' process does so, too
        from distributed import Client, LocalCluster

        settings = {
            "distributed.scheduler.allowed-failures": _DEATHS - 1,
            "temporary-directory": keeper.folder,
        }
        with dask.config.set({**settings, **UNWATCHED}):
            local = LocalCluster(
                n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
            )
        keeper.join(local.scheduler_address)
        return Client(local, set_as_default=False), local
    except BaseException:
        keeper.stop()
        raise


def _anywhere(found: Found) -> Found:
    """Return a source whose path is valid in every working directory."""
    return replace(found, path=found.path.absolute()) if found.path else found
