"""A first ``benchkit.toml``: every important setting, with a comment on its effect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from benchkit.comparison import EXACT, Comparisons, Contrast
from benchkit.config.files import write_string
from benchkit.config.limits import parse_limit
from benchkit.gating.matching import COLUMNS
from benchkit.metrics import VOCABULARY, label
from benchkit.stats.power import runs_to_show_equivalence
from benchkit.units import printable

_MOST = 12
#: Policy keys that fail by default, and the subject of each.
_FAILING = {
    "on_undecided": "a row cannot be decided: too few runs, another machine, no valid method",
    "on_missing": "a benchmark or metric of the baseline is missing, and a rule covers it",
    "on_failure": "a run failed: panic, FAIL, a non-zero exit, a crossed threshold",
    "on_damaged": "a file of a known tool is damaged",
    "exact": (
        "a metric without a limit got worse: more allocations, or an increase in bytes by more "
        "than the margin"
    ),
}


def write_policy(
    baseline: str | None,
    variants: Sequence[str],
    comparisons: Comparisons | None,
    *,
    rename: str = "",
    why: str = "",
) -> str:
    """Write a commented policy.

    Parameters
    ----------
    baseline : str or None
        None if no name suggests one.
    comparisons : Comparisons or None
        None if nothing can be compared yet.
    rename : str
        A rule that would match the names of the two sides; empty if none is needed.
    why : str
        Why nothing could be compared.
    """
    return "\n".join(
        (
            *_head(baseline, variants),
            *_ingest(rename),
            *_stats(comparisons),
            *_habits(),
            *_gates(comparisons, why),
        )
    )


def _head(baseline: str | None, variants: Sequence[str]) -> Iterator[str]:
    yield "# Settings for this project; command-line options override them."
    yield "# Unknown keys are errors. Every benchkit command reads this file."
    yield "schema = 1"
    yield ""
    yield "[project]"
    yield '# title = "What this change costs"'
    yield f"# Variants seen: {_comment(variants)}"
    if baseline is None:
        yield (
            "# The variant that the others are compared with. The names do not show which one it "
            "is."
        )
        yield f"# baseline = {write_string(variants[0]) if variants else '…'}"
    else:
        yield f"baseline = {write_string(baseline)}"
    yield ""


def _ingest(rename: str) -> Iterator[str]:
    yield "[ingest]"
    yield "# Path pattern, if benchkit recognises group, variant or run wrongly:"
    yield '# layout = "{variant}/{run}.txt"'
    if rename:
        yield "# The benchmark names differ between the sides; this rule makes them equal:"
        yield f"rename = [{write_string(rename)}]"
    else:
        yield "# Rules that make the benchmark names of two sides equal:"
        yield '# rename = ["s#_(Baseline|Enabled)/#/#"]'
    yield "# If benchmark names contain the variant, split it off and make the names equal:"
    yield "# split = {pattern = 'OTel_(?P<variant>Enabled|Disabled)', lower = true}"
    yield '# rename = ["s#OTel_(Enabled|Disabled)/?##"]'
    yield '# exclude = ["*.log"]'
    yield ""


def _stats(comparisons: Comparisons | None) -> Iterator[str]:
    yield "[stats]"
    yield "# The smallest change that matters in comparisons and reports (the gate uses limits)."
    yield '# margin = "3%"'
    yield "# confidence = 0.95"
    names = dict.fromkeys(
        _name(c.metric, c.stat) for c in (comparisons.contrasts if comparisons else ()) if c.primary
    )
    if names:
        yield f"# The primary metric is {_comment(names)}. To choose others:"
    yield '# metrics = ["latency.p50"]'
    yield ""


def _habits() -> Iterator[str]:
    yield "# Defaults for every [[gate]] below."
    yield "[policy]"
    yield "# Outcome of a row that more runs could decide: pass, warn or fail."
    yield 'on_inconclusive = "warn"'
    yield "# These events fail the gate by default; warn and pass are allowed, too:"
    for key, meaning in _FAILING.items():
        yield f'# {key} = "fail"  # {meaning}'
    yield "# Minimum number of runs per side."
    yield "# With only 3, the test assumes a log-normal distribution of the runs."
    yield f"min_runs = {FEWEST}"
    yield "# Findings of these severities fail the gate:"
    yield '# no_findings = ["warning"]'
    yield "# Compare with a baseline from another machine (off by default):"
    yield "# allow_other_machine = true"
    yield ""


def _gates(comparisons: Comparisons | None, why: str) -> Iterator[str]:
    contrasts = comparisons.contrasts if comparisons else ()
    primaries = _by_metric(c for c in contrasts if c.primary)
    exact = _by_metric(c for c in contrasts if not c.primary and is_exact(c))
    if not primaries:
        yield f"# Nothing could be compared yet{f': {printable(why)}' if why else ''}."
        yield from _comment_out(_gate("latency", "p50", (), OFFERED[0]))
    limits = {metric: choose_limit(rows) for metric, rows in primaries.items()}
    is_limited = any(limits.values())
    if primaries and not is_limited:
        yield "# These runs cannot confirm any limit, so the default rule applies: no primary"
        yield "# metric may show a regression beyond the margin, and no exact metric may get worse."
    accept = list(_comment_out(_accept(contrasts)))
    for (metric, stat), rows in primaries.items():
        limit = limits[metric, stat]
        lines = _gate(metric, stat, rows, limit or OFFERED[0])
        yield from lines if limit else _comment_out(lines)
        yield from accept
        accept = []
    for (metric, stat), rows in exact.items():
        limit = choose_limit(rows)
        lines = _gate(metric, stat, rows, limit or OFFERED[0])
        yield from lines if limit and is_limited else _comment_out(lines)
    requests = _by_metric(c for c in contrasts if c.metric in {"error_rate", "failures"})
    for metric, stat in (key for key in requests if key not in primaries):
        limit = "1pp" if metric == "error_rate" else "+0"
        yield from _comment_out(_gate(metric, stat, (), limit))
    yield from accept


def _by_metric(contrasts: Iterable[Contrast]) -> dict[tuple[str, str], list[Contrast]]:
    """Return the rows of each metric and stat."""
    listed: dict[tuple[str, str], list[Contrast]] = {}
    for c in contrasts:
        listed.setdefault((c.metric, c.stat), []).append(c)
    return listed


def _accept(contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Write how the gate above accepts one regression, and one removed benchmark."""
    name = next((c.benchmark for c in contrasts if c.benchmark), "Ping")
    yield "[[gate.accept]]"
    yield f"benchmark = {write_string(name)}"
    yield "until = 2026-12-31  # or a commit: until the baseline has that commit"
    yield 'reason = "why this cost is acceptable"'
    yield "[[gate.accept]]"
    yield f"removed = {write_string(name)}"
    yield ""


def _gate(metric: str, stat: str, rows: Sequence[Contrast], limit: str) -> Iterator[str]:
    yield "[[gate]]"
    yield f"name = {write_string(label(metric, stat))}"
    yield f"metric = {write_string(_name(metric, stat))}"
    for c in rows[:1]:
        yield f"# pair = [{write_string(c.baseline)}, {write_string(c.variant)}]"
    benchmarks = list(dict.fromkeys(c.benchmark for c in rows if c.benchmark))
    if benchmarks:
        listed = ", ".join(map(write_string, benchmarks[:_MOST]))
        yield (
            f"# Only rows with these values of {', '.join(COLUMNS[:3])} or a param; all must exist."
        )
        yield f"# where = {{benchmark = [{listed}]}}"
    if not (rows and is_exact(rows[0])):
        yield '# The target cost, and the acceptable one: "5%", "1.1x", "0.5 ms", "+8 KiB".'
        yield '# target = "1%"'
    yield f'acceptable = "{limit}"'
    if rows and (runs := _describe_runs(rows, limit)):
        yield f"# {runs}"
    yield ""


def _describe_runs(rows: Sequence[Contrast], limit: str) -> str:
    """Say what the existing runs can show, and how many would show the desired limit."""
    if is_exact(rows[0]):
        return ""
    if all(row.ratio_low is None for row in rows):
        return "One run per side shows only the direction: run each side at least 4 times."
    first = OFFERED[0]
    needed = count_runs(rows, first)
    if choose_limit(rows) == limit != first:
        more = f"; about {needed} runs per side can confirm {first}" if needed else ""
        return f"The smallest limit among {', '.join(OFFERED)} that these runs can confirm{more}."
    if needed is None:
        return f"These runs vary too much to confirm {first} with any practical number of runs."
    return f"If there is no cost, about {needed} runs per side can show that."


def _name(metric: str, stat: str) -> str:
    """Return metric and stat as a policy names them; the stat only if there are several."""
    return metric if label(metric, stat) == metric else f"{metric}.{stat}"


def _comment_out(lines: Iterable[str]) -> Iterator[str]:
    return (f"# {line}" if line and not line.startswith("#") else line for line in lines)


def _comment(names: Iterable[str]) -> str:
    listed = [printable(name) for name in names]
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    return ", ".join(listed[:_MOST]) + more


#: Minimum number of runs per side that a first policy requires.
FEWEST = 4
#: The limits that a first policy offers, the desired one first.
OFFERED = ("5%", "10%", "20%", "30%", "50%")
#: An additional first limit for metrics that are equal in every run.
_BEFORE = {"allocs_per_op": ("+0",), "bytes_per_op": ("3%",)}


def choose_limit(rows: Sequence[Contrast]) -> str:
    """Return the smallest limit that all rows of one metric can show; empty if there is none."""
    offered = (*_BEFORE.get(rows[0].metric, ()), *OFFERED) if rows else ()
    return next((text for text in offered if all(_can_show(row, text) for row in rows)), "")


def count_runs(rows: Sequence[Contrast], limit: str) -> int | None:
    """Return the runs per side that show a zero cost within a limit, by the widest interval.

    None if no practical number does, or no interval is known.
    """
    counts = [_count(row, limit) for row in rows if row.method != EXACT]
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def is_exact(row: Contrast) -> bool:
    """Return whether a metric is usually equal in every run."""
    known = VOCABULARY.get(row.metric)
    return known is not None and known.assume == "exact"


def _can_show(row: Contrast, limit: str) -> bool:
    """Return whether the runs of a row usually show that a zero cost is within a limit."""
    fewest = min(row.n_baseline, row.n_variant)
    if row.method == EXACT:
        return fewest >= FEWEST
    needed = _count(row, limit)
    return needed is not None and needed <= fewest


def _count(row: Contrast, limit: str) -> int | None:
    parsed = parse_limit(limit, "init")
    if not (parsed.is_relative and row.ratio_low and row.ratio_high):
        return None
    width = (math.log(row.ratio_high) - math.log(row.ratio_low)) / 2
    n = 2 / (1 / row.n_baseline + 1 / row.n_variant)
    return runs_to_show_equivalence(width, n, parsed.share, confidence=row.confidence)
