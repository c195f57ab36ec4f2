"""What tells one source from another in a store: origin, path and assigned labels."""

from __future__ import annotations

from typing import NamedTuple

from benchkit import schema


class Identity(NamedTuple):
    """The identity of a source; ingesting the same one again supersedes its rows.

    ``origin`` is the CI job or the machine, ``path`` the resolved path, ``assigned`` the labels
    given on the command line, as ``commit=c861e65,variant=main``.
    """

    origin: str
    path: str
    assigned: str


def write_assigned(variant: str | None, commit: str) -> str:
    """Write the labels of the command line that make another source of the same path.

    Examples
    --------
    >>> write_assigned("main", "c861e65"), write_assigned(None, "")
    ('commit=c861e65,variant=main', '')
    """
    labels = {"commit": commit, "variant": variant or ""}
    return schema.format_params({key: value for key, value in labels.items() if value})
