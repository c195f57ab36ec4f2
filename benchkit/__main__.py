"""``python -m benchkit`` and the command ``benchkit``.

In: the command line. Out: an exit code. Why: a `BenchkitError` becomes one line on stderr and the
code that CONTRACT gives it; nothing a user did wrong ends in a traceback.
"""

from __future__ import annotations

import gc
import sys
from io import StringIO

#: One command makes many objects and few cycles: looking for these less often saves a tenth.
_MANY = 1_000_000


def main() -> None:
    """Run the command line and exit."""
    from benchkit.cli import run

    gc.set_threshold(_MANY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell: >&-
            setattr(sys, name, StringIO())
    code = run(sys.argv[1:])
    gc.freeze()  # at its end Python need not look for cycles in what goes away whole
    sys.exit(code)


if __name__ == "__main__":
    main()
