"""What a build adds to the package: the compiled kernel of the parsers, if it can be had.

In: `benchkit/parsers/_kernel.c`. Out: an extension of CPython's stable API beside it. Why: numpy
gives the same values without it, so that a machine without a C compiler loses time and no more.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from setuptools import Distribution, Extension
from setuptools.errors import BaseError

NAME = "benchkit.parsers._kernel"
SOURCE = "benchkit/parsers/_kernel.c"


class KernelHook(BuildHookInterface[Any]):
    """Compiles the kernel for a wheel; for an editable one into the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tell hatchling what came of it."""
        self.scratch = TemporaryDirectory(prefix="benchkit-")  # goes with the hook
        scratch = Path(self.scratch.name)
        place = Path(self.root) if version == "editable" else scratch / "lib"
        try:
            made = compile_kernel(Path(self.root), place, scratch)
        except (BaseError, OSError) as error:  # no compiler at all
            self.app.display_warning(str(error))
            return
        if not made.exists():  # setuptools has told why
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version != "editable":
            build_data["force_include"][str(made)] = str(made.relative_to(place))


def compile_kernel(root: Path, place: Path, scratch: Path) -> Path:
    """Compile the kernel; return the extension, under ``place`` where it lies in the package."""
    extension = Extension(
        NAME,
        [str(root / SOURCE)],
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
        py_limited_api=True,
        optional=True,
    )
    command = Distribution({"name": "benchkit", "ext_modules": [extension]}).get_command_obj(
        "build_ext"
    )
    command.build_lib, command.build_temp = str(place), str(scratch)
    command.ensure_finalized()
    command.run()
    return place / command.get_ext_filename(NAME)
