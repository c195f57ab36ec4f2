"""One format of the registry, by its own name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.parsers import registry

if TYPE_CHECKING:
    from benchkit.parsers.base import Format


def format_called(name: str) -> Format:
    """Return the format with exactly this name."""
    (found,) = (one for one in registry.formats() if one.name == name)
    return found
