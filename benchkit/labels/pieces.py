"""The unit that is merged and numbered: one run as recorded by one source.

These labels alone decide whether two sources record the same run, not the measured values.

This module also selects the words of a load tool's command line that define the test.

Redirections, result files and options that only print more are left out, and so is the host, which
is a separate label. Commands are already redacted.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from benchkit.regexes import regex
from benchkit.schema import Labels, RunFacts

if TYPE_CHECKING:
    import numpy as np

__all__ = ["differences", "read_words"]
Words = tuple[str, ...]

#: The signs with which a shell ends a command or redirects its output.
_END = regex(r"[|;&<>]|\d?>|2>&1")
_FLAG = regex(r"-[a-zA-Z]")
_ATTACHED = regex(r"(-[a-zA-Z])=?(\d\S*)")


@dataclass(slots=True)
class Places:
    """The runs of a piece that holds several.

    Parameters
    ----------
    indices, lines : ndarray of int64, shape (k,)
        Each run's position in the source, ascending, and its line.
    numbers : ndarray of int64, shape (k,), optional
        Each run's final number, set by `settle`.
    contents : ndarray of int64, shape (k,), optional
        The digest of each run's values.
    """

    indices: np.ndarray
    lines: np.ndarray
    numbers: np.ndarray | None = None
    contents: np.ndarray | None = None


@dataclass(slots=True, kw_only=True)
class Piece(RunFacts):
    """One run as recorded by one source, with its labels; or several runs recorded the same way.

    Parameters
    ----------
    path, sha256 : str
        The source, as posix path, and the digest of its content.
    origin : str
        Where it was ingested: a CI job or a machine; empty for this machine.
    format, tool, form : str
        The parser, the tool that measured, and the form of its output.
    index : int
        The position of the reading in its source, from 0.
    group, variant, benchmark, params : str
        Labels; `settle` completes the benchmark and the params, `part_packages` the group.
    target : str
        The path of the URL under load, which is the benchmark if nothing else names one.
    run : int or None
        The number declared by the path, the sidecar or the source itself.
    role, status : str
        As in the table of runs; the status is ``complete``, ``partial`` or ``failed``.
    folder, leftover : str
        As in `PathLabels`.
    pkg : str
        The Go package.
    headings : dict of depth to text
        The headings above the block that name its benchmark, outermost first.
    caption : str
        The line directly above the block, if it reads like a caption.
    lines : str
        All lines of the paragraph above the block, of any shape.
    attack_rate : float, optional
        The rate at which an open loop sent its requests.
    request_size, response_size : float, optional
        Mean size in bytes of a request and of a response.
    shown_command : str
        The command line that the source shows for the block.
    split_by : str
        The only feature that distinguishes the block from others of its file, if it is not a label.
    number : int
        The final number, set by `settle`.
    declared_benchmark, declared_params : str, optional
        The labels with which `settle` starts; it records them the first time.
    is_exported : int
        1 if the run comes from an exported table of benchkit: its labels and its number are final.
    places : Places, optional
        The places of all runs, if there are several; ``index`` and ``number`` are then those of the
        first one. No other source describes any of these runs.
    """

    path: str
    origin: str = ""
    sha256: str = ""
    format: str = ""
    tool: str = ""
    form: str = ""
    index: int = 0
    group: str = ""
    variant: str = ""
    benchmark: str = ""
    target: str = ""
    params: str = ""
    run: int | None = None
    role: str = "measured"
    folder: str = ""
    leftover: str = ""
    pkg: str = ""
    status: str = "complete"
    headings: dict[str, str] = field(default_factory=dict)
    caption: str = ""
    lines: str = ""
    shown_command: str = ""
    requests: int | None = None
    attack_rate: float | None = None
    request_size: float | None = None
    response_size: float | None = None
    split_by: str = ""
    number: int = 0
    declared_benchmark: str | None = None
    declared_params: str | None = None
    is_exported: int = 0
    places: Places | None = None

    @property
    def size(self) -> int:
        """The number of runs it holds."""
        return 1 if self.places is None else len(self.places.indices)

    @property
    def indices(self) -> np.ndarray | list[int]:
        """The position of each of its runs in the source."""
        return [self.index] if self.places is None else self.places.indices

    @property
    def labels(self) -> Labels:
        """The labels that distinguish its run from others, as far as they are settled."""
        return Labels(self.group, self.variant, self.benchmark, self.params, self.number, self.tool)

    @property
    def is_companion(self) -> bool:
        """Return whether it describes something that ran alongside the load."""
        return self.role == "companion"

    @property
    def is_timed(self) -> bool:
        """Return whether no fixed-count run of its tool can last whole seconds."""
        return False

    @property
    def words(self) -> Words:
        """The relevant words of the command line that its source shows."""
        return read_words(self.shown_command)


def read_words(command: str, outputs: Words = (), printing: Words = ()) -> Words:
    """Return the relevant words of a command, in its order.

    Parameters
    ----------
    outputs : tuple of str
        Options of the tool whose value names an output file or the run itself.
    printing : tuple of str
        Options of the tool that only print more or less.

    Examples
    --------
    >>> command = "wrk -t4 -d 30s --latency http://h:8080/a?b=c > out.txt"
    >>> read_words(command, printing=("--latency",))
    ('wrk', '-t', '4', '-d', '30s', '/a?b=c')
    """
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name = word.partition("=")[0]
        if _END.match(word):
            break
        if name in outputs:
            if name == word:
                next(rest, "")
        elif word not in printing:
            attached = _ATTACHED.fullmatch(word)
            kept += attached.groups() if attached else (_drop_host(word),)
    return tuple(kept)


def differences(commands: Sequence[Words]) -> list[str]:
    """Return the words of each command that not all commands share.

    Examples
    --------
    >>> differences([("wrk", "-s", "post.lua", "/"), ("wrk", "/")])
    ['-s post.lua', '']
    """
    counts = [Counter(words) for words in commands if words]
    common = counts[0].copy() if counts else Counter()
    for each in counts[1:]:
        common &= each
    return [" ".join(_leave_out(words, common)) for words in commands]


def _leave_out(words: Words, common: Counter[str]) -> list[str]:
    left = common.copy()
    kept: list[str] = []
    for before, word in pairwise(("", *words)):
        if left[word]:
            left[word] -= 1
        elif _FLAG.fullmatch(before) and word[:1].isdigit() and before not in kept[-1:]:
            kept.append(before + word)
        else:
            kept.append(word)
    return kept


def _drop_host(word: str) -> str:
    scheme, mark, rest = word.partition("://")
    return "/" + rest.partition("/")[2] if mark and scheme.isalpha() else word
