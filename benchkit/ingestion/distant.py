"""Results elsewhere: in a git commit, at a web address, in an object store, in an archive.

The baseline of another run is a folder like any other, with its sidecars, and need not be checked
out first.

git and the object store find credentials in the environment; benchkit asks for none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from shlex import quote
from shutil import rmtree
from tempfile import mkdtemp
from urllib.parse import unquote, urlsplit
from weakref import finalize

from benchkit.config.labels import LabelTables
from benchkit.errors import DataError, Diagnostic, MissingError
from benchkit.ingestion import archives, objects, pages
from benchkit.ingestion.addresses import (
    GIT,
    is_page,
    name_path,
    show_address,
    show_path,
    show_query,
)
from benchkit.labels.sidecars import Sidecars
from benchkit.labels.walk import name_sidecar
from benchkit.listing import list_names
from benchkit.processes import OutputError, run_command
from benchkit.reading.bounds import LARGEST, OPTION

#: Content that is not valid UTF-8.
_UNREADABLE = b"\xff"
#: Reasons for leaving out entries of git that are not files.
_IRREGULAR = {"120000": archives.LINK, "160000": "it is a submodule"}
#: Maximum size in bytes of the listing of a commit's files, and of files held at once.
_LISTING, _AT_ONCE = 64 << 20, 64 << 20
#: Maximum number of left-out files that a message names, and the hint.
_NAMED, _HINT = 3, "if they are results, pack each as a regular file with a name of its own"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Copy:
    """A local copy of distant results; it is deleted with the last reference to this object.

    Parameters
    ----------
    path : Path
        The copy: a folder or a file with its original name.
    name : str
        The address as given, without credentials.
    left_out : tuple of (str, str)
        The parts of an archive or a commit that were not written, with reasons.
    query : str
        The part of a web address's query that identifies its file.
    archive : Path or None
        The archive on this machine that was unpacked.
    top : Path or None
        The folder on the command line that holds the archive, if that is not its parent.
    """

    path: Path
    name: str
    left_out: tuple[tuple[str, str], ...] = ()
    query: str = ""
    archive: Path | None = None
    top: Path | None = None

    @property
    def place(self) -> PurePosixPath:
        """The path from which a file's labels are read; a host or a revision counts as a folder."""
        is_commit = self.name.startswith(GIT)
        name = self.name.replace(":", "/") if is_commit else unquote(self.name)
        return PurePosixPath(name).parent / self.path.name

    @property
    def below(self) -> str:
        """The path below the folder on the command line that holds the archive, if any."""
        if not (self.archive and self.top):
            return ""
        return (self.archive.relative_to(self.top).parent / self.path.name).as_posix()

    def place_file(self, path: Path, address: str) -> str:
        """Return the path from which the labels of a file are read; an archive is its folder."""
        is_local = Path(address).exists()
        place = PurePosixPath(address).parent / self.path.name if is_local else self.place
        return str(place / path.relative_to(self.path))

    def sidecars(self, root: Path, labels: LabelTables) -> Sidecars:
        """Return the sidecars of the copy, or of the folder of its only file."""
        return Sidecars(root, labels, self.rename, self.archive, self.top)

    def rename(self, path: str) -> str:
        """Return the original name of a path below the copy."""
        here = str(self.path)
        if not path.startswith(here):
            return path
        return self.name + path.removeprefix(here) + self.query

    def locate(self, address: str) -> str:
        """Return where the copy of an address may lie; nothing of what lies elsewhere."""
        inner = address.removeprefix(self.name)
        is_inner = inner != address and inner.startswith("/")
        return f"{self.path}{inner}" if is_inner else ""

    def list_problems(self) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each reason for which something was left out."""
        for reason in dict.fromkeys(reason for _, reason in self.left_out):
            names = [name_path(name) for name, why in self.left_out if why == reason]
            what = f"left out {list_names(names, _NAMED)}: {reason}"
            yield Diagnostic(name_path(self.name), 0, what, _HINT, "warning")


def bring(path: str, max_unpacked: int | None = None, top: Path | None = None) -> Copy:
    """Copy distant results to this machine.

    Parameters
    ----------
    path : str
        ``git:REF`` or ``git:REF:PATH`` in the repository of the working folder; ``http://`` or
        ``https://`` for a file or an archive of a folder; any other URL that pyarrow supports
        (``s3``, ``gs``, ``abfs``, ``file``); an archive on this machine.
    max_unpacked : int, optional
        Maximum size in bytes of an unpacked archive, a commit or a folder of an object store.
    top : Path, optional
        As in `Copy`.

    Raises
    ------
    DataError
        If it does not exist, or is inaccessible.
    """
    folder = Path(mkdtemp(prefix="benchkit-"))
    try:
        copy = replace(_bring(path, folder, max_unpacked or LARGEST), top=top)
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    finalize(copy, rmtree, folder, ignore_errors=True)
    return copy


def _bring(path: str, folder: Path, max_unpacked: int) -> Copy:
    if path.startswith(GIT):
        return _bring_commit(path.removeprefix(GIT), folder, path, max_unpacked)
    if (archive := Path(path)).is_file():
        unpacked = _unpack(archive, folder, show_path(archive.resolve()), max_unpacked)
        return replace(unpacked, archive=archive)
    try:
        parts = urlsplit(path)
    except ValueError as error:
        raise DataError(f"invalid address: {error}", where=show_address(path)) from None
    scheme, mark, rest = path.partition("://")
    path = f"{scheme.lower()}{mark}{rest}"
    name = show_address(path)
    target = folder / _name_copy(unquote(parts.path))
    if is_page(path):
        return _bring_page(path, target, name, max_unpacked)
    _bring_objects(path, target, name, max_unpacked)
    return Copy(target, name.rstrip("/"))


def _name_copy(path: str) -> str:
    """Return the last name of a path, or a name that is safe for a file."""
    name = re.sub(r"[^\w .@+=-]", "_", PurePosixPath(path).name)
    return name if name.strip(".") else "results"


def _bring_commit(text: str, folder: Path, name: str, max_unpacked: int) -> Copy:
    """Write the files of a commit as committed, without filters or conversion of line endings.

    Folders with equal content take no space in git, so a small repository can hold any number of
    files.
    """
    ref, _, inside = text.partition(":")
    inside = inside.strip("/")
    named = quote(ref)
    hint = f"see `git ls-tree -r {named}`, or fetch it first: git fetch origin {named}"
    if ref.startswith("-"):  # git would take it for an option
        hint = "give a branch, tag or commit"
    tree = _git(
        "rev-parse", "--verify", "--end-of-options", f"{ref}:{inside}", name=name, hint=hint
    )
    object_id = tree.decode().strip()
    target = folder / _name_copy(inside or ref)
    try:
        left_out = _stand_in(_write_object(object_id, target, name, max_unpacked), target)
    except archives.TooLargeError as error:
        larger = "" if isinstance(error, archives.TooManyError) else f", or pass {OPTION} 8GiB"
        hint = f"name the folder of the results, as in {GIT}{ref}:FOLDER{larger}"
        raise DataError(f"the commit was not read: {error}", where=name, hint=hint) from None
    return Copy(target, name, left_out)


def _stand_in(left_out: Iterable[tuple[str, str]], target: Path) -> tuple[tuple[str, str], ...]:
    """Write an unreadable file in place of each sidecar that is left out.

    Its runs, which may have failed, then count as damaged.
    """
    passed = tuple(left_out)
    for name, reason in passed:
        place = name.replace("\\", "/")
        if reason != archives.REPLACED and name_sidecar(PurePosixPath(place).name):
            archives.write([_UNREADABLE], target, place, replaces=True)
    return passed


def _write_object(
    object_id: str, target: Path, name: str, max_unpacked: int
) -> Iterator[tuple[str, str]]:
    """Write a file, or the files of a folder; yield what is left out, with reasons."""
    if _git("cat-file", "-t", object_id, name=name).strip() == b"blob":
        target.write_bytes(_git("cat-file", "blob", object_id, name=name, most=max_unpacked))
        return
    target.mkdir()
    passed: list[tuple[str, str]] = []
    for files in _list_files(object_id, name, archives.Meter(None, max_unpacked), passed):
        for path, content in _read_files(files, name):
            if reason := archives.write([content], target, path):
                yield path, reason
    yield from passed


def _read_files(listed: Sequence[tuple[str, str]], name: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of files, given their objects and paths."""
    content = _git("cat-file", "--batch", name=name, stdin="".join(f"{sha}\n" for sha, _ in listed))
    start = 0
    for sha, path in listed:
        end = content.index(b"\n", start)
        size = content[start:end].split()[-1]
        if not size.isdigit():  # "missing"
            hint = "fetch all of it: git fetch --refetch"
            raise DataError(f"git lacks {path} (object {sha})", where=name, hint=hint)
        start = end + 1 + int(size) + 1
        yield path, content[end + 1 : start - 1]


def _list_files(
    tree: str, name: str, meter: archives.Meter, passed: list[tuple[str, str]]
) -> Iterator[list[tuple[str, str]]]:
    """Yield objects and paths of the regular files of a tree, in lists that fit into memory.

    The paths of links and submodules are added to ``passed``, with reasons.
    """
    listing = _git("ls-tree", "-r", "-l", "-z", tree, name=name, most=_LISTING)
    files, held = list[tuple[str, str]](), 0
    for line in filter(None, listing.split(b"\0")):
        entry, _, place = line.partition(b"\t")
        mode, _, sha, size = entry.decode().split()
        path = place.decode(errors="surrogateescape")
        meter.enter(PurePosixPath(path))
        if reason := _IRREGULAR.get(mode):
            passed.append((path, reason))
            continue
        taken = int(size) if size.isdigit() else 0  # unknown for an object that git lacks
        meter.take(taken)
        if files and held + taken > _AT_ONCE:
            yield files
            files, held = [], 0
        files.append((sha, path))
        held += taken
    if files:
        yield files


#: A clone without all objects would fetch them, with a command from its settings.
_OFFLINE = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


def _git(*words: str, name: str, hint: str = "", stdin: str = "", most: int | None = None) -> bytes:
    command = ["git", "--no-optional-locks", *words]
    try:
        code, output, errors = run_command(command, pages.DEADLINE, stdin.encode(), _OFFLINE, most)
    except subprocess.TimeoutExpired:
        raise DataError(f"git takes longer than {pages.DEADLINE:g} s", where=name) from None
    except OutputError:
        raise archives.TooLargeError(f"git prints more than {most:,} bytes of it") from None
    except OSError as error:
        raise DataError(f"cannot run git: {error.strerror}", where=name) from error
    if code:
        error_line = errors.decode(errors="replace").strip().partition("\n")[0]
        is_absent = "rev-parse" in words and "not a git repository" not in error_line
        kind = MissingError if is_absent else DataError
        raise kind(f"unknown to git: {error_line}", where=name, hint=hint)
    return output


def _bring_page(address: str, target: Path, name: str, max_unpacked: int) -> Copy:
    """Fetch one file; unpack an archive."""
    pages.fetch(address, target, name, max_unpacked)
    query = show_query(address)
    if not archives.find_ending(target.name):
        return Copy(target, name, query=query)
    return _unpack(target, target.parent, name, max_unpacked, query)


def _unpack(archive: Path, folder: Path, name: str, max_unpacked: int, query: str = "") -> Copy:
    """Unpack an archive into a folder of its name below another.

    If it contains only a folder of that name, it is an archive of that folder.
    """
    ending = archives.find_ending(archive.name)
    stem = archive.name[: -len(ending)]
    unpacked = folder / (stem if stem.strip(".") else "results")
    left_out = _stand_in(archives.unpack(archive, unpacked, name, max_unpacked), unpacked)
    inner = unpacked / unpacked.name
    if [*unpacked.glob("*")] == [inner] and inner.is_dir():
        return Copy(inner, f"{name}/{inner.name}", left_out, query)
    return Copy(unpacked, name, left_out, query)


def _bring_objects(url: str, target: Path, name: str, max_unpacked: int) -> None:
    """Copy from an object store in a separate process, which can be stopped during a read."""
    command = [sys.executable, "-P", "-m", objects.__name__]
    paths = os.pathsep.join(filter(None, sys.path))
    try:
        content = json.dumps([url, str(target), name, max_unpacked]).encode()
        code, output, errors = run_command(command, pages.DEADLINE, content, {"PYTHONPATH": paths})
    except subprocess.TimeoutExpired:
        what = f"copying takes longer than {pages.DEADLINE:g} s"
        raise DataError(what, where=name) from None
    if code == objects.REFUSED:
        problem = json.loads(output)
        kind = MissingError if problem.pop("is_missing") else DataError
        raise kind(where=name, **problem)
    if code:
        reason = errors.decode(errors="replace").strip().rpartition("\n")[2] or f"exit {code}"
        raise DataError(f"cannot copy it: {reason}", where=name)
