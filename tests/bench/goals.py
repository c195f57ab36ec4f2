"""What a row of the bench is: ours beside a peer's, and what the ratio may be.

In: two times. Out: `Goal`. Why: processes and functions are held to goals in one way.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One row of the result: ours / peer, and what it may be at most; no limit is no goal."""

    name: str
    ours: float
    peer: float
    ratio: float
    limit: float | None
    met: bool


def hold(name: str, ours: float, peer: float, limit: float | None) -> Goal:
    """Make a row of two times."""
    return Goal(name, ours, peer, ours / peer, limit, limit is None or ours / peer <= limit)
