"""How far an early-stopping series has come: what its sidecars say.

A session that was interrupted, by the user or by a reboot, goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchkit.capture.plan import Plan
from benchkit.comparison.series import read_stopping
from benchkit.errors import ConfigError
from benchkit.labels.run_toml import Sidecar
from benchkit.labels.values import read_command
from benchkit.redaction import redact, redact_label
from benchkit.redaction.marks import HIDDEN, KEYED
from benchkit.regexes import regex

_MARK = regex(KEYED)
_HINT = "choose an empty folder with --out, or use the same options as the series in this folder"


def count_rounds(sidecars: Sequence[Sidecar], plan: Plan, folder: Path) -> dict[str, int]:
    """Count the rounds that each variant of a series has made.

    Raises
    ------
    ConfigError
        If the folder holds other runs, also of other commits or commands, or lacks a run of an
        earlier round.
    """
    design = plan.stopping.design if plan.stopping else None
    made: dict[str, set[int]] = {redact_label(name): set() for name in plan.variants}
    commits = {redact_label(name): c.commit for name, c in plan.variants.items() if c.commit}
    lines = _list_commands(plan)
    for sidecar in sidecars:
        line = lines.get((sidecar.variant or "", sidecar.role or ""))
        if line and sidecar.command and _MARK.sub(HIDDEN, sidecar.command) != line:
            of = f" for {sidecar.variant}" if sidecar.variant else ""
            what = f"holds runs of another command{of}: {sidecar.command}"
            raise ConfigError(what, where=str(folder), hint=_HINT)
        if sidecar.role != "measured":
            continue
        known, number = read_stopping(sidecar.stopping)
        about = sidecar.variant or "", sidecar.benchmark or ""
        if known != design or about[0] not in made or about[1] != plan.benchmark:
            what = (
                f"contains runs of {about[0] or 'another command'} that are not part of this series"
            )
            raise ConfigError(what, where=str(folder), hint=_HINT)
        commit = commits.get(about[0])
        if commit and sidecar.env.get("commit") != commit:
            what = f"holds runs of another commit for {about[0]}"
            raise ConfigError(what, where=str(folder), hint=_HINT)
        made[about[0]].add(number)
    last = max(map(len, made.values()))
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


def _list_commands(plan: Plan) -> dict[tuple[str, str], str]:
    """Return the command lines of a plan as its sidecars hold them, by variant and role.

    Marks of secrets are left out: each session has its own.
    """
    return {
        (redact_label(name), role): _MARK.sub(HIDDEN, read_command(redact(words, marked=True)))
        for name, commands in plan.variants.items()
        for role, words in (("measured", commands.command), ("companion", commands.serve))
        if words
    }
