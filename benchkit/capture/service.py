"""The measured service: started, awaited, and stopped with all its processes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from socket import create_connection
from tempfile import TemporaryFile
from typing import BinaryIO
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

from benchkit.capture.ending import end_processes, guarding, undisturbed
from benchkit.capture.execution import FailedError, quote_end
from benchkit.capture.placement import running_on
from benchkit.capture.plan import Commands, split_address
from benchkit.capture.usage import (
    adopting_orphans,
    is_served_by,
    list_family,
    read_process,
    read_table,
)
from benchkit.credentials import make_request
from benchkit.deadlines import within
from benchkit.redaction import redact, redact_text

#: Time limits in seconds: for the next bytes of an answer, and for a service to end.
_ANSWER, _END = 2.0, 10.0
_STEP = 0.02
#: Characters of a URL that are not escaped.
_KEPT = "%/:?#[]@!$&'()*+,;="


@contextmanager
def serving(commands: Commands, cpus: Collection[int] = ()) -> Iterator[Service | None]:
    """Run the service of a variant and yield it once it is ready; None if it has none.

    It runs on some CPUs, or on all if none is named.

    Raises
    ------
    FailedError
        If it ends or does not answer, or if something else answers for it.
    """
    if not commands.serve:
        if commands.ready:
            _wait(commands)
        yield None
        return
    if _listens(commands.ready):
        raise FailedError(
            f"{_name(commands.ready)}: another program already answers there; stop it, or choose "
            "another port"
        )
    with TemporaryFile() as log, adopting_orphans(), guarding() as guard:
        service = Service(commands, log)
        try:
            service.start(cpus)
            guard(service.list_groups())
            _wait(commands, service)
            guard(service.list_groups())
            yield service
        finally:
            with undisturbed():
                service.stop()


class Service:
    """A service: the processes that descend from its command, even if they left its group.

    Parameters
    ----------
    log : file
        Its output goes here.
    """

    def __init__(self, commands: Commands, log: BinaryIO) -> None:
        self._commands, self._log = commands, log
        self._others = _list_descendants()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False

    def start(self, cpus: Collection[int]) -> None:
        """Start it."""
        with undisturbed(), running_on(cpus):
            try:
                self._process = subprocess.Popen(  # noqa: S603 - the user's command
                    self._commands.serve,
                    cwd=self._commands.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=subprocess.STDOUT,
                    process_group=0,
                )
            except OSError as error:
                raise FailedError(f"{self}: cannot be started: {error.strerror}") from error

    def __str__(self) -> str:
        return f"serve = {shlex.join(redact(self._commands.serve))}"

    def list_measured(self) -> set[int]:
        """Return its processes, if one of them listens itself; the client of a daemon does not."""
        processes = self._list()
        _, port = split_address(self._commands.ready)
        return processes if is_served_by(processes, port) else set()

    def explain_unmeasured(self) -> str:
        """Say why nothing of it is measured, if the kernel lists processes."""
        if not read_table():
            return ""
        _, port = split_address(self._commands.ready)
        why = f"no process of the service itself listens on port {port}"
        hint = "record it with cAdvisor or docker stats (`benchkit help load-tests`)"
        return f"CPU and memory of the service are not recorded: {why}; {hint}"

    def list_groups(self) -> set[int]:
        """Return the groups of its processes."""
        pids = [*map(abs, self._list())]
        groups = {known.group if (known := read_process(pid)) else pid for pid in pids}
        return groups - {os.getpgrp()}

    def find_problem(self) -> str:
        """Say how it ended; nothing while it runs, also in the background."""
        code = self._process.poll() if self._process else None
        if code == 0 and not self._list():
            return f"the service exited with code 0{self.show_end()}"
        return self.find_failure()

    def find_failure(self) -> str:
        """Say how its command failed; nothing while it runs or after it went to the background."""
        code = self._process.poll() if self._process else None
        if not code:
            return ""
        end = f"killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return f"the service {end}{self.show_end()}"

    def show_end(self) -> str:
        """Quote the last lines that it printed."""
        quoted = quote_end(self._log)
        return f"; its last lines: {quoted}" if quoted else "; it printed nothing"

    def stop(self) -> None:
        """Terminate all its processes, kill those that remain, and wait for their end."""
        signals = ((signal.SIGTERM, _END), (signal.SIGKILL, _END))
        killed_at = time.monotonic() + _END
        if alive := end_processes(self._list, signals):
            raise FailedError(f"{self}: process {min(alive)} cannot be stopped; stop it yourself")
        self._is_killed = time.monotonic() >= killed_at

    def explain_kill(self) -> str:
        """Say that it had to be killed; nothing if it ended on request."""
        return f"{self}: still running {_END:g} s after SIGTERM; killed" * self._is_killed

    def _list(self) -> set[int]:
        """Return its processes; one that forks and exits meanwhile may hide them once."""
        return self._scan() or self._scan()

    def _scan(self) -> set[int]:
        """Return the visible processes; its group, negated, if the kernel lists none."""
        if self._process is None:
            return set()
        self._process.poll()
        table = read_table()
        if not table:
            return {-self._process.pid} if self._process.returncode is None else set()
        others = list_family(table, self._others - {os.getpid()})
        mine = list_family(table, [os.getpid()]) - {os.getpid()} - others
        for pid in (pid for pid in mine if table[pid].is_ended):
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        return {pid for pid in mine if not table[pid].is_ended}


def _list_descendants() -> set[int]:
    return list_family(read_table(), [os.getpid()])


def _wait(commands: Commands, service: Service | None = None) -> None:
    """Wait until a service answers."""
    ready, ends = commands.ready, time.monotonic() + commands.ready_timeout
    while problem := _probe(ready, max(ends - time.monotonic(), _ANSWER)):
        if service and (end := service.find_problem()):
            raise FailedError(f"{service}: {end}")
        if time.monotonic() > ends:
            last = service.show_end() if service else ""
            late = f"{_name(ready)}: not ready after {commands.ready_timeout:g} s: {problem}{last}"
            raise FailedError(
                f"{late}; check the address, or set ready_timeout in the plan to wait longer"
            )
        time.sleep(_STEP)
    if service and (end := service.find_problem()):
        raise FailedError(f"{service}: {end}")


def _probe(ready: str, seconds: float) -> str:
    """Say why a service is not ready, or nothing."""
    if "://" not in ready:
        return "" if _listens(ready) else "nothing listens there"

    def send() -> None:
        request = make_request(quote(ready, safe=_KEPT))
        build_opener(ProxyHandler({})).open(request, timeout=_ANSWER).close()

    try:
        within(seconds, send, "ready")
    except HTTPError as error:
        with error:  # it keeps the connection
            return f"it answers with status {error.code}"
    except (OSError, ValueError, HTTPException) as error:  # a redirect may lead nowhere
        return f"no answer: {_explain(error)}"
    return ""


def _explain(error: Exception) -> str:
    """Return why a request failed. Kept in there, it would form a cycle with its traceback."""
    reason = getattr(error, "reason", error)
    return f"{getattr(reason, 'strerror', None) or reason}"


def _name(ready: str) -> str:
    return f"ready = {redact_text(ready)}"


def _listens(ready: str) -> bool:
    try:
        create_connection(split_address(ready), _ANSWER).close()
    except OSError:
        return False
    return True
