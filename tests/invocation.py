"""Commands of benchkit run in this process, for speed: their output and exit codes.

The few tests about a separate process (pipes, locales, its exit) start one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from benchkit.cli import run


def benchkit(*arguments: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, as a script that keeps both streams does."""
    streams = {name: TextIOWrapper(BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode()), encoding="utf-8"))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        code = run(arguments)
    out, err = (_read(stream) for stream in streams.values())
    return subprocess.CompletedProcess(arguments, code, out, err)


def start(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "benchkit", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


def _read(stream: TextIOWrapper) -> str:
    stream.flush()
    data = stream.detach()
    assert isinstance(data, BytesIO)
    return data.getvalue().decode("utf-8")
