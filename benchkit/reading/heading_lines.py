"""The kinds of single lines on a page: headings, titles, captions, fences of code."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from benchkit.reading.asciidoc import mark_blocks
from benchkit.reading.entities import decode_entities
from benchkit.regexes import regex

__all__ = [
    "BOLD",
    "FENCE",
    "TITLED",
    "begins_section",
    "clean",
    "find_end",
    "is_fence",
    "plain_lines",
    "read_banner",
    "read_caption",
    "read_fence_title",
    "read_heading",
    "read_rate",
    "shows",
]

#: Characters that underline or surround a heading, the outermost level first.
_ADORNMENTS = "#*=-~^\"'+.:<>_"
#: Depths below those of Markdown: banners by their character, bold lines.
_BANNER, BOLD = 10, 30
#: Depths of names of a single block: its tab or title, and the title of its fence.
_TAB, _TITLE = 40, 45
#: Maximum lengths of a bold or listed line, and of a marked heading, in characters.
_LONGEST, _LONGEST_MARKED = 100, 200
#: Characters on both sides of a banner; blanks separate them from the text.
_SIDES = "=*-~#+_<> \t"
#: The end of a banner whose text changes with the results below it.
_COUNTED = regex(r": \d{1,9} tests?\Z", re.ASCII)

#: Prefixes of quotations, or of a heading that is a comment.
_QUOTED = regex(r"\A {0,3}(?:> ?){1,9}|\A[ \t]*+//[/!]?[ \t]++(?=#{1,6}[ \t])")
FENCE = regex(r"\A[ \t>]*+(`{3,}|~{3,})")
_NUMBER_SIGNS = regex(
    r"\A {0,3}(?:(?:[-*+]|\d{1,2}[.)])[ \t]++(?=#++[ \t]))?(#{1,6})(?:[ \t]+|(?=[^\W_]))(\S.*)"
)
TITLED = regex(r"[ \t{](?:title|caption|filename|name)=([\"'])(.+?)\1")
_ASCIIDOC = regex(r"\A(={2,6})[ \t]+(?!(?:RUN|PAUSE|CONT|NAME) )(\w.*)")
_TEXTILE = regex(r"\Ah([1-6])\.[ \t]+(\S.*)")
_TABBED = regex(r"\A[ \t]*+===[!+]?[ \t]+([\"'])(.+)\1[ \t]*\Z")
_ORG = regex(r"\A(\*{1,6})[ \t]+(?=\S)")
_ORG_TITLE = regex(r"\A[ \t]*+#\+(?:caption|name)(?:\[[^\[\]]*\])?:[ \t]*(\S.*)", re.IGNORECASE)
_ORG_BLOCK = regex(r"\A[ \t]*+#\+(?:begin|end)_\w", re.IGNORECASE)
#: The beginning of a block of code in reStructuredText.
_DIRECTIVE = regex(r"\A[ \t]*+\.\. (?:code(?:-block)?|sourcecode|highlight|parsed-literal)::")
#: A tab of Docusaurus, and its name.
_TAB_ITEM = regex(r"<TabItem\b[^<>]*", re.IGNORECASE)
_TAB_NAMES = tuple(
    regex(rf"\s{name}=[{{]?([\"'`])(.+?)\1", re.IGNORECASE) for name in ("label", "value")
)
#: Tags that may span several lines, and the ends of the elements that they name.
_OPENED = regex(r"[ \t]*+<(h[1-6]|summary|TabItem)\b", re.IGNORECASE)
_ENDS = {"</details>": _BANNER - 1, "</tabitem>": _TAB, "</tabs>": _TAB}
#: Lines that contain only HTML.
_HTML = regex(
    r"(?:\s*+</?(?:p|div|pre|code|samp|figure|figcaption|center|details|br|hr|a|span|section|tabs|"
    r"tabitem|codeblock|blockquote|td|tr|table|tbody)(?:\s[^<>]*)?>)++\s*",
    re.IGNORECASE,
)
_HTML_BOLD = regex(
    r"(?:<(?:p|div|center)(?:\s[^<>]*)?>\s*)?<(b|strong)>([^<>]+)</\1>[:：]?\s*"
    r"(?:<br ?/?>|</(?:p|div|center)>)?",
    re.IGNORECASE,
)
#: Lines between the title of a block in AsciiDoc and its text.
_ATTRIBUTES = regex(r"\A\[(?:(?:source|listing|literal|example)\b|[,%])[^\[\]]*\][ \t]*\Z")
_DELIMITER = regex(r"\A(?:-{4,}|\.{4,}|={4,})[ \t]*\Z")
_TILDES = regex(r"~{4,}\s*")
_UNDERLINE = regex(r"\A[ \t]*+([#*=\-~^\"'+.:])\1{2,}+[ \t]*+")
#: Possible prefixes of a heading on its line: the end of a listing, or an enclosing element.
_LED = regex(
    r"(?:\s*+(?:</\w{1,20}>|<(?:details|html|head|body|main|article|section|div)(?:\s[^<>]*)?>))*+\s*+",
    re.IGNORECASE,
)
_TAGGED = regex(r"<(h[1-6]|summary)\b[^<>]*>(.+?)</\1>", re.IGNORECASE)
#: The link of a heading to itself.
_ANCHOR = regex(r"<a\b[^<>]*>(?:[#¶§\u200b]|&#?\w{2,6};)?</a>", re.IGNORECASE)
_RESULT = regex(r"[\d., ]{1,20}(?:req|requests?|ops?|[mµnu]?s)(?:/s(?:ec)?)?\Z")
#: A rate in bold, with its number.
_PER_SECOND = r"(?:[rqt]ps|[a-z]{0,15}(?:/| per )(?:s|sec|second))"
_RATE = regex(
    rf"[ \t>-]*+(?:\*\*|__)(?:{_PER_SECOND}[:=] ?)?(\d[\d.,]{{2,20}})(?: ?{_PER_SECOND})?[:.]?"
    r"(?:\*\*|__)[ \t.:]*\Z",
    re.IGNORECASE,
)
#: A name in bold with the measured rate.
_NAMED_RATE = regex(
    rf"[ \t>-]*+(?:\*\*|__)([^*_\d\s][^*]{{0,40}}?)[ :=(–-]{{1,3}}(\d[\d.,]{{2,20}}) ?{_PER_SECOND}"
    r"\)?[:.]?(?:\*\*|__)[ \t.:]*\Z",
    re.IGNORECASE,
)
#: A remark in brackets after a name in bold.
_REMARK = regex(r"[ \t]*+\([^()]*\)[:： ]*\Z")
_COMMENT = regex(r"\A[ \t]*+(?:#++|//|;++)[ \t]*+(\w.*)")
#: Space between columns: an underlined line with several is the header of a table.
_COLUMNS = regex(r"\s{2,}")
_LISTED = regex(r"\A[ \t]*+(?:[-*+]|\d{1,2}[.)])[ \t]++(\S.*)")
_ENTRY = regex(r"\w[\w ./-]{0,30}[:=：] ?\S")
_PROMPT_ENDS = "$>%#+✗❯"
#: A prompt of an interpreter or a shell without any input.
_PROMPT = regex(
    r"[ \t]*+(?:[\w.-]{1,40} )?(?:>>>|\.\.\.)[ \t]*\Z|[ \t]*+In \[\d{1,5}\]:[ \t]*\Z"
    r"|[ \t]*+(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][~/][^\s\]$#%>]{0,200}"
    r"|[\w.-]{1,40}@[\w.-]{1,60} (?!\d++ %)[^\s\]$#%>]{1,200}(?= )"
    r"|\[[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s\]$#%>]{0,200}\])[ \t]?[$#%>][ \t]*\Z"
)
#: The same for a theme that shows the branch: ``➜  dir git:(main) ✗``.
_ARROW = regex(
    r"[ \t]*+[➜❯](?:[ \t]++\S{1,200}[ \t]++git:\((\S{1,100})\)[ \t]*+[✗✔]?+"
    r"|(?:[ \t]{2,}+\S++|[ \t]++~)?)[ \t]*+\Z"
)
_TRACEBACK = "Traceback (most recent call last):"
#: The end of a traceback: the exception and its message.
_EXCEPTION = regex(r"[A-Za-z_][\w.]{0,99}(?::\s|\Z)")
_PROMETHEUS = ("HELP ", "TYPE ", "UNIT ", "EOF")
#: Text after number signs in a log of JVM benchmarks.
_LOGGED = regex(
    r"(?:[A-Z]{2,3} (?:version|invoker|options)|(?:JMH )?[Bb]lackhole mode|Benchmark mode): .*"
    r"|JMH \d[\w.-]* \(released .*|Detecting actual CPU count: .*"
    r"|(?:Warmup|Measurement): (?:\d+ iterations|<none>).*|Timeout: \d+ \w+ per iteration.*"
    r"|Threads: \d+ threads?,.*|Benchmark: [\w$]+(?:\.[\w$]+)+|Parameters: \(.*\)"
    r"|Run (?:progress: |complete\. ).*|(?:Warmup )?Fork: (?:\d+ of \d++|N/A).*"
    r"|Warmup Iteration +\d+: .*|[*]{3} WARNING: .*"
)
_MARKUP = (
    (regex(r"!\[[^\[\]]*\]\([^()]*\)|<[^<>]+>"), ""),
    (regex(r"\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    (regex(r"[`*]|(?<![\w\\])__?|(?<!\\)__?(?!\w)|\\(?=[_*#])"), ""),
)


def read_heading(
    lines: Sequence[str], number: int, taken: Collection[int], *, is_fenced: bool
) -> tuple[int, str] | None:
    """Return depth and text of a heading line, None for other lines.

    Parameters
    ----------
    number : int
        The number of the line, from 1.
    taken : collection of int
        Numbers of the lines of results.
    is_fenced : bool
        Whether the line is inside a code fence.
    """
    line, below = _line(lines, number), _line(lines, number + 1)
    if len(line) > _LONGEST_MARKED or not line.strip():
        return None
    titled = None if is_fenced else _read_titled(line, below)
    if banner := read_banner(line) or titled:
        return banner
    if number + 1 not in taken and (under := _UNDERLINE.fullmatch(below)):
        is_start = number - 1 in taken
        above = _line(lines, number - 1)
        if underlined := _read_underlined(line, above, under, is_fenced, is_start=is_start):
            return underlined
    if is_fenced:
        return None
    signs = _NUMBER_SIGNS.fullmatch(line.rstrip())
    if signs is not None:
        text = signs[2].rstrip("#").rstrip()
        is_logged = text.startswith(_PROMETHEUS) or _LOGGED.fullmatch(text) is not None
        return None if is_logged else _named(len(signs[1]), text, _LONGEST_MARKED)
    return _read_markup(line.strip())


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _read_underlined(
    line: str, above: str, under: re.Match[str], is_fenced: bool, *, is_start: bool
) -> tuple[int, str] | None:
    """Read a line that the next one underlines, alone or with a line above it."""
    text = line.strip()
    if not re.search(r"\w", text) or text[0] in "|#":
        return None
    if _LISTED.match(line) or _ATTRIBUTES.match(line) or len(_COLUMNS.split(text)) > 2:
        return None
    mark, size = under[1], len(under[0].strip())
    over = _UNDERLINE.fullmatch(above)
    if over is not None and over[1] == mark:
        return _named(_BANNER + _ADORNMENTS.index(mark), text)
    starts = not above.strip() or is_start or FENCE.match(above) is not None
    if not starts or (size < len(text) - 2 and (is_fenced or mark not in "=-")):
        return None
    is_sentence = text[-1] in ".;," and abs(size - len(text)) > 1
    if is_sentence or mark not in "=-~^\"'+#*":
        return None
    return _named(1 + max(_ADORNMENTS.index(mark) - 2, 0), text, _LONGEST_MARKED)


def plain_lines(lines: Iterable[str]) -> list[str]:
    """Return lines without the prefixes of quotations, and each heading as one Markdown line.

    Headings in HTML may span several lines; those of Org mode begin with stars. Listings of
    AsciiDoc become fences. Prompts of
    interpreters without any input, and tracebacks, are blanked: they name nothing. From prompts
    that show several branches, the branch is kept.
    """
    plain = ["" if _PROMPT.match(line) else _QUOTED.sub("", line) for line in lines]
    prompts = {at: prompt for at, line in enumerate(plain) if (prompt := _ARROW.match(line))}
    are_several = len({prompt[1] for prompt in prompts.values() if prompt[1]}) > 1
    for at, prompt in prompts.items():
        plain[at] = (prompt[1] or "") if are_several else ""
    _blank_tracebacks(plain)
    mark_blocks(plain)
    _mark_titles(plain)
    if any(_ORG_BLOCK.match(line) for line in plain if "#+" in line):
        plain = [_ORG.sub(lambda star: "#" * len(star[1]) + " ", line) for line in plain]
    for at, line in enumerate(plain):
        opened = _OPENED.match(line)
        if opened is None:
            continue
        end = ">" if opened[1].lower() == "tabitem" else f"</{opened[1].lower()}>"
        for size in range(1, 6):
            text = " ".join(map(str.strip, plain[at : at + size]))
            if end in text.lower():
                plain[at : at + size] = [text, *[""] * (len(plain[at : at + size]) - 1)]
                break
    return plain


def _mark_titles(lines: list[str]) -> None:
    """Write titles underlined with tildes, which could open a fence, as headings of Markdown."""
    fence = ""
    for at, line in enumerate(lines):
        mark = FENCE.match(line)
        if mark is None or not mark[1].startswith(fence):
            continue
        title = lines[at - 1].strip() if at and not any(lines[max(at - 2, 0) : at - 1]) else ""
        is_underline = _TILDES.fullmatch(line) and len(line.rstrip()) >= len(title) - 2
        if not fence and is_underline and re.search(r"\w", title):
            lines[at - 1 : at + 1] = [f"### {title}", ""]
        else:
            fence = "" if fence else mark[1]


def _blank_tracebacks(lines: list[str]) -> None:
    """Blank a printed Python exception: the frames, and the line that names it."""
    is_within = False
    for at, line in enumerate(lines):
        if line.strip() == _TRACEBACK:
            is_within = True
            lines[at] = ""
        elif is_within:
            is_within = line.startswith((" ", "\t"))
            if is_within or _EXCEPTION.match(line):
                lines[at] = ""


def find_end(line: str) -> int:
    """Return the depth that ends with a closing tag, 0 if a line has none."""
    return next((depth for tag, depth in _ENDS.items() if tag in line.lower()), 0)


def is_fence(line: str) -> bool:
    """Return whether a line begins or ends a block of code, or describes its display."""
    begins = (FENCE, _ATTRIBUTES, _ORG_BLOCK, _DIRECTIVE)
    return any(pattern.match(line) for pattern in begins) or _HTML.fullmatch(line) is not None


def begins_section(line: str) -> bool:
    """Return whether a line alone is a heading; bold lines and echoed text are only names.

    Examples
    --------
    >>> begins_section("## nginx"), begins_section("=== nginx ==="), begins_section("**Latency**")
    (True, True, False)
    """
    heading = None if _read_echo(line) else read_heading((line,), 1, (), is_fenced=False)
    return heading is not None and heading[0] != BOLD


def shows(text: str, command: str) -> bool:
    """Return whether a line shows a command, or part of one that spans several lines."""
    return bool(command) and (command[:40] in text or text.endswith("\\"))


def _read_titled(line: str, below: str) -> tuple[int, str] | None:
    """Read a heading of AsciiDoc or Textile, the title of a block, or the tab of a page."""
    if tab := _TABBED.match(line):
        return _named(_TAB, tab[2])
    if title := _ORG_TITLE.match(line):
        return _named(_TAB, title[1])
    if heading := _ASCIIDOC.match(line):
        return _named(len(heading[1]), heading[2].rstrip("= \t"))
    if heading := _TEXTILE.match(line):
        return _named(int(heading[1]), heading[2])
    is_above_block = _ATTRIBUTES.match(below) or _DELIMITER.match(below)
    return _named(_TAB, line[1:]) if re.match(r"\.\w", line) and is_above_block else None


def read_fence_title(line: str) -> dict[int, str]:
    """Return the title on the line of a fence, by its depth."""
    titled = TITLED.search(line)
    return {_TITLE: clean(titled[2])} if titled else {}


def _read_markup(text: str) -> tuple[int, str] | None:
    """Read a heading in HTML, or a line that is entirely bold."""
    if tab := _TAB_ITEM.match(text):
        names = (pattern.search(tab[0]) for pattern in _TAB_NAMES)
        return _named(_TAB, next((name[2] for name in names if name), ""))
    if bold_tag := _HTML_BOLD.fullmatch(text):
        return _named(BOLD, bold_tag[2])
    led = _LED.match(text)
    tagged = _TAGGED.match(text, led.end()) if led else None
    if tagged is not None:
        is_summary = tagged[1].lower() == "summary"
        return _named(_BANNER - 1 if is_summary else int(tagged[1][1]), _ANCHOR.sub("", tagged[2]))
    mark = text[:2]
    bold, _, rest = text[2:].partition(mark)
    is_bold = mark in {"**", "__"} and (not rest.strip(":： ") or _REMARK.fullmatch(rest))
    return _named(BOLD, bold + rest) if is_bold and bold and not _RESULT.match(bold) else None


def read_rate(line: str) -> tuple[str, str]:
    """Return the number of a bold line that shows a rate, and the line without it.

    Examples
    --------
    >>> read_rate("**22,464.27 req/s**"), read_rate("**v2.41.0**"), read_rate("**10 ms**")
    (('22464.27', ''), ('', ''), ('', ''))
    >>> read_rate("**nginx: 500 req/s**")
    ('500', '**nginx**')
    """
    if "**" not in line and "__" not in line:
        return "", ""
    named = _NAMED_RATE.match(line)
    shown = named[2] if named else match[1] if (match := _RATE.match(line)) else ""
    return shown.strip(".,").replace(",", ""), f"**{named[1]}**" if named else ""


def read_banner(line: str) -> tuple[int, str] | None:
    """Read ``=== nginx ===``, even if a shell shows the ``echo`` that prints it."""
    echoed = _read_echo(line)
    text = (echoed or line).strip()
    inner = text.strip(_SIDES)
    if _COUNTED.search(inner):
        return None
    left, _, right = text.partition(inner) if inner else ("", "", "")
    is_arrow = (left.strip(), right.strip()) == ("==>", "<==")
    if is_arrow or (len(left.strip()) > 2 < len(right.strip()) and left[0] == left[1] == left[2]):
        return _named(_BANNER + _SIDES.index(left[0]), inner)
    return _named(_BANNER, echoed) if echoed else None


def _read_echo(line: str) -> str:
    """Return the text printed by a displayed ``echo``, empty for other lines."""
    prompt, word, rest = line.partition("echo ")
    text = rest.strip()
    mark = text[:1]
    if not word or (prompt.strip() and prompt.rstrip()[-1] not in _PROMPT_ENDS):
        return ""
    inner = text[1:-1]
    is_quoted = mark in ("'", '"') and text[-1:] == mark and len(text) > 2
    return inner if is_quoted and not set(inner) & set("\"'|<>") else ""


def read_caption(line: str, *, is_fenced: bool) -> str:
    """Read a comment in a code fence, an item of a list, ``name: value``, or ``as follows:``."""
    comment = _COMMENT.fullmatch(line) if is_fenced else None
    listed = _LISTED.fullmatch(line)
    text = comment[1] if comment else listed[1] if listed else line.strip()
    is_caption = comment or listed or text.endswith((":", "：")) or _ENTRY.match(text)
    cleaned = clean(text) if is_caption and len(text) <= _LONGEST else ""
    return cleaned if re.search(r"\w", cleaned) else ""


def _named(depth: int, text: str, longest: int = _LONGEST) -> tuple[int, str] | None:
    cleaned = clean(text)
    return (depth, cleaned) if re.search(r"\w", cleaned) and len(cleaned) <= longest else None


def clean(text: str) -> str:
    """Remove Markdown from a heading, and decode its HTML entities."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return " ".join(decode_entities(text).split()).strip(" :：")
