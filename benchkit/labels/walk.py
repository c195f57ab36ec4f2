"""Selection of the raw results in a folder.

A results folder also holds scripts, notes and sidecars, and silently skipping a file is as bad as
misreading it. Pipes, sockets and dangling links are therefore yielded like files, and refused when
they are read. An explicitly named file is always read; a link in a folder only if it stays in the
folder, or leads to where git-annex and DVC keep files.

Names are sorted in natural order: wrk-2 before wrk-10.

The walk, the numbering and every list of runs must agree on one order that does not depend on the
file system.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from pathlib import Path

from benchkit.regexes import regex

_SCRIPTS = frozenset(
    {
        ".sh",
        ".bash",
        ".zsh",
        ".fish",
        ".ps1",
        ".bat",
        ".cmd",
        ".lua",
        ".js",
        ".mjs",
        ".cjs",
        ".ts",
        ".py",
        ".pyc",
        ".ipynb",
        ".rb",
        ".pl",
        ".php",
        ".go",
        ".mod",
        ".sum",
        ".rs",
        ".java",
        ".kt",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".cs",
        ".awk",
        ".jq",
    }
)
_DOCUMENTS = frozenset(
    {
        ".md",
        ".markdown",
        ".rst",
        ".adoc",
        ".tex",
        ".pdf",
        ".doc",
        ".docx",
        ".odt",
        ".rtf",
        ".ppt",
        ".pptx",
        ".odp",
        ".xls",
        ".xlsx",
        ".ods",
        ".png",
        ".jpg",
        ".jpeg",
        ".gif",
        ".svg",
        ".webp",
    }
)
#: Files next to results that describe them.
SIDECARS = {"run.toml", "runs.json", "benchkit.toml", "provenance.toml", "containers.json"}
#: Suffix of a result's sidecar, which a packed result keeps, and the suffix of a packed result.
OF_FILE, _PACKED = ".run.toml", ".gz"
_NAMES = {"commands.log": "a log of commands", "cachedir.tag": "a cache tag",
          "plan.toml": "a plan of `benchkit capture`",
          "data.js": "a script, or a history for `benchkit history import`"}  # fmt: skip
#: Endings of backup copies made by an editor or a person.
_PUT_ASIDE = (".bak", ".orig", ".old", "~", ".swp", ".tmp", ".save")
DOCUMENT, README, SIDECAR = "a document", "a README", "a sidecar"
_REASONS = {
    **dict.fromkeys(_SCRIPTS, "a script"),
    **dict.fromkeys(_DOCUMENTS, DOCUMENT),
    **dict.fromkeys((".stderr", ".err"), "the standard error of a tool"),
    **dict.fromkeys((".toml", ".ini", ".cfg", ".conf", ".lock"), "a file of settings"),
}
#: Reason for not following a link.
OUTSIDE = "a link to outside the folder"
#: Maximum depth of nested folders; deeper ones are malicious or a loop.
DEEPEST = 100
#: Reason for not walking a deeper folder.
DEEP = f"more than {DEEPEST} folders deep"
#: Reason for reporting the missing result that a sidecar is named after.
MISSING = "the result of a sidecar is missing"
#: How the reason begins why a file is passed over that the user excludes.
EXCLUDED = "excluded by"
#: Hidden folders in which tools keep results.
_KEPT = {".benchmarks"}
_REPOSITORIES = (".git", ".dvc")
#: Files that identify a folder without results.
_MARKS = {"pyvenv.cfg": "a virtual environment", ".cargo-lock": "cargo's build output"}
_PRUNED = {
    ".benchkit": "benchkit's own store",
    "node_modules": "dependencies",
    "__pycache__": "compiled scripts",
    "lost+found": "part of the file system",
}
_DIGITS = regex(r"([0-9]+)")
#: Maximum number of digits that always fits 64 bits; a longer number is a name.
DIGITS = 18

#: Text and numbers in turn, and the name itself to distinguish ``01`` from ``1``.
NameKey = tuple[tuple[str | int, ...], str]


def walk(
    root: Path,
    exclude: Sequence[str] = (),
    skipped: list[tuple[Path, str]] | None = None,
    unseen: dict[Path, str] | None = None,
    place: str = "",
) -> Iterator[Path]:
    """Yield the files below a folder that may be raw results, in natural order.

    Parameters
    ----------
    root : Path
        A folder, or a file, which is yielded unchanged.
    exclude : sequence of str
        Globs for the names of files and folders, or for their posix paths relative to ``root``.
    skipped : list of (Path, str), optional
        Receives every skipped file and folder, with the reason.
    unseen : dict of Path to str, optional
        Receives paths below ``root`` that may hold results but are not read, with the reason.
    place : str
        The path of an archive's copy, to which the globs for paths apply.
    """
    if root.is_file():
        yield root
        return
    globs = [glob.rstrip("/") for glob in exclude]
    for path, reason, is_lost in _walk(root, root, place, globs, ()):
        if not reason:
            yield path
        elif is_lost and unseen is not None and path != root:
            unseen[path] = reason
        elif skipped is not None:
            skipped.append((path, reason))


def look(root: Path, most: int, *, pages: bool = False) -> list[Path]:
    """Return the possible results, or documents, among the first entries below a folder."""
    entries = islice(_walk(root, root, "", (), ()), most)
    reasons = {DOCUMENT, README} if pages else {""}
    return [path for path, reason, _ in entries if reason in reasons]


def leads_out(link: str, root: Path) -> bool:
    """Return whether an existing link leads out of a folder.

    Files that git-annex and DVC keep in the folder's repository belong to the folder.
    """
    if not os.path.islink(link) or not os.path.exists(link):  # noqa: PTH110, PTH114 - never raise
        return False
    target, base = Path(os.path.realpath(link)), Path(os.path.realpath(root))
    home = _find_repository(base)
    folders = [base]
    if home is not None:
        folders += [Path(os.path.realpath(home / ".git"), "annex", "objects"), home / ".dvc/cache"]
    return not any(target.is_relative_to(folder) for folder in folders)


@lru_cache(maxsize=1)
def _find_repository(folder: Path) -> Path | None:
    """Return the nearest repository at or above this folder."""
    for home in (folder, *folder.parents):
        if any(os.path.lexists(home / name) for name in _REPOSITORIES):
            return home
    return None


def _walk(
    root: Path, folder: Path, relative: str, exclude: Sequence[str], above: tuple[Path, ...]
) -> Iterator[tuple[Path, str, bool]]:
    """Walk one folder; ``above`` holds the real folders on the way, to stop circular links.

    Yields each path, the reason for skipping it, and whether results may be lost with it.
    """
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: name_key(entry.name))
        real = folder.resolve()
    except OSError as error:
        yield folder, f"cannot list: {error.strerror}", True
        return
    if len(above) > DEEPEST:
        yield folder, DEEP, True
        return
    if real in above:
        yield folder, "a link to a parent folder", False
        return
    names = {entry.name for entry in entries}
    stems = {_stem(name) for name in names if not name.lower().endswith(_PUT_ASIDE)}
    for entry in entries:
        place = f"{relative}/{entry.name}" if relative else entry.name
        path = Path(entry.path)
        try:
            is_folder = entry.is_dir()
        except OSError:  # for example, a link to itself: reading it reports the reason
            is_folder = False
        reason = _excluded(entry.name, place, exclude) if exclude else ""
        is_outside = not reason and entry.is_symlink() and leads_out(entry.path, root)
        reason = OUTSIDE if is_outside else reason
        reason = reason or (prune(path) if is_folder else _pass_over(entry, names, stems))
        if is_folder and not reason:
            yield from _walk(root, path, place, exclude, (*above, real))
        else:
            yield path, reason, is_outside
        if reason == SIDECAR and (name := name_sidecar(entry.name)).endswith(OF_FILE):
            result = name.removesuffix(OF_FILE)
            if names.isdisjoint(name_packed(result)):
                yield folder / result, MISSING, True


def name_packed(name: str) -> tuple[str, str]:
    """Return the name of a result, and its other name when packed or unpacked."""
    other = name.removesuffix(_PACKED) if name.endswith(_PACKED) else name + _PACKED
    return name, other


def name_sidecar(name: str) -> str:
    """Return a sidecar's standard name, ignoring case; empty for any other file.

    Examples
    --------
    >>> name_sidecar("RUN.TOML"), name_sidecar("A.txt.Run.toml"), name_sidecar("A.txt")
    ('run.toml', 'A.txt.run.toml', '')
    """
    lower = name.lower()
    if lower.endswith(OF_FILE):
        return name[: -len(OF_FILE)] + OF_FILE
    return lower if lower in SIDECARS else ""


def _excluded(name: str, place: str, exclude: Sequence[str]) -> str:
    for glob in exclude:
        if fnmatchcase(name, glob) or fnmatchcase(place, glob):
            return f"{EXCLUDED} {glob}"
    return ""


def is_store(folder: Path) -> bool:
    """Return whether a folder is a store, which holds no raw results."""
    tables = ("runs", "values")
    return any(os.path.isdir(folder / name / "_delta_log") for name in tables)  # noqa: PTH112


def prune(folder: Path) -> str:
    """Return the reason for not walking a folder, if any."""
    name = folder.name
    if name in _PRUNED:
        return _PRUNED[name]
    if name.startswith(".") and name not in _KEPT:
        return "a hidden folder"
    if is_store(folder):
        return "a benchkit store"
    marks = (mark for mark in _MARKS if os.path.isfile(folder / mark))  # noqa: PTH113
    return _MARKS.get(next(marks, ""), "")


def _pass_over(entry: os.DirEntry[str], names: Collection[str], stems: Collection[str]) -> str:
    """Return the reason for not reading a file, if any; names and stems are those of its folder."""
    name = entry.name.lower()
    suffix = os.path.splitext(name)[1]  # noqa: PTH122 - thousands of names, no paths needed
    if name.startswith("."):
        return "a hidden file"
    if name.startswith("readme"):
        return README
    if name_sidecar(name):
        return SIDECAR
    if _stem(name) == "stderr" and f"stdout{suffix}" in names:
        return "the standard error of a tool"
    original = entry.name[:-1] if name.endswith("~") else _stem(entry.name)
    if name.endswith(_PUT_ASIDE) and (
        original in names or (suffix == ".bak" and original in stems)
    ):
        return "a backup copy"
    return _NAMES.get(name) or _REASONS.get(suffix, "")


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]  # noqa: PTH122 - thousands of names, no paths needed


def path_key(path: str) -> tuple[NameKey, ...]:
    """Return the sort key of a posix path, with each component in natural order.

    Examples
    --------
    >>> sorted(["none/wrk-10.txt", "none/wrk-2.txt"], key=path_key)
    ['none/wrk-2.txt', 'none/wrk-10.txt']
    """
    return tuple(map(name_key, path.split("/")))


@lru_cache(maxsize=1 << 15)
def name_key(name: str) -> NameKey:
    """Return the sort key of one name."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts)), name
