"""Commands as users type them, run in this process, and requirements on every answer."""

from __future__ import annotations

import io
import os
import traceback
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from benchkit.cli import run


@dataclass(frozen=True, slots=True)
class Answer:
    """Exit code and output of a command, and the traceback if it crashed."""

    code: int
    out: str
    err: str

    @property
    def is_crash(self) -> bool:
        """Return whether it ended in a traceback or in a request to report it."""
        return "Traceback (most recent" in self.err or "please report" in self.out + self.err

    def describe(self) -> str:
        """Return the end of what it wrote on standard error."""
        return f"exit {self.code}: {' / '.join(self.err.strip().splitlines()[-3:])[-400:]}"


def call(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Answer:
    """Run a command in a folder, with output that accepts only UTF-8, like a terminal."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in "oe")
    with chdir(folder), _environment(env or {}), redirect_stdout(out), redirect_stderr(err):
        try:
            code = run(arguments)
        except Exception:  # noqa: BLE001 - a crash is an answer
            code = 70
            err.write(traceback.format_exc().encode("utf-8", "backslashreplace").decode())
    written = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return Answer(code, *written)


@contextmanager
def _environment(env: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
