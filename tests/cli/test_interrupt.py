"""Ctrl-C or SIGTERM ends a command with its exit code and one line, even during imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gated
import pytest

from benchkit.capture.session import Session
from benchkit.cli.capture import leave
from benchkit.errors import StoppedError

#: Sends itself the signal of Ctrl-C when a given module is imported.
PROGRAM = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.{number})
sys.meta_path.insert(0, Interrupting())
sys.argv = ["benchkit", "gate", "results"]
from benchkit.__main__ import main
main()
"""
#: As Python up to 3.11 raises an exception during the creation of a class.
WRAPPED = """
import sys
import benchkit.cli
class Attribute:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt
def run(arguments):
    try:
        type("Made", (), {"attribute": Attribute()})
    except RuntimeError:
        raise
    except KeyboardInterrupt as error:
        raise RuntimeError("Error calling __set_name__") from error
benchkit.cli.run = run
from benchkit.__main__ import main
main()
"""
MODULES = ("benchkit.cli", "typer", "benchkit.cli.gate", "benchkit.gating.run", "numpy")


@pytest.mark.parametrize(
    "program",
    [
        *(PROGRAM.format(name=name, number="SIGINT") for name in MODULES),
        *(PROGRAM.format(name=name, number="SIGTERM") for name in MODULES),
        WRAPPED,
    ],
)
def test_interrupt_during_imports_gives_no_traceback(program: str, tmp_path: Path) -> None:
    gated.write_pair(tmp_path / "results", runs=3)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr == "benchkit: error: interrupted; no partial results were kept\n"
    assert done.stdout == ""


def test_package_imports_nothing_before_the_guard() -> None:
    program = (
        "import sys; before = set(sys.modules); import benchkit.__main__; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {
        "__future__",
        "benchkit",
        "benchkit.__main__",
        "atexit",
        "gc",
    }


def test_interrupted_series_says_how_to_continue() -> None:
    session = Session((), 8, earlier=4, is_interrupted=True)
    with pytest.raises(StoppedError, match="made 4 of 8 runs; run the same command again to"):
        leave(session, Path("results"), report="benchkit report results", quiet=True)
    with pytest.raises(StoppedError, match=r"made 4 of 8 runs$"):
        leave(session, Path("results"), report="", quiet=True)
