"""The command line: one file per command, and `run`, which the tests call.

A command parses, calls and prints; Python users can do the same without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from shlex import join
from typing import TYPE_CHECKING

import typer

from benchkit.cli.menu import COMMANDS, Menu, require_values
from benchkit.cli.printing import discard, print_line, survive
from benchkit.errors import BaselineError, BenchkitError, DataError, ExitCode

if TYPE_CHECKING:
    from typer._click.core import Command
    from typer._click.exceptions import UsageError

PROGRAM = "benchkit"


def application(command: str = "") -> typer.Typer:
    """Assemble the commands; if one is named, only that one, which is faster."""
    app = typer.Typer(
        name=PROGRAM,
        cls=Menu,
        help="What does this change cost? benchkit compares raw benchmark results and says how "
        "certain the answer is.",
        no_args_is_help=True,
        epilog="Example: benchkit report results/",
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in [command] if command in COMMANDS else COMMANDS:
        import_module(f"{__name__}.{name}").register(app)
    return app


@cache
def _build_command(name: str) -> Command:
    """Build one command, or all of them; each is built once per process."""
    command = typer.main.get_command(application(name))
    require_values(command)
    return command


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every refusal is one line on stderr."""
    try:
        if not arguments:
            from benchkit.cli.glance import show_results

            if show_results():
                return int(ExitCode.DONE)
        word = next(iter(arguments), "")
        command = _build_command(word if word in COMMANDS else "")
        code = command.main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
        with survive(sys.stdout):
            sys.stdout.flush()
    except BenchkitError as error:
        _refuse(f"{error}{_write_example(arguments, error.options)}", error.exit_code)
        for line in suggest(arguments, error) if arguments else ():
            print_line(line, err=True)
        return int(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except typer.Exit as leaving:
        code = leaving.exit_code
    except (BrokenPipeError, SystemExit):  # typer's exit code for a closed pipe
        discard(sys.stdout)
        code = ExitCode.CLOSED
    except OSError as error:
        discard(sys.stdout)
        code = _refuse(f"cannot write the result: {error.strerror or error}", ExitCode.USAGE)
    except Exception as error:
        from benchkit.cli.usage import is_usage_error

        if not is_usage_error(error):
            raise
        code = _explain(error, arguments)
    if code == ExitCode.INTERRUPTED:  # typer may have noticed it, too
        code = _refuse("interrupted; no partial results were kept", ExitCode.INTERRUPTED)
    return int(code or ExitCode.DONE)


def _write_example(arguments: Sequence[str], options: Sequence[str]) -> str:
    """Return the command completed by the options that an error suggests, if any.

    They replace options of the same name; a ``--rename`` is added to others.
    """
    from benchkit.redaction import redact

    named = {word for word in options if word.startswith("--")} - {"--rename"}
    kept = [
        word
        for before, word in pairwise(("", *arguments))
        if word.partition("=")[0] not in named and before not in named
    ]
    return f"; for example: {join(redact([PROGRAM, *kept, *options]))}" if options else ""


def _refuse(text: str, code: ExitCode) -> int:
    print_line(f"{PROGRAM}: error: {text}", err=True)
    return int(code)


def _explain(error: UsageError, arguments: Sequence[str]) -> int:
    """Report a refusal of typer in benchkit's words; show the help of a command without a verb."""
    from benchkit.cli.usage import explain_usage

    if type(error).__name__ != "NoArgsIsHelpError":
        command = " ".join([PROGRAM, *(word for word in arguments[:1] if word in COMMANDS)])
        return _refuse(str(explain_usage(error, command)), ExitCode.USAGE)
    with survive(sys.stderr):
        error.show()
    return int(ExitCode.USAGE)


def _show_version(requested: bool) -> None:
    if requested:
        from benchkit import __version__

        sys.stdout.write(f"{PROGRAM} {__version__}\n")
        raise typer.Exit


def _options(
    _version: bool = typer.Option(
        False,
        "--version",
        is_eager=True,
        callback=_show_version,
        help="Print the version and exit.",
    ),
) -> None:
    """Parse the options before a command."""


#: Commands that need two sides, and the maximum number of files read to suggest others.
_COMMANDS, _FILES = ("compare", "report", "gate"), 200


def suggest(arguments: Sequence[str], error: BenchkitError) -> list[str]:
    """Say how the only folder of a command was understood, and suggest the likeliest alternatives.

    Returns nothing if the error has another cause, or if a layout was named.
    """
    is_named = any(each.startswith(("--layout", "--split")) for each in arguments)
    if arguments[0] not in _COMMANDS or is_named or not _asks(error):
        return []
    # A word too long for a path is not a folder, and must not raise an error of pathlib.
    folders = [each for each in arguments[1:] if each[:1] != "-" and os.path.isdir(each)]  # noqa: PTH112
    if len(folders) != 1:
        return []
    from benchkit.cli import options as o
    from benchkit.ingestion.layout import explain_layout
    from benchkit.tables.layout import suggest_readings, summarise_layout

    try:
        explained = explain_layout(folders, o.Request(quiet=True).options(o.settings()), _FILES)
    except BenchkitError:
        return []
    understood = summarise_layout(explained.files, 0, explained.unread)
    readings = suggest_readings(arguments, explained.readings)
    return [f"read as {understood}", *readings]


def _asks(error: BenchkitError) -> bool:
    """Return whether an error is about the choice of sides."""
    return isinstance(error, BaselineError) or (
        isinstance(error, DataError) and "other=PATH" in error.options
    )
