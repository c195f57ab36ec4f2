"""The child of `soak.sanitizers`: load a kernel from a file, and run the code that uses it."""

from __future__ import annotations

import itertools
import sys
import time
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

import pytest

_NAME = "benchkit.parsers._kernel"


def take_kernel(library: str) -> None:
    """Load the kernel from a file, before anything loads another one."""
    loader = ExtensionFileLoader(_NAME, library)
    spec = spec_from_file_location(_NAME, library, loader=loader)
    assert spec is not None
    kernel = module_from_spec(spec)
    loader.exec_module(kernel)
    sys.modules[_NAME] = kernel
    from benchkit import parsers
    from benchkit.parsers import kernel as road

    parsers._kernel = kernel
    assert road.compiled is kernel


def main(library: str, seed: int, count: int, seconds: float, tests: list[str]) -> int:
    """Read mutated inputs with a kernel, then run its tests."""
    take_kernel(library)
    from roads import TEXTS, read_all, take_columns

    from soak.mutation import make

    end, tried = time.monotonic() + seconds, 0
    columnar = {form.name for form, _ in TEXTS.values()}
    with pytest.MonkeyPatch.context() as patch:
        take_columns(patch, 5000)
        for mutant in (make(seed, number) for number in itertools.count()):
            if tried == count or time.monotonic() > end:
                break
            if mutant.text.form.name in columnar:
                read_all(mutant.text.form, mutant.data)
                tried += 1
    print(f"inputs {tried}", flush=True)  # noqa: T201
    return int(pytest.main(["-q", "-n0", "-p", "no:cacheprovider", *tests]))


if __name__ == "__main__":
    LIBRARY, SEED, COUNT, SECONDS, *TESTS = sys.argv[1:]
    sys.exit(main(LIBRARY, int(SEED), int(COUNT), float(SECONDS), TESTS))
