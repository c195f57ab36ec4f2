"""Files next to raw files: `run.toml`, `<file>.run.toml`, `runs.json`, `benchkit.toml`.

They keep facts that a tool does not print (times, position, commit) with its result. From lowest to
highest precedence: the `[labels]` of `benchkit.toml`, then `run.toml`, both inherited from folder
to folder; then `<file>.run.toml`, even if the file was packed since. The labels of the working
folder's settings come below all of them. `containers.json` names the containers. Problems are kept
in `Sidecars.diagnostics` and never raised.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from benchkit import config
from benchkit.config.files import read_file
from benchkit.config.labels import NO_LABELS, LabelTables
from benchkit.errors import ConfigError, Diagnostic
from benchkit.labels.declared import UnusableError, read_container_names
from benchkit.labels.run_toml import (
    DAMAGED,
    Sidecar,
    find_damage,
    mark_unreadable,
    read_keys,
    read_sidecar,
)
from benchkit.labels.shards import is_of_shard
from benchkit.labels.walk import OF_FILE, OUTSIDE, leads_out, name_packed, name_sidecar
from benchkit.labels.windows import Window, read_windows

__all__ = ["Sidecar", "Sidecars"]


@dataclass(slots=True)
class _Folder:
    """The sidecars of a folder, and the labels that its files inherit.

    ``names`` maps each sidecar's standard name to the actual one, for example ``RUN.TOML``.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    links: frozenset[str] = frozenset()
    sidecar: Sidecar = field(default_factory=Sidecar)
    #: The folder whose sidecar names the variant.
    variant_from: Path | None = None
    windows: list[Window] = field(default_factory=list)


class Sidecars:
    """The sidecars of one ingested folder, each read once.

    Parameters
    ----------
    root : Path
        The ingested folder: sidecars above it are not read.
    labels : LabelTables, optional
        The labels of the settings, which apply unless a file next to the results overrides them.
    show : callable, optional
        Returns the name of a path in messages, if the folder is a copy.
    archive : Path, optional
        The archive of which the folder is a copy: sidecars next to it apply to all its files,
        unless its own override them.
    top : Path, optional
        The folder from which these apply, if that is not the archive's parent.

    Attributes
    ----------
    diagnostics : list of Diagnostic
        The problems of the sidecars read so far.
    settings : Sidecar
        The labels of the settings.
    """

    def __init__(
        self,
        root: Path,
        labels: LabelTables = NO_LABELS,
        show: Callable[[str], str] = str,
        archive: Path | None = None,
        top: Path | None = None,
    ) -> None:
        self.root = root
        self._show = show
        self.diagnostics: list[Diagnostic] = []
        self._labels = labels
        self.settings = self._read_labels(labels)
        self._folders: dict[str, _Folder] = {}  # keyed by text: hashing a Path costs more
        self._above = self._read_above(archive, top)

    def for_file(self, path: Path) -> Sidecar:
        """Return the labels recorded next to a file; do not change them.

        Parameters
        ----------
        path : Path
            The file, or the folder of a series of snapshots.
        """
        parent, _, name = str(path).rpartition(os.sep)
        folder = self._folder(parent)
        for each in name_packed(name):
            if listed := folder.names.get(f"{each}{OF_FILE}"):
                return self._read_toml(Path(parent, listed)).over(folder.sidecar)
        return folder.sidecar

    def is_link(self, path: Path) -> bool:
        """Return whether a file is a link, according to its folder's listing."""
        parent, _, name = str(path).rpartition(os.sep)
        return name in self._folder(parent).links

    def declaring_folder(self, path: Path, variant: str) -> Path | None:
        """Return the folder whose sidecar names a file's variant, unless its own sidecar does."""
        folder = self._folder(str(path.parent))
        return folder.variant_from if folder.sidecar.variant == variant else None

    def name_generator(self, path: Path, shard: int | None) -> str:
        """Return the folder whose sidecar states a file's shard, if it is named after it."""
        folder = path.parent
        if shard is None or self._folder(str(folder)).sidecar.shard != shard:
            return ""
        while not self._is_top(folder) and self._folder(str(folder.parent)).sidecar.shard == shard:
            folder = folder.parent
        return folder.name if is_of_shard(folder.name, shard) else ""

    def windows(self, place: Path | str) -> list[Window]:
        """Return the windows of the nearest `runs.json` around a file or folder.

        Parameters
        ----------
        place : Path or str
            A path in the file system, or a posix text relative to the root.
        """
        path = str(self.root / place if isinstance(place, str) else place)
        parent = path.rpartition(os.sep)[0]
        if path not in self._folders and parent in self._folders:
            path = parent
        return self._folder(path).windows

    def window_for(
        self,
        variant: str,
        run: int | None,
        place: Path | str | None,
        *,
        benchmark: str = "",
        group: str = "",
    ) -> Window | None:
        """Return the window recorded for a measured run, or None.

        Parameters
        ----------
        variant, run
            The run's labels; a run without a declared number has no window.
        place : Path or str or None
            The file or its folder, as in `windows`.
        benchmark : str
            The benchmark in the run's path, if any: ``k6-full-1.txt`` is not the run 1 of an entry
            without a benchmark.
        group : str
            The run's group; an entry that records a group applies only to runs of that group.
        """
        if run is None or place is None:
            return None
        fitting: dict[tuple[datetime, datetime], Window] = {}
        for window in self.windows(place):
            if (window.variant, window.run, window.benchmark) == (variant, run, benchmark):
                times = window.start, window.end
                has_failed = times in fitting and fitting[times].exit_code
                if window.group in ("", group) and not has_failed:
                    fitting[times] = window
        return next(iter(fitting.values())) if len(fitting) == 1 else None

    def _folder(self, key: str) -> _Folder:
        """Return the labels that the files of a folder inherit."""
        known = self._folders.get(key)
        if known is None:
            folder = Path(key)
            is_top = self._is_top(folder)
            above = self._above if is_top else self._folder(str(folder.parent))
            known = self._folders[key] = self._read_folder(folder, above)
        return known

    def _read_folder(self, folder: Path, above: _Folder) -> _Folder:
        listed = self._list(folder)
        read = _Folder(*listed, above.sidecar, above.variant_from, above.windows)
        paths = {name: folder / listed for name, listed in read.names.items()}
        if path := paths.get("containers.json"):
            read.sidecar = self._read_names(path).over(read.sidecar)
        if (path := paths.get(config.FILE)) and not self._labels.is_in(path):
            self._put_over(read, self._read_settings(path), folder)
        if path := paths.get("run.toml"):
            self._put_over(read, self._read_toml(path), folder)
        if path := paths.get("runs.json"):
            self._read_windows(path, read)
        return read

    @staticmethod
    def _put_over(lower: _Folder, sidecar: Sidecar, folder: Path) -> None:
        lower.sidecar = sidecar.over(lower.sidecar)
        lower.variant_from = lower.variant_from if sidecar.variant is None else folder

    def _read_above(self, archive: Path | None, top: Path | None) -> _Folder:
        """Return what the root inherits: the settings' labels, and the sidecars of its archive."""
        if archive is None:
            sidecar, windows, declaring = self.settings, list[Window](), None
        else:
            outer = Sidecars(top or archive.parent, self._labels)
            sidecar, windows = outer.for_file(archive), outer.windows(archive)
            self.diagnostics += outer.diagnostics
            declaring = outer.declaring_folder(archive, sidecar.variant or "")
        variant_from = None if sidecar.variant is None else declaring or self.root
        return _Folder(sidecar=sidecar, variant_from=variant_from, windows=windows)

    def _is_top(self, folder: Path) -> bool:
        return folder == self.root or self.root not in folder.parents

    def _read_toml(self, path: Path) -> Sidecar:
        text = self._read_text(path)
        if text is None:
            return mark_unreadable(self.diagnostics[-1])
        sidecar, problems = read_sidecar(text, self._show(str(path)))
        self.diagnostics += problems
        return sidecar

    def _read_settings(self, path: Path) -> Sidecar:
        """Read the labels in a settings file, ignoring its other keys."""
        try:
            if leads_out(str(path), self.root):
                raise ConfigError(OUTSIDE)
            return self._read_labels(config.load(path.parent, path).labels)
        except ConfigError as error:
            what = f"all its labels are ignored, and {DAMAGED}: {error.what}"
            self._warn(path, what, error.hint)
            return mark_unreadable(self.diagnostics[-1])

    def _read_labels(self, labels: LabelTables) -> Sidecar:
        sidecar = Sidecar()
        for table, within in labels:
            lower, problems = read_keys(table, labels.path, labels.text, within=within)
            sidecar = sidecar.over(lower)
            self.diagnostics += problems
        return sidecar

    def _read_names(self, path: Path) -> Sidecar:
        try:
            return Sidecar(env=read_container_names(self._read_text(path) or "{}"))
        except UnusableError as error:
            self._warn(path, f"{error}, so its container names are ignored")
            return Sidecar()

    def _read_windows(self, path: Path, folder: _Folder) -> None:
        before, text = len(self.diagnostics), self._read_text(path) or "[]"
        folder.windows, problems = read_windows(text, self._show(str(path)))
        self.diagnostics += problems
        damage = find_damage(self.diagnostics[before:])
        folder.sidecar = Sidecar(damage=damage).over(folder.sidecar)

    def _read_text(self, path: Path) -> str | None:
        try:
            if leads_out(str(path), self.root):
                raise OSError(errno.EPERM, OUTSIDE)
            return read_file(path)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not valid UTF-8"
            what = f"cannot read the sidecar: {reason}; all its labels are ignored"
            what += f", and {DAMAGED}" if path.name.lower() != "containers.json" else ""
            self._warn(path, what)
            return None

    def _list(self, folder: Path) -> tuple[Mapping[str, str], frozenset[str]]:
        """Return the sidecars and the links in a folder."""
        try:
            with os.scandir(folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name, reverse=True)
        except OSError:
            return {}, frozenset()
        names: dict[str, str] = {}
        for entry in entries:  # run.toml takes precedence over RUN.TOML
            if not (name := name_sidecar(entry.name)):
                continue
            if names.setdefault(name, entry.name) != entry.name:
                self._warn(entry.path, f"{names[name]} is read instead; all its labels are ignored")
        return names, frozenset(entry.name for entry in entries if entry.is_symlink())

    def _warn(self, path: Path | str, what: str, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(self._show(str(path)), 0, what, hint, "warning"))
