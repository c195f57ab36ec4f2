"""Labels that distinguish the blocks of one file, and the files of one series.

Headings lead the benchmark. Commands, servers and hosts that differ between otherwise equal blocks
become params, and so do recorded facts. Whatever does not differ is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from benchkit.labels.captions import (
    find_table,
    join_names,
    lead_at_hosts,
    lead_by_captions,
    lead_others,
    list_captions,
    list_differences,
    list_outer,
    name_all,
    share_labels,
)
from benchkit.labels.pieces import Piece, differences
from benchkit.schema import LOST_ROLES, format_params

__all__ = ["FILE", "is_near_rate", "label_blocks", "share_headings"]

#: The depth of the name that a file has by its path, above all headings in it.
FILE = "file"

#: Maximum relative differences between lengths and between counts of one test.
_LENGTH, _COUNT = 0.1, 0.01
#: Maximum relative difference between the actual and the set rate of an open loop.
_RATE = 0.05
#: Maximum relative difference between mean request or response sizes in repeats of one test.
_SIZE = 0.1
#: Maximum relative deviation from whole seconds of a run that was set to whole seconds.
_ROUNDING = 0.02


def label_blocks(pieces: Sequence[Piece]) -> None:
    """Label load results so that they can be distinguished, in place.

    Parameters
    ----------
    pieces : sequence of Piece
        All pieces that are settled together, in natural order.
    """
    for piece in pieces:
        piece.split_by = ""
    _lead_by_headings(pieces)
    for same in _alike(pieces):
        _part_by_commands(same)
        _part_by_queries(same)
        _part_by_servers(same)
        for still in _alike(same):
            _part(still, "iterations", partial(_read_env, "iterations"), is_fact=True)
        if len({piece.path for piece in same}) < len(same):
            _part_within_files(same)


def _part_by_queries(same: Sequence[Piece]) -> None:
    """Make the queries of URLs a param if they differ; a missing query counts as a value."""
    for still in _alike(same):
        queries = [piece.env.get("query", "") for piece in still]
        for piece, query in zip(still, queries, strict=True):
            if query and len(set(queries)) > 1:
                _add_param(piece, "query", query)


def _part_by_servers(same: Sequence[Piece]) -> None:
    if len({piece.env.get("server") for piece in same}) > 1:
        for still in _alike(same):
            _part(still, "server", lambda piece: piece.env.get("server", ""))


def _part_by_hosts(same: Sequence[Piece]) -> list[tuple[list[Piece], Sequence[str], Sequence[str]]]:
    """Make hosts a param if they differ; return blocks and texts above that don't lead a name."""
    nameless: list[tuple[list[Piece], Sequence[str], Sequence[str]]] = []
    for blocks in _alike(same, of_one_file=True):
        names = name_all(list_captions(blocks)), name_all(list_differences(blocks))
        is_parted = _part(blocks, "host", lambda piece: piece.env.get("host", ""))
        if is_parted and not lead_at_hosts(blocks, *names):
            nameless.append((blocks, *names))
    return nameless


def _part_within_files(same: Sequence[Piece]) -> None:
    nameless = _part_by_hosts(same)
    outer: dict[int, str] = {}
    for blocks in _alike(same, of_one_file=True):
        outer |= list_outer(blocks)
        lead_by_captions(blocks, name_all(list_captions(blocks)))
    for blocks in _alike(same, of_one_file=True):
        lead_by_captions(blocks, name_all(list_differences(blocks)))
    for blocks in _alike(same, of_one_file=True):
        lead_by_captions(blocks, name_all([outer[id(piece)] for piece in blocks]))
    for above in nameless:
        lead_others(*above)
    for name, read in _FACTS.items():
        for blocks in _alike(same, of_one_file=True):
            _part(blocks, name, read, is_fact=True)
    for blocks in _alike(same, of_one_file=True):
        _part_by_measure(blocks, "rate", attrgetter("attack_rate"), _RATE)
    for blocks in _alike(same, of_one_file=True):
        _part_by_amount(blocks)
    for name in ("request_size", "response_size"):
        for blocks in _alike(same, of_one_file=True):
            _part_by_measure(blocks, name, attrgetter(name), _SIZE)


def share_headings(pieces: Sequence[Piece]) -> None:
    """Name the blocks of all series the same way; applied on reading, never stored.

    A heading that distinguishes the blocks of one variant leads the benchmark in the other variants
    as well, even if they have no other blocks. The same holds for a heading that distinguishes
    blocks of several tools on one page.
    """
    share_labels(pieces)
    if not any(piece.headings for piece in pieces):
        return
    distinctive = {key: _list_distinctive(same) for key, same in _group(pieces, _series).items()}
    results = [each for each in pieces if each.role not in LOST_ROLES and not each.is_companion]
    pages = _group(results, _page).values()
    everywhere = set().union(*distinctive.values(), *map(_list_distinctive, pages))
    for piece in pieces:
        if everywhere and piece.headings:
            before, after = (
                _lead(piece, names) for names in (distinctive[_series(piece)], everywhere)
            )
            if not before:
                piece.benchmark = join_names(after, piece.benchmark)
            elif before != after:
                piece.benchmark = piece.benchmark.replace(before, after, 1)


def _lead_by_headings(pieces: Sequence[Piece]) -> None:
    """Prefix names with the headings that distinguish the blocks of a series."""
    for same in _group(pieces, _series).values():
        distinctive = _list_distinctive(same)
        for piece in same if distinctive else ():
            if names := _lead(piece, distinctive):
                piece.benchmark = join_names(names, piece.benchmark or piece.target)


def _lead(piece: Piece, distinctive: Collection[str]) -> str:
    return join_names(*(name for name in piece.headings.values() if name in distinctive))


def _list_distinctive(series: Sequence[Piece]) -> set[str]:
    """Return the headings at depths that distinguish blocks."""
    distinctive: set[str] = set()
    for depth in dict.fromkeys(depth for piece in series for depth in piece.headings):
        if _distinguishes(series, depth):
            distinctive |= {piece.headings.get(depth, "") for piece in series}
    return distinctive - {""}


def _distinguishes(series: Sequence[Piece], depth: str) -> bool:
    """Return whether headings separate blocks of a page, or equal benchmarks in several files."""
    seen: dict[Hashable, str] = {}
    for piece in series:
        name = piece.headings.get(depth, "")
        if any(seen.setdefault(key, name) != name for key in (piece.path, _declare(piece))):
            return True
    return False


def _declare(piece: Piece) -> Hashable:
    return piece.declared_benchmark, piece.declared_params


def _series(piece: Piece) -> tuple[str, ...]:
    return piece.origin, piece.group, piece.variant, piece.tool, piece.role


def _page(piece: Piece) -> tuple[str, str]:
    return piece.origin, piece.path


def _alike(pieces: Sequence[Piece], *, of_one_file: bool = False) -> Iterator[list[Piece]]:
    """Yield the pieces whose labels are all equal."""

    def key(piece: Piece) -> Hashable:
        name = piece.benchmark or piece.target
        return *_series(piece), name, piece.params, piece.path if of_one_file else ""

    for same in _group(pieces, key).values():
        if len(same) > 1:
            yield same


def _group(
    pieces: Sequence[Piece], key: Callable[[Piece], Hashable]
) -> dict[Hashable, list[Piece]]:
    grouped: dict[Hashable, list[Piece]] = defaultdict(list)
    for piece in pieces:
        grouped[key(piece)].append(piece)
    return grouped


def _part(
    same: Sequence[Piece], name: str, read: Callable[[Piece], str], *, is_fact: bool = False
) -> bool:
    """Make a recorded value a param if it differs; return whether it does."""
    values = [read(piece) for piece in same]
    if len({value for value in values if value}) < 2:
        return False
    for piece, value in zip(same, values, strict=True):
        if value:
            _add_param(piece, name, value)
        if is_fact:
            piece.split_by = name
    return True


def _add_param(piece: Piece, name: str, value: str) -> None:
    pairs = (pair.partition("=") for pair in piece.params.split(",") if pair)
    params = {key: text for key, _, text in pairs}
    if name not in params:
        piece.params = format_params({**params, name: value.replace(",", " ")})


def _part_by_commands(same: Sequence[Piece]) -> None:
    if len({piece.shown_command for piece in same if piece.shown_command}) < 2:
        return
    for piece, different in zip(same, differences([each.words for each in same]), strict=True):
        if different:
            _add_param(piece, "command", different)


def _part_by_amount(same: Sequence[Piece]) -> None:
    """Separate runs with different lengths or different request counts."""
    tests: list[list[Piece]] = []
    for piece in sorted(same, key=lambda piece: piece.duration is None):
        if piece.duration is None and piece.requests is None:
            continue
        test = next((test for test in tests if _is_as_long(piece, test[0])), None)
        if test is None:
            tests.append([piece])
        else:
            test.append(piece)
    if len(tests) < 2:
        return
    is_timed = all(_is_whole(test[0].duration) for test in tests)
    counts = {test[0].requests for test in tests if test[0].requests}
    is_counted = not is_timed and len(counts) == len(tests)
    for test in tests:
        name = "requests" if is_counted else "duration"
        value = f"{test[0].requests}" if is_counted else _write_length(test[0].duration)
        for piece in test:
            _add_param(piece, name, value)
            piece.split_by = name


def _part_by_measure(
    same: Sequence[Piece], name: str, read: Callable[[Piece], float | None], share: float
) -> None:
    """Separate runs whose rates or sizes differ by more than those of repeats."""
    tests: list[list[Piece]] = []
    for piece in same:
        value = read(piece)
        test = next((test for test in tests if _may_be_near(value, read(test[0]), share)), None)
        if test is None:
            tests.append([piece])
        else:
            test.append(piece)
    for test in tests if len(tests) > 1 else ():
        value = read(test[0])
        for piece in test:
            if value is not None:
                _add_param(piece, name, f"{float(f'{value:.3g}'):g}")
            piece.split_by = name


def is_near_rate(one: float | None, other: float | None) -> bool:
    """Return whether two rates of open loops may be one setting; an unknown rate matches any.

    Examples
    --------
    >>> is_near_rate(50.04, 50.0), is_near_rate(50.0, 200.0), is_near_rate(None, 50.0)
    (True, False, True)
    """
    return _may_be_near(one, other, _RATE)


def _may_be_near(one: float | None, other: float | None, share: float) -> bool:
    return one is None or other is None or _is_near((one, other), share)


def _is_whole(seconds: float | None) -> bool:
    """Return whether a run took whole seconds, as one with a set duration does."""
    if seconds is None or seconds < 1:
        return False
    return abs(seconds - round(seconds)) <= _ROUNDING * seconds


def _write_length(seconds: float | None) -> str:
    """Write a length with two digits, so that runs of one test have the same text."""
    return f"{float(f'{seconds:.1e}'):g}" if seconds else "unknown"


def _is_as_long(piece: Piece, other: Piece) -> bool:
    """Return whether two runs may be of one test: equally long, or with equal request counts.

    The request count of a run of whole seconds is an outcome, so it says nothing about a run of
    unknown or different length. Equal counts do if the tool accepts a number of requests.
    """
    lengths, counts = (piece.duration, other.duration), (piece.requests, other.requests)
    is_timed = any(map(_is_whole, lengths))
    is_unknown = None in lengths and (None in counts or is_timed)
    if is_unknown or _is_near(lengths, _LENGTH):
        return True
    if is_timed and piece.is_timed:
        return False
    return _is_near(counts, 0.0 if all(map(_is_whole, lengths)) else _COUNT)


def _is_near(pair: tuple[float | None, float | None], share: float) -> bool:
    one, other = pair
    if one is None or other is None:
        return False
    return abs(one - other) <= share * max(one, other)


def _read_rate(piece: Piece) -> str:
    return "" if piece.target_rate is None else f"{piece.target_rate:.12g}"


def _read_connections(piece: Piece) -> str:
    return "" if piece.connections is None else f"{piece.connections}"


def _read_env(name: str, piece: Piece) -> str:
    return piece.env.get(name, "")


_FACTS: dict[str, Callable[[Piece], str]] = {
    "connections": _read_connections,
    "rate": _read_rate,
    "table": find_table,
    **{
        name: partial(_read_env, name)
        for name in ("document_length", "tls", "goos", "goarch", "cpu", "toolchain")
    },
}
