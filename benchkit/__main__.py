"""``python -m benchkit`` and the command ``benchkit``.

In: the command line. Out: an exit code. Why: a `BenchkitError` becomes one line on stderr and the
code that CONTRACT gives it; nothing a user did wrong ends in a traceback.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit."""
    from benchkit.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
