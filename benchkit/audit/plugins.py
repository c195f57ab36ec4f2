"""Audit rules of other packages: entry points of the group ``benchkit.rules``.

What a team knows of its own benchmarks is a rule in a package of its own, and stands in the
report beside those of benchkit.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import getdoc
from typing import TYPE_CHECKING

from benchkit.codes import as_pandas
from benchkit.errors import SEVERITIES, Finding

if TYPE_CHECKING:
    from benchkit.schema import Observations, Runs

GROUP = "benchkit.rules"

#: What an entry point names: a function of both tables, that yields what it finds.
PluginRule = Callable[["Observations", "Runs"], Iterable[Finding]]


def apply_plugins(observations: Observations, runs: Runs) -> Iterator[Finding]:
    """Yield what the rules of other packages find; one that fails is warned about.

    Each is given a copy, to which it may do what it likes.

    Parameters
    ----------
    runs : Runs
        Of every role.
    """
    for name, rule in _plugin_rules():
        try:
            copies = deepcopy((as_pandas(observations), as_pandas(runs)))
            found = [_require_finding(result) for result in rule(*copies)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may fail in any way
            warnings.warn(f"audit rule {name} failed: {error}", stacklevel=2)
            continue
        except KeyboardInterrupt:  # perhaps it hangs
            warnings.warn(f"interrupted while audit rule {name} was running", stacklevel=2)
            raise
        yield from found


def load_rules(points: Iterable[EntryPoint]) -> tuple[tuple[str, PluginRule], ...]:
    """Import the rules that ``points`` name; what cannot be loaded is warned about and left out."""
    loaded = []
    for point in points:
        try:
            rule = point.load()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
            warnings.warn(
                f"audit rule {point.name} ({point.value}) cannot be loaded: {error}", stacklevel=2
            )
            continue
        if callable(rule):
            loaded.append((point.name, rule))
        else:
            warnings.warn(
                f"audit rule {point.name} ({point.value}) is not a function", stacklevel=2
            )
    return tuple(loaded)


def may_be_plugged(code: str) -> bool:
    """Tell whether a code can be of a rule of another package: ``B`` and a digit is ours."""
    return bool(_plugin_rules()) and re.match(r"B\d", code) is None


def find_documented(code: str) -> tuple[tuple[str, str], ...]:
    """Return name and docstring of each rule of another package whose docstring names a code.

    Parameters
    ----------
    code : str
        In any case.
    """
    prefix = code.upper()
    documented = ((name, getdoc(rule) or "") for name, rule in _plugin_rules())
    return tuple((name, text) for name, text in documented if prefix in _words(text))


def _words(text: str) -> set[str]:
    return {word.strip("`'\"*.,:;()").upper() for word in text.split()}


@cache
def _plugin_rules() -> tuple[tuple[str, PluginRule], ...]:
    return load_rules(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def _require_finding(found: object) -> Finding:
    if not isinstance(found, Finding) or found.severity not in SEVERITIES:
        raise TypeError(
            f"expected a Finding with a severity among {', '.join(SEVERITIES)}, got {found!r}"
        )
    return found
