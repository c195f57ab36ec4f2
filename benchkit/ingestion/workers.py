"""Several processes that read sources, and their results in the order of the sources.

Reading is what takes time, and no result may depend on how many read. A task is what one process
reads in one go: consecutive small files, or one large file. A file is not split among processes:
its digest has to be computed in order, and threads do the rest meanwhile.

The processes are forked before the store is opened and before any thread runs; each ends by itself
when the process that started it is gone. One that dies costs the source it was reading: several are
tried again one by one, and the one that ends its reader twice gets a diagnostic.
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
from benchkit.redaction.marks import current_key, use_key

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from benchkit.ingestion.discovery import Options
    from benchkit.ingestion.sources import Found

#: A task is at most so many files, and no more of them once it has so many bytes.
TASK_FILES = 64
TASK_BYTES = 4 << 20
#: Input below which starting a process costs more than it saves.
WORTH_BYTES = 2 << 20
#: Bytes up to which a plain report is read in less time than its results take to travel.
PLAIN_BYTES = 16 << 10
#: Small sources that are read to see what most of them are.
_PROBES = 8
#: Tasks that may be done ahead of the one whose turn it is.
_AHEAD = 32
#: Seconds after which a waiting process looks whether it is still wanted.
_LOOK = 1.0

Task = tuple[int, int]


def plan_tasks(sources: Sequence[Found]) -> list[Task]:
    """Part the sources into tasks: (first, one past the last).

    A file of more than `TASK_BYTES` is a task of its own, so that it keeps nobody waiting.
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
    """Return how many processes shall read: as many as are wanted, or as pay.

    Parameters
    ----------
    requested : int or None
        None: one per core that this process may use, one alone for less than 2 MiB of input beside
        small plain reports.
    """
    if requested is None and not _pays(sources, options):
        return 1
    return min(requested or count_cores(), len(plan_tasks(sources)))


def _pays(sources: Sequence[Found], options: Options) -> bool:
    """Tell whether reading takes so long that other processes save time."""
    small = [found for found in sources if found.size <= PLAIN_BYTES]
    total, little = (sum(found.size for found in some) for some in (sources, small))
    if total < WORTH_BYTES or total - little >= WORTH_BYTES:
        return total >= WORTH_BYTES
    reader = Reader(options, Known())
    return not all(map(reader.is_plain, small[:: -(-len(small) // _PROBES)]))


def count_cores() -> int:
    """Return how many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not everywhere
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def find_share(sources: Sequence[Found], jobs: int) -> float:
    """Return the bytes of one of several equal shares of the input.

    While one process reads a larger file, others run out of work, so that it may use more threads.
    """
    return sum(found.size for found in sources) / jobs if jobs > 1 else inf


class Executor(Protocol):
    """Who reads: this process, several of this machine, or those of a cluster."""

    def read_all(
        self, tasks: Sequence[Task], known: Known, see: Callable[[Seen], None]
    ) -> Iterator[Catch]:
        """Read the sources and yield what came of each task, in the order of the tasks.

        Parameters
        ----------
        tasks : sequence of (first, one past the last)
        see : callable
            Called with how far each source is.

        Raises
        ------
        StoreError
            If the store cannot take the samples.
        """

    def stop(self) -> None:
        """End what reads, whatever it does."""


class Alone:
    """Reads in this process, a large source in several threads."""

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
        """Nothing goes on behind this process."""


@dataclass(slots=True, eq=False)
class _Worker:
    """One process, the pipe to it, and what it is reading."""

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
        """Read the sources and yield what came of each task, in the order of the tasks."""
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
        """End the processes, whatever they do."""
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
            # Libraries' threads, of which Python warns, are idle: nothing was read or written yet.
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
                except OSError:  # it has died; its silence is heard next
                    continue

    def _listen(self) -> Iterator[tuple[_Worker, Catch | Seen | Exception | None]]:
        """Wait for the next results; None is that of a process that has died."""
        busy = {worker.pipe: worker for worker in self._workers if worker.task is not None}
        for pipe in wait(list(busy)):
            assert isinstance(pipe, Connection)  # noqa: S101 - nothing else was waited for
            try:
                yield busy[pipe], pipe.recv()
            except (EOFError, OSError):
                yield busy[pipe], None

    def _replace(self, lost: _Worker, task: Task, waiting: deque[Task]) -> Catch | None:
        """Start another process; return what came of the lost one's task, if that is known."""
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
    """Return the outcome of a source that ended the process that read it."""
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
    """Read what the pipe asks for; this is all that such a process does."""
    use_key(key)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    known = _receive(pipe, parent)
    if not isinstance(known, Known):
        return
    turn = Lock()  # a thread that reads ahead tells how far it is

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
    """Return the next message, or None when nobody will send one."""
    try:
        while not pipe.poll(_LOOK):
            if os.getppid() != parent:
                return None
        return pipe.recv()
    except (EOFError, OSError):
        return None
