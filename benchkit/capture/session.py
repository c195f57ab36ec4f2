"""Execution of a plan: run after run, each with its output and its sidecar.

However a session ends, every visible file in its folder is complete and labelled.
"""

from __future__ import annotations

import errno
import shlex
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchkit.capture.conditions import Quiet, recording_conditions
from benchkit.capture.ending import interruptible, undisturbed
from benchkit.capture.execution import LONGER, FailedError, Outcome, execute, prepare, quote_end
from benchkit.capture.fingerprint import list_cpus, take_fingerprint
from benchkit.capture.placement import Placement, find_cpus, place, write_cpus
from benchkit.capture.places import INTERRUPTED, Claim, Places, find_tool, holding
from benchkit.capture.plan import Commands, Plan, Stopping, order_rounds
from benchkit.capture.resume import (
    Record,
    count_rounds,
    describe_companion,
    is_of_series,
    refuse_series,
    state_plan,
    write_sidecar,
)
from benchkit.capture.service import Service, serving
from benchkit.capture.usage import recording, write_samples
from benchkit.comparison.dose import write_doses
from benchkit.errors import ConfigError
from benchkit.parsers import registry
from benchkit.redaction import redact, redact_label
from benchkit.selection import choose_baseline

#: Messages about a command that took too long, and about a service that ended during a run.
_LATE, _MEANWHILE = "the command was", "during the run"


@dataclass(frozen=True, slots=True)
class Captured:
    """A completed run: the path of its output, and the contents of its sidecar."""

    path: Path
    record: Record

    @property
    def labels(self) -> tuple[str, str, int, float, int]:
        """Variant, role, run, duration in s, exit code."""
        record = self.record
        return record.variant, record.role, record.run, record.duration, record.exit


@dataclass(frozen=True, slots=True)
class Session:
    """The outcome of a plan.

    Parameters
    ----------
    planned : int
        The number of planned runs, including warm-ups.
    earlier : int
        How many of these an earlier session had completed.
    problem : str
        The first failure; empty if there was none.
    is_interrupted : bool
        Whether the user stopped it.
    """

    runs: tuple[Captured, ...]
    planned: int
    earlier: int = 0
    problem: str = ""
    is_interrupted: bool = False

    @property
    def failed(self) -> int:
        """Number of runs that failed or were interrupted."""
        return sum(run.record.role == "failed" for run in self.runs)


def carry_out(
    plan: Plan,
    out: Path,
    *,
    show: bool = False,
    keep_going: bool = False,
    announce: Callable[[str], object] = lambda _: None,
    is_decided: Callable[[int], bool] = lambda _: False,
) -> Session:
    """Carry out the runs of a plan.

    Parameters
    ----------
    out : Path
        The folder, which is created if necessary; new runs are added to existing ones.
    show : bool
        Whether the commands' output is also shown on standard error.
    keep_going : bool
        Whether to continue after a command has failed.
    announce : callable
        Called with a line for every run.
    is_decided : callable
        Called with the number of complete rounds of an early-stopping series, first for the
        existing runs; returns whether it stops.

    Raises
    ------
    ConfigError
        If a command does not exist, the folder is not writable, or it contains other runs than
        those of the series; nothing was run then.
    """
    _require_commands(plan)
    with ExitStack() as stack:
        try:
            out.mkdir(parents=True, exist_ok=True)
            if plan.stopping:
                stack.enter_context(holding(out))
            work = _Work(plan, Places(out), show, keep_going, announce, is_decided)
        except OSError as error:
            raise ConfigError(f"cannot be used: {error.strerror}", where=str(out)) from error
        try:
            with interruptible():
                work.carry_out()
        except KeyboardInterrupt:
            work.is_interrupted = True
    return Session(tuple(work.runs), work.planned, work.earlier, work.problem, work.is_interrupted)


def _require_commands(plan: Plan) -> None:
    if plan.is_pinned and not any(commands.serve for commands in plan.variants.values()):
        hint = 'add serve = "…" to the plan; to bind a single command, write taskset -c 1 CMD'
        raise ConfigError(
            "pins a service, but the plan does not start one", where="--pin", hint=hint
        )
    for commands in plan.variants.values():
        for key in ("command", "warmup", "before", "after", "serve"):
            words = getattr(commands, key)
            is_late = key == "serve" or commands.folder  # `before` may build it, or it exists there
            is_built = is_late and words and "/" in words[0]
            if words and not is_built and shutil.which(words[0]) is None:
                is_setting = "=" in words[0]
                hint = "write env before it" if is_setting else "install it or give its path"
                raise ConfigError("there is no such command", where=words[0], hint=hint)


@dataclass(slots=True)
class _Turn:
    """One variant's turn in a round."""

    variant: str
    commands: Commands
    block: int | None
    position: int | None
    stopping: Mapping[str, float | str] = field(default_factory=dict)


class _Work:
    """A session in progress."""

    def __init__(
        self,
        plan: Plan,
        places: Places,
        show: bool,
        keep_going: bool,
        announce: Callable[[str], object],
        is_decided: Callable[[int], bool],
    ) -> None:
        self.runs: list[Captured] = []
        self.problem = ""
        self.is_interrupted = False
        self._is_unmeasured = False  # and reported it
        self._plan, self._places = plan, places
        self._show, self._keep_going, self._announce = show, keep_going, announce
        self._is_decided = is_decided
        self._quiet, self._placement = Quiet(plan.quiet), Placement()
        self._placed: Placement | str = ""
        if plan.is_pinned:
            self._placed = place()
            self._placement = self._placed if isinstance(self._placed, Placement) else Placement()
        rounds = plan.stopping.design.most if plan.stopping else plan.rounds
        self.planned = rounds * sum(map(_count_runs, plan.variants.values()))
        self.earlier = 0

    def carry_out(self) -> None:
        """Take one turn after another until one fails or the user stops it."""
        turns = self._turns_until(self._plan.stopping) if self._plan.stopping else self._turns()
        for number, turn in enumerate(turns):
            if number:
                time.sleep(self._plan.pause)
            elif self._placed:
                self._announce(f"{self._placed}")
            try:
                self._take(turn)
            except FailedError as error:
                self.problem = self.problem or str(error)
                if not self._keep_going:
                    return

    def _turns(self) -> Iterator[_Turn]:
        plan, first = self._plan, self._places.last_block + 1
        refuse_series(self._places.sidecars, self._places.root)
        rounds = order_rounds(list(plan.variants), plan.rounds, plan.order, plan.seed)
        names = [redact_label(name) for name in plan.variants]
        is_compared = plan.is_interleaved and len(names) > 1
        stated = {"baseline": choose_baseline(names, first=names[0])} if is_compared else {}
        for block, variants in enumerate(rounds, first):
            for position, variant in enumerate(variants, 1):
                turn = _Turn(redact_label(variant), plan.variants[variant], block, position, stated)
                yield turn if plan.is_interleaved else replace(turn, block=None, position=None)

    def _turns_until(self, stopping: Stopping) -> Iterator[_Turn]:
        """Yield the missing turns of a series, round by round, until it is decided."""
        plan, most = self._plan, stopping.design.most
        made = count_rounds(self._places.sidecars, plan, self._places.root)
        self.earlier = sum(
            made[redact_label(name)] * _count_runs(commands)
            for name, commands in plan.variants.items()
        )
        self._leave_out_others()
        for name, count in made.items():
            for number in range(1, count + 1):
                self._places.set_aside(name, number)
        if self._is_decided(complete := min(made.values())):
            return
        rounds = order_rounds(list(plan.variants), most, plan.order, plan.seed)
        for block, variants in enumerate(rounds, 1):
            for position, variant in enumerate(variants, 1):
                name, commands = redact_label(variant), plan.variants[variant]
                if made[name] < block:
                    yield _Turn(name, commands, block, position, stopping.state(block))
                    self._places.set_aside(name, block)
            if block > complete and self._is_decided(block):
                return

    def _leave_out_others(self) -> None:
        """Set aside failed runs of other commits or commands, such as those before a correction."""
        variants = self._plan.variants
        if count := self._places.set_aside_failed(lambda run: not is_of_series(run, variants)):
            runs = "1 failed run" if count == 1 else f"{count} failed runs"
            self._announce(f"{self._places.root}: set aside {runs} of other commits or commands")

    def _take(self, turn: _Turn) -> None:
        commands = turn.commands
        if waited := self._quiet.wait():
            self._announce(waited)
        try:
            self._prepare("before", commands.before, turn.variant)
            with serving(commands, self._placement.service) as service:
                if commands.warmup:
                    self._run(turn, commands.warmup, service, is_warmup=True)
                self._run(turn, commands.command, service)
            if service and (killed := service.explain_kill()):
                self._announce(killed)
        except BaseException:
            with suppress(FailedError):  # the first failure is the one to report
                self._prepare("after", commands.after, turn.variant)
            raise
        self._prepare("after", commands.after, turn.variant)

    def _prepare(self, when: str, words: tuple[str, ...], variant: str) -> None:
        """Run a command before or after a run; its output goes to standard error."""
        if words and (problem := prepare(words, self._plan.timeout)):
            lost = f", so {variant or 'the run'} was not measured" if when == "before" else ""
            raise FailedError(f"{when} = {shlex.join(redact(words))}: {problem}{lost}")

    def _run(
        self,
        turn: _Turn,
        words: tuple[str, ...],
        service: Service | None,
        *,
        is_warmup: bool = False,
    ) -> None:
        benchmark = self._plan.benchmark
        try:
            with self._places.claim(words, turn.variant, benchmark, is_warmup=is_warmup) as claim:
                self._measure(turn, words, claim, service, is_warmup=is_warmup)
        except OSError as error:
            problem = f"{self._places.root}: cannot write the run: {error.strerror}"
            is_long = error.errno == errno.ENAMETOOLONG
            hint = "shorten the name of the variant or benchmark" if is_long else "free some space"
            raise FailedError(f"{problem}; {hint}, then run the command again") from error

    def _measure(
        self,
        turn: _Turn,
        words: tuple[str, ...],
        claim: Claim,
        service: Service | None,
        *,
        is_warmup: bool,
    ) -> None:
        folder = turn.commands.folder
        measured = self._list_measured(service) if service and not is_warmup else set()
        env = take_fingerprint(folder=folder) | self._name_cpus(measured)
        with recording(measured) as usage, recording_conditions(measured) as conditions:
            outcome = execute(
                list(words),
                claim.out,
                claim.err,
                show=self._show,
                folder=folder,
                cpus=self._placement.generator,
                seconds=self._plan.timeout,
                **({"watch": service.find_failure} if service else {}),
            )
        remark = _remark(outcome, find_tool(words), service)
        record = Record(
            argv=redact(words, marked=True),
            start=outcome.start,
            end=outcome.end,
            exit=INTERRUPTED if outcome.is_interrupted else outcome.exit,
            variant=turn.variant,
            benchmark=self._plan.benchmark,
            role="failed" if remark else "warmup" if is_warmup else "measured",
            run=claim.run,
            block=None if is_warmup else turn.block,
            position=None if is_warmup else turn.position,
            stopping={} if is_warmup and not outcome.is_interrupted else turn.stopping,
            conditions={} if is_warmup else conditions,
            plan={} if is_warmup else state_plan(turn.commands, is_pinned=self._plan.is_pinned),
            remark=remark,
            env=env | write_doses(turn.commands.numbers),
        )
        with undisturbed():
            about_usage = describe_companion(record, redact(turn.commands.serve, marked=True))
            samples = "" if remark else write_samples(usage, outcome.start, outcome.end)
            path = claim.settle(write_sidecar(record), samples, write_sidecar(about_usage))
        self.runs.append(Captured(path, record))
        self._announce(_line(path, record, self.earlier + len(self.runs), self.planned))
        if outcome.left:
            are = "process that was" if outcome.left == 1 else "processes that were"
            self._announce(f"{path}: stopped {outcome.left} {are} left of the command")
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        if remark:
            errors = claim.stem.with_name(f"{claim.stem.name}.stderr")
            place = "" if remark.startswith(_MEANWHILE) else "; its standard error is empty"
            if errors.exists():
                with errors.open("rb") as file:
                    place = f"; see {errors.name} next to it, which ends: {quote_end(file)}"
            hint = f"; {LONGER}" if remark.startswith(_LATE) else ""
            raise FailedError(f"{path}: {'warm-up: ' * is_warmup}{remark}{place}{hint}")

    def _list_measured(self, service: Service) -> set[int]:
        """Return the measured processes of a service; report once why there are none."""
        measured = service.list_measured()
        if not measured and not self._is_unmeasured:
            self._is_unmeasured = True
            if why := service.explain_unmeasured():
                self._announce(why)
        return measured

    def _name_cpus(self, service: Collection[int]) -> dict[str, str]:
        """Return the CPUs of service and generator, if they are pinned."""
        cpus = {"service.cpus": find_cpus(service), "generator.cpus": self._placement.generator}
        everywhere = frozenset(list_cpus())
        return {
            name: write_cpus(named) for name, named in cpus.items() if named and named < everywhere
        }


def _count_runs(commands: Commands) -> int:
    """Count the runs of a variant's turn, including warm-ups."""
    return 2 if commands.warmup else 1


def _remark(outcome: Outcome, tool: str, service: Service | None) -> str:
    """Say why a run is invalid, or nothing."""
    if outcome.is_interrupted:
        return "interrupted by the user"
    if service and (end := service.find_problem()):
        return f"{_MEANWHILE}, {end}"
    if outcome.reason:
        return f"{_LATE} {outcome.reason}, and was stopped"
    is_whole = outcome.exit == 0 or outcome.exit in registry.tool(tool).whole_exits
    return "" if is_whole else f"the command exited with code {outcome.exit}"


def _line(path: Path, record: Record, number: int, planned: int) -> str:
    about = " ".join(filter(None, (record.variant, record.role, f"{record.run}")))
    return f"{number}/{planned} {about}: {record.duration:.1f} s, exit {record.exit} → {path}"
