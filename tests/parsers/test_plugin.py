"""A parser from another package, installed with pip, works like a built-in one."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

MODULE = '''
"""stopwatch: lines like `lap 12.5ms`."""
import re
from benchkit.parsers.base import Form, Format, Reading
from benchkit.units import parse_time

def recognises(head):
    return head.text.startswith("stopwatch")

def parse(source):
    for number, text in source.lines():
        if match := re.fullmatch(r"lap (\\S+)", text):
            reading = Reading(tool="stopwatch", form="text", line=number, last_line=number)
            time = parse_time(match[1])
            reading.add("latency", "p50", time.value, "s", number, resolution=time.resolution)
            yield reading

FORMAT = Format(
    name="stopwatch", tools=("stopwatch",), summary="laps", recognises=recognises, parse=parse,
    forms=(Form(name="text", signature="stopwatch", versions="1", not_recorded="all else"),),
)
'''


def write_wheel(folder: Path) -> Path:
    """Write a wheel, which is a zip of modules and their metadata."""
    wheel = folder / "stopwatch_parser-1.0-py3-none-any.whl"
    info = "stopwatch_parser-1.0.dist-info"
    files = {
        "stopwatch_parser.py": MODULE,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: stopwatch-parser\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[benchkit.parsers]\nstopwatch = stopwatch_parser:FORMAT\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Install the package where only this test's commands see it."""
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(write_wheel(tmp_path))], check=True)
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"}


def benchkit(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_an_installed_parser_is_listed_and_used(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    for variant, laps in {"off": (10, 11, 12, 13), "on": (20, 21, 22, 23)}.items():
        text = "stopwatch\n" + "".join(f"lap {lap}.0ms\n" for lap in laps)
        (tmp_path / "results" / variant).mkdir(parents=True)
        (tmp_path / "results" / variant / "stopwatch-1.txt").write_text(text)
    assert "stopwatch" in benchkit(tmp_path, environment, "formats")
    assert "8" in benchkit(tmp_path, environment, "ingest", "results")
    said = benchkit(tmp_path, environment, "compare", "--baseline", "off")
    assert said.startswith("▲ on costs")
