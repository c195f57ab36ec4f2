"""A first ``benchkit.toml``: every setting that matters, with a word on what it does.

A policy is begun by deleting what is not meant, and the names in it are those of the data and not
misspelt.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence

from benchkit.comparison import Comparisons, Contrast
from benchkit.gating.matching import COLUMNS
from benchkit.metrics import VOCABULARY, label
from benchkit.stats.power import runs_to_show_equivalence
from benchkit.units import printable

#: The limit that a first policy sets, for people to change.
LIMIT = "5%"
_SHARE = 0.05
_MOST = 12
#: Policy keys that fail by default, and what each is about.
_FAILING = {
    "on_undecided": "too few runs, another machine, no method that holds its level",
    "on_missing": "a benchmark or metric of the baseline is gone",
    "on_failure": "a run failed: panic, FAIL, a non-zero exit, a crossed threshold",
    "on_damaged": "a file of a known tool is torn, cut or refused",
    "exact": "without a limit: more allocations, or bytes beyond the margin",
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
        None where no name tells.
    variants : sequence of str
    comparisons : Comparisons or None
        None where nothing can be compared yet.
    rename : str
        A rule that would bring names of two sides together; empty if none is needed.
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
    yield "# What benchkit decides once for this project; the command line stands above it."
    yield "# Unknown keys are errors. `benchkit gate` reads it, and so does every other command."
    yield "schema = 1"
    yield ""
    yield "[project]"
    yield '# title = "What this change costs"'
    yield f"# Variants seen: {_comment(variants)}"
    if baseline is None:
        yield "# Which of them the others are compared with; no name tells."
        yield f"# baseline = {_text(variants[0]) if variants else '…'}"
    else:
        yield f"baseline = {_text(baseline)}"
    yield ""


def _ingest(rename: str) -> Iterator[str]:
    yield "[ingest]"
    yield "# Where group, variant and run stand in the paths, if they are not told right:"
    yield '# layout = "{variant}/{run}.txt"'
    if rename:
        yield "# Benchmark names differ between the sides; this brings them together:"
        yield f"rename = [{_text(rename)}]"
    else:
        yield "# Rules that make benchmark names of two sides equal:"
        yield '# rename = ["s#_(Baseline|Enabled)/#/#"]'
    yield "# Where the names inside one file tell the variant; a rename then makes them equal:"
    yield "# split = {pattern = 'OTel_(?P<variant>Enabled|Disabled)', lower = true}"
    yield '# rename = ["s#OTel_(Enabled|Disabled)/?##"]'
    yield '# exclude = ["*.log"]'
    yield ""


def _stats(comparisons: Comparisons | None) -> Iterator[str]:
    yield "[stats]"
    yield "# The smallest change that matters in comparisons and reports; the gate has limits."
    yield '# margin = "3%"'
    yield "# confidence = 0.95"
    names = dict.fromkeys(
        _name(c.metric, c.stat) for c in (comparisons.contrasts if comparisons else ()) if c.primary
    )
    if names:
        yield f"# The headline is {_comment(names)}; others in place of it:"
    yield '# metrics = ["latency.p50"]'
    yield ""


def _habits() -> Iterator[str]:
    yield "# What holds for every [[gate]] that does not say otherwise."
    yield "[policy]"
    yield "# An inconclusive row, though it could have been decided: pass, warn or fail."
    yield 'on_inconclusive = "warn"'
    yield "# What fails unless you say otherwise; each takes fail, warn or pass, too:"
    for key, meaning in _FAILING.items():
        yield f'# {key} = "fail"  # {meaning}'
    yield "# Fewest runs per side; with 3 the test assumes log-normal runs, from 4 on it does not."
    yield "min_runs = 4"
    yield "# Findings of these severities fail the gate:"
    yield '# no_findings = ["warning"]'
    yield "# A baseline that was measured on another machine shows nothing, unless it may:"
    yield "# allow_other_machine = true"
    yield ""


def _gates(comparisons: Comparisons | None, why: str) -> Iterator[str]:
    contrasts = comparisons.contrasts if comparisons else ()
    primaries: dict[tuple[str, str], list[Contrast]] = {}
    for c in contrasts:
        if c.primary:
            primaries.setdefault((c.metric, c.stat), []).append(c)
    if not primaries:
        yield f"# Nothing could be compared yet{f': {printable(why)}' if why else ''}."
        yield from _comment_out(_gate("latency", "p50", ()))
    for (metric, stat), rows in primaries.items():
        yield from _gate(metric, stat, rows)
    others = {
        (c.metric, c.stat): c
        for c in contrasts
        if not c.primary and c.metric in {"bytes_per_op", "error_rate", "failures"}
    }
    for c in others.values():
        yield from _comment_out(_other(c))
    yield from _comment_out(_accept(contrasts))


def _accept(contrasts: Sequence[Contrast]) -> Iterator[str]:
    """Write how the gate above accepts one regression, and one benchmark that is gone."""
    name = next((c.benchmark for c in contrasts if c.benchmark), "Ping")
    yield "[[gate.accept]]"
    yield f"benchmark = {_text(name)}"
    yield "until = 2026-12-31  # or a commit: until the baseline is measured at it"
    yield 'reason = "why it may cost this"'
    yield "[[gate.accept]]"
    yield f"removed = {_text(name)}"
    yield ""


def _gate(metric: str, stat: str, rows: Sequence[Contrast]) -> Iterator[str]:
    yield "[[gate]]"
    yield f"name = {_text(label(metric, stat))}"
    yield f"metric = {_text(_name(metric, stat))}"
    for c in rows[:1]:
        yield f'# pair = ["{_text(c.baseline)[1:-1]}", "{_text(c.variant)[1:-1]}"]'
    benchmarks = list(dict.fromkeys(c.benchmark for c in rows if c.benchmark))
    if benchmarks:
        listed = ", ".join(map(_text, benchmarks[:_MOST]))
        yield f"# The rows it holds for, by {', '.join(COLUMNS[:3])} or a param; each must occur."
        yield f"# where = {{benchmark = [{listed}]}}"
    yield '# The cost that is hoped for; then the limit: "5%", "1.1x", "0.5 ms", "+8 KiB", "2pp".'
    yield '# target = "1%"'
    yield f'acceptable = "{LIMIT}"'
    if told := _tell_runs(rows):
        yield f"# {told}"
    yield ""


def _other(contrast: Contrast) -> Iterator[str]:
    limits = {"B": "+1 KiB", "1": "1pp" if contrast.metric == "error_rate" else "+0"}
    yield "[[gate]]"
    yield f"name = {_text(VOCABULARY[contrast.metric].meaning.rstrip('.').lower())}"
    yield f"metric = {_text(_name(contrast.metric, contrast.stat))}"
    yield f'acceptable = "{limits.get(contrast.unit, LIMIT)}"'
    yield ""


def _tell_runs(rows: Sequence[Contrast]) -> str:
    """Say how many runs the limit asks for, by the widest interval seen."""
    needed = []
    for c in rows:
        if c.ratio_low is None or c.ratio_high is None:
            continue
        width = (math.log(c.ratio_high) - math.log(c.ratio_low)) / 2
        n = 2 / (1 / c.n_baseline + 1 / c.n_variant)
        needed.append(runs_to_show_equivalence(width, n, _SHARE, confidence=c.confidence))
    if not needed:
        return "One run per side shows a direction only: run each side 4 times or more."
    fewest = max((n for n in needed if n is not None), default=None)
    if fewest is None or None in needed:
        return f"The runs at hand vary too much to show {LIMIT} with any practical number of runs."
    return f"By the runs at hand, about {fewest} per side show that a cost of nothing is within it."


def _name(metric: str, stat: str) -> str:
    """Return metric and stat as a policy names them; the stat only where there are several."""
    return metric if label(metric, stat) == metric else f"{metric}.{stat}"


def _comment_out(lines: Iterable[str]) -> Iterator[str]:
    return (f"# {line}" if line and not line.startswith("#") else line for line in lines)


def _text(text: str) -> str:
    """Write a TOML string: JSON's, but for the one character that TOML escapes besides."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(names: Iterable[str]) -> str:
    listed = [printable(name) for name in names]
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    return ", ".join(listed[:_MOST]) + more
