"""The progress of an early-stopping series, according to its sidecars.

A session that was interrupted, by the user or by a reboot, continues where it stopped.

The record next to the output of one run, as `labels.run_toml` reads it.

It is read with the keys with which it is written here; a test reads it back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchkit.capture.plan import BASIS, Commands, Plan, Stopping
from benchkit.comparison.series import read_stopping
from benchkit.config.files import write_key, write_string
from benchkit.errors import ConfigError
from benchkit.labels.declared import read_command
from benchkit.labels.run_toml import Sidecar
from benchkit.redaction import redact, redact_label, redact_text
from benchkit.redaction.marks import HIDDEN, KEYED
from benchkit.regexes import regex
from benchkit.stats.spending import SequentialDesign

_MARK = regex(KEYED)
_HINT = "choose an empty folder with --out, or use the same options as the series in this folder"
#: Parts of a plan other than the measured command; a sidecar records those that exist.
_PARTS = ("warmup", "before", "after", "serve")


def state_plan(commands: Commands, *, is_pinned: bool = False) -> dict[str, str]:
    """Return a sidecar's record of its plan, apart from the command."""
    parts = {key: _write_line(getattr(commands, key)) for key in _PARTS}
    parts["ready"] = redact_text(commands.ready)
    parts["build"] = _write_line(("sh", "-c", commands.build)) if commands.build else ""
    parts["pin"] = "true" if is_pinned else ""
    parts |= {name: f"{number}" for name, number in commands.numbers.items()}
    return {key: text for key, text in parts.items() if text}


def _write_line(words: Sequence[str]) -> str:
    return read_command(redact(words, marked=True)) if words else ""


def require_plan(
    sidecars: Sequence[Sidecar],
    variants: Mapping[str, Commands],
    folder: Path,
    *,
    is_pinned: bool = False,
) -> None:
    """Refuse a folder whose runs were made by other commands than the plan's.

    Raises
    ------
    ConfigError
        If it contains such runs.
    """
    plans = {redact_label(name): commands for name, commands in variants.items()}
    for sidecar in sidecars:
        commands = plans.get(sidecar.variant or "")
        if commands is None or sidecar.role != "measured" or not sidecar.command:
            continue
        of = f" for {sidecar.variant}" if sidecar.variant else ""
        if _hide(sidecar.command) != _hide(_write_line(commands.command)):
            what = f"holds runs of another command{of}: {sidecar.command}"
            raise ConfigError(what, where=str(folder), hint=_HINT)
        stated = state_plan(commands, is_pinned=is_pinned)
        for key in sorted({*stated, *sidecar.plan}):
            before = sidecar.plan.get(key, "")
            if _hide(before) != _hide(stated.get(key, "")):
                kind = f"with another '{key}'{of}: {before}" if before else f"without '{key}'{of}"
                raise ConfigError(f"holds runs {kind}", where=str(folder), hint=_HINT)


def is_of_series(sidecar: Sidecar, variants: Mapping[str, Commands]) -> bool:
    """Return whether a run, even a failed one, has one of these variants, commits and commands."""
    plans = {redact_label(name): commands for name, commands in variants.items()}
    commands = plans.get(sidecar.variant or "")
    if commands is None or (commands.commit and sidecar.env.get("commit") != commands.commit):
        return False
    lines = (_hide(_write_line(words)) for words in (commands.command, commands.warmup))
    return not sidecar.command or _hide(sidecar.command) in lines


def _hide(text: str) -> str:
    """Remove the digits of masks: each session has a different key."""
    return _MARK.sub(HIDDEN, text)


def refuse_series(sidecars: Sequence[Sidecar], folder: Path) -> None:
    """Refuse a folder with an early-stopping series, which other runs would invalidate.

    Raises
    ------
    ConfigError
        If it contains one.
    """
    if any(each.role == "measured" and read_stopping(each.stopping)[0] for each in sidecars):
        raise ConfigError(
            "contains an early-stopping series, to which other runs cannot be added",
            where=str(folder),
            hint="use --until decided to continue it, or choose an empty folder with --out",
        )


def _require_rule(sidecar: Sidecar, stopping: Stopping, folder: Path) -> None:
    """Refuse to continue a series that was judged with a different margin, baseline or metric."""
    for key in BASIS:
        before = sidecar.stopping.get(key, "" if key == "metric" else None)
        if before is not None and f"{before}" != f"{getattr(stopping, key)}":
            kind = f"with another --{key}: {before}" if before else f"without --{key}"
            raise ConfigError(f"holds a series {kind}", where=str(folder), hint=_HINT)


def _refuse_design(before: SequentialDesign, design: SequentialDesign, folder: Path) -> ConfigError:
    """Return the error for a series with a different number of rounds."""
    option = "min" if before.least != design.least else "max"
    number = before.least if option == "min" else before.most
    what = f"holds a series with another --{option}-rounds: {number}"
    return ConfigError(what, where=str(folder), hint=_HINT)


def count_rounds(sidecars: Sequence[Sidecar], plan: Plan, folder: Path) -> dict[str, int]:
    """Count the complete rounds of each variant of a series.

    Raises
    ------
    ConfigError
        If the folder contains other runs, including those of other commits or commands, or lacks a
        run of an earlier round.
    """
    design = plan.stopping.design if plan.stopping else None
    made: dict[str, set[int]] = {redact_label(name): set() for name in plan.variants}
    commits = {redact_label(name): c.commit for name, c in plan.variants.items() if c.commit}
    require_plan(sidecars, plan.variants, folder, is_pinned=plan.is_pinned)
    for sidecar in sidecars:
        if sidecar.role != "measured":
            continue
        known, number = read_stopping(sidecar.stopping)
        about = sidecar.variant or "", sidecar.benchmark or ""
        if known and design and known != design:
            raise _refuse_design(known, design, folder)
        if known != design or about[0] not in made or about[1] != plan.benchmark:
            what = (
                f"contains runs of {about[0] or 'another command'} that are not part of this series"
            )
            raise ConfigError(what, where=str(folder), hint=_HINT)
        if plan.stopping:
            _require_rule(sidecar, plan.stopping, folder)
        commit = commits.get(about[0])
        if commit and sidecar.env.get("commit") != commit:
            what = f"holds runs of another commit for {about[0]}"
            raise ConfigError(what, where=str(folder), hint=_HINT)
        made[about[0]].add(number)
    last = max(map(len, made.values()))
    added = [name for name, rounds in made.items() if last > 1 and not rounds]
    if added:
        what = f"holds a series without '{added[0]}', to which a variant cannot be added"
        hint = "measure all variants in an empty folder: use --out"
        raise ConfigError(what, where=str(folder), hint=hint)
    for variant, rounds in made.items():
        lost = set(range(1, max(len(rounds), last - 1) + 1)) - rounds
        if lost:
            what = (
                f"the run of '{variant}' in round {min(lost)} is missing, so the series cannot "
                "continue"
            )
            raise ConfigError(
                what,
                where=str(folder),
                hint="restore the missing file, or start a new series in an empty folder",
            )
    return {variant: len(rounds) for variant, rounds in made.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The circumstances of one run.

    Parameters
    ----------
    argv : sequence of str
        The command, without its secrets.
    start, end : datetime
        With their time zone.
    exit : int
        The exit code as in a shell: 128 + n if signal n ended the command.
    variant, benchmark : str
        Empty if they were not named.
    role : {'measured', 'warmup', 'failed'}
    block, position : int or None
        The round, and the position in it.
    remark : str
        Why the run counts as failed.
    stopping : mapping of str to int, float or str
        For an early-stopping series: the round, and the rule that stops it; else empty.
    conditions : mapping of str to float
        The state of the machine while the command ran.
    plan : mapping of str to str
        The rest of the plan: the commands around this one, and how the folder was built.
    env : mapping of str to str
        The fingerprint of the machine.
    """

    argv: Sequence[str]
    start: datetime
    end: datetime
    exit: int
    variant: str = ""
    benchmark: str = ""
    role: str = "measured"
    run: int = 1
    block: int | None = None
    position: int | None = None
    remark: str = ""
    stopping: Mapping[str, float | str] = field(default_factory=dict)
    conditions: Mapping[str, float] = field(default_factory=dict)
    plan: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return (self.end - self.start).total_seconds()


def describe_companion(record: Record, argv: Sequence[str]) -> Record:
    """Return the record of a service's resource use during a run: only its labels and times."""
    kept = ("start", "end", "exit", "variant", "benchmark", "run", "remark")
    return Record(argv=argv, role="companion", **{name: getattr(record, name) for name in kept})


def write_sidecar(record: Record) -> str:
    """Write a record as TOML.

    Examples
    --------
    >>> at = datetime(2026, 11, 20, 10, 0, 12, tzinfo=UTC)
    >>> print(write_sidecar(Record(argv=["wrk", "http://h/"], start=at, end=at, exit=0)), end="")
    role = "measured"
    run = 1
    start = 2026-11-20T10:00:12Z
    end = 2026-11-20T10:00:12Z
    exit = 0
    argv = ["wrk", "http://h/"]
    """
    top = {
        "variant": record.variant or None,
        "benchmark": record.benchmark or None,
        "role": record.role,
        "run": record.run,
        "block": record.block,
        "position": record.position,
        "start": record.start,
        "end": record.end,
        "exit": record.exit,
        "argv": record.argv,
    }
    lines = [f"# {record.remark}"] if record.remark else []
    lines += [f"{key} = {_write(value)}" for key, value in top.items() if value is not None]
    for name in ("stopping", "plan", "conditions", "env"):
        if table := getattr(record, name):
            lines += ["", f"[{name}]"]
            lines += [f"{write_key(key)} = {_write(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _write(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(write_string(word) for word in value)}]"
    return f"{value}"
