"""One source with its surroundings, and the labels that distinguish it from others."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import shlex
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from benchkit import schema
from benchkit.config.files import is_readable
from benchkit.errors import DataError
from benchkit.ingestion.addresses import PACKED, locate
from benchkit.labels.patterns import PathLabels
from benchkit.labels.sidecars import Sidecar, Sidecars
from benchkit.labels.walk import DEEP, MISSING, OF_FILE, OUTSIDE
from benchkit.reading.rawfile import PIPE_BYTES
from benchkit.reading.source import Source, UnreadableError
from benchkit.redaction import redact_label
from benchkit.redaction.marks import remember

STDIN = "-"


class Identity(NamedTuple):
    """The identity of a source; ingesting a source with the same identity supersedes its rows.

    ``origin`` is the CI job or the machine, ``path`` the resolved path, ``assigned`` the labels
    from the command line, as in ``commit=c861e65,variant=main``.
    """

    origin: str
    path: str
    assigned: str


@remember
def write_assigned(variant: str | None, commit: str) -> str:
    """Write the command-line labels that make the same path another source.

    Secrets in them are replaced by marks, which differ if the secrets do.

    Examples
    --------
    >>> write_assigned("main", "c861e65"), write_assigned(None, "")
    ('commit=c861e65,variant=main', '')
    """
    labels = {"commit": commit, "variant": redact_label(variant or "")}
    return schema.format_params({key: value for key, value in labels.items() if value})


@dataclass(slots=True, kw_only=True)
class Found:
    """One source with its surroundings.

    Parameters
    ----------
    label : str
        Its name in messages and in the ``source`` column.
    address : str
        Its resolved path, or its URL.
    variant : str
        The label on the command line; empty if none.
    is_named : bool
        Whether the file itself, or a label for its folder, was given on the command line.
    is_labelled : bool
        Whether a label for the file itself was given, which makes it a result, whatever it
        contains.
    data : bytes or None
        Standard input's content.
    sidecars : Sidecars or None
        The sidecars of its folder, for the windows of runs.
    ask : callable or None
        Returns the content of a live source.
    bytes : int
        Its size, once it was requested.
    refusal : str
        The reason for skipping it in its folder.
    origin, assigned : str
        As in `Identity`.
    place : str
        The path that its labels are read from, if that is not ``label``.
    root : Path or None
        The folder on the command line that holds its archive.
    """

    label: str
    address: str
    path: Path | None
    labels: PathLabels
    sidecar: Sidecar
    variant: str = ""
    is_named: bool = False
    is_labelled: bool = False
    data: bytes | None = None
    sidecars: Sidecars | None = None
    ask: Callable[[], bytes] | None = None
    bytes: int = -1
    refusal: str = ""
    origin: str = ""
    assigned: str = ""
    place: str = ""
    root: Path | None = None

    @property
    def generator(self) -> str:
        """The name of the folder whose sidecar states that it holds a generator's files."""
        if not (self.sidecars and self.path):
            return ""
        return self.sidecars.name_generator(self.path, self.sidecar.shard)

    @property
    def identity(self) -> Identity:
        """The key that distinguishes it in a store; standard input is identified by content."""
        return Identity(self.origin, self.address, self.assigned)

    @property
    def shown_variant(self) -> str:
        """The variant from the command line, sidecar or path, without secrets."""
        return redact_label(self.variant or self.sidecar.variant or self.labels.variant)

    @property
    def is_chosen(self) -> bool:
        """Return whether the file itself was given on the command line."""
        return self.is_labelled or (self.is_named and not self.variant)

    @property
    def is_shard(self) -> bool:
        """Return whether one of several generators of a run wrote it."""
        return self.sidecar.shard is not None or bool(self.labels.shard)

    @property
    def size(self) -> int:
        """The size in bytes at the first access; 0 if the file system does not report it."""
        if self.bytes < 0:
            self.bytes = self.measure()
        return self.bytes

    def measure(self) -> int:
        """Return the current size in bytes; 0 if the file system does not report it."""
        try:
            return os.stat(self.path).st_size if self.path else len(self.data or b"")  # noqa: PTH116 - half the time
        except OSError:
            return 0

    def load(self) -> Source:
        """Open the source."""
        if self.path is None:
            return Source(None, self.label, self.ask() if self.ask else self.data or b"")
        if self.refusal == OUTSIDE:
            raise DataError(
                OUTSIDE, hint="if the link's target is a result, give the path of the target"
            )
        if self.refusal == DEEP:
            raise DataError(DEEP, hint="give this folder as a separate PATH")
        if self.refusal == MISSING:
            raise DataError(
                f"its sidecar {self.path.name}{OF_FILE} is there, but the result is not",
                hint="restore the result, give the sidecar the name of its result, or delete it",
            )
        try:
            return Source.load(self.path, self.label, guard=refuse_irregular)
        except UnreadableError:
            refuse_irregular(self.path)  # which gives a better reason
            raise


def read_standard_input() -> bytes:
    """Return all of standard input.

    Raises
    ------
    DataError
        If it is closed, or has no end.
    """
    hint = "write it to a file and give the path"
    if sys.stdin is None:  # closed by the shell: <&-
        raise DataError("standard input is closed", where=STDIN, hint=hint)
    data = _read_once(sys.stdin.buffer)
    if len(data) > PIPE_BYTES:
        limit = f"{PIPE_BYTES >> 20} MiB"
        raise DataError(f"standard input has more than {limit}", where=STDIN, hint=hint)
    return data


@lru_cache(1)
def _read_once(stream: BinaryIO) -> bytes:
    """Read a stream, which an ingest may need again if another writer created the store."""
    return stream.read(PIPE_BYTES + 1)


def require_file(path: Path) -> None:
    """Refuse devices and pipes, except those that a shell makes for ``<(command)``.

    Raises
    ------
    DataError
        If reading it could block or never end.
    """
    if not is_readable(path):
        piped = f"pass its contents on standard input: - < {shlex.quote(str(path))}"
        hint = piped if path.is_fifo() else "give a file or a folder of results"
        raise DataError("not a regular file", where=str(path), hint=hint)


def refuse_irregular(path: Path) -> None:
    """Refuse an entry of a folder that is not a file, with the reason why it cannot be read.

    Raises
    ------
    OSError
        If it is a dangling link, a folder that cannot be listed, a pipe or a socket.
    """
    if not is_readable(path):
        path.stat()
        if path.is_dir():
            os.listdir(path)  # noqa: PTH208 - tells why not
        raise OSError(errno.EINVAL, "not a regular file")


def unpacked(path: str) -> str:
    """Return the path of a file before it was packed."""
    return path.removesuffix(PACKED)


def digest_unpacked(path: str) -> str:
    """Return the digest of a local packed file's content, otherwise an empty string."""
    if not path.endswith(PACKED) or not os.path.isabs(path):  # noqa: PTH117 - texts
        return ""
    try:
        with gzip.open(locate(path)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, EOFError, zlib.error):
        return ""


def holds(path: str, sha256: str) -> bool:
    """Return whether a local file still has this content; it may be gone or rewritten.

    If its folder is now a link, the folder moved: addresses contain no links to folders.
    """
    path = locate(path)
    folder = os.path.dirname(path)  # noqa: PTH120 - texts
    if not os.path.isabs(path) or not os.path.isfile(path):  # noqa: PTH113, PTH117 - texts
        return False
    if os.path.realpath(folder) != folder:
        return False
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - texts
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def is_dropped(path: Path | None) -> bool:
    """Return whether a link is dangling, as git-annex leaves it when it drops the content."""
    return path is not None and path.is_symlink() and not path.exists()
