"""Shared options, attached to commands by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo

from benchkit.cli.options import By, Only, Quiet, Request, Requested
from benchkit.cli.selected import require_values


def takes(
    named: str = "", *, without: str = "", **instead: object
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Attach the options of a `Request`, and the named ones of `Requested`, to a command.

    They replace its parameters ``request`` and ``requested``; ``only`` is a ``--by`` with a value.
    """
    known = {**get_type_hints(Requested, include_extras=True), "by": By, "only": Only, **instead}
    left = {"by", *without.split()}
    shared = get_type_hints(Request, include_extras=True)
    blocks = {
        "request": [_option(each, shared[each]) for each in shared if each not in left],
        "requested": [_option(each.replace("only", "by"), known[each]) for each in named.split()],
    }

    def attach(command: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(command, eval_str=True).parameters
        options = [one for name in parameters for one in blocks.get(name, [parameters[name]])]
        options.sort(key=_is_option)
        attached = {option.name for block in blocks.values() for option in block}

        @wraps(command)
        def run(**values: Any) -> None:  # noqa: ANN401 - of any option
            if "only" in named:
                values["by"] = require_values(values["by"])
            for name, form in {"request": Request, "requested": Requested}.items():
                if name in parameters:
                    held = attached.intersection(form.__annotations__)
                    values[name] = form(**{each: values.pop(each) for each in held})
            command(**values)

        vars(run)["__signature__"] = inspect.Signature(options)
        return run

    return attach


def _is_option(parameter: inspect.Parameter) -> bool:
    return not any(isinstance(form, ArgumentInfo) for form in get_args(parameter.annotation))


def _option(name: str, annotation: object) -> inspect.Parameter:
    default = False if annotation == Quiet else None
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
