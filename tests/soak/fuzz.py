"""Mutated blocks for the kernel's readers, under address and undefined-behaviour sanitizers.

`nox -s fuzz` tries one million; whatever a block contains, nothing outside of it is read. Blocks
have no margins here, so a sanitizer detects access to the first byte beyond.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

from soak.sanitized import take_kernel

LOG = logging.getLogger("fuzz")
_EACH = 10_000


def main() -> int:
    """Compile the kernel, and let processes read blocks with it; return 1 if one of them fails."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--blocks", type=int, default=1_000_000, help="to try")
    parser.add_argument("--seed", type=int, default=1, help="of all blocks")
    parser.add_argument("--log", type=Path, help="a file for what is printed")
    options = parser.parse_args()
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    handlers += [logging.FileHandler(options.log, "w")] if options.log else []
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", handlers=handlers)
    from soak.sanitizers import build, surroundings

    compiler = shutil.which("gcc")
    if compiler is None:
        LOG.info("no compiler: nothing was tried")
        return 1
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        library = build(compiler, Path(folder))
        jobs = os.cpu_count() or 1
        commands = [
            [sys.executable, "-m", "soak.fuzz", str(library), f"{options.seed}/{job}",
             str(-(-options.blocks // jobs))]
            for job in range(jobs)
        ]  # fmt: skip
        children = [
            subprocess.Popen(
                command, env=surroundings(compiler, Path(folder)), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace",
            )
            for command in commands
        ]  # fmt: skip
        for child in children:
            for line in child.stdout or ():
                LOG.info("%s", line.rstrip())
        failed = [child.wait() for child in children]
    LOG.info("%s processes, exit codes %s", len(failed), failed)
    return int(any(failed))


def read_blocks(library: str, seed: str, count: int) -> None:
    """Read mutated blocks of every bulk form with the kernel in a file."""
    take_kernel(library)
    from roads import TEXTS

    from benchkit.parsers import kernel
    from benchkit.parsers.ab import samples
    from benchkit.parsers.k6 import columns
    from benchkit.parsers.vegeta import lines
    from soak.mutation import change

    header = TEXTS["k6 csv"][1].partition(b"\n")[0].decode().split(",")
    table = columns._shape_csv(tuple(header))
    rng, odd, read = Random(seed), 0, 0  # noqa: S311 - to be repeatable
    shapes: list[tuple[str, Callable[[bytes], object], tuple[bytes, int]]] = [
        ("k6 json", columns.read_json, (columns._JSON, 4)),
        ("k6 csv", partial(columns.read_csv, columns=header), table),
        ("ab -g", samples.read_block, (samples._SHAPE, 5)),
        ("vegeta csv without errors", lines._read_csv_cells, lines._shape_of(lines._COLUMNS)),
        ("vegeta csv", lines._read_csv_cells, lines._shape_of(lines._COLUMNS[:9])),
        ("vegeta gob", lambda data: read_messages(data, rng), table),
    ]
    for number in range(1, count + 1):
        name, complete, shape = rng.choice(shapes)
        data = change(rng, TEXTS[name][1])
        first = rng.choice((0, 0, rng.randrange(len(data) + 1)))
        parsed = kernel.read_lines(data, first, len(data), *shape)
        read, odd = read + len(parsed.good), odd + int((~parsed.good).sum())
        with suppress(UnicodeDecodeError):  # left to the plain reader
            complete(data)
        if number % _EACH == 0 or number == count:
            print(f"{seed}: {number:,} blocks, {read:,} lines, {odd:,} odd", flush=True)  # noqa: T201


def read_messages(data: bytes, rng: Random) -> None:
    """Read messages of gob from any position."""
    from benchkit.parsers import kernel

    place, prefix = rng.randrange(len(data) + 1), data[:0] if rng.randrange(2) else b"\xff\x80"
    places, ends = kernel.find_messages(data, place, len(data), prefix, 1 << 10)
    kernel.read_structs(data, places, ends, rng.choice(("tnnbnnttbtth", "nbhbn", "n")), 64)


if __name__ == "__main__":
    if len(sys.argv) == 4 and not sys.argv[1].startswith("-"):
        read_blocks(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
