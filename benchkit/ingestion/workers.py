"""Several processes that read sources, with results in the order of the sources.

Reading takes most of the time, and no result may depend on the number of readers. A task is what
one process reads without interruption: consecutive small files, or one large file. A file is never
split among processes, because its digest has to be computed in order; threads do the rest in
parallel.

The processes are forked before the store is opened and before any thread runs; each exits by itself
when its parent is gone. If one dies, only its current task is affected: several sources are retried
one by one, and a source that kills its reader twice gets a diagnostic.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection, wait
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from benchkit.errors import Diagnostic
from benchkit.ingestion.harvest import Catch, catch
from benchkit.ingestion.outcomes import Outcome, mark, refusal
from benchkit.ingestion.progress import Seen
from benchkit.ingestion.reading import Known, Reader
from benchkit.processes import count_cores
from benchkit.redaction.marks import current_key, use_key

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.sources import Found

#: Maximum number of files of a task, and the size in bytes after which no more are added.
TASK_FILES = 64
TASK_BYTES = 4 << 20
#: Minimum input in bytes for which starting a process saves time.
WORTH_BYTES = 2 << 20
#: Size in bytes up to which reading a plain report is faster than transferring its results.
PLAIN_BYTES = 16 << 10
#: Number of small sources examined to see what most of them are.
_PROBES = 8
#: Number of tasks that may be completed ahead of their turn.
_AHEAD = 32
#: Seconds after which a waiting process checks whether its parent still runs.
_LOOK = 1.0

Task = tuple[int, int]


def plan_tasks(sources: Sequence[Found]) -> list[Task]:
    """Split the sources into tasks: (first, one past the last).

    A file larger than `TASK_BYTES` is a separate task, so that it delays nobody.
    """
    tasks: list[Task] = []
    start, size = 0, 0
    for index, found in enumerate(sources):
        if index > start and (size + found.size > TASK_BYTES or index - start >= TASK_FILES):
            tasks.append((start, index))
            start, size = index, 0
        size += found.size
    return [*tasks, (start, len(sources))] if sources else []


def choose_jobs(sources: Sequence[Found], requested: int | None, options: Options) -> int:
    """Return the number of reading processes: as requested, or as many as save time.

    Parameters
    ----------
    requested : int or None
        None: one per core available to this process, but only one if the input is less than 2 MiB,
        not counting small plain reports.
    """
    if requested is None and not _pays(sources, options):
        return 1
    return min(requested or count_cores(), len(plan_tasks(sources)))


def _pays(sources: Sequence[Found], options: Options) -> bool:
    """Return whether reading takes long enough for more processes to save time."""
    small = [found for found in sources if found.size <= PLAIN_BYTES]
    total, little = (sum(found.size for found in some) for some in (sources, small))
    if total < WORTH_BYTES or total - little >= WORTH_BYTES:
        return total >= WORTH_BYTES
    reader = Reader(options, Known())
    return not all(map(reader.is_plain, small[:: -(-len(small) // _PROBES)]))


def find_share(sources: Sequence[Found], jobs: int) -> float:
    """Return the size in bytes of one of several equal shares of the input.

    While one process reads a larger file, others run out of work, so it may use more threads.
    """
    return sum(found.size for found in sources) / jobs if jobs > 1 else inf


class Executor(Protocol):
    """The readers: this process, several local processes, or workers of a cluster."""

    def read_all(
        self, tasks: Sequence[Task], known: Known, see: Callable[[Seen], None]
    ) -> Iterator[Catch]:
        """Read the sources and yield the results of each task, in order.

        Parameters
        ----------
        tasks : sequence of (first, one past the last)
        see : callable
            Called with the progress of each source.

        Raises
        ------
        StoreError
            If the store refuses the samples.
        """

    def stop(self) -> None:
        """Stop the readers, even during work."""


class Alone:
    """Reads in this process, using several threads for a large source."""

    def __init__(self, sources: Sequence[Found], options: Options, share: float = inf) -> None:
        self._sources, self._options, self._share = sources, options, share

    def read_all(
        self, tasks: Sequence[Task], known: Known, see: Callable[[Seen], None]
    ) -> Iterator[Catch]:
        """Read the sources, task by task."""
        reader = Reader(self._options, known, see, share=self._share)
        for task in tasks:
            outcomes = (reader.read(index, self._sources[index]) for index in range(*task))
            yield catch(known.batch, outcomes)

    def stop(self) -> None:
        """Do nothing: this process has no readers to stop."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, the pipe to it, and its current task."""

    process: BaseProcess
    pipe: Connection
    task: Task | None = None


class Crew:
    """Processes that read sources."""

    def __init__(
        self, jobs: int, sources: Sequence[Found], options: Options, share: float = inf
    ) -> None:
        method = "fork" if sys.platform == "linux" else "spawn"
        self._context = multiprocessing.get_context(method)
        self._sources, self._options, self._share = sources, options, share
        self._known: Known | None = None
        self._workers = [self._start() for _ in range(jobs)]

    def read_all(
        self, tasks: Sequence[Task], known: Known, see: Callable[[Seen], None]
    ) -> Iterator[Catch]:
        """Read the sources and yield the results of each task, in order."""
        self._known = known
        for worker in self._workers:
            worker.pipe.send(known)
        waiting, done, turn = deque(tasks), dict[int, tuple[int, Catch]](), 0
        last = tasks[-1][1] if tasks else 0
        while turn < last:
            self._hand_out(waiting, len(done))
            for worker, result in self._listen():
                if isinstance(result, Seen):
                    see(result)
                    continue
                task, worker.task = worker.task, None
                assert task is not None  # noqa: S101 - only who has a task answers
                found = self._replace(worker, task, waiting) if result is None else result
                if isinstance(found, Exception):
                    raise found
                if found is not None:
                    done[task[0]] = task[1], found
            while turn in done:
                turn, ready = done.pop(turn)
                yield ready

    def stop(self) -> None:
        """Stop the processes, even during work."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers = []

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        arguments = (
            theirs, self._sources, self._options, self._share, os.getpid(), current_key(),
        )  # fmt: skip
        process = self._context.Process(target=_work, args=arguments, daemon=True)  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            # Python warns of threads of libraries, but they are idle: nothing was read or written
            # yet.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _hand_out(self, waiting: deque[Task], ahead: int) -> None:
        for worker in self._workers:
            if worker.task is None and waiting and ahead < _AHEAD:
                worker.task = waiting.popleft()
                try:
                    worker.pipe.send(worker.task)
                except OSError:  # it has died, which `_listen` notices
                    continue

    def _listen(self) -> Iterator[tuple[_Worker, Catch | Seen | Exception | None]]:
        """Wait for the next results; None means that a process has died."""
        busy = {worker.pipe: worker for worker in self._workers if worker.task is not None}
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)  # noqa: S101 - nothing else was waited for
            try:
                yield busy[pipe], pipe.recv()
            except (EOFError, OSError):
                yield busy[pipe], None

    def _replace(self, lost: _Worker, task: Task, waiting: deque[Task]) -> Catch | None:
        """Start a replacement; return the result of the lost process's task, if known."""
        lost.process.join()
        self._workers[self._workers.index(lost)] = successor = self._start()
        successor.pipe.send(self._known)
        first, last = task
        if last - first > 1:
            waiting.extendleft((index, index + 1) for index in reversed(range(first, last)))
            return None
        return Catch([self._mourn(first, lost.process.exitcode)])

    def _mourn(self, index: int, code: int | None) -> Outcome:
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        what = f"the process that read it crashed ({how})"
        hint = "if it ran out of memory, read this file alone with --jobs 1"
        return mourn(index, self._sources[index], self._options, self._known or Known(), what, hint)


def mourn(
    index: int, found: Found, options: Options, known: Known, what: str, hint: str
) -> Outcome:
    """Return the outcome of a source that crashed the process that read it."""
    outcome = refusal(index, found, Diagnostic(found.label, 0, what, hint))
    mark(outcome, found, options, known.batch, stored=known.sources)
    return outcome


def _work(
    pipe: Connection,
    sources: Sequence[Found],
    options: Options,
    share: float,
    parent: int,
    key: bytes,
) -> None:
    """Read the tasks from the pipe; this is the main loop of a reading process."""
    use_key(key)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to handle
    known = _receive(pipe, parent)
    if not isinstance(known, Known):
        return
    turn = Lock()  # a thread that reads ahead reports its progress

    def send(message: object) -> None:
        with turn:
            pipe.send(message)

    reader = Reader(options, known, send, share=share)
    while isinstance(task := _receive(pipe, parent), tuple):
        try:
            outcomes = (reader.read(index, sources[index]) for index in range(*task))
            send(catch(known.batch, outcomes))
        except Exception as error:  # noqa: BLE001 - raised again by the parent
            send(error)


def _receive(pipe: Connection, parent: int) -> object:
    """Return the next message, or None if there will be no more."""
    try:
        while not pipe.poll(_LOOK):
            if os.getppid() != parent:
                return None
        return pipe.recv()
    except (EOFError, OSError):
        return None
