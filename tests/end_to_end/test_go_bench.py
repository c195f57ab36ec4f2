"""The manual's script for two commits of a Go project, run with a fake compiler."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from documents import read_documents
from invocation import benchkit

#: Compiles a benchmark whose allocations depend on the commit, and which crashes on request.
GO = """#!/bin/sh
[ "$1 $2 $3" = "test -c -o" ] || exit 2
printf '#!/bin/sh\\n. ./bench.sh\\n' > "$4"
chmod +x "$4"
"""
BENCH = """time=$(($$ % 997 + 9000))
printf 'pkg: a\\nBenchmarkGet-8\\t1000\\t%s ns/op\\t8 B/op\\t{} allocs/op\\n' $time
{}
"""


def test_two_commits_are_measured_in_turn_and_gated(tmp_path: Path) -> None:
    script = re.search(r"```bash\n(#!/bin/sh\n# go-bench\.sh.*?)```", read_documents(), re.DOTALL)
    assert script is not None
    (tmp_path / "go-bench.sh").write_text(script[1], encoding="utf-8")
    fake = tmp_path / "bin" / "go"
    fake.parent.mkdir()
    fake.write_text(GO, encoding="utf-8")
    fake.chmod(0o755)
    path = {**os.environ, "PATH": f"{fake.parent}:{os.environ['PATH']}", "BENCHTIME": "1ms"}

    def call(*command: str) -> None:
        done = subprocess.run(
            command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    call("git", "init", "-q", "-b", "main")
    for allocs, end in ((3, "echo PASS"), (4, "echo PASS"), (4, "echo 'panic: boom'; exit 2")):
        (tmp_path / "bench.sh").write_text(BENCH.format(allocs, end), encoding="utf-8")
        call("git", "add", "bench.sh")
        call("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a")
    for new, message in (
        ("main~1", "allocations per operation than old on Get"),
        ("main", " runs of new failed: results/new/1.txt:3: panic: boom"),
    ):
        call("sh", "go-bench.sh", "main~2", new, "6")
        done = benchkit("gate", "results", "--baseline", "old", cwd=tmp_path)
        assert done.returncode == 1, done.stdout
        assert message in done.stdout
        assert "B330" not in done.stdout
    assert not (tmp_path / ".git" / "worktrees").exists()
