"""The output of ``benchkit`` alone in a folder of results: what they are, and the next command.

It reads only the beginnings of the first files, and writes nothing.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

#: Variable of a shell that asks for completions and runs what is printed.
_COMPLETION = "_BENCHKIT_COMPLETE"
#: Limits for the entries of the folder, and for the files whose beginning is read.
_ENTRIES, _FILES = 400, 40
#: Maximum number of unpacked bytes of archives at a glance.
_UNPACKED = 1 << 26
#: Maximum number of variants that are named.
_LISTED = 5


def show_results(root: Path = Path()) -> bool:
    """Print what the folder holds and the command to type; return whether it holds results."""
    from benchkit.cli.printing import print_line
    from benchkit.store import DEFAULT, Store

    if _COMPLETION in os.environ:
        return False
    if (root / DEFAULT).is_dir() and Store(str(root / DEFAULT)).is_store():
        print_line(f"{DEFAULT} is a store of results. Run:")
        print_line("  benchkit compare")
        return True
    paths, tools = _find_results(root)
    if not paths:
        return _show_archives(root)
    if len(paths) == 1 and paths[0].suffix == ".md":  # its headings are labels
        print_line(f"{paths[0]} holds results of {tools[0]}. Run:")
        print_line(f"  benchkit compare {shlex.quote(str(paths[0]))}")
        return True
    _print_next(tools, *_read_variants(paths))
    return True


def _print_next(
    tools: Sequence[str],
    folder: str,
    variants: Sequence[str],
    is_grouped: bool,
    is_sweep: bool = False,
) -> None:
    from benchkit.cli.printing import print_line
    from benchkit.listing import list_first

    listed = list_first(variants, _LISTED)
    noun = "variant" if len(variants) == 1 else "variants"
    print_line(f"{folder} holds results of {', '.join(tools)} ({noun} {listed}). Run:")
    if is_sweep:
        print_line(f"  benchkit compare {shlex.quote(folder)}")
    else:
        print_line(f"  {_choose_command(folder, variants, is_grouped=is_grouped)}")


def _show_archives(root: Path) -> bool:
    """Print the contents of the small archives of a folder without other results."""
    from benchkit.errors import BenchkitError
    from benchkit.ingestion.discovery import Options, discover
    from benchkit.ingestion.repeats import list_archives
    from benchkit.labels.walk import name_key

    if not list_archives(str(root)):
        return False
    try:
        discovery = discover([str(root)], Options(max_unpacked=_UNPACKED))
    except BenchkitError:
        return False
    known = [
        (source, tool)
        for source in discovery.found[:_FILES]
        if source.path and (tool := _identify(source.path))
    ]
    variants = {source.shown_variant for source, _ in known}
    groups = {source.labels.group for source, _ in known}
    tools = [name for name, _ in Counter(tool for _, tool in known).most_common()]
    if tools:
        _print_next(tools, str(root), sorted(variants, key=name_key), len(groups) > 1)
    return bool(tools)


def _identify(path: Path) -> str:
    """Return the tool that wrote a file, or nothing."""
    from benchkit.errors import BenchkitError
    from benchkit.parsers import registry
    from benchkit.reading.source import Source

    try:
        claims = registry.identify(Source.load(path, str(path)))
    except (BenchkitError, OSError):
        return ""
    return claims[0].name if claims else ""


def _find_results(root: Path) -> tuple[list[Path], list[str]]:
    """Return the recognised files below the folder, else the pages, and their tools."""
    from benchkit.ingestion.repeats import leave_out_repeats
    from benchkit.labels.walk import look

    results = _keep_results(leave_out_repeats(look(root, _ENTRIES), []))
    return results if results[0] else _keep_results(look(root, _ENTRIES, pages=True))


def _keep_results(paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
    tools: Counter[str] = Counter()
    kept = []
    for path in paths[:_FILES]:
        if tool := _identify(path):
            kept.append(path)
            tools.update({tool})
    endings = {path.suffix for path in kept}
    kept += [path for path in paths[_FILES:] if path.suffix in endings]
    return kept, [name for name, _ in tools.most_common()]


def _read_variants(paths: Sequence[Path]) -> tuple[str, list[str], bool, bool]:
    """Return the common folder of all files, and the variants from their paths.

    Also return whether groups contain these, and whether a single variant has three load levels.
    """
    from benchkit.labels.stems import ToolNames
    from benchkit.labels.tree import read_tree
    from benchkit.labels.walk import name_key
    from benchkit.parsers import registry
    from benchkit.redaction import redact_label
    from benchkit.selection import SIDE_NAMES

    tops = {path.parts[0] for path in paths}
    is_one = len(tops) == 1 and all(len(path.parts) > 1 for path in paths)
    folder = tops.pop() if is_one else "."
    places = [path.relative_to(folder).as_posix() for path in paths]
    tools = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())
    root_name = (Path.cwd() / folder).resolve().name
    read = read_tree(places, SIDE_NAMES, tools, root_name=root_name)
    variants = sorted({redact_label(labels.variant) for labels in read}, key=name_key)
    levels = {labels.params for labels in read if labels.params}
    is_sweep = len(variants) == 1 and len(levels) > 2
    return folder, variants, len({labels.group for labels in read}) > 1, is_sweep


def _may_be_levels(variants: Sequence[str]) -> bool:
    """Return whether the variants differ only in a number, which may be a level of load."""
    bare = {"".join(sign for sign in name if not sign.isdigit()) for name in variants}
    return len(variants) > 2 and len(bare) == 1


def _choose_command(folder: str, variants: Sequence[str], *, is_grouped: bool) -> str:
    """Return the most useful command: compare if there are two sides, else layout.

    If groups contain variants and no name suggests a baseline, the folders may be the sides.
    """
    from benchkit.errors import BenchkitError
    from benchkit.selection import choose_baseline

    place = shlex.quote(folder)
    if len(variants) < 2:
        return f"benchkit layout {place}"
    try:
        choose_baseline(variants)
    except BenchkitError as error:
        if is_grouped or _may_be_levels(variants):
            return f"benchkit layout {place}"
        return f"benchkit compare {place} {shlex.join(error.options)}"
    return f"benchkit compare {place}"
