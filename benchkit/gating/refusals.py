"""What was refused while the results were read, in one line.

Who reads the job summary or the comment sees no stderr, and a run that is refused is missing from
the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.errors import Diagnostic
from benchkit.units import printable

#: Sources that are named; the rest are counted.
_SHOWN = 2
_KINDS = {"error": "refused, and not in the verdict", "warning": "read with a loss"}


def tell_refused(diagnostics: Sequence[Diagnostic]) -> str:
    """Say which sources were refused or read with a loss, and why; empty if none was.

    Examples
    --------
    >>> tell_refused([Diagnostic("new/3.txt", 0, "empty file", "run again")])
    '1 source was refused, and not in the verdict: new/3.txt: empty file.'
    """
    told = []
    for severity, what in _KINDS.items():
        first = {p.path: p for p in reversed(diagnostics) if p.severity == severity}
        if first:
            listed = list(first.values())[::-1]
            reasons = "; ".join(f"{p.where}: {p.what}" for p in listed[:_SHOWN])
            more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
            number = "1 source was" if len(listed) == 1 else f"{len(listed)} sources were"
            told.append(f"{number} {what}: {reasons}{more}.")
    return printable(" ".join(told))
