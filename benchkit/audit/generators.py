"""The rule about generators of one load that are counted as runs: finding B207."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchkit.audit.facts import name_side
from benchkit.comparison.shards import find_shards
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Runs


def find_generators(runs: Runs) -> Iterator[Finding]:
    """B207: files of one run are of several generators, by their times or their names."""
    for side, files in find_shards(runs).items():
        yield Finding(
            code="B207",
            severity="warning",
            where=name_side(side),
            message=f"{files} files come from the generators of one load test, judging by their "
            "names, sidecars or times: they are not repeats, so they get no verdict",
            remedy="if they started together, number them with `shard = 1` in their sidecars or "
            "{shard} in --layout; if they are separate tests, give each one its own run number",
            numbers={"files": files},
        )
