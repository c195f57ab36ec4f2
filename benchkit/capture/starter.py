"""A first plan for a tool: it runs as it is, and is then filled in."""

from __future__ import annotations

from benchkit.parsers import registry
from benchkit.parsers.base import FirstPlan

_URL = "http://127.0.0.1:8080/"
_SERVICE = f"""\
# The service: started for each run, measured as soon as `ready` answers, and stopped.
# {{variant}} stands for the variant's name, as in "./server --mode {{variant}}".
serve = "python3 -m http.server 8080 --bind 127.0.0.1"
ready = "{_URL}"
"""


def list_plans() -> dict[str, FirstPlan]:
    """Return the plans of tools by what these are called on a command line."""
    return {
        (*tool.executables, tool.name)[0]: tool.plan for tool in registry.all_tools() if tool.plan
    }


def write_plan(plan: FirstPlan) -> str:
    """Write a commented plan.

    Examples
    --------
    >>> print(write_plan(FirstPlan("sleep {variant}", variants=("1", "2"))))
    # Measure the variants in turn until each primary metric is decided:
    #   benchkit capture --plan plan.toml --until decided
    #   benchkit compare results
    <BLANKLINE>
    # {variant} stands for the variant's name.
    command = '''sleep {variant}'''
    <BLANKLINE>
    [variants."1"]
    [variants."2"]
    <BLANKLINE>
    """
    command, warmup = (words.replace("{}", _URL) for words in (plan.command, plan.warmup))
    lines = [
        "# Measure the variants in turn until each primary metric is decided:",
        "#   benchkit capture --plan plan.toml --until decided",
        "#   benchkit compare results",
        "",
    ]
    if warmup:
        lines += [*_SERVICE.splitlines(), f"warmup = '''{warmup}'''"]
    else:
        lines.append("# {variant} stands for the variant's name.")
    lines += [f"command = '''{command}'''", "", *(f'[variants."{v}"]' for v in plan.variants)]
    return "\n".join(lines) + "\n"
