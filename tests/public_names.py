"""The public members of a class: its methods and properties, not its fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from types import FunctionType


def public_members(owner: type) -> Iterator[tuple[str, object]]:
    """Yield methods and properties by name."""
    kinds = (FunctionType, property, cached_property)
    for name, member in vars(owner).items():
        if not name.startswith("_") and isinstance(member, kinds):
            yield name, member
