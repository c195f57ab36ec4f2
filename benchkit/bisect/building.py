"""Build commits in their work trees, and make two of them the sides of a series."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile

from benchkit.bisect.repository import Commit, Repository
from benchkit.capture.execution import LONGER, execute
from benchkit.capture.plan import Commands, Plan
from benchkit.errors import DataError
from benchkit.redaction import show_opening


def call(script: str) -> tuple[str, ...]:
    """Return the words that run a script of the shell."""
    return "sh", "-c", script


def build(tree: Path, script: str, seconds: float = 0.0) -> str:
    """Build in a work tree, in so many seconds; return why that is not possible, or nothing."""
    if not tree.is_dir():
        return f"the commit has no folder {tree.name}"
    if not script:
        return ""
    with TemporaryFile() as log:
        outcome = execute([*call(script)], log, log, folder=tree, seconds=seconds)
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        log.seek(0)
        last = log.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    opening = f": {show_opening(last)}" if last else ""
    if outcome.reason:
        return f"--build was {outcome.reason}, and was stopped{opening}; {LONGER}"
    return f"--build exited with code {outcome.exit}{opening}" if outcome.exit else ""


def plan_sides(
    repository: Repository,
    sides: Mapping[str, Commit],
    command: tuple[str, ...],
    script: str,
    tell: Callable[[str], object],
    seconds: float = 0.0,
) -> Plan:
    """Check out and build commits, and return the plan that measures them in turn.

    Each command may take so many seconds, or any time at 0.

    Raises
    ------
    DataError
        If one of them cannot be built.
    """
    variants = {}
    for name, commit in sides.items():
        tell(f"{name}: {commit.short} ({commit.subject})")
        tree = repository.check_out(commit)
        if problem := build(tree, script, seconds):
            hint = "try it in a checkout of that commit"
            raise DataError(problem, where=f"{name} ({commit.short})", hint=hint)
        variants[name] = Commands(command=command, folder=tree, build=script, commit=commit.sha)
    return Plan(variants=variants, timeout=seconds)
