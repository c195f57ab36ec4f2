"""Rules about runs that were no repeats, because they ran at once: findings B207 and B217."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchkit.audit.facts import name_side
from benchkit.comparison.shards import count_concurrent, find_shards
from benchkit.errors import Finding

if TYPE_CHECKING:
    from benchkit.schema import Runs


def find_generators(runs: Runs) -> Iterator[Finding]:
    """B207: files of one run are of several generators; B217: runs were measured at once."""
    shards = find_shards(runs)
    for side, files in shards.items():
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
    for side, files in count_concurrent(runs).items():
        if side not in shards:
            yield Finding(
                code="B217",
                severity="warning",
                where=name_side(side),
                message=f"{files} files were measured at the same time, so they are parts of one "
                "load or disturbed each other, and their spread is no measure of repeats",
                remedy="if they are generators of one load test, number them with `shard = 1` in "
                "their sidecars or {shard} in --layout; otherwise measure one run after the other",
                numbers={"files": files},
            )
