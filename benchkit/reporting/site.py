"""A history as a folder of pages for any static host, which also open without a server.

The curve of a series in a table row: commits on the x axis, values on the y axis.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from string import hexdigits
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchkit.errors import ConfigError
from benchkit.history.model import OUTSIDE, Change, History, Series
from benchkit.history.naming import is_cost, name_commit, name_series, write_day
from benchkit.redaction import redact_message, redact_origin
from benchkit.regexes import regex
from benchkit.reporting.templating import make_environment
from benchkit.tables.history import write_headline, write_notes
from benchkit.tables.series import describe_change, write_place
from benchkit.units import Scale, common_scale, printable

if TYPE_CHECKING:
    from jinja2 import Environment


#: The file from which every page reads the commits.
_COMMITS = "commits.js"
#: The files of every site.
SHARED = ("site.css", "site.js", _COMMITS, "index.html")
#: The folder of the benchmarks' pages, and the line that identifies such a page.
PAGES, _MADE = "benchmarks", '<meta name="generator" content="benchkit'
#: Digits of a value on a page.
_DIGITS = 9
#: Maximum length of a benchmark's name in the name of its page, and of the digest after it.
_LONGEST, _DIGEST = 40, 8
_WORDS = regex(r"[^a-z0-9]+")
_LOOKS = {True: "worse", False: "better", None: "changed"}

#: Size in pixels, and the margin around the curve.
WIDTH, HEIGHT, EDGE = 160, 28, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A step change on a page: its commit and link, and what happened."""

    commit: str
    link: str
    day: str
    text: str
    look: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A series on a page."""

    id: str
    name: str
    page: str
    branch: str
    machine: str
    state: str
    sparkline: Sparkline
    events: tuple[Event, ...]
    newest: Event


def write_site(
    histories: Mapping[str, History], title: str, repo_url: str = "", generated_by: str = ""
) -> Iterator[tuple[str, str]]:
    """Write the files of a site.

    Parameters
    ----------
    histories : mapping of str to History
        By branch, the main one first.
    repo_url : str
        The address of commits: ``https://github.com/owner/name``, or any address that contains
        ``{commit}``.

    Yields
    ------
    tuple of str
        The path within the folder, and the text.

    Raises
    ------
    ConfigError
        If the address is not http or https.
    """
    pattern = _read_pattern(repo_url)
    histories = {printable(branch): history for branch, history in histories.items()}
    environment = make_environment()
    orders = {branch: _order_commits(history) for branch, history in histories.items()}
    pages: dict[str, list[tuple[Entry, Series]]] = {}
    for branch, history in histories.items():
        for number, series in enumerate(history.series):
            entry = _make_entry(series, branch, number, pattern, orders[branch])
            pages.setdefault(entry.page, []).append((entry, series))
    entries = sorted((e for those in pages.values() for e, _ in those), key=_rank)
    shared = {"title": redact_message(title), "generated_by": generated_by}
    yield "site.css", environment.get_template("site/site.css").render()
    yield "site.js", environment.get_template("site/site.js").render()
    yield _COMMITS, _write_commits(orders, pattern)
    about = [(branch, write_headline(h), write_notes(h)) for branch, h in histories.items()]
    yield (
        "index.html",
        environment.get_template("site/index.html").render(
            **shared, about=about, entries=entries,
            branches=list(histories), machines=sorted({entry.machine for entry in entries}),
        ),
    )  # fmt: skip
    for page, those in pages.items():
        yield page, _write_page(environment, those, orders, shared)


def _write_page(
    environment: Environment,
    those: Sequence[tuple[Entry, Series]],
    orders: Mapping[str, Mapping[str, tuple[int, datetime]]],
    shared: Mapping[str, str],
) -> str:
    from markupsafe import Markup

    data = [_collect(series, entry, orders[entry.branch]) for entry, series in those]
    series = those[0][1]
    embedded = Markup(_embed(data))  # noqa: S704 - JSON without < > &
    heading = " · ".join(filter(None, (series.group, series.benchmark, series.params))) or "results"
    return environment.get_template("site/benchmark.html").render(
        **shared, heading=heading, entries=[entry for entry, _ in those], data=embedded,
        branches={entry.branch for entry, _ in those},
        machines={entry.machine for entry, _ in those},
    )  # fmt: skip


def _embed(data: object) -> str:
    """Write data as JSON that cannot end an element of a page."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read_pattern(repo_url: str) -> str:
    """Return the address pattern of commits, with ``{commit}``; empty if there is none.

    It is public: it has no credentials, and a query only if that contains the commit.
    """
    if not repo_url:
        return ""
    try:
        parts = urlsplit(redact_origin(repo_url))
    except ValueError:
        parts = urlsplit("")
    is_web = parts.scheme in {"http", "https"} and parts.netloc != ""
    if not is_web or re.search(r"[\s\"'<>\\]", repo_url):
        hint = "use https://github.com/owner/name, or a URL with {commit}"
        raise ConfigError(f"{repo_url!r} is not a web address", where="--repo-url", hint=hint)
    kept = {name: text if "{commit}" in text else "" for name, text in
            (("query", parts.query), ("fragment", parts.fragment))}  # fmt: skip
    parts = parts._replace(netloc=parts.netloc.rpartition("@")[2], **kept)
    url = parts.geturl().removesuffix("/").removesuffix(".git")
    return url if "{commit}" in url else f"{url}/commit/{{commit}}"


def _link(pattern: str, commit: str) -> str:
    """Return the address of a commit; empty if its name is not a hash."""
    is_hash = set(commit) <= set(hexdigits)
    return pattern.replace("{commit}", commit) if is_hash else ""


def _order_commits(history: History) -> dict[str, tuple[int, datetime]]:
    """Return the position and time of each commit, in order."""
    times = {point.commit: point.time for series in history.series for point in series.points}
    ordered = sorted(times.items(), key=lambda item: (item[1], item[0]))
    return {commit: (place, time) for place, (commit, time) in enumerate(ordered)}


def _write_commits(orders: Mapping[str, Mapping[str, tuple[int, datetime]]], pattern: str) -> str:
    """Write the script with the commits of all branches, which all pages share."""
    branches = {
        branch: [
            [printable(commit), f"{time:%Y-%m-%d %H:%M}"] for commit, (_, time) in order.items()
        ]
        for branch, order in orders.items()
    }
    return f"const benchkit = {_embed({'pattern': pattern, 'branches': branches})};\n"


def _rank(entry: Entry) -> tuple[int, bool, str]:
    """Return the sort key of series: the newest outside, then those that changed; costs first."""
    last = entry.newest if entry.state == "outside" else entry.events[-1] if entry.events else None
    is_cost = last is not None and last.look == "worse"
    return ("outside", "changed", "steady").index(entry.state), not is_cost, entry.name


def _make_entry(
    series: Series,
    branch: str,
    number: int,
    pattern: str,
    order: Mapping[str, tuple[int, datetime]],
) -> Entry:
    is_outside = series.newest.verdict == OUTSIDE
    state = "outside" if is_outside else "changed" if series.open_changes else "steady"
    last = series.measured[-1]
    cost = is_cost(series, series.changes[-1] if series.is_exact and is_outside else series.newest)
    newest = Event(
        commit=name_commit(series, last.commit), link=_link(pattern, last.commit),
        day=write_day(last.time), text=write_place(series),
        look=_LOOKS[cost] if is_outside else "",
    )  # fmt: skip
    start, size = order[series.points[0].commit][0], len(order)
    at = [(order[change.commit][0], _look(series, change)) for change in series.changes]
    return Entry(
        id=f"s-{_digest(branch)}-{number}",
        name=name_series(series), page=_name_page(series), branch=branch,
        machine=printable(series.machine), state=state, newest=newest,
        sparkline=draw_sparkline([point.value for point in series.points], start, size, at),
        events=tuple(_make_event(series, change, pattern) for change in series.changes),
    )  # fmt: skip


def _look(series: Series, change: Change) -> str:
    return "same" if change.reason else _LOOKS[is_cost(series, change)]


def _make_event(series: Series, change: Change, pattern: str) -> Event:
    return Event(
        commit=name_commit(series, change.commit), link=_link(pattern, change.commit),
        day=write_day(change.time), text=describe_change(series, change),
        look=_look(series, change),
    )  # fmt: skip


def _name_page(series: Series) -> str:
    """Name the page of a benchmark, stable across histories: its words and a digest."""
    about = (series.group, series.benchmark, series.params)
    words = _WORDS.sub("-", " ".join(about).lower()).strip("-")[:_LONGEST].strip("-")
    return f"{PAGES}/{words or 'results'}-{_digest(json.dumps(about))}.html"


def find_pages(folder: Path) -> list[Path]:
    """Return the benchmarks' pages in the folder of a site, including those of an earlier one."""
    names = (folder / PAGES).glob(f"*-{'[0-9a-f]' * _DIGEST}.html")
    return [path for path in names if _MADE in path.read_text(encoding="utf-8", errors="replace")]


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _collect(
    series: Series, entry: Entry, order: Mapping[str, tuple[int, datetime]]
) -> dict[str, object]:
    """Return the data of a series' chart."""
    scale = common_scale([point.value for point in series.measured], series.unit)
    start = order[series.points[0].commit][0]
    runs = [point.runs for point in series.points]
    alike = set(runs)
    return {
        "id": entry.id,
        "branch": entry.branch,
        "unit": scale.label,
        "start": start,
        "values": [_write(point.value, scale) for point in series.points],
        "runs": runs[0] if len(alike) == 1 else runs,
        "changes": [
            {
                "at": order[change.commit][0] - start, "look": event.look, "text": event.text,
                "before": _write(change.before, scale), "after": _write(change.after, scale),
            }
            for change, event in zip(series.changes, entry.events, strict=True)
        ],
        "newest": entry.newest.text,
        "look": entry.newest.look,
    }  # fmt: skip


def _write(value: float, scale: Scale) -> float | None:
    """Return a value in its scale, without digits caused by scaling; None for NaN."""
    if value != value:  # noqa: PLR0124 - NaN
        return None
    scaled = float(f"{value / scale.factor:.{_DIGITS}g}")
    return int(scaled) if scaled.is_integer() else scaled


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A path of SVG, and the starts of levels, each with its style."""

    path: str
    marks: tuple[tuple[float, str], ...]


def draw_sparkline(
    values: Sequence[float], start: int, size: int, marks: Sequence[tuple[int, str]]
) -> Sparkline:
    """Draw values, with NaN as gaps; if there are many, the minimum and maximum per pixel.

    Parameters
    ----------
    start, size : int
        The position of the first one, and the number of commits.
    marks : sequence of (int, str)
        Positions of commits where a level begins, with its style.

    Examples
    --------
    >>> draw_sparkline([1.0, 2.0, float("nan"), 1.0], 0, 4, [(1, "worse")])
    Sparkline(path='M2 26L54 2M158 26h1', marks=((54, 'worse'),))
    """
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known), max(known)
    step = (WIDTH - 2 * EDGE) / max(size - 1, 1)

    def place(number: int) -> int:
        return round(EDGE + number * step)

    def rise(value: float) -> int:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE))

    columns: dict[int, list[int] | None] = {}
    for number, value in enumerate(values):
        x = place(start + number)
        if not math.isnan(value):
            columns[x] = [*(columns.get(x) or ()), rise(value)]
        else:
            columns.setdefault(x, None)
    pieces: list[list[str]] = [[]]
    for x, heights in columns.items():
        if heights is None:
            pieces.append([])
        else:
            pieces[-1] += [f"{x} {y}" for y in dict.fromkeys((min(heights), max(heights)))]
    path = "".join(
        f"M{'L'.join(piece)}{'h1' if len(piece) == 1 else ''}" for piece in pieces if piece
    )
    return Sparkline(path, tuple((place(number), look) for number, look in marks))
