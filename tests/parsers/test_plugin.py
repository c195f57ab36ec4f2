"""A parser from another package, installed with pip, works like a built-in one."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugged import install, run_benchkit

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


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    points = "[benchkit.parsers]\nstopwatch = stopwatch_parser:FORMAT\n"
    return install(tmp_path, "stopwatch_parser", points, {"stopwatch_parser.py": MODULE})


def test_an_installed_parser_is_listed_and_used(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    for variant, laps in {"off": (10, 11, 12, 13), "on": (20, 21, 22, 23)}.items():
        text = "stopwatch\n" + "".join(f"lap {lap}.0ms\n" for lap in laps)
        (tmp_path / "results" / variant).mkdir(parents=True)
        (tmp_path / "results" / variant / "stopwatch-1.txt").write_text(text)
    assert "stopwatch" in run_benchkit(tmp_path, environment, "formats")
    assert "8" in run_benchkit(tmp_path, environment, "ingest", "results")
    said = run_benchkit(tmp_path, environment, "compare", "--baseline", "off")
    assert said.startswith("▲ on costs")
