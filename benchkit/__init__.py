"""benchkit: what does this change cost? Raw benchmark results in, overhead with significance out.

The numbers that people otherwise subtract by hand, computed once and reported honestly.

Data flows in one direction:

1. `benchkit.ingestion` finds sources, `benchkit.parsers` reads them, `benchkit.labels` labels them;
2. `benchkit.store` keeps them, `benchkit.schema` is the one table they become;
3. `benchkit.comparison` computes evidence with `benchkit.stats`, `benchkit.verdict` judges it;
4. `benchkit.tables`, `benchkit.plots` and `benchkit.reporting` show it.
"""

from __future__ import annotations

__version__ = "0.1.0"

#: For type checkers; importing `typing` would take most of the import time.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from benchkit.api import Comparison as Comparison
    from benchkit.api import RunSet as RunSet
    from benchkit.api import compare as compare
    from benchkit.api import formats as formats
    from benchkit.api import load as load
    from benchkit.api import report as report
    from benchkit.errors import BenchkitError as BenchkitError
    from benchkit.errors import DataError as DataError
    from benchkit.errors import Finding as Finding
    from benchkit.errors import SchemaError as SchemaError
    from benchkit.gating.run import gate as gate
    from benchkit.tables.model import Table as Table

#: Public name -> module that defines it, imported on first use to keep `import benchkit` light.
_EXPORTS = {
    "Comparison": "benchkit.api",
    "RunSet": "benchkit.api",
    "compare": "benchkit.api",
    "formats": "benchkit.api",
    "gate": "benchkit.gating.run",
    "load": "benchkit.api",
    "report": "benchkit.api",
    "Finding": "benchkit.errors",
    "Table": "benchkit.tables.model",
    "BenchkitError": "benchkit.errors",
    "DataError": "benchkit.errors",
    "SchemaError": "benchkit.errors",
}

__all__ = [*_EXPORTS, "__version__"]  # noqa: PLE0604 - all of them are str


def __getattr__(name: str) -> object:
    if name in _EXPORTS:
        from importlib import import_module

        return getattr(import_module(_EXPORTS[name]), name)
    msg = f"module 'benchkit' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
