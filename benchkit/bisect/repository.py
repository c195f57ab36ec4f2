"""The commits of a git history, each in its own work tree.

No hook and no program named in the repository's settings is run: benchkit only checks out commits.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cached_property
from pathlib import Path
from shlex import quote
from shutil import rmtree
from tempfile import mkdtemp

from benchkit.capture.ending import interruptible, undisturbed
from benchkit.errors import ConfigError, DataError
from benchkit.processes import run_command
from benchkit.redaction import redact_text

_SECONDS = 600.0
_SAFE = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"),
    *("-c", "log.showSignature=false", "-c", "submodule.recurse=false"),
)
#: A partial clone would fetch missing objects, using a command from its settings.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
#: Settings that run a content filter or a hook, and the variable whose value disables it.
_DISABLED = {
    "filter": {
        **dict.fromkeys(("clean", "smudge", "process"), "BENCHKIT_NO_PROGRAM"),
        "required": "BENCHKIT_NOT_ENABLED",
    },
    "hook": {"enabled": "BENCHKIT_NOT_ENABLED"},
}
_ENVIRONMENT = {**_OFFLINE, "BENCHKIT_NO_PROGRAM": "", "BENCHKIT_NOT_ENABLED": "false"}
_WHOLE = "if the clone lacks objects, fetch all of it: git fetch --refetch"
#: The exit code of git for a name that is not a commit; without a repository, it has others.
_UNKNOWN = 1
#: Prefix of the folders of work trees; a file in each is locked while it is used.
_TREES, _LOCK = "benchkit-trees-", ".lock"
#: The prefix of a work tree's path in git's list.
_WORKTREE = "worktree "
#: Length of a commit's hash in output.
SHORT = 10


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its hash, and the first line of its message, without secrets."""

    sha: str
    subject: str

    @property
    def short(self) -> str:
        """The hash as shown to people."""
        return self.sha[:SHORT]


@contextmanager
def opening(root: Path) -> Iterator[Repository]:
    """Open the repository of a folder; its work trees are removed however their use ends.

    Those of a killed session are removed, too.
    """
    with interruptible():
        trees = Path(mkdtemp(prefix=_TREES))
        repository = Repository(root, trees)
        with (trees / _LOCK).open("w") as lock:
            flock(lock, LOCK_EX)
            try:
                repository.remove_abandoned()
                yield repository
            finally:
                with undisturbed():
                    repository.close()
                    rmtree(trees, ignore_errors=True)


def _is_used(trees: Path) -> bool:
    """Return whether the session that created a folder of work trees is still running."""
    try:
        with (trees / _LOCK).open("r+") as lock:
            flock(lock, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return trees.exists()
    return False


class Repository:
    """A git repository and its work trees.

    Parameters
    ----------
    root : Path
        A folder of the repository: in work trees, the same folder is used.
    trees : Path
        The parent folder of work trees; `close` removes them.
    """

    def __init__(self, root: Path, trees: Path) -> None:
        self._root, self._trees = root, trees
        self._made: dict[str, Path] = {}

    @cached_property
    def _programs(self) -> tuple[str, ...]:
        """The options that prevent the filters and hooks named in the repository's settings.

        Those of the user, such as the filter of git-lfs, do run.
        """
        words = ("config", "--show-scope", "--name-only", "-z", "--get-regexp", r"^(filter|hook)\.")
        code, output = self._run(*words)
        if code not in {0, _UNKNOWN}:
            what = f"git config exited with code {code}, so its filters and hooks are unknown"
            raise DataError(what, where=str(self._root), hint="benchkit needs git 2.31 or later")
        fields = output.split("\0")
        scopes, keys = fields[::2], fields[1::2]
        names = {
            key.rpartition(".")[0]
            for scope, key in zip(scopes, keys, strict=False)
            if scope in {"local", "worktree"}
        }
        return tuple(  # a name may contain `=`, which would end it for `-c`
            f"--config-env={name}.{key}={value}"
            for name in sorted(names)
            for key, value in _DISABLED[name.partition(".")[0]].items()
        )

    def close(self) -> None:
        """Remove the work trees."""
        self._remove(self._made.values())

    def remove_abandoned(self) -> None:
        """Remove the work trees of sessions that have ended."""
        lines = self._run("worktree", "list", "--porcelain")[1].splitlines()
        trees = [Path(line[len(_WORKTREE) :]) for line in lines if line.startswith(_WORKTREE)]
        folders = {tree.parent for tree in trees if tree.parent.name.startswith(_TREES)}
        abandoned = {folder for folder in folders if not _is_used(folder)}
        self._remove([tree for tree in trees if tree.parent in abandoned])
        for folder in abandoned:
            rmtree(folder, ignore_errors=True)

    def _remove(self, trees: Iterable[Path]) -> None:
        for tree in trees:
            with suppress(OSError, subprocess.TimeoutExpired):
                self._run("worktree", "remove", "--force", str(tree))

    def list_commits(self, span: str) -> list[Commit]:
        """Return the commits of ``GOOD..BAD``, both ends included, the oldest first.

        For a merge, only its first parent counts: the merge is one commit.

        Raises
        ------
        ConfigError
            If an end is not a commit, or the good one does not precede the bad one.
        """
        good, dots, bad = span.partition("..")
        if not (good and dots and bad) or bad.startswith("."):
            hint = "write GOOD..BAD, for example v1.2.0..HEAD"
            raise ConfigError(f"expected a range of commits, got {span!r}", hint=hint)
        start, last = self.find_commit(good), self.find_commit(bad).sha
        output = self._git(
            "log", "--first-parent", "--reverse", "--format=%H%x00%s", f"{start.sha}..{last}"
        )
        lines = [line.split("\0", 1) for line in output.split("\n") if line]
        commits = [Commit(sha, _show(subject)) for sha, subject in lines]
        line = self._git("rev-list", "--first-parent", last).split()
        if not commits or start.sha not in line:
            both = f": both are {start.short}" if start.sha == last else ""
            hint = f"choose one from: git log --first-parent {quote(bad)}"
            raise ConfigError(f"{good} is not a first-parent ancestor of {bad}{both}", hint=hint)
        return [start, *commits]

    def find_commit(self, name: str) -> Commit:
        """Return the commit that a name refers to.

        Raises
        ------
        ConfigError
            If it is not a commit, or there is no repository.
        """
        code, output = self._run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
        )
        if code == _UNKNOWN:
            hint = "see git log; a shallow clone lacks older commits: git fetch --unshallow"
            raise ConfigError(f"unknown commit {name!r} in {self._root}", hint=hint)
        if code:
            reason = output.strip().partition("\n")[0].removeprefix("fatal: ")
            hint = "name the folder of the repository with --repo"
            raise ConfigError(reason, where=str(self._root), hint=hint)
        sha = output.strip()
        return Commit(sha, _show(self._git("log", "-1", "--format=%s", sha).strip()))

    def check_out(self, commit: Commit) -> Path:
        """Return the folder's path in the work tree of a commit, which is created on first use."""
        tree = self._made.get(commit.sha)
        if tree is None:
            tree = self._trees / commit.short
            self._made[commit.sha] = tree
            add = ("worktree", "add", "--detach", "--force", str(tree), commit.sha)
            self._git(*add, options=self._programs)
        return tree / self._place

    @cached_property
    def _place(self) -> str:
        """The path of the folder relative to the top of the repository."""
        return self._git("rev-parse", "--show-prefix").removesuffix("\n")

    def _git(self, *words: str, options: Sequence[str] = ()) -> str:
        code, output = self._run(*options, *words)
        if code:
            what = f"git {words[0]} exited with code {code}"
            raise DataError(what, where=str(self._root), hint=_WHOLE)
        return output

    def _run(self, *words: str) -> tuple[int, str]:
        try:
            code, output, errors = run_command(
                ["git", "-C", str(self._root), *_SAFE, *words], _SECONDS, environment=_ENVIRONMENT
            )
        except OSError as error:
            hint = "install git"
            raise ConfigError(
                f"cannot be started: {error.strerror}", where="git", hint=hint
            ) from error
        return code, os.fsdecode(output if not code else output + errors)  # as in arguments


def _show(subject: str) -> str:
    return redact_text(os.fsencode(subject).decode("utf-8", "replace"))
