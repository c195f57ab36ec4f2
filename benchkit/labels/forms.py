"""Merging of several outputs of one run, such as k6's text, export and raw JSON.

Three files of one run count as n = 1. Outputs belong together if group, variant, folder, tool,
role, leftover tokens, declared number and the name of the file agree; where a file's name consists
of form words only, the request counts must agree instead. In sources that hold several runs, the
k-th run of each belongs together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

from benchkit.labels.captions import join_names
from benchkit.labels.pieces import Piece
from benchkit.labels.stems import RESULT_WORDS, ROLES, SEPARATORS, form_tokens, split_name
from benchkit.schema import format_params

#: Words in file names that describe the content of a file, not what was measured.
_CONTENTS = RESULT_WORDS | ROLES.keys() | {"attack", "latency"}
#: Maximum relative difference between request counts in two outputs of one run.
_COUNT = 0.01


class Run:
    """One run and the pieces that describe it.

    Attributes
    ----------
    pieces : list of Piece
        In natural order; no two have the same path or form.
    name : str
        The benchmark, or the target in place of it.
    params : str
        The params of all forms together.
    place : int
        The position of the first piece in natural order.
    """

    __slots__ = ("name", "params", "pieces", "place")

    def __init__(self, piece: Piece, place: int) -> None:
        self.pieces = [piece]
        self.place = place
        self.name = piece.benchmark or piece.target
        self.params = piece.params

    @property
    def first(self) -> Piece:
        """The first piece in natural order."""
        return self.pieces[0]

    @property
    def path(self) -> str:
        """The path of the first piece."""
        return self.first.path

    @property
    def key(self) -> tuple[str, str, str, str, str, str, str]:
        """The key shared by runs that are numbered together."""
        one = self.first
        return one.origin, one.group, one.variant, self.name, self.params, one.tool, one.role

    def number(self, number: int) -> None:
        """Set the number of the run."""
        for piece in self.pieces:
            piece.number = number

    def takes(self, piece: Piece) -> bool:
        """Add a piece if it may be another form of this run, and return whether it was added."""
        name = piece.benchmark or piece.target
        if name and self.name and name != self.name:
            return False
        if not all(_may_be_forms(piece, other) for other in self.pieces):
            return False
        params = _join(self.params, piece.params)
        if params is None:
            return False
        self.params = params
        self.name = self.name or name
        self.pieces.append(piece)
        return True

    def label(self) -> None:
        """Complete each form's labels with those of the other forms."""
        for piece in self.pieces:
            if not piece.benchmark:
                piece.benchmark = self.name
            piece.params = self.params


def merge_forms(pieces: Iterable[Piece]) -> list[Run]:
    """Merge pieces into runs and complete their labels.

    Parameters
    ----------
    pieces : iterable of Piece
        In natural order.

    Returns
    -------
    list of Run
        In the natural order of their first pieces.
    """
    families: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for place, piece in enumerate(pieces):
        families[_family(piece)].append(Run(piece, place))
    kin: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for family, members in families.items():
        kin[family[:-1]] += members if len({run.path for run in members}) == 1 else _merge(members)
    for same in kin.values():
        if len({run.path for run in same}) > 1:
            _name_by_tokens(same)
    runs = [run for same in kin.values() for run in same]
    for run in runs:
        run.label()
    return sorted(runs, key=lambda run: run.place)


def _family(piece: Piece) -> tuple[object, ...]:
    """Return the key shared by the outputs of one run, with its number last."""
    labels = piece.origin, piece.group, piece.variant, piece.folder
    return *labels, piece.tool, piece.role, piece.leftover, piece.run


def _name_by_tokens(runs: Sequence[Run]) -> None:
    """Use form words as names if they differ within one form: ``json-1.txt``, ``text-2.txt``."""
    tokens: dict[tuple[str, str], set[tuple[str, ...]]] = defaultdict(set)
    for run in runs:
        tokens[run.name, run.first.form].add(form_tokens(run.path))
    several = {name for (name, _), each in tokens.items() if len(each) > 1}
    for run in (run for run in runs if run.name in several):
        run.name = join_names("-".join(form_tokens(run.path)), run.name)
        for piece in run.pieces:
            piece.benchmark = run.name


def _merge(singles: list[Run]) -> list[Run]:
    """Merge the runs of one family, each of one piece, which joins the first that accepts it."""
    runs: list[Run] = []
    open_runs: dict[int, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    counted: Counter[tuple[str, str]] = Counter()
    for single in singles:
        piece = single.first
        repeated = piece.path, "" if piece.target else piece.benchmark
        counted[repeated] += 1
        same = open_runs[counted[repeated]]
        names = (single.name, "") if single.name else tuple(same)
        candidates = [run for name in names for run in same.get(name, ())]
        candidates.sort(key=lambda run: run.place)
        taker = next((run for run in candidates if run.takes(piece)), None)
        if taker is None:
            runs.append(single)
            same[single.name].append(single)
        elif single.name and taker in same.get("", ()):
            same[""].remove(taker)
            same[taker.name].append(taker)
    return runs


def _may_be_forms(piece: Piece, other: Piece) -> bool:
    """Return whether two pieces may be two outputs of one run."""
    if _same_form(piece, other):
        return False
    names = _name_file(piece.path, piece.tool), _name_file(other.path, other.tool)
    if names[0] == names[1]:
        return True
    counts = [count for count in (piece.requests, other.requests) if count]
    return not all(names) and (len(counts) < 2 or max(counts) <= min(counts) * (1 + _COUNT))


@lru_cache(maxsize=1 << 14)
def _name_file(path: str, tool: str) -> str:
    """Return the words of a file's name that may name a benchmark.

    Examples
    --------
    >>> _name_file("none/vegeta-report-1.json", "vegeta"), _name_file("none/get-1.txt", "vegeta")
    ('', 'get')
    """
    stem = split_name(path.rpartition("/")[2])[0].lower()
    neutral = _CONTENTS | {tool, "run", "v", ""}
    words = (word for word in SEPARATORS.split(stem) if word not in neutral)
    return "-".join(word for word in words if word.rstrip("0123456789") not in neutral)


def _same_form(piece: Piece, other: Piece) -> bool:
    """Return whether two pieces have the same form and thus are two runs.

    A file and its gzip are two copies of one source, not two runs.
    """
    if piece.path.removesuffix(".gz") == other.path.removesuffix(".gz"):
        return piece.path == other.path
    mine, its = set(form_tokens(piece.path)), set(form_tokens(other.path))
    is_same = (piece.format, piece.form) == (other.format, other.form)
    return is_same and mine ^ its <= RESULT_WORDS


def _join(params: str, more: str) -> str | None:
    """Join the workload parameters of two forms; return None if they contradict each other."""
    if params == more or not more:
        return params
    if not params:
        return more
    mine, its = _split(params), _split(more)
    if any(mine.get(key, value) != value for key, value in its.items()):
        return None
    return format_params(mine | its)


def _split(params: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in params.split(","))
    return {key: value for key, _, value in pairs}
