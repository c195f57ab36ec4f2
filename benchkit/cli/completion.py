"""Shell completion of variants and metrics.

Users choose measured names instead of remembering them. Nothing is downloaded, parsed or asked, and
errors are not shown: a shell that waits or complains is worse than one without suggestions.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from benchkit import config
from benchkit.errors import BenchkitError
from benchkit.metrics import vocabulary
from benchkit.regexes import regex

#: A name without special characters; bash inserts names unquoted, so `$(…)` would run.
_PLAIN = regex(r"[\w.,:@%+=/^-][\w .,:@%+=/^~-]*+")


def complete_variant(ctx: typer.Context, incomplete: str) -> list[str]:
    """Suggest the variants of the typed paths, or else of the store."""
    return [name for name in _list_variants(ctx) if name.startswith(incomplete)]


def complete_pair(ctx: typer.Context, incomplete: str) -> list[str]:
    """Suggest ``A:``, and after the colon every other variant."""
    variants = list(_list_variants(ctx))
    first, colon, _ = incomplete.partition(":")
    pairs = (f"{first}:{name}" if colon else f"{name}:" for name in variants if name != first)
    return [pair for pair in pairs if pair.startswith(incomplete)]


def complete_metric(incomplete: str) -> list[tuple[str, str]]:
    """Suggest the metrics with their meaning, and after a dot the statistics of one.

    Examples
    --------
    >>> complete_metric("request_r")
    [('request_rate', 'Requests per second over the run.')]
    >>> [word for word, _ in complete_metric("latency.p99")]
    ['latency.p99', 'latency.p99.9']
    """
    words, name = vocabulary(), incomplete.partition(".")[0]
    known = (
        [(f"{name}.{stat}", words[name].meaning) for stat in words[name].stats]
        if "." in incomplete and name in words
        else [(metric.name, metric.meaning) for metric in words.values()]
    )
    return [(word, meaning) for word, meaning in known if word.startswith(incomplete)]


def _list_variants(ctx: typer.Context) -> list[str]:
    try:
        return sorted({name for name in _find_variants(ctx) if _PLAIN.fullmatch(name)})
    except (BenchkitError, OSError):
        return []


def _find_variants(ctx: typer.Context) -> Iterable[str]:
    """Return the names found in folders, file names and sidecars, or in the store."""
    from benchkit.ingestion.addresses import is_distant, split_label
    from benchkit.ingestion.discovery import Options, discover
    from benchkit.store import DEFAULT, Store

    paths = _list_paths(ctx)
    named = paths or [ctx.params.get("store") or DEFAULT]
    if len(named) == 1 and not is_distant(named[0]) and Store(named[0]).is_store():
        pieces = Store(named[0]).pieces()
        return [] if pieces is None else pieces.column("variant").to_pylist()
    near = [path for path in paths if path != "-" and not is_distant(split_label(path)[1])]
    layout = ctx.params.get("layout") or config.load(Path.cwd()).layout
    sources = discover(near, Options(layout=layout)).found if near else ()
    return [each.shown_variant for each in sources]


def _list_paths(ctx: typer.Context) -> list[str]:
    """Return the typed words as paths; an option without its value makes them ambiguous."""
    single = sum(
        param.param_type_name == "argument" and param.nargs == 1 for param in ctx.command.params
    )
    return [*(ctx.params.get("paths") or ()), *ctx.args[single:]]
