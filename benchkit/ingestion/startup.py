"""What a process that only ingests can do without.

Pyarrow looks for pandas at its first array, and importing it is a third of what a small ingest
takes.
"""

from __future__ import annotations

import sys


def spare_pandas() -> None:
    """Let pyarrow find no pandas, for good; where pandas is there already, nothing changes.

    Only for a process that makes no frame and ends when it has ingested.
    """
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)


class _NoPandas:
    """A finder of modules that does not want pandas to be found."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
