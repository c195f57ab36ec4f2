"""Selection of observations and of the baseline.

Filters and the inference of a baseline are implemented once, and report what they did.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, TypeVar

from benchkit.errors import BaselineError, SelectionError
from benchkit.listing import list_first
from benchkit.regexes import regex

if TYPE_CHECKING:
    import pandas as pd

Frame = TypeVar("Frame", bound="pd.DataFrame")

BASELINE_NAMES = (
    "baseline",
    "base",
    "none",
    "no-agent",
    "off",
    "disabled",
    "control",
    "master",
    "main",
)
#: Other usual names of a baseline that are not usual names of a variant.
EARLIER_NAMES = (
    *("old", "before", "pre", "original", "orig", "plain", "vanilla", "previous", "prev"),
    "uninstrumented",
    *("reference", "ref", "stable", "legacy", "stock", "bare", "noop", "ctrl", "upstream"),
    *("vorher", "avant", "antes", "prima"),
)
#: Words before a name that mark the side without it: `no-otel` next to `otel`, `without-agent`.
_WITHOUT = ("no", "non", "not", "without", "un", "ohne", "sans", "sin", "senza")
#: Endings of a name that mark the side without it: `agentless` next to `agent`.
_LACKING = ("less", "free")
#: Words that mark the variant: `ping.new` next to `ping`.
_LATER = ("new", "after", "pr", "patch", "patched", "head")
_SEPARATORS = regex(r"[-_. =@+,]+")
#: Position where a capital letter begins a word: `noAgent`.
_CAPITAL = regex(r"(?<=[a-z])(?=[A-Z])")
#: Words for builds, levels and positions rather than sides: `c50`, `exp1`, a commit.
_MARK = regex(r"[a-z]{1,5}[0-9]{1,4}|[0-9]+|(?=[a-z]*[0-9])[0-9a-f]{7,40}")
#: A number before a name that only defines its position: `01_none`.
_ORDINAL = regex(r"^[0-9]{1,4}[-_. ]+(?=\D)")
#: A level of folders that contains one of these names is that of the variants.
SIDE_NAMES = (*BASELINE_NAMES, *EARLIER_NAMES)


#: Maximum number of names that are listed; the rest are counted.
_LISTED = 12
#: Maximum number of metrics suggested for a statistic without a metric.
_COMPLETED = 3
#: Valid types of a requested value.
Label = str | int | float


def select(frame: Frame, **labels: Label | Sequence[Label] | None) -> Frame:
    """Keep the rows whose columns have the requested values.

    Parameters
    ----------
    frame : DataFrame
        Observations, runs, or any frame with these columns.
    **labels : str or number, or sequence of them, optional
        ``variant="otlp"``, ``run=[1, 2]``; None keeps everything.

    Raises
    ------
    SelectionError
        If a column or a value does not occur; the message lists those that do.
    """
    for column, requested in labels.items():
        if requested is None:
            continue
        if column not in frame.columns:
            raise SelectionError(
                f"unknown column {column!r}", hint=f"the columns are {', '.join(frame.columns)}"
            )
        values = _listed(requested)
        known = list(dict.fromkeys(frame[column].tolist()))
        for value in values:
            require(value, known, column)
        frame = keep(frame, **{column: values})
    return frame


def keep(frame: Frame, **labels: Label | Sequence[Label] | None) -> Frame:
    """Like `select`, but it may return no rows."""
    for column, requested in labels.items():
        if requested is not None:
            accepted = {str(value) for value in _listed(requested)}
            frame = frame[frame[column].astype(str).isin(accepted)]
    return frame


def _listed(requested: Label | Sequence[Label]) -> list[Label]:
    return [requested] if isinstance(requested, (str, int, float)) else list(requested)


def require(value: object, known: Iterable[object], kind: str) -> None:
    """Raise `SelectionError` with the nearest and all known names unless ``value`` is known."""
    names = [str(name) for name in known]
    if str(value) in names:
        return
    near = difflib.get_close_matches(str(value), names, n=1)
    did_you_mean = f"did you mean {near[0]!r}? " if near else ""
    known_names = f"{did_you_mean}known: {list_first(names, _LISTED) or 'none'}"
    raise SelectionError(f"unknown {kind} {str(value)!r}", hint=known_names)


def match_names(patterns: Iterable[str], names: Iterable[str], kind: str) -> list[str]:
    """Return the names that match any of the patterns.

    Raises
    ------
    SelectionError
        If a pattern has no match; the message lists the nearest names.

    Examples
    --------
    >>> match_names(["*Ping", "Get"], ["Redis/Ping", "Get", "Set"], "benchmark")
    ['Redis/Ping', 'Get']
    """
    known = list(names)
    for pattern in patterns:
        if not match_any([pattern], known):
            require(pattern, known, kind)
    return match_any(patterns, known)


def match_any(patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names that equal or match one of the patterns."""
    listed = list(patterns)
    return [
        name for name in names if any(name == each or fnmatchcase(name, each) for each in listed)
    ]


def require_metric(metric: str, stat: str, known: Iterable[tuple[str, str]]) -> None:
    """Raise `SelectionError` unless a metric was measured; complete a statistic without a metric.

    Parameters
    ----------
    metric, stat : str
        As requested; for ``p99``, the metric is the statistic.
    known : iterable of (metric, stat)
        The measured ones.
    """
    measured = dict.fromkeys(known)
    names = dict.fromkeys(name for name, _ in measured)
    text = f"{metric}.{stat}" if stat else metric
    complete = [f"{name}.{each}" for name, each in measured if each == text]
    if metric in names or not complete:
        require(metric, names, "metric")
        return
    likely = sorted(complete, key=lambda name: not name.startswith("latency."))[:_COMPLETED]
    raise SelectionError(f"unknown metric {text!r}", hint=f"did you mean {' or '.join(likely)}?")


def list_baselines(variants: Iterable[str]) -> list[str]:
    """Return the variants with a usual name of a baseline; `baseline` itself takes precedence.

    Examples
    --------
    >>> list_baselines(["baseline", "disabled", "enabled"]), list_baselines(["none", "off", "otlp"])
    (['baseline'], ['none', 'off'])
    >>> list_baselines(["01_none", "02_otlp"])
    ['01_none']
    """
    names = {variant: _ORDINAL.sub("", variant.lower()) for variant in variants}
    called = [variant for variant, name in names.items() if name in BASELINE_NAMES]
    plain = [variant for variant in called if names[variant] == BASELINE_NAMES[0]]
    return plain or called


def _pick_by_words(variants: Sequence[str]) -> str | None:
    """Return the only variant that has a baseline's word, if the rest of the names is equal.

    Examples
    --------
    >>> _pick_by_words(["otel-on", "otel-off"]), _pick_by_words(["with agent", "without agent"])
    ('otel-off', 'without agent')
    >>> _pick_by_words(["results_after", "results_before"]), _pick_by_words(["jdk-17", "jdk-21"])
    ('results_before', None)
    >>> _pick_by_words(["k6-agent", "k6-noagent"]), _pick_by_words(["otel=false", "otel=true"])
    ('k6-noagent', 'otel=false')
    >>> _pick_by_words(["post_otel", "pre_otel"]), _pick_by_words(["otel_c8", "plain_c8"])
    ('pre_otel', 'plain_c8')
    >>> _pick_by_words(["ping.new", "ping"]), _pick_by_words(["instrumented", "uninstrumented"])
    ('ping', 'uninstrumented')
    >>> _pick_by_words(["agent", "agentless"]), _pick_by_words(["OtelOn", "OtelOff"])
    ('agentless', 'OtelOff')
    >>> _pick_by_words(["feature-x-5d6e7f8", "main-1a2b3c4"]), _pick_by_words(["e1_none", "e2_x"])
    ('main-1a2b3c4', 'e1_none')
    >>> _pick_by_words(["with", "without"]), _pick_by_words(["no", "yes"])
    ('without', 'no')
    >>> _pick_by_words(["exp_001_control", "exp_002_cached", "exp_003_tuned"])
    'exp_001_control'
    """
    words = [*map(_split_words, variants)]
    bare = [[word for word in each if not _MARK.fullmatch(word)] for each in words]
    places = _find_baselines(words)
    if len(places) != 1 and len({*map(tuple, bare)}) > 1:
        places = _find_baselines(bare)
    return variants[places[0]] if len(places) == 1 else None


def _split_words(name: str) -> list[str]:
    return [word for word in _SEPARATORS.split(_CAPITAL.sub("-", name).lower()) if word]


def _find_baselines(words: Sequence[Sequence[str]]) -> list[int]:
    """Return the names that differ from the others by a baseline's word."""
    if len(words) < 2:
        return []
    leading = _count_shared(words)
    rest = [each[leading:] for each in words]
    trailing = _count_shared([each[::-1] for each in rest])
    cores = [_ORDINAL.sub("", "-".join(each[: len(each) - trailing])) for each in rest]
    known = {*SIDE_NAMES, *_WITHOUT, *_list_lacking(cores)}
    if not leading + trailing:
        return [at for at, core in enumerate(cores) if core in known]
    named = [at for at, core in enumerate(cores) if core in {*known, "false"}]
    return named or [at for at, core in enumerate(cores) if core not in _LATER]


def _list_lacking(names: Iterable[str]) -> Iterator[str]:
    """Yield the names of the side without each variant: `no-agent`, `agentless`."""
    for name in filter(None, names):
        for sign in ("", "-"):
            yield from (f"{word}{sign}{name}" for word in _WITHOUT)
            yield from (f"{name}{sign}{word}" for word in _LACKING)


def _is_unlike(name: str) -> bool:
    """Return whether no word of a name is one of a baseline.

    Examples
    --------
    >>> _is_unlike("web01-after"), _is_unlike("web01-before")
    (True, False)
    """
    return {*_split_words(name)}.isdisjoint({*SIDE_NAMES, *_WITHOUT})


def _count_shared(names: Sequence[Sequence[str]]) -> int:
    """Count the words with which all names begin."""
    shared = 0
    for words in zip(*names, strict=False):
        if len(set(words)) > 1:
            break
        shared += 1
    return shared


def choose_baseline(
    variants: Sequence[str], named: str | None = None, *, first: str | None = None
) -> str:
    """Infer the variant that the others are compared with.

    Parameters
    ----------
    variants : sequence of str
        Those in the data.
    named : str, optional
        The user's choice; it must be one of them.
    first : str, optional
        The variant of the first file named on the command line, if it is one of them.

    Raises
    ------
    SelectionError
        If ``named`` is not a variant.
    BaselineError
        If none was named and the names do not suggest one.
    """
    if named is not None:
        require(named, variants, "variant")
        return named
    called = list_baselines(variants)
    if len(called) == 1:
        return called[0]
    if first is not None and first in variants:
        return first
    earlier = [variant for variant in variants if variant.lower() in EARLIER_NAMES]
    if not called and len(earlier) == 1:
        return earlier[0]
    by_words = _pick_by_words(variants)
    if not called and by_words is not None:
        return by_words
    is_one_word = len({name.lower() for name in called}) == 1
    could = "differ only in case" if is_one_word else "could each match"
    why = f": {' and '.join(called)} {could}" if called else " from the variant names"
    listed = list_first(variants, _LISTED)
    fewer = ", or give fewer files" if len(variants) > _LISTED else ""
    if is_one_word:
        fewer = "; if one of these names is not a variant, exclude its files with --exclude"
    raise BaselineError(
        f"cannot infer the baseline{why}",
        hint=f"name it with --baseline, or baseline= in Python{fewer}; the variants are {listed}",
        candidate=next(iter(called or sorted(variants, key=_is_unlike)), ""),
    )
