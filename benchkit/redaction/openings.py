"""Quotes from files of unknown content: only text that cannot be a secret is shown.

A message shows how an unknown file begins, or which part of a line is damaged. Plain words, numbers
and punctuation are quoted. Everything else is replaced by ``…``: long or mixed words, values
assigned to a name, and anything after the name of a secret.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.redaction.marks import HIDDEN
from benchkit.redaction.texts import REDACTED, names_secret, redact_quote
from benchkit.regexes import regex

#: Maximum characters of a text that are read, and that are quoted.
_READ, _QUOTED = 2_000, 60
#: A word; an address is one, and has therefore already lost its credentials.
_PIECE = regex(r"[a-z]{2,8}://[^\s\"'<>|]++|[^\s,;{}\[\]()\"'<>|:=]++")
#: ``12.3mz``, ``-86.88%``, ``1m2.5s``, ``2026-11-20T10``.
_NUMBER = regex(
    r"[+-]?(?:\d[\d.,_-]*+|\.\d++)(?:[eE][+-]?\d{1,4})?[A-Za-z\u00b5\u03bc]{0,5}%?(?:/[a-z]{1,3})?"
    r"|-?(?:\d[\d.]*+(?:[mun\u00b5\u03bc]?s|m|h)){2,4}|\d{4}-\d\d-\d\dT\d\d"
)
_CASE = r"(?:[A-Z]{0,3}[a-z]{1,12}(?:[A-Z][a-z]{1,11}){0,4}|[A-Z]{1,12})"
#: ``ns/op``, ``http_req_duration``, ``Redis-8``, ``p99``; a short piece is too short for a secret.
_WORD = regex(
    rf"{_CASE}(?:-{_CASE})?(?:[_/.]{_CASE}){{0,3}}(?:[-_/.]\d{{1,3}})?|[A-Za-z]{{1,2}}\d{{1,3}}(?:\.\d{{1,2}})?"
    r"|Benchmark[\w/.*#-]{0,80}|[^\s]{1,3}|[\W_]++"
)
_ADDRESS = regex(r"[a-z]{2,8}://\S+")
#: Values that are not secrets, whatever the name.
_VALUES = frozenset(
    {"true", "false", "null", "none", "yes", "no", "on", "off", "nan", "inf", "p", REDACTED.lower()}
)
#: The whole content of files of which the tool printed nothing.
_LONE = frozenset({"Killed", "Terminated", "Aborted"})
_NAMES = regex(r"[\"']?\s*[=:]")
_REPEATED = regex(rf"{HIDDEN}(?:[\s,;:=\"'.]*{HIDDEN})+")


def show_opening(line: str, length: int = _QUOTED) -> str:
    """Quote the first line of a file with unknown content; a single word may be a password.

    Examples
    --------
    >>> show_opening("Hello, 12 files"), show_opening("DB=hunter two"), show_opening("swordfish")
    ("'Hello, 12 files'", "'DB=…'", "'…'")
    """
    text = line.strip()
    if text not in _LONE and len(text) > 3 and _PIECE.fullmatch(text):
        return repr(HIDDEN) if not _NUMBER.fullmatch(text) else show_part(text, length)
    return show_part(text, length)


def show_part(text: str, length: int = _QUOTED) -> str:
    """Quote a part of a line that does not match its format.

    Examples
    --------
    >>> show_part("ns/op 12.3mz p(95)"), show_part("avg=12.3ms min=s3cr3tvalue")
    ("'ns/op 12.3mz p(95)'", "'avg=12.3ms min=…'")
    """
    shown = "".join(_show(redact_quote(text[:_READ])))
    return repr(_REPEATED.sub(HIDDEN, shown)[:length])


def _show(text: str) -> Iterator[str]:
    """Yield a text piece by piece, with ``…`` in place of possible secrets."""
    done, is_assigned, is_secret = 0, False, False
    for match in _PIECE.finditer(text):
        gap, piece = text[done : match.start()], match[0]
        yield gap
        is_assigned |= "=" in gap
        is_value = gap.lstrip("\"'").endswith((":", ':"', ":'"))
        is_name = bool(_NAMES.match(text, match.end()))
        is_plain = is_name or not (is_assigned or is_value)
        yield piece if not is_secret and _is_harmless(piece, is_plain=is_plain) else HIDDEN
        is_secret |= names_secret(piece)
        done = match.end()
    yield text[done:]


def _is_harmless(piece: str, *, is_plain: bool) -> bool:
    """Return whether a piece may be shown; a word only if it is not a value."""
    word = piece.strip(".*#+-_!?/") or piece
    if _NUMBER.fullmatch(word) or word.lower() in _VALUES or set(piece) <= {HIDDEN}:
        return True
    return is_plain and (_WORD.fullmatch(word) or _ADDRESS.fullmatch(piece)) is not None
