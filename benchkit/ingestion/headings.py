"""The headings above the results of a page, as the sides that they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.labels.splitting import find_sides
from benchkit.parsers import registry

if TYPE_CHECKING:
    from benchkit.schema import Runs


def suggest_headings(runs: Runs) -> tuple[str, ...]:
    """Return the headings that part results which are alike in all else; nothing where none do."""
    return find_sides(_list_headings(runs))


def _list_headings(runs: Runs) -> list[tuple[str, ...]]:
    """Return the parts of each benchmark's name; load tools may have no path at its end."""
    named = runs[runs["role"] == "measured"][["benchmark", "tool"]].drop_duplicates()
    result: list[tuple[str, ...]] = []
    for name, tool in zip(named["benchmark"].tolist(), named["tool"].tolist(), strict=True):
        parts = name.split(" / ")
        is_whole = registry.tool(tool).role != "load" or parts[-1].startswith("/")
        result.append((*parts,) if is_whole else (*parts, ""))
    return result
