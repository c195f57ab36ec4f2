"""The commands grouped by purpose, as ``--help`` lists them without shortened lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter
    from typer._click.core import Command, Parameter

#: Each command is a module here.
MENU = {
    "Measure": {
        "capture": "Run a command; keep its output and record its environment.",
        "ab": "Compare two commits: build and measure both until there is a verdict.",
        "plan": "Estimate the runs per side needed to detect a change.",
        "noise": "Measure how often the same program appears to differ from itself.",
        "doctor": "Report what makes this machine noisy.",
    },
    "Compare": {
        "compare": "Compare variants with a baseline.",
        "report": "Write the report: verdict, tables and figures.",
        "plot": "Draw one figure.",
    },
    "Decide": {
        "gate": "Check results against limits; the exit code is for CI.",
        "history": "Follow one metric over many commits.",
        "bisect": "Find the commit that changed a metric.",
        "check": "List the findings about the runs.",
    },
    "Explore": {
        "layout": "Show the labels of each file and where they come from.",
        "runs": "List the runs.",
        "map": "Guess how to read a table of unknown format.",
        "export": "Write every measured value as one table.",
        "formats": "List the formats that benchkit reads.",
        "explain": "Explain a finding, a metric or a format.",
        "help": "Show a page of the manual.",
        "demo": "Write sample results and a report on them.",
    },
    "Store": {
        "ingest": "Read results into the store.",
        "undo": "Undo the last ingest.",
        "store": "Check, repair or vacuum the store.",
        "init": "Write a benchkit.toml with comments.",
    },
}
COMMANDS = tuple(name for commands in MENU.values() for name in commands)
#: Options with a specific error for empty text, and those that benchstat allows to be empty.
_EXEMPT = frozenset({"store", "policy", "layout", "split", "knee", "filter", "table", "row", "col"})


class Menu(TyperGroup):
    """A command whose help lists its verbs in full, grouped by purpose."""

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[Any, ...]:
        """Find the command by its name, or refuse it and suggest the nearest name."""
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name)):
            from benchkit.cli.usage import refuse_command

            raise refuse_command(name, ctx, self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write one list per purpose; verbs of a command have no purposes."""
        verbs = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        helps = {name: verb.get_short_help_str(limit=1000) for name, verb in verbs.items() if verb}
        lists = {"Commands": helps} if ctx.parent else MENU
        for purpose, commands in lists.items():
            with formatter.section(purpose):
                formatter.write_dl([*commands.items()])


def require_values(command: Command) -> None:
    """Let the options of a command and its verbs refuse empty text.

    It comes from an unset variable of a script or CI job, so it does not mean a missing option.
    """
    for verb in getattr(command, "commands", {}).values():
        require_values(verb)
    for param in command.params:
        if param.param_type_name == "option" and param.name not in _EXEMPT:
            param.callback = partial(_require_value, then=param.callback)


def _require_value(
    context: Context,
    param: Parameter,
    value: Any,  # noqa: ANN401 - of any option
    *,
    then: Callable[..., Any] | None,
) -> Any:  # noqa: ANN401
    texts = value if isinstance(value, (list, tuple)) else [value]
    source = context.get_parameter_source(param.name) if param.name else None
    is_typed = source is not None and source.name == "COMMANDLINE"
    if is_typed and any(isinstance(text, str) and not text.strip() for text in texts):
        hint = "give a value, or omit the option"
        raise ConfigError("its value is empty", where=param.opts[0], hint=hint)
    return then(context, param, value) if then else value
