"""A piece of work that varies like compiled benchmarks do, in a separate process.

It computes, copies more memory than a cache holds, and sorts. An interpreted loop varies by several
per cent between processes on a quiet machine, and a message between two processes by a multiple of
its time, so neither is used. This file is run directly, so it imports nothing of benchkit.
"""

from __future__ import annotations

import sys
import time
from hashlib import sha256

#: For one round: about a third of a millisecond each.
_HASHED, _COPIED, _SORTED = 1 << 19, 1 << 22, 1 << 12


def work(rounds: int) -> float:
    """Run a number of rounds, and return the seconds they took."""
    source, target = bytearray(_COPIED), bytearray(_COPIED)
    hashed, numbers = bytes(_HASHED), [each * each % 8191 for each in range(_SORTED)]
    start = time.perf_counter()
    for _ in range(rounds):
        sha256(hashed)
        target[:] = source
        sorted(numbers)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(repr(work(int(sys.argv[1]))))  # noqa: T201 - read by the process that started this one
