"""What is written beside the output of one run, as `labels.run_toml` reads it.

What is written here and what is read there are the same keys; a test reads back what this writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from benchkit.config.files import write_key, write_string


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How one run was made.

    Parameters
    ----------
    argv : sequence of str
        The command, without its secrets.
    start, end : datetime
        With their zone.
    exit : int
        The exit code as a shell tells it: 128 + n where signal n ended the command.
    variant, benchmark : str
        Empty where they were not named.
    role : {'measured', 'warmup', 'failed'}
    block, position : int or None
        The round, and the place in it.
    remark : str
        Why the run counts as failed.
    stopping : mapping of str to int, float or str
        Of an early-stopping series: the round, and the rule that stops it; else empty.
    conditions : mapping of str to float
        How the machine was while the command ran.
    plan : mapping of str to str
        What else the plan says: the commands around this one, and how the folder was built.
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
    """Return the record of what a service used during a run: only its labels and times."""
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
