"""Generated parts of the documents: tables made from the code and from records."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from math import isfinite, log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, cast

import scale.record
import soak.record
import typer
from public_names import public_members
from simulation.record import (
    write_grid,
    write_histories,
    write_searches,
    write_spent,
    write_stopped,
    write_table,
)
from typer.main import get_command

import benchkit
from benchkit import Comparison, RunSet, metrics, schema, stats
from benchkit.audit.catalogue import CATALOGUE
from benchkit.cli import application, run
from benchkit.config.reference import list_settings
from benchkit.gating.events import write_events
from benchkit.labels import run_toml
from benchkit.parsers import mapped, registry
from benchkit.parsers.base import Tool
from benchkit.plots.drawing import Plots
from benchkit.units import format_change, format_quantity

#: An option in this many commands is listed once, under the options that commands share.
_SHARED = 5
_WITH_JSON = (
    *("runs", "export", "compare", "report", "gate", "check", "plan", "noise"),
    *("doctor", "explain", "formats"),
)
RUNS = Path(__file__).resolve().parent.parent / "fixtures" / "tracing-wrk"
_OPTIONS = ["| option | meaning |", "| --- | --- |"]


class Command(Protocol):
    """The used part of a command; typer has moved its class between versions."""

    help: str | None
    epilog: str | None
    params: list[Any]

    def get_usage(self, ctx: Any) -> str:  # noqa: ANN401 - a class that typer has moved, too
        """Return the usage line."""
        ...


def _table(head: str, rows: Sequence[str]) -> str:
    """Write a Markdown table with given rows."""
    return "\n".join([head, "|" + " --- |" * (head.count("|") - 1), *rows])


def write_columns(columns: Sequence[schema.Column]) -> str:
    rows = [f"| `{c.name}` | {c.type} | {c.meaning} |" for c in columns]
    return _table("| column | type | meaning |", rows)


def write_keys() -> str:
    """Write the keys of a sidecar, with their alternative names."""
    names: dict[str, list[str]] = {}
    for key, field in run_toml.TOP.items():
        names.setdefault(field, []).append(f"`{key}`")
    for key, field in run_toml.LOAD.items():
        names[field].append(f"`load.{key}`")
    words = {"str": "text", "i64": "whole number", "f64": "number", "map": "table"}
    rows = [
        f"| {' '.join(names[key.name])} | {words.get(key.type[:3], 'time with a time zone')} "
        f"| {key.meaning} |"
        for key in run_toml.KEYS
    ]
    return _table("| key | value | meaning |", rows)


def write_settings() -> str:
    rows = [
        f"| `{each.table}` | `{each.name}` | {each.kind.replace('|', ', ')} "
        f"| {each.default.replace('|', ', ')} | {each.meaning} |"
        for each in list_settings()
    ]
    return _table("| table | key | value | default | meaning |", rows)


def write_metrics() -> str:
    rows = [
        f"| `{m.name}` | {m.unit} | {m.better if m.better != 'none' else '–'} "
        f"| {' '.join(m.stats)} | {m.meaning} | {registry.list_sources(m)} |"
        for m in metrics.VOCABULARY.values()
    ]
    return _table("| metric | unit | better | stats | meaning | from |", rows)


def write_formats() -> str:
    rows = [
        f"| `{f.name}` | {'; '.join(f'**{form.name}** {form.versions}' for form in f.forms)} |"
        for f in (*registry.formats(), mapped.FORMAT)
    ]
    return _table("| format | forms and their versions |", rows)


#: How measurements are repeated, by the role of a tool.
_REPLICATES = {
    "load": "a run of the tool; its requests are events in it",
    "microbenchmark": "a value that it repeats",
    "summary": "none: the individual runs are not available, so nothing is tested",
    "companion": "none: it belongs to the run next to it",
}
#: Names in common use for the rules of `benchkit.stats.quantiles`.
_RULES = {
    "linear": "interpolated",
    "floor": "rank ⌊np⌋ + 1",
    "ceil": "rank ⌈np⌉",
    "hazen": "interpolated (Hazen)",
}


def write_tools() -> str:
    """Write for each tool how to repeat a measurement, how it offers load, and what is judged."""
    rows = [
        f"| `{tool.name}` | {', '.join(f'`{form.name}`' for form in tool.formats)} "
        f"| {_describe_replicate(tool)} | {_describe_load(tool)} | {_describe_primary(tool)} "
        f"| {_describe_rule(tool)} |"
        for tool in registry.all_tools()
        if tool.role in _REPLICATES
    ]
    return _table(
        "| tool | formats | unit of replication | load | primary metric | percentiles |", rows
    )


def write_tool_commands() -> str:
    """Write for each tool the command whose results omit the least."""
    rows = [
        f"| `{tool.name}` | `{tool.command}` |" for tool in registry.all_tools() if tool.command
    ]
    return _table("| tool | command |", rows)


def _describe_replicate(tool: Tool) -> str:
    if tool.role == "microbenchmark" and tool.primaries[0][1] != "sample":
        return "a run of the tool; it summarises its rounds"
    return _REPLICATES[tool.role]


def _describe_load(tool: Tool) -> str:
    if tool.role != "load":
        return "–"
    return "as the run records" if tool.load_model == "unknown" else f"{tool.load_model} loop"


def _describe_primary(tool: Tool) -> str:
    if tool.role == "companion":
        return "CPU per request, with a run" if tool.name == "cadvisor" else "–"
    models = (tool.load_model,) if tool.load_model != "unknown" else ("closed", "open")
    firsts = dict.fromkeys(metrics.display_name(*tool.find_primaries(m)[0]) for m in models)
    return " (closed loop), ".join(firsts) + (" (open loop)" if len(firsts) > 1 else "")


def _describe_rule(tool: Tool) -> str:
    """Name the rule by which percentiles of raw samples are computed."""
    if tool.role != "load":
        return "–"
    rules = {form.quantile_rule for form in tool.formats}
    return _RULES[next(iter(rules - {"linear"}), "linear")]


#: Two variants of each tool, and their folder if it is not named after the tool.
_SCENES = {
    "wrk": "tracing-wrk",
    "k6": "shorturl-k6",
    "vegeta": "skywalking-vegeta",
    "gobench": "redis-gobench",
}
_SIDES = (
    ("none", "otlp"),
    ("synthetic-none", "synthetic-otlp"),
    ("none", "aof"),
    ("baseline", "otel"),
    ("no-agent", "agent"),
    ("baseline", "enabled"),
    ("old", "new"),
)
#: Columns of a picture on each side of no change, and the number that stands for a factor of two.
_HALF, _OCTAVE = 12, 3


def write_compared() -> str:
    """Draw, for each tool, how two variants of the fixtures compare in its primary metric."""
    rows = [row for tool in registry.all_tools() if (row := _compare(tool))]
    return _table(
        "| tool | metric | baseline | variant | change | 95 % interval | ÷ 16 … 16 × |", rows
    )


def _compare(tool: Tool) -> str:
    """Compare the first benchmark of a tool's scene; empty if it has none."""
    scene = RUNS.parent / _SCENES.get(tool.name, tool.name.replace("_", "-"))
    if not scene.is_dir() or tool.role not in {"load", "microbenchmark"}:
        return ""
    runs = benchkit.load(scene).where(role="measured", tool=tool.name)
    sides = next(pair for pair in _SIDES if set(pair) <= set(runs.variants))
    frame = runs.compare(baseline=sides[0], variant=sides[1]).frame
    row = frame[frame["primary"]].iloc[0]
    ratios = [float(row[name]) for name in ("ratio_low", "ratio", "ratio_high")]
    unit = row["unit"].removeprefix("1")
    centres = (
        f"{side}: {format_quantity(row[f'center_{name}'], unit)}".replace(" /s", "/s")
        for side, name in zip(sides, ("baseline", "variant"), strict=True)
    )
    low, ratio, high = map(format_change, ratios)
    shown = f"{low} to {high}" if isfinite(ratios[0]) else "–"
    name = metrics.display_name(row["metric"], row["stat"])
    return (
        f"| `{tool.name}` | {name} | {' | '.join(centres)} | {ratio} | {shown} | {_draw(*ratios)} |"
    )


def _draw(low: float, ratio: float, high: float) -> str:
    """Draw an interval on a scale of factors."""
    places = [
        round(_HALF + max(-_HALF, min(_HALF, _OCTAVE * log2(each)))) if isfinite(each) else _HALF
        for each in (low, ratio, high)
    ]
    line = ["·"] * (2 * _HALF + 1)
    line[_HALF] = "│"
    line[places[0] : places[2] + 1] = "─" * (places[2] + 1 - places[0])
    line[places[1]] = "●"
    return f"`{''.join(line)}`"


def write_unrecorded() -> str:
    """Write what the forms of each format do not record."""
    rows = [
        f"| `{form.name}` | {each.name} | {each.not_recorded} |"
        for form in (*registry.formats(), mapped.FORMAT)
        for each in form.forms
        if each.not_recorded
    ]
    return _table("| format | form | not recorded |", rows)


def write_codes() -> str:
    rows = [f"| {e.code} | {e.severity} | {e.says} |" for e in CATALOGUE.values()]
    return _table("| code | severity | says |", rows)


def write_api() -> str:
    exported = [(f"bk.{name}", getattr(benchkit, name)) for name in benchkit.__all__[:-1]]
    methods = [
        (f"{prefix}.{name}", member)
        for prefix, owner in (("RunSet", RunSet), ("Comparison", Comparison), ("plot", Plots))
        for name, member in public_members(owner)
    ]
    names = [(f"stats.{name}", getattr(stats, name)) for name in stats.__all__]
    rows = [f"| `{name}` | {summarise(member)} |" for name, member in [*exported, *methods, *names]]
    return _table("| name | what it is or does |", rows)


def summarise(member: object) -> str:
    return (inspect.getdoc(member) or "").partition("\n")[0].replace("``", "`")


def list_commands(command: Command, *path: str) -> Iterator[tuple[str, Command]]:
    """Yield the commands that have an action, by their names."""
    verbs = getattr(command, "commands", {})
    for name, verb in verbs.items():
        yield from list_commands(verb, *path, name)
    if path and not verbs:
        yield " ".join(path), command


def write_commands() -> str:
    """Write each command with its private options, then the options shared by many."""
    commands = dict(list_commands(cast("Command", get_command(application()))))
    records = {name: list_options(command) for name, command in commands.items()}
    everywhere = [record for options in records.values() for record in options]
    shared = {each: None for each in everywhere if everywhere.count(each) >= _SHARED}
    sections = [
        write_command(name, command, records[name], shared) for name, command in commands.items()
    ]
    rows = [_write_option(*record) for record in shared]
    common = ["## Options that commands share", "", *_OPTIONS, *rows]
    return "\n\n".join([*sections, "\n".join(common)])


def list_options(command: Command) -> list[tuple[str, str]]:
    """Return the names and meanings of a command's arguments and options."""
    context = _make_context(command)
    records = [parameter.get_help_record(context) for parameter in command.params]
    return [(names, meaning) for names, meaning in filter(None, records)]


def _make_context(command: Command, **settings: Any) -> typer.Context:  # noqa: ANN401
    return typer.Context(cast("Any", command), **settings)


def write_command(
    name: str, command: Command, records: list[tuple[str, str]], shared: dict[tuple[str, str], None]
) -> str:
    context = _make_context(command, info_name=f"benchkit {name}", terminal_width=200)
    summary = (command.help or "").partition("\n\n")[0].replace("\n", " ")
    example = (command.epilog or "").replace("Example: ", "Example: `", 1)
    lines = [f"## benchkit {name}", "", summary, ""]
    lines += ["```text", command.get_usage(context).removeprefix("Usage: "), "```", ""]
    specific = [_write_option(*record) for record in records if record not in shared]
    lines += [*_OPTIONS, *specific, ""] if specific else []
    others = [
        f"`{names.split(' ')[0].rstrip(',')}`" for names, _ in records if (names, _) in shared
    ]
    lines += [f"Shared options: {', '.join(others)}.", ""] if others else []
    return "\n".join([*lines, f"{example}`"])


def _write_option(names: str, meaning: str) -> str:
    cells = (
        " ".join(names.split()).replace("|", r"\|"),
        re.sub(r"([|*<])", r"\\\1", " ".join(meaning.split())),
    )
    return f"| `{cells[0]}` | {cells[1]} |"


def write_json() -> str:
    """Write the keys of each command's JSON."""
    rows = [
        f"| `{command}` | {document['format_version']} | {', '.join(_list_keys(document))} |"
        for command, document in ((each, print_json(each)) for each in _WITH_JSON)
    ]
    return _table("| command | version | keys |", rows)


def print_json(command: str) -> dict[str, Any]:
    """Return what a command prints on two variants of the fixtures."""
    files = [f"{label}={RUNS / label}" for label in ("none", "otlp")]
    others = {"doctor": ["--seconds", "0"], "explain": ["B310"], "formats": []}
    words = others.get(command, files)
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        path = Path(folder, "output.json")
        run([command, *words, "--format", "json", "-o", str(path)])
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _list_keys(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys; for a list of objects also those of the first one."""
    for key, value in document.items():
        inner = value[0] if isinstance(value, list) and value else value
        nested = ", ".join(f"`{each}`" for each in inner) if isinstance(inner, dict) else ""
        yield f"`{key}` ({nested})" if nested else f"`{key}`"


PARTS: dict[str, Callable[[], str]] = {
    "api": write_api,
    "codes": write_codes,
    "commands": write_commands,
    "events": write_events,
    "schema": lambda: write_columns(schema.COLUMNS),
    "runs": lambda: write_columns(schema.RUN_COLUMNS),
    "json": write_json,
    "keys": write_keys,
    "settings": write_settings,
    "metrics": write_metrics,
    "formats": write_formats,
    "tools": write_tools,
    "tool commands": write_tool_commands,
    "compared": write_compared,
    "unrecorded": write_unrecorded,
    "calibration": write_table,
    "families": write_grid,
    "histories": write_histories,
    "searches": write_searches,
    "stoppings": write_stopped,
    "spendings": write_spent,
    "scale": lambda: scale.record.write_table(scale.record.read_record()),
    "soak": lambda: soak.record.write_table(soak.record.read_record()),
}


def fill_parts(text: str) -> str:
    """Put each generated part between its marks, ``<!-- name -->`` and ``<!-- /name -->``."""
    for name, write in PARTS.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if begin in text:
            before, _, rest = text.partition(begin)
            text = f"{before}{begin}{write()}\n{end}{rest.partition(end)[2]}"
    return text
