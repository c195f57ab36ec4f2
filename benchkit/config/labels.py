"""The labels in a file of settings: ``[labels]``, and the tables that a ``run.toml`` also has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

#: Tables of facts about runs that are used without ``[labels]`` around them.
FACTS = ("containers", "limits", "spans", "env")
LABELS = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTables:
    """The labels of a file as written, with the facts that messages about them need.

    Parameters
    ----------
    labels, facts : mapping
        The content of ``[labels]``; the separate tables of facts, which take precedence.
    within : tuple of str
        The table of the file that contains both.
    path, text : str
        Of the file; empty if the settings are not from a file.
    """

    labels: Mapping[str, object]
    facts: Mapping[str, object]
    within: tuple[str, ...] = field(default=(), compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)
    text: str = field(default="", compare=False, repr=False)

    def __iter__(self) -> Iterator[tuple[Mapping[str, object], tuple[str, ...]]]:
        """Yield each table and its place in the file, the outermost first."""
        yield self.facts, self.within
        yield self.labels, (*self.within, LABELS)

    def is_in(self, file: Path) -> bool:
        """Whether they come from ``file``."""
        return bool(self.path) and Path(self.path).resolve() == file.resolve()


NO_LABELS = LabelTables(labels={}, facts={})


def select_labels(table: Mapping[str, object]) -> LabelTables:
    """Return the labels in the settings.

    Examples
    --------
    >>> select_labels({"stats": {}, "containers": {"service": "server"}}).facts
    {'containers': {'service': 'server'}}
    """
    labels = table.get(LABELS, {})
    return LabelTables(
        labels=labels if isinstance(labels, Mapping) else {},
        facts={name: table[name] for name in FACTS if name in table},
    )
