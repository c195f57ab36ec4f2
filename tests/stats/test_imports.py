"""The import cost of the package, and its examples."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import benchkit.stats

MODULES = [submodule.name for submodule in pkgutil.iter_modules(benchkit.stats.__path__)]

ROAD = """
import sys
from benchkit.stats import *
x, y = [1.0, 2.0, 2.0, 4.0, 5.0], [1.5, 2.5, 3.5, 4.5, 9.0]
mann_whitney(x, y), hodges_lehmann(x, y), holm([0.1]), benjamini_hochberg([0.1])
exact_difference(x, y), is_equivalent(0.0, 0.1, 0.03), runs_to_show_equivalence(0.1, 5, 0.03)
runs_to_show_effect(0.1, 5, 0.06, 0.03), largest_family(5, 5), smallest_pvalue(5, 5)
mann_whitney(range(200), range(200)), hodges_lehmann(range(200), range(200))
wilcoxon(x, y), paired_shift(x, y), compare_aligned([x, y], 0, 1), find_outliers(x)
find_trend([x], [y]), adjust_for_trend([x, y], [y, x]), is_interleaved(x, y)
print(sorted({name.split(".")[0] for name in sys.modules} & {"scipy", "pandas", "pyarrow"}))
"""


def test_four_runs_and_more_never_import_scipy() -> None:
    done = subprocess.run([sys.executable, "-c", ROAD], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", MODULES)
def test_doctests_pass(name: str) -> None:
    module = importlib.import_module(f"benchkit.stats.{name}")
    assert doctest.testmod(module).failed == 0


def test_no_public_name_shadows_a_module() -> None:
    assert not set(benchkit.stats.__all__) & set(MODULES)
    assert all(callable(getattr(benchkit.stats, name)) for name in benchkit.stats.__all__)
