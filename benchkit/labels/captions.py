"""Names from the lines above the blocks of a file, where nothing else distinguishes the blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from benchkit.labels.pieces import Piece
from benchkit.regexes import regex

#: Separator between headings, and between the headings and the name.
_JOINT = " / "
#: Characters stripped from both ends of a name, and the maximum length of a name.
_SIGNS = " \t#>$▶▸►→•*=|/.:…✗✓-–—─"
_LONGEST = 60
#: A single dot or slash in front of a word, and a word to which a sharp sign belongs.
_LEAD = regex(r"(?:^|[^./])[./]$")
_SHARP = regex(r"(?:^|[^\w#])[A-Z]$")


def join_names(*names: str) -> str:
    """Join the names that lead a benchmark and its name, skipping empty ones.

    Examples
    --------
    >>> join_names("large", "", "Encode")
    'large / Encode'
    """
    return _JOINT.join(filter(None, names))


def lead_by_captions(same: Sequence[Piece], captions: Sequence[str]) -> None:
    """Prefix names with the lines directly above their blocks, where nothing else differs."""
    if len(set(captions)) < 2:
        return
    for piece, caption in zip(same, captions, strict=True):
        _lead(piece, caption)
        piece.split_by = "caption"


def _lead(piece: Piece, caption: str) -> None:
    if caption:
        name = piece.declared_benchmark or piece.target
        lead = piece.benchmark.removesuffix(name).removesuffix(_JOINT)
        piece.benchmark = join_names(lead, caption, name)


def lead_others(same: Sequence[Piece], captions: Sequence[str], lines: Sequence[str]) -> None:
    """Prefix names of blocks at several hosts with their captions, if other blocks have one."""
    if any(piece.split_by == "caption" for piece in same):
        for piece, caption, line in zip(same, captions, lines, strict=True):
            if piece.split_by != "caption":
                _lead(piece, caption or line)


def lead_at_hosts(same: Sequence[Piece], captions: Sequence[str], lines: Sequence[str]) -> bool:
    """Prefix names of blocks at several hosts with the text above, if short; return if it is."""
    names = captions if len(set(captions)) > 1 else lines
    is_short = all(len(name) <= _LONGEST for name in names)
    if is_short:
        lead_by_captions(same, names)
        for piece in same:
            piece.split_by = ""
    return is_short


def list_captions(same: Sequence[Piece]) -> list[str]:
    """Return the captions of blocks; if some have one, a short line above a block also counts."""
    captions = [piece.caption for piece in same]
    if not any(captions):
        return captions
    pairs = zip(captions, list_differences(same), strict=True)
    return [caption or (line if len(line) <= _LONGEST else "") for caption, line in pairs]


def list_differences(same: Sequence[Piece], joint: str = ", ") -> list[str]:
    """Return the lines above each block, without those that appear above every block."""
    above = [piece.lines.splitlines() for piece in same]
    common = set(above[0]).intersection(*above)
    return [joint.join(line for line in lines if line not in common) for lines in above]


def list_outer(same: Sequence[Piece]) -> dict[int, str]:
    """Return for each block the lines it inherits from an earlier block with more lines above."""
    outer, longest = dict[int, str](), list[str]()
    for piece, text in zip(same, list_differences(same, "\n"), strict=True):
        lines = text.splitlines()
        if len(lines) >= len(longest):
            longest = lines
        outer[id(piece)] = ", ".join(longest[: len(longest) - len(lines)])
    return outer


def name_all(texts: Sequence[str]) -> Sequence[str]:
    """Return lines of any shape as short names, or unchanged if two names would become equal."""
    names = [_cut(_trim(text)) for text in texts]
    return names if len(set(names)) == len(set(texts)) else texts


def _trim(text: str) -> str:
    """Strip signs around a text, except those of its first or last word: ``.net``, ``C#``.

    Examples
    --------
    >>> _trim(".net core:"), _trim("> // after ..."), _trim("- /users"), _trim("## C# ##")
    ('.net core', 'after', '/users', 'C#')
    """
    bare = text.strip(_SIGNS)
    before, _, after = text.partition(bare) if bare else ("", "", "")
    is_led = bare[:1].isalpha() and _LEAD.search(before) is not None
    is_sharp = after.startswith("#") and _SHARP.search(bare) is not None
    return f"{before[-1] if is_led else ''}{bare}{'#' if is_sharp else ''}"


def _cut(text: str) -> str:
    """Shorten a text that is too long for a name, at a word boundary."""
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0].rstrip(_SIGNS + ",;") + "…"


def share_labels(pieces: Sequence[Piece]) -> None:
    """Give the results of one block the same labels, in place; applied on reading, never stored.

    If a caption, command or table separates the blocks of one variant, it also leads the same
    benchmark of variants that appear in only one of these blocks.
    """
    labels: dict[Hashable, set[tuple[str, str]]] = defaultdict(set)
    for piece in pieces:
        if _is_parted(piece):
            labels[_find_block(piece)].add((piece.benchmark, piece.params))
    for piece in pieces if labels else ():
        shared = labels.get(_find_block(piece), ())
        if len(shared) == 1 and not piece.split_by and not _is_parted(piece):
            ((piece.benchmark, piece.params),) = shared


def _is_parted(piece: Piece) -> bool:
    """Return whether its labels include the text above its block, or its table."""
    params = piece.params.split(",")
    is_split = piece.split_by in {"caption", "table"}
    return is_split or any(each.startswith("command=") for each in params)


def find_table(piece: Piece) -> str:
    """Return which summary table of its source the piece is from, empty if it is not a summary."""
    return piece.env.get("table", "1" if "lossy" in piece.env else "")


def _find_block(piece: Piece) -> Hashable:
    """Return the key shared by the results of one benchmark in one block."""
    place = piece.origin, piece.path, piece.group, piece.tool, piece.role
    above = tuple(piece.headings.items()), piece.shown_command, piece.caption, piece.lines
    names = piece.declared_benchmark, piece.declared_params, piece.target
    return *place, *above, find_table(piece), *names
