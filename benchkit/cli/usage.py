"""Invalid command lines, reported in the words of all other errors of benchkit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeGuard

from benchkit.errors import ConfigError
from benchkit.regexes import regex

if TYPE_CHECKING:
    from typer._click import Context
    from typer._click.core import Parameter
    from typer._click.exceptions import UsageError

#: Names less similar than this are not suggested.
_ALIKE = 0.75
#: Typer's messages about a value or a word, and benchkit's wording.
_WORDS = (
    (regex(r"(.*) is not a valid int\w* range\.", re.DOTALL), r"expected a whole number, got \1"),
    (regex(r"(.*) is not a valid float\.", re.DOTALL), r"expected a number, got \1"),
    (regex(r"(.*) is not in the range x>=(\d+)\.", re.DOTALL), r"expected at least \2, got \1"),
    (regex(r"Option '(.*)' requires an argument\.", re.DOTALL), r"\1 needs a value"),
    (regex(r"Option '(.*)' does not take a value\.", re.DOTALL), r"\1 takes no value"),
    (
        regex(r"Got unexpected extra arguments? ?(?:\(s\) )?\((.*)\)", re.DOTALL),
        r"unexpected argument: \1",
    ),
)


def is_usage_error(error: Exception) -> TypeGuard[UsageError]:
    """Return whether typer refused the arguments; its classes have moved from click to typer."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def explain_usage(error: UsageError, command: str) -> ConfigError:
    """Return benchkit's error for one of typer's, which may not know the command."""
    context, param = error.ctx, getattr(error, "param", None)
    if context and hasattr(error, "possibilities"):
        return _refuse_option(getattr(error, "option_name", ""), context)
    if context and param and hasattr(error, "param_type"):
        return _ask_for(param, context)
    return ConfigError(
        _reword(error.message),
        where=_name(param) if param else "",
        hint=f"see `{context.command_path if context else command} --help`",
    )


def refuse_command(name: str, context: Context, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown command: a path, or a misspelt name."""
    near = get_close_matches(name, list(known), 1)
    if context.parent is None and Path(name).exists():
        hint = f"to compare its results: {context.command_path} compare {quote(name)}"
    elif near:
        hint = f"did you mean {near[0]!r}?"
    else:
        hint = f"list the commands with `{context.command_path} --help`"
    return ConfigError(f"unknown command {name!r}", where=_verb(context), hint=hint)


def _refuse_option(name: str, context: Context) -> ConfigError:
    """Suggest the nearest option; there are hardly any before a command."""
    params = context.command.params
    known = [each for param in params for each in param.opts if each[:2] == "--"]
    begun = [each for each in known if each.startswith(name) and len(name) > len("--")]
    near = begun or get_close_matches(name, known, 1, _ALIKE)
    hint = f"did you mean {near[0]!r}? " if near else ""
    if not near and any((param.metavar or "").startswith("-- ") for param in params):
        hint += "write -- before the command that is measured; "
    if hasattr(context.command, "commands"):
        hint += "options go after the command; "
    hint += f"see `{context.command_path} --help`"
    return ConfigError(f"unknown option {name!r}", where=_verb(context), hint=hint)


def _ask_for(param: Parameter, context: Context) -> ConfigError:
    """Say what is missing, and show a complete command."""
    example = (context.command.epilog or "").partition("Example: ")[2]
    hint = f"for example: {example}" if example else f"see `{context.command_path} --help`"
    return ConfigError(f"missing {_name(param)}", where=_verb(context), hint=hint)


def _name(param: Parameter) -> str:
    """Return an option as it is typed, or an argument as the usage line names it."""
    if param.param_type_name == "option":
        return next((each for each in param.opts if each.startswith("--")), param.opts[0])
    return (param.metavar or str(param.name).upper()).strip("[].")


def _reword(message: str) -> str:
    for typed, wording in _WORDS:
        if match := typed.fullmatch(message):
            return match.expand(wording)
    return f"{message[:1].lower()}{message[1:].rstrip('.')}"


def _verb(context: Context) -> str:
    """Return the refusing command without the program: ``history add``."""
    return " ".join(context.command_path.split()[1:])
