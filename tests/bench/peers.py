"""Tools that benchkit is compared with: each reads the same bytes.

A ratio names the other side; a missing peer is reported and skipped, never an error.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

#: Each library reads a file into its data structure, and prints the number of rows.
READERS = {
    "duckdb ndjson": 'import duckdb, sys; print(duckdb.sql(f"create table t as select * from'
    " read_json('{sys.argv[1]}')\"))",
    "duckdb to parquet": 'import duckdb, sys; print(duckdb.sql(f"copy (select * from'
    " read_json('{sys.argv[1]}')) to '{sys.argv[2]}' (format parquet, compression zstd)\"))",
    "pyarrow ndjson": "import pyarrow.json as j, sys; print(sum(batch.num_rows for batch in"
    " j.open_json(sys.argv[1])))",
    "pandas csv": "import pandas, sys; print(len(pandas.read_csv(sys.argv[1], sep=sys.argv[2],"
    " header=None if sys.argv[3:] else 0, low_memory=False)))",
    "polars csv": "import polars, sys; print(polars.read_csv(sys.argv[1], separator=sys.argv[2],"
    " has_header=not sys.argv[3:], infer_schema_length=10000).height)",
    "duckdb scan": 'import duckdb, sys; print(duckdb.sql(f"select metric, piece, count(*),'
    " sum(value), min(line), max(epoch_us(time)) from read_parquet('{sys.argv[1]}/values/**/"
    "*.parquet') group by all\").fetchall()[:1])",
}
LIBRARIES = ("duckdb", "polars", "pyarrow", "pandas")


class Peers:
    """The installed peers, and in ``missing`` those that are not.

    Parameters
    ----------
    python : Path, optional
        The Python of their environment; this one if not given.
    """

    def __init__(self, python: Path | None = None) -> None:
        self._python = str(python or sys.executable)
        self.missing: list[str] = []
        self._known: dict[str, bool] = {}

    def reading(self, name: str, reader: str, *arguments: str | Path) -> list[str] | None:
        """Return the command with which a library reads, or None if it is not installed."""
        if not self._ask(name, [self._python, "-c", f"import {name}"]):
            return None
        return [self._python, "-c", READERS[reader], *map(str, arguments)]

    def tool(self, name: str, *arguments: str | Path) -> list[str] | None:
        """Return the command of a tool, or None if it is not on PATH."""
        path = shutil.which(name)
        if path is None:
            self._ask(name, None)
            return None
        return [path, *map(str, arguments)]

    def versions(self) -> dict[str, str]:
        """Return the versions of the installed libraries."""
        by_name = {}
        for name in LIBRARIES:
            command = [self._python, "-c", f"import {name}; print({name}.__version__)"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                by_name[name] = done.stdout.strip()
        for name in ("benchstat", "vegeta"):
            if path := shutil.which(name):
                by_name[name] = _go_version(path)
        return by_name

    def _ask(self, name: str, command: list[str] | None) -> bool:
        if name not in self._known:
            done = command and subprocess.run(command, capture_output=True, check=False)
            self._known[name] = bool(done and done.returncode == 0)
            if not self._known[name]:
                self.missing.append(name)
        return self._known[name]


def _go_version(path: str) -> str:
    """Return the version of the module from which a Go binary was built."""
    if not (go := shutil.which("go")):
        return "unknown"
    done = subprocess.run([go, "version", "-m", path], capture_output=True, text=True, check=False)
    words = next((line.split() for line in done.stdout.split("\n") if "\tmod\t" in line), [])
    return words[2] if len(words) > 2 else "unknown"
