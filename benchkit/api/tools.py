"""Tools in a table of one's own: their names are the user's, and decide nothing by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.errors import Finding
from benchkit.parsers import registry

if TYPE_CHECKING:
    from benchkit.schema import Observations

#: What carries the headline where the tool does not decide.
_HEADLINES = (("time_per_op", "sample"), ("request_rate", "mean"), ("latency", "p50"))
#: Variants that the finding names.
_SHOWN = 4


def join_tools(observations: Observations) -> tuple[Observations, tuple[Finding, ...]]:
    """Give variants of one tool each a common tool, so that they can be compared.

    Returns
    -------
    tuple of (Observations, findings)
        As they were where a variant has several tools, or all have the same.
    """
    pairs = observations[["variant", "tool"]].drop_duplicates()
    tools = dict(zip(pairs["variant"].tolist(), pairs["tool"].tolist(), strict=True))
    names = sorted({tool for tool in tools.values() if tool})
    if len(tools) < len(pairs) or len(set(tools.values())) < 2:
        return observations, ()
    joined: Observations = observations.assign(tool="+".join(names))
    if len(names) < 2:
        return joined, ()
    listed = [f"{variant} was measured by {tool}" for variant, tool in tools.items() if tool]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    finding = Finding(
        code="B108",
        severity="warning",
        message=f"{', '.join(listed[:_SHOWN])}{more}: the difference between the tools counts as "
        "one between the variants",
        remedy="measure both variants with one tool; if both names mean one tool, give it one name",
        numbers={"tools": len(names)},
    )
    return joined, (finding,)


def choose_headline(observations: Observations) -> tuple[tuple[str, str], ...]:
    """Choose primary metrics for a table of whose tools none of the usual ones is there.

    Returns
    -------
    tuple of (metric, stat)
        Empty where the tools have theirs, or several metrics of the user's own are there.
    """
    whole = observations[observations["subject"].isna() | (observations["subject"] == "")]
    rows = whole[["tool", "metric", "stat"]].drop_duplicates()
    measured = list(rows.itertuples(index=False, name=None))
    if any(
        (metric, stat) in registry.tool(tool).find_primaries(registry.tool(tool).load_model)
        for tool, metric, stat in measured
    ):
        return ()
    known = dict.fromkeys((metric, stat) for _, metric, stat in measured)
    if usual := tuple(pair for pair in _HEADLINES if pair in known):
        return usual
    return tuple(known) if len(known) == 1 else ()
