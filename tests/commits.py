"""Git histories whose commits have a benchmark of a known level, with noise."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

#: Prints a run of a Go benchmark whose level is in the commit, with 1 % noise.
BENCH = """
echo "$(pwd)" >> "$RUNS"
noise=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
echo "pkg: example.com/store"
awk -v level="$(cat level)" -v noise="$noise" 'BEGIN {
    printf "BenchmarkGet-2\\t1000\\t%.3f ns/op\\n", level * (1 + (noise - 32768) / 3276800) }'
echo PASS
"""


def write_history(repo: Path, levels: Sequence[float], *, broken: int | None = None) -> None:
    """Make a repository with one commit per level; one of them may fail to build."""
    repo.mkdir()
    git(repo, "init", "--quiet")
    for number, level in enumerate(levels):
        (repo / "bench.sh").write_text(BENCH)
        (repo / "build.sh").write_text("exit 1\n" if number == broken else "exit 0\n")
        (repo / "level").write_text(f"{level}\n")
        (repo / "number").write_text(f"{number}\n")
        git(repo, "add", "--all")
        git(repo, "commit", "--quiet", "--message", f"change {number}")


def git(repo: Path, *words: str) -> str:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(repo), *person, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
