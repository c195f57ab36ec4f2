"""The compiled kernel under address and undefined-behaviour sanitizers.

Its tests, and mutated inputs of every format that is read in columns, run in a child process whose
kernel was compiled with them. Without a compiler nothing is tried.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from roads import FIXTURES

from soak.campaign import Budget, Outcome

TITLE = "the kernel under sanitizers: its tests, mutated inputs"
SECONDS = 180.0
_INPUTS = 5000
#: Seconds after which the child process counts as hanging.
_PATIENCE = 900.0
_ROOT = FIXTURES.parent
_TESTS = ("tests/parsers/test_kernel.py", "tests/parsers/test_octets.py")
_FLAGS = (
    *("-shared", "-fPIC", "-O1", "-g", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030B0000"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)


def run(budget: Budget) -> Outcome:
    """Compile the kernel, and run the code that uses it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return Outcome(0, [], {"compiler": "none"})
    library = build(compiler, budget.folder)
    inputs = budget.trials(_INPUTS)
    numbers = map(str, (budget.seed, inputs, budget.seconds / 2))
    child = [sys.executable, "-m", "soak.sanitized", str(library), *numbers]
    done = subprocess.run(
        [*child, *(_TESTS if budget.scale >= 1 else _TESTS[:1])],
        env=surroundings(compiler, budget.folder),
        cwd=_ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=_PATIENCE,
    )
    losses = []
    if done.returncode:
        report = [line for line in done.stderr.splitlines() if "ERROR" in line or "error:" in line]
        losses.append(f"exit {done.returncode}: {report[:3] or done.stdout[-400:]}")
    tried = re.search(r"^inputs (\d+)$", done.stdout, re.MULTILINE)
    return Outcome(int(tried[1]) if tried else 0, losses, {"test files": len(_TESTS)}, inputs)


def build(compiler: str, folder: Path) -> Path:
    """Compile the kernel with sanitizers."""
    library = folder / "_kernel.abi3.so"
    include = f"-I{sysconfig.get_paths()['include']}"
    source = _ROOT / "benchkit/parsers/_kernel.c"
    command = [compiler, *_FLAGS, include, str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True)
    return library


def surroundings(compiler: str, folder: Path) -> dict[str, str]:
    """Return the environment of a process that loads this kernel."""
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    return {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0",  # Python frees little at its exit
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(_ROOT / "tests"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder),
    }
