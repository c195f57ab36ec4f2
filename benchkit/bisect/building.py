"""Build commits in their work trees, and make two of them the sides of a series."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryFile

from benchkit.bisect.repository import Commit, Repository
from benchkit.capture.execution import execute
from benchkit.capture.plan import Commands, Plan
from benchkit.errors import DataError
from benchkit.redaction import show_opening


def call(script: str) -> tuple[str, ...]:
    """Return the words that run a script of the shell."""
    return "sh", "-c", script


def build(tree: Path, script: str) -> str:
    """Build in a work tree; return why that is not possible, or nothing."""
    if not tree.is_dir():
        return f"the commit has no folder {tree.name}"
    if not script:
        return ""
    with TemporaryFile() as log:
        outcome = execute([*call(script)], log, log, folder=tree)
        if outcome.is_interrupted:
            raise KeyboardInterrupt
        log.seek(0)
        last = log.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    if not outcome.exit:
        return ""
    opening = f": {show_opening(last)}" if last else ""
    return f"--build exited with code {outcome.exit}{opening}"


def plan_sides(
    repository: Repository,
    sides: Mapping[str, Commit],
    command: tuple[str, ...],
    script: str,
    tell: Callable[[str], object],
) -> Plan:
    """Check out and build commits, and return the plan that measures them in turn.

    Raises
    ------
    DataError
        If one of them cannot be built.
    """
    variants = {}
    for name, commit in sides.items():
        tell(f"{name}: {commit.short} ({commit.subject})")
        tree = repository.check_out(commit)
        if problem := build(tree, script):
            hint = "try it in a checkout of that commit"
            raise DataError(problem, where=f"{name} ({commit.short})", hint=hint)
        variants[name] = Commands(command=command, folder=tree, commit=commit.sha)
    return Plan(variants=variants)
