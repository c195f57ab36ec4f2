"""A package with an entry point, installed with pip where only one test's commands find it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, package: str, points: str, files: Mapping[str, str]) -> dict[str, str]:
    """Write a wheel, which is a zip of files and their metadata; install it below ``folder``.

    Returns the environment in which commands find it.
    """
    wheel, info = folder / f"{package}-1.0-py3-none-any.whl", f"{package}-1.0.dist-info"
    metadata = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points,
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, **metadata}.items():
            archive.writestr(name, text)
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True)
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


def run_benchkit(
    folder: Path, environment: Mapping[str, str], *arguments: str, code: int = 0
) -> str:
    """Run the command, which exits with a code; return its output, or its error."""
    done = run_both(folder, environment, *arguments, code=code)
    return done.stdout or done.stderr


def run_both(
    folder: Path, environment: Mapping[str, str], *arguments: str, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run the command, which exits with a code; return all of its output."""
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done
