"""The splits that may make two sides of one variant: by names, headings or commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from benchkit.config import parse_split
from benchkit.ingestion.discovery import Options
from benchkit.labels.splitting import NameSplit, split_commands, split_headings, suggest_split
from benchkit.parsers import registry
from benchkit.selection import SIDE_NAMES

if TYPE_CHECKING:
    from benchkit.schema import Runs


def list_splits(runs: Runs, *, is_page: bool) -> Iterator[NameSplit]:
    """Yield the splits that benchmark names, headings of a page and timed commands allow.

    None of them is certain to give sides that can be compared: a reader has to try.
    """
    benchmarks = runs["benchmark"].unique().tolist()
    if by_names := suggest_split(benchmarks, SIDE_NAMES):
        yield by_names
    if is_page:
        yield from split_headings(_list_headings(runs))
    timed = split_commands(benchmarks)
    tools = map(registry.tool, runs["tool"].unique())
    if timed and all(tool.compares_commands for tool in tools):
        yield timed


def suppose(options: Options, split: NameSplit) -> Options:
    """Return options as they are where those of a split are typed behind them."""
    rename = (split.rename,) if split.rename else ()
    return replace(options, split=parse_split(split.pattern), rename=(*options.rename, *rename))


def _list_headings(runs: Runs) -> list[tuple[str, ...]]:
    """Return the parts of each benchmark's name, and all else that repeats have in common.

    Load tools may have no path at the end of a name. The host is left out: each variant may have
    one of its own.
    """
    columns = ["benchmark", "tool", "params", "group"]
    measured = runs[runs["role"] == "measured"][columns].drop_duplicates()
    result: list[tuple[str, ...]] = []
    for name, tool, params, group in measured.itertuples(index=False, name=None):
        shared = [pair for pair in params.split(",") if not pair.startswith("host=")]
        parts = name.split(" / ")
        is_whole = registry.tool(tool).role != "load" or parts[-1].startswith("/")
        headings, last = (parts[:-1], parts[-1]) if is_whole else (parts, "")
        result.append((*headings, "\n".join((last, tool, *shared, group))))
    return result
