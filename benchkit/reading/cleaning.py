"""Text from tools: decoded, without terminal sequences and the prefixes of logs.

Texts in which every line is doubled, as with `tee` in a job whose output is kept, would have twice
as many runs as were measured.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence

from benchkit.reading.entities import decode_preformatted
from benchkit.reading.heading_lines import clean
from benchkit.reading.prefixes import NO_BREAK, Prefix, strip_line
from benchkit.reading.webpages import MARK
from benchkit.regexes import regex

_ANSI = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[@-Z\\-_=>])")
#: Tags that end a line on a page, those that end a block of code, and the maximum number of them.
_BREAKS, _MANY_BREAKS = ("<br>", "<br/>", "<br />"), 9
_CLOSINGS = ("</pre>", "</code>", "</samp>", "</p>", "</tt>", "</blockquote>")
#: Markup that pages put around a block of code.
_WRAPPERS = "div|figure|table|tbody|tr|td|blockquote"
_WRAPPED = tuple(f"</{each}>" for each in _WRAPPERS.split("|"))
#: Signs of a text that is not clean: tags, and beginnings of lines.
_TAGGED = ("<br", "<BR", "<pre", "<code", "<span", "</span", "></a>", *_CLOSINGS)
#: Prefixes of a block of code in Textile, and the echo of Ctrl-C before a line in a terminal.
_LEADING = "bc", "pre", "^C"
#: Tags that begin a block of code on the line of its first result.
_OPENING = regex(
    rf"(?:<(?:{_WRAPPERS})(?: [^<>]{{0,500}})?>){{0,9}}"
    r"(?:<(?:pre|code|samp|p|tt)(?: [^<>]{0,200})?>){1,9}"
    r"(?=[^\s<](?:[^<]|<(?!/))*+\Z)",
    re.IGNORECASE,
)
#: A line of a listing with marks; tags in a name are no marks.
_MARKED = regex(r"\A\s*+<|<span [a-z-]+=[\"\w]|>\s*+\Z")
#: The end of a fence after its last line.
_FENCED = regex(r"^[^`\n]++(?<![\s>])```$", re.MULTILINE)
_LEAD = regex(r"(?:bc|pre)(?:\([^()]{0,80}\))?\.{1,2} ++(?=\S)|(?:\^C)++(?=.)")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Maps each byte that is invalid in a text's encoding to a distinct Braille character, which is no
#: letter, digit or unit, and one column wide: names that differ in these bytes stay distinct.
ODD_BYTES = "benchkit.odd_bytes"
ODD_SIGNS = 0x2800
_ODD = regex(f"[{chr(ODD_SIGNS + 0x80)}-{chr(ODD_SIGNS + 0xFF)}]")

#: Minimum number of distinct lines with a digit that are not doubled by chance.
_ENOUGH = 5

#: A line, and whether it has a line end.
Line = tuple[str, bool]
__all__ = ["NOTE", "drop_notes", "read_note", "split_note"]

#: A note, after the blank that separates it from the result.
NOTE = r"(?:[(（].*[)）]|\[.*\]|(?:#++|/{2,}|-{2,}>?|<-++|←).*)"
_NOTE = regex(r"[(（](.*)[)）]|\[(.*)\]|(?:#++|/{2,}+|-{2,}+>?|<-++|←)(.*)")
_BEGINNINGS = frozenset("(（[#/-<←")
#: Possible beginnings of a note, and the maximum number tried per line.
_NOTE_START = regex(r"(?<=[ \t])[(（\[#/<←-]")
_MANY_STARTS = 6


def _read_odd_bytes(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - it is not used to encode
    odd = error.object[error.start : error.end]
    if odd == b"\xb5" and error.object[error.end : error.end + 1] == b"s":
        return "µ", error.end  # of a unit, as Windows and Latin-1 encode it
    return "".join(chr(ODD_SIGNS + byte) for byte in odd), error.end


codecs.register_error(ODD_BYTES, _read_odd_bytes)


def decode(data: bytes, encoding: str = "utf-8") -> str:
    r"""Decode a text; each byte that is not of its encoding becomes a distinct character.

    The one of ``µs`` in Windows' encoding is decoded.

    Examples
    --------
    >>> decode("Menü".encode("latin-1")), decode("Menù".encode("latin-1"))
    ('Men⣼', 'Men⣹')
    >>> decode("9.5 µs".encode("cp1252"))
    '9.5 µs'
    """
    return data.decode(encoding, ODD_BYTES)


def find_odd_byte(text: str) -> tuple[str, int] | None:
    """Return the first character that `decode` substituted for a byte, and this byte."""
    sign = None if text.isascii() else _ODD.search(text)
    return (sign[0], ord(sign[0]) - ODD_SIGNS) if sign else None


def encoding_of(data: bytes) -> str:
    """Return the encoding that a BOM shows, else UTF-8."""
    return next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")


def clean_line(line: str) -> str:
    """Remove ANSI sequences, a CR at the end, overwritten progress, and a page's line breaks.

    Also the tags of a block of code that begins or ends on this line, those that highlight its
    words, the end of a fence, Textile's prefix of one, and the ``^C`` of Ctrl-C.

    Examples
    --------
    >>> clean_line("Requests/sec:   1998.81 <br/>"), clean_line("GET: 1.5</code></pre>")
    ('Requests/sec:   1998.81', 'GET: 1.5')
    >>> clean_line("^C  Thread Stats   Avg"), clean_line('<span class="ln">2</span>PASS')
    ('  Thread Stats   Avg', 'PASS')
    """
    if "\x1b" in line:
        line = _ANSI.sub("", line)
    if "\r" in line:
        line = line.rstrip("\r").rpartition("\r")[2]
    if ("span" in line or "></a>" in line) and _MARKED.search(line):
        line = MARK.sub("", line)
    if line.endswith("```") and _FENCED.match(line):
        line = line[:-3]
    for _ in range(_MANY_BREAKS if ">" in line[-3:] else 0):
        line = line.rstrip()
        if not _ends_in_tag(line):
            break
        line = line[: line.rindex("<")].rstrip()
    opening = None
    if line.startswith("<"):
        opening = _OPENING.match(line)
    elif line.startswith(_LEADING):
        opening = _LEAD.match(line)
    return line[opening.end() :] if opening else line


def _ends_in_tag(line: str) -> bool:
    """Whether a line ends in a line break of a page, or in a block's end without its beginning."""
    end = line[-13:].lower()
    wrapped = _WRAPPED if "</pre>" in line.lower() else ()
    closing = next((each for each in (*_CLOSINGS, *wrapped) if end.endswith(each)), "")
    is_alone = line.lstrip().startswith("</")  # shows that the output has ended
    is_block = bool(closing) and not is_alone and f"<{closing[2:-1]}" not in line.lower()
    return is_block or end.endswith(_BREAKS)


def clean_text(data: bytes) -> str:
    """Decode and clean a text; empty if the data is binary."""
    encoding = "utf-8" if data.isascii() else encoding_of(data)
    if encoding != "utf-16" and b"\0" in data:
        return ""
    text = decode(data, encoding)
    rest = "" if _is_clean(text) else text.lstrip("\n")  # a page's document has lines above it
    return text.removesuffix(rest) + "\n".join(map(clean_line, rest.split("\n")))


def _is_clean(text: str) -> bool:
    """Whether `clean_line` would leave every line of a text unchanged."""
    if any(each in text for each in "\r\x1b") or text.startswith(_LEADING):
        return False
    is_tagged = "<" in text and any(each in text for each in _TAGGED)
    is_fenced = "```" in text and _FENCED.search(text)
    return not (is_tagged or is_fenced or any(f"\n{each}" in text for each in _LEADING))


def clean_lines(block: bytes) -> list[str]:
    r"""Return the lines of a block of `Source.line_blocks`, cleaned like those of `Source.lines`.

    Examples
    --------
    >>> clean_lines(b"one\r\ntwo\n")
    ['one', 'two']
    """
    return [clean_line(line) for line in decode(block).removesuffix("\n").split("\n")]


def count_lines(block: bytes) -> int:
    """Count the lines of a block; the last one may have no line end."""
    import numpy as np  # counting is several times as fast as on bytes

    ends = int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
    return ends + (block[-1:] != b"\n")


def number_blocks(blocks: Iterator[bytes], number: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line."""
    for block in blocks:
        yield number, block
        number += count_lines(block)


def decode_lines(blocks: Iterator[bytes]) -> Iterator[tuple[str, bool]]:
    """Yield each line unchanged, without a BOM, and whether it has a line end.

    Errors of the blocks are raised after the whole lines before them.
    """
    held, rest, decoder = b"", "", None
    problem: Exception | None = None
    while True:
        try:
            block = next(blocks, b"")
        except Exception as error:  # noqa: BLE001 - raised below, after what came before it
            block, problem = b"", error
        held += block
        if block and len(held) < len(codecs.BOM_UTF8):
            continue
        decoder = decoder or codecs.getincrementaldecoder(encoding_of(held))(ODD_BYTES)
        rest += decoder.decode(held, final=not block)
        held = b""
        *whole, rest = rest.split("\n")
        for line in whole:
            yield line, True
        if not block:
            break
    if problem is not None:
        raise problem
    if rest:
        yield rest, False


def unwrap(
    blocks: Iterator[bytes], prefixes: Sequence[Prefix], *, is_doubled: bool
) -> Iterator[bytes]:
    """Yield a text in UTF-8, cleaned, line by line, without prefixes and non-breaking spaces.

    In a text with every line doubled, each counts once.
    """
    plain_lines = decode_preformatted(decode_lines(blocks))
    lines = ((clean_line(line), is_ended) for line, is_ended in plain_lines)
    once = leave_out_repeats(lines) if is_doubled else lines
    for number, (line, is_ended) in enumerate(once, 1):
        plain = strip_line(prefixes, number, line.replace(NO_BREAK, " "))
        yield (plain + "\n" * is_ended).encode()


def as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Remove a BOM; convert UTF-16 to UTF-8."""
    held = b""
    for block in blocks:
        held += block
        if len(held) >= len(codecs.BOM_UTF8):
            break
    encoding = encoding_of(held)
    if encoding != "utf-16":
        yield held.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)(ODD_BYTES)
    yield decoder.decode(held).encode()
    for block in blocks:
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()


#: Possible prefixes of a line that was pasted somewhere: blanks, tabs, ``# ``, ``> ``, ``| ``.
_PASTED = regex(r"^(?:[\s#>|*/]|(?<=//)!)*(?:-\s+)?[\s*]*")


def strip_prefix(text: str) -> str:
    """Remove the prefix of a comment, a quotation or a list from a line.

    Examples
    --------
    >>> strip_prefix("#   Thread Stats   Avg"), strip_prefix("//! time:   [1 s 2 s 3 s]")
    ('Thread Stats   Avg', 'time:   [1 s 2 s 3 s]')
    """
    return text[_PASTED.match(text).end() :]  # type: ignore[union-attr]


def find_command(text: str, tool: str) -> str | None:
    """Return the command line of ``tool`` after a shell prompt in ``text``, if any.

    Examples
    --------
    >>> find_command("user@host:~$ wrk -c8 -t2 http://h/", "wrk")
    'wrk -c8 -t2 http://h/'
    """
    match = re.search(rf"(?:^|[\s/$#>%])({tool} +\S.*)", text)
    return match[1].strip() if match else None


#: Markup that pages put around a listing, on the line of its first words.
_TAGS = regex(r"(?i)\A(?:<(?:pre|code|samp)(?:\s[^<>]*)?>|<!--\s*+|```+[ \t]++(?=\S))++")
_COMMENT_END = "-->"
#: A value in bold on a page.
_BOLD = regex(r"\*\*(?=[^\s*])([^*]{1,200})\*\*")


def bare(text: str) -> str:
    """Remove blanks and the markup of a comment, a quotation or Markdown from a line.

    Examples
    --------
    >>> bare("- **Complete requests: 76**"), bare("<!-- Complete requests: 76 -->")
    ('Complete requests: 76', 'Complete requests: 76')
    >>> bare("Requests/sec:  **9000.00**")
    'Requests/sec:  9000.00'
    """
    line = text.strip()
    if "**" in line:
        line = _BOLD.sub(r"\1", line)
    if line.endswith(_COMMENT_END):
        line = line.removesuffix(_COMMENT_END).rstrip()
    if line.startswith(("<", "``")):
        line = _TAGS.sub("", line)
    elif line.startswith("`"):
        return line.strip("` \t")
    return strip_prefix(line).strip(" \t#>*|`") if line and line[0] in "#>|*/-" else line


def is_doubled(text: str, *, is_whole: bool = True) -> bool:
    r"""Whether every line that is not blank appears twice in a row.

    A text that is not whole may end in the middle of a line.

    Examples
    --------
    >>> log = [f"BenchmarkA-8  {count}  {count / 7:.1f} ns/op" for count in range(100, 105)]
    >>> is_doubled("\n".join(log)), is_doubled("\n".join(line for line in log for _ in range(2)))
    (False, True)
    """
    if not is_whole:
        text = text[: text.rfind("\n") + 1]
    first, _, rest = text.lstrip().partition("\n")
    if not first or not rest.lstrip().startswith(first):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    if lines[:-1:2] != lines[1::2]:
        return False
    return len({line for line in lines if any(map(str.isdigit, line))}) >= _ENOUGH


def blank_repeats(text: str) -> str:
    r"""Return a doubled text with empty lines in place of the repeats.

    Examples
    --------
    >>> blank_repeats("one\none\ntwo\ntwo")
    'one\n\ntwo\n'
    """
    lines = ((line, True) for line in text.split("\n"))
    return "\n".join(line for line, _ in leave_out_repeats(lines))


def leave_out_repeats(lines: Iterator[Line]) -> Iterator[Line]:
    """Yield the lines of a doubled text, empty if they repeat the one above."""
    held = ""
    for line, is_ended in lines:
        is_filled = bool(line.strip())
        is_repeat = is_filled and line == held
        if is_filled:
            held = "" if is_repeat else line
        yield ("" if is_repeat else line), is_ended


def split_note(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """Separate measurements, each a number and a unit, from the note after them.

    Examples
    --------
    >>> split_note(["25", "ns/op", "(after", "pool)"])
    (['25', 'ns/op'], 'after pool')
    >>> split_note(["25", "ns/op", "(nil)", "64", "B/op"])
    (['25', 'ns/op', '(nil)', '64', 'B/op'], '')
    """
    for place in range(2, len(words), 2):
        rest = " ".join(words[place:]) if words[place][0] in _BEGINNINGS else ""
        if _NOTE.fullmatch(rest):
            return words[:place], read_note(rest)
    return words, ""


def drop_notes(line: str) -> Iterator[str]:
    """Yield a line without the possible notes at its end, the longest first.

    Examples
    --------
    >>> list(drop_notes("Requests per second: 9.5 [#/sec] (mean)  # QPS"))[0]
    'Requests per second: 9.5 [#/sec] (mean)'
    """
    starts = [each.start() for each in _NOTE_START.finditer(line)]
    for start in starts[: -_MANY_STARTS - 1 : -1]:
        if _NOTE.fullmatch(line, start):
            yield line[:start].rstrip()


def read_note(text: str) -> str:
    """Return the content of a note, empty if a text is not one.

    Examples
    --------
    >>> read_note("(after pool)"), read_note("--- 4.2x slower"), read_note("10 ns/op")
    ('after pool', '4.2x slower', '')
    """
    note = _NOTE.fullmatch(text)
    return clean(note[1] or note[2] or note[3] or "") if note else ""
