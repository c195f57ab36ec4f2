"""One format of the registry, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.parsers import registry

if TYPE_CHECKING:
    from benchkit.parsers.base import Format


def format_named(name: str) -> Format:
    """Return the format with exactly this name."""
    (form,) = (each for each in registry.formats() if each.name == name)
    return form
