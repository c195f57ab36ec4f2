"""The README does what it says: its commands are run, its tables are generated.

`pytest --update tests/test_readme.py` rewrites outputs and tables; the diff is for a person.
"""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from plugged import install, run_benchkit
from public_names import public_members
from simulation.record import write_grid, write_histories, write_table
from soak.record import read_record
from soak.record import write_table as write_campaigns

import benchkit
from benchkit import Comparison, RunSet, metrics, schema, stats
from benchkit.audit.catalogue import CATALOGUE
from benchkit.labels import run_toml
from benchkit.parsers import registry
from benchkit.plots.drawing import Plots

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"```console\n\$ (benchkit [^\n]*)\n(.*?)```", re.DOTALL)
TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install nox && .venv/bin/nox"


def write_columns(columns: Sequence[schema.Column]) -> str:
    rows = [f"| `{c.name}` | {c.type} | {c.meaning} |" for c in columns]
    return "\n".join(["| column | type | meaning |", "| --- | --- | --- |", *rows])


def write_keys() -> str:
    """Write the keys of a sidecar, with their other names."""
    names: dict[str, list[str]] = {}
    for key, field in run_toml.TOP.items():
        names.setdefault(field, []).append(f"`{key}`")
    for key, field in run_toml.LOAD.items():
        names[field].append(f"`load.{key}`")
    words = {"str": "text", "i64": "whole number", "f64": "number", "map": "table"}
    rows = [
        f"| {' '.join(names[key.name])} | {words.get(key.type[:3], 'time with its zone')} "
        f"| {key.meaning} |"
        for key in run_toml.KEYS
    ]
    return "\n".join(["| key | value | meaning |", "| --- | --- | --- |", *rows])


def write_metrics() -> str:
    rows = [
        f"| `{m.name}` | {m.unit} | {m.better if m.better != 'none' else '–'} "
        f"| {' '.join(m.stats)} | {m.meaning} | {m.source} |"
        for m in metrics.VOCABULARY.values()
    ]
    head = [
        "| metric | unit | better | stats | meaning | from |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows])


def write_formats() -> str:
    rows = [
        f"| `{f.name}` | {'; '.join(f'**{form.name}** {form.versions}' for form in f.forms)} |"
        for f in registry.formats()
    ]
    return "\n".join(["| format | forms and their versions |", "| --- | --- |", *rows])


def write_codes() -> str:
    rows = [f"| {e.code} | {e.severity} | {e.says} |" for e in CATALOGUE.values()]
    return "\n".join(["| code | severity | says |", "| --- | --- | --- |", *rows])


def write_api() -> str:
    exported = [(f"bk.{name}", getattr(benchkit, name)) for name in benchkit.__all__[:-1]]
    methods = [
        (f"{prefix}.{name}", member)
        for prefix, owner in (("RunSet", RunSet), ("Comparison", Comparison), ("plot", Plots))
        for name, member in public_members(owner)
    ]
    names = [(f"stats.{name}", getattr(stats, name)) for name in stats.__all__]
    told = [*exported, *methods, *names]
    rows = [f"| `{name}` | {summarise(thing)} |" for name, thing in told]
    return "\n".join(["| name | what it is or does |", "| --- | --- |", *rows])


def summarise(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0].replace("``", "`")


TABLES: dict[str, Callable[[], str]] = {
    "api": write_api,
    "codes": write_codes,
    "schema": lambda: write_columns(schema.COLUMNS),
    "runs": lambda: write_columns(schema.RUN_COLUMNS),
    "keys": write_keys,
    "metrics": write_metrics,
    "formats": write_formats,
    "calibration": write_table,
    "families": write_grid,
    "histories": write_histories,
    "soak": lambda: write_campaigns(read_record()),
}


def run_tour(text: str, folder: Path) -> str:
    """Run every `$ benchkit …` block and put its output in its place."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    shim = folder / "bin" / "benchkit"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m benchkit "$@"\n')
    shim.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{shim.parent}:{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUNBUFFERED": "1",
    }

    def execute(block: re.Match[str]) -> str:
        done = subprocess.run(
            ["sh", "-c", block[1]],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        return f"```console\n$ {block[1]}\n{done.stdout}```"

    return BLOCK.sub(execute, text)


def fill_tables(text: str) -> str:
    for name, write in TABLES.items():
        before, rest = text.split(f"<!-- {name} -->\n")
        _, after = rest.split(f"<!-- /{name} -->")
        text = f"{before}<!-- {name} -->\n{write()}\n<!-- /{name} -->{after}"
    return text


def test_the_readme_is_as_generated(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    wanted = fill_tables(run_tour(text, tmp_path))
    if request.config.getoption("--update"):
        README.write_text(wanted, encoding="utf-8")
    assert wanted == README.read_text(encoding="utf-8")


def test_the_tour_has_five_commands_with_their_output() -> None:
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    assert len(blocks) == 5
    assert all(output for _, output in blocks)


def test_the_lines_for_pandas_give_the_headline_of_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        if "bk." in block:
            exec(block, names)  # noqa: S102 - our own README
    sentence = capsys.readouterr().out.strip()
    assert sentence in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "13.1" in sentence
    assert len(names["axes"].patches) == len(names["rows"]) == 4
    assert (tmp_path / "forest.svg").is_file()
    assert names["rates"].shape == (8, 5)


def test_every_command_is_mentioned() -> None:
    text = README.read_text(encoding="utf-8")
    commands = {path.stem for path in (ROOT / "benchkit" / "cli").glob("*.py")}
    shared = {"__init__", "compat", "completion", "console", "options", "printing", "progress"}
    for name in commands - shared:
        assert f"`{name}`" in text or f"benchkit {name}" in text


def test_ci_runs_the_readmes_test_command() -> None:
    assert TEST_COMMAND in README.read_text(encoding="utf-8")
    assert TEST_COMMAND in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_plugins_of_the_readme_are_a_package(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL)
    project, module, page = (
        next(block for kind, block in blocks if kind == wanted and word in block)
        for wanted, word in (("toml", "benchkit.rules"), ("python", "RETRIES"), ("jinja", "extend"))
    )
    told = tomllib.loads(project)
    points = "".join(
        f"[{group}]\n" + "".join(f"{name} = {held}\n" for name, held in named.items())
        for group, named in told["project"]["entry-points"].items()
    )
    files = {"acme/__init__.py": module, "acme/templates/page.html": page}
    assert told["tool"]["setuptools"]["package-data"] == {"acme": ["templates/*"]}
    environment = install(tmp_path, told["project"]["name"], points, files)
    for variant, laps in {"off": (10, 11, 12, 13), "on": (20, 21, 22, 23)}.items():
        path = tmp_path / "laps" / variant / "stopwatch-1.txt"
        path.parent.mkdir(parents=True)
        path.write_text("stopwatch\n" + "".join(f"lap {lap}.0ms\n" for lap in laps))

    def say(*asked: str) -> str:
        return run_benchkit(tmp_path, environment, *asked)

    assert say("compare", "laps", "--baseline", "off").startswith("▲ on costs")
    wrk = str(ROOT / "fixtures/tracing-wrk")
    assert "otlp: 8 runs shorter than 30 s" in say("check", wrk, "--select", "ACME1")
    explained = say("explain", "ACME1")
    assert explained.startswith("ACME1: a run is shorter than 30 s.")
    assert "our service warms up; measure longer" in explained
    assert "Requests that were sent again" in say("explain", "retries/op")
    say("report", "laps", "--baseline", "off", "--template", "acme")
    assert "<p>Performance team" in (tmp_path / "report.html").read_text(encoding="utf-8")
