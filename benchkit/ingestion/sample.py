"""The sample results that come with benchkit.

Whoever has just installed benchkit has no results yet, and wants to see what becomes of them.
"""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from benchkit.errors import ConfigError
from benchkit.outputs import save

_SAMPLE = "sample_results"


def write_sample(folder: Path) -> None:
    """Write the sample results into a folder; what has other names there stays as it is.

    Parameters
    ----------
    folder : Path
        Made if it is not there.

    Raises
    ------
    ConfigError
        If it cannot be written to.
    """
    try:
        _copy(resources.files("benchkit.ingestion") / _SAMPLE, folder)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            f"cannot write: {reason}", where=str(folder), hint="use another folder"
        ) from error


def _copy(source: Traversable, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for entry in source.iterdir():
            _copy(entry, target / entry.name)
    else:
        save(target, lambda path: path.write_bytes(source.read_bytes()))
