"""Rendering of user templates in a process with limited memory and time.

A template runs in a process that may not write files and is stopped at its limits. On systems
without such limits, only its time is limited.

Blocks of a template that are never shown, because no template it extends has them.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError
from benchkit.reporting.page import Page
from benchkit.reporting.templating import make_environment

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Block, Node, Template


#: Limits: bytes of memory, seconds of clock and processor time, and characters of the page.
_MEMORY, _SECONDS, _LARGEST = 1 << 30, 60, 256 << 20
#: Seconds and bytes for a process at its limit to report the line.
_GRACE, _RESERVE = 2, 64 << 20
_WRONG = 3
_HINT = "fix the template; `benchkit help publish` lists the variables"


def render_apart(name: str, page: Page, folder: Path) -> str:
    """Render a page with the templates of a folder.

    Parameters
    ----------
    name : str
        For example ``page.html``.
    folder : Path
        Its templates override the packaged ones.

    Raises
    ------
    ConfigError
        If a template is invalid or exceeds its limits: with its path and line, if they are known.
    """
    limits = _MEMORY, _SECONDS, _LARGEST
    paths = os.pathsep.join(filter(None, sys.path))
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    try:
        done = subprocess.run(  # noqa: S603 - this very Python
            [sys.executable, "-P", "-m", __name__],
            input=pickle.dumps((name, page, folder, limits)),
            capture_output=True,
            check=False,
            timeout=_SECONDS + _GRACE,
            env={**os.environ, **single, "PYTHONPATH": paths},
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(_describe_time(_SECONDS), where=str(folder / name), hint=_HINT) from None
    if done.returncode == _WRONG:
        raise ConfigError(**json.loads(done.stdout))
    if done.returncode:
        is_late = -done.returncode in {signal.SIGKILL, getattr(signal, "SIGXCPU", 0)}
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        problem = f"rendering exited with code {done.returncode}: {last}"
        what = _describe_time(_SECONDS) if is_late else problem
        raise ConfigError(what, where=str(folder / name), hint=_HINT)
    return done.stdout.decode("utf-8", "surrogatepass")


def _describe_time(seconds: int) -> str:
    return f"the template takes more than {seconds} s"


def main() -> int:
    """Render the page described on standard input, within the given limits."""
    name, page, folder, limits = pickle.load(sys.stdin.buffer)  # noqa: S301 - from `render_apart`
    try:
        with _locate(name, folder, limits[0]):
            _limit(*limits[:2])
            text = _render(name, page, folder, limits[2])
    except ConfigError as error:
        place = {"what": error.what, "where": error.where, "hint": error.hint}
        sys.stdout.write(json.dumps(place))
        return _WRONG
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    return 0


def _limit(memory: int, seconds: int) -> None:
    """Limit memory and processor time from here on, and forbid files to grow."""
    with suppress(ImportError):  # not available everywhere
        import resource

        used = math.ceil(time.process_time())
        last = resource.getrlimit(resource.RLIMIT_CPU)[1]  # no process may raise it
        end = used + seconds + _GRACE
        end = end if last == resource.RLIM_INFINITY else min(end, last)
        allowed = max(end - _GRACE, 1)

        def stop(_number: int, _frame: object) -> None:
            raise TimeoutError(_describe_time(allowed - used))

        signal.signal(signal.SIGXCPU, stop)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, end))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        with suppress(OSError, ValueError):  # macOS refuses it
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory + _RESERVE))


def _make_room() -> None:
    """Let a process at its limit report it: its memory is full, and its time may be over."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _render(name: str, page: Page, folder: Path, largest: int) -> str:
    environment = make_environment(folder)
    for path in filter(Path.is_file, sorted(folder.glob("*.html"))):
        require_blocks(environment, path)
    parts, size = [], 0
    for part in environment.get_template(name).generate(report=page):
        parts.append(part)
        size += len(part)
        if size > largest:
            what = f"the template writes more than {largest >> 20} MiB"
            raise ConfigError(what, where=str(folder / name), hint=_HINT)
    return "".join(parts)


@contextmanager
def _locate(name: str, folder: Path, memory: int) -> Iterator[None]:
    """Name path and line of an invalid template."""
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    try:
        yield
    except ConfigError:
        raise
    except TemplateSyntaxError as error:
        where = f"{error.filename or folder / name}:{error.lineno}"
        raise ConfigError(error.message or "syntax error", where=where, hint=_HINT) from error
    except Exception as error:
        _make_room()
        what = str(error).removesuffix(".")
        if isinstance(error, MemoryError):
            what = f"the template needs more than {memory >> 20} MiB of memory"
        elif isinstance(error, TemplateNotFound):
            what = f"there is no template {what!r} in the folder or among the packaged ones"
        raise ConfigError(what, where=_place(error, folder, name), hint=_HINT) from error


def _place(error: Exception, folder: Path, name: str) -> str:
    """Return path and line of the last user template in the error's traceback."""
    frames = extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).is_relative_to(folder)]
    last = (inside or [frame for frame in frames if frame.filename.endswith(".html")])[-1:]
    return f"{last[0].filename}:{last[0].lineno}" if last else str(folder / name)


def require_blocks(environment: Environment, path: Path) -> None:
    """Refuse a template that fills a block which none of its base templates has.

    Raises
    ------
    ConfigError
        With path and line, and the block that was probably meant.
    jinja2.TemplateError
        If a template cannot be parsed, or one that it extends does not exist.
    """
    source, _ = _read(environment, path.name)
    tree = environment.parse(source, path.name, str(path))
    known = {block.name for parent in _list_parents(environment, tree) for block in _all(parent)}
    for block in _list_outer(tree) if known else ():
        if block.name not in known:
            near = difflib.get_close_matches(block.name, sorted(known), n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigError(
                f"the templates that it extends have no block {block.name!r}",
                where=f"{path}:{block.lineno}",
                hint=f"{meant}existing blocks: {', '.join(sorted(known))}",
            )


def _list_parents(environment: Environment, tree: Template) -> Iterator[Template]:
    """Yield the templates that one extends, as far as their names are literals."""
    from jinja2.nodes import Const, Extends

    seen: set[str] = set()
    while (extends := tree.find(Extends)) and isinstance(extends.template, Const):
        name = str(extends.template.value)
        if name in seen:
            return
        seen.add(name)
        source, file = _read(environment, name)
        tree = environment.parse(source, name, file)
        yield tree


def _read(environment: Environment, name: str) -> tuple[str, str | None]:
    if environment.loader is None:
        raise TypeError("an environment without a loader has no templates")
    return environment.loader.get_source(environment, name)[:2]


def _all(tree: Template) -> Iterator[Block]:
    from jinja2.nodes import Block

    return tree.find_all(Block)


def _list_outer(node: Node) -> Iterator[Block]:
    """Yield the outermost blocks: those inside them belong to the template itself."""
    from jinja2.nodes import Block

    for child in node.iter_child_nodes():
        if isinstance(child, Block):
            yield child
        else:
            yield from _list_outer(child)


if __name__ == "__main__":
    sys.exit(main())
