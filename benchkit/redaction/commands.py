"""Command lines for display: everything not known to be harmless is replaced by ``…``.

A program, its options' names, numbers, durations, files, hosts and the path of a URL are shown, and
the values of known options of load tools. Headers keep their values by an allow-list of names. A
value whose option or variable is named like a secret is replaced by ``REDACTED``. Scripts passed to
``sh -c`` are read word by word.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from unicodedata import normalize

from benchkit.redaction.harmless import (
    HEADERS,
    JVM_OPTION,
    PROGRAMS,
    REVISING,
    SCRIPTED,
    TOOLS,
    VERBS,
    WRAPPERS,
    is_harmless,
    is_revision,
    is_served,
    may_be_credential,
)
from benchkit.redaction.marks import HIDDEN, mark
from benchkit.redaction.texts import (
    MARKED,
    NAMED,
    SHOWN,
    Manner,
    names_secret,
    redact_connection,
    redact_name,
    redact_named,
    redact_query,
    redact_text,
)
from benchkit.regexes import regex

_HEADER_OPTION = regex(r"-H|-hdr|--?(?:[a-z]+-)*headers?")
_JOINED_HEADER = regex(r"(?:-H|--?(?:[a-z]+-)*headers?=)(?=.*:)")
_SPACE = regex(r"[ \t\r\n]")
_NUMERIC = regex(r"[+-]\d")
_LONG = regex(r"--(?:[A-Za-z][\w.-]*+)?+")
_CLUSTER = regex(r"-(?:[A-Za-z]|\d)[A-Za-z]?+")
#: Options with one dash and several letters, as in Go's tools and `find`.
_GO_OPTION = regex(r"-[a-z][a-z\d]*+(?:[-.][a-z\d]++)*+")
_GO_TOOLS = frozenset({"bombardier", "find", "fortio", "ghz", "go", "hey", "java", "vegeta"})
#: Assignments in one word that are shown.
_NESTED = 100
#: Maximum characters of a name; longer ones are generated, or malicious.
_LONGEST = 1_200
#: A name and its sign; after a word in base64 the sign appears as well, but nothing follows.
_VARIABLE = regex(r"([A-Z_]{1,40}(?==\Z)|[A-Za-z_][\w.-]*+(?!=++\Z))=")
#: A target of vegeta.
_TARGET = regex(r"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) [^\s:]++://\S++$")
_PROGRAM = regex(r"[A-Za-z_./~$][\w.+/$-]*+")
#: The option of a shell before a script.
_SCRIPT = regex(r"-[a-z]*c")
#: A word that announces a secret in the next one: ``authorization:Bearer``.
_SCHEME = regex(r"(?:^|.*[:=\s])(?:bearer|basic|digest)", re.IGNORECASE)
_CONTROL = frozenset("();<>|&")
_BEGINS = frozenset("(;|&")
#: A word of a script with unbalanced quotes: a quotation is one that begins the word, or its value.
_LOOSE_WORD = regex(
    r"(?P<start>(?:-[\w-]*+=?|[\w.-]++=)?+)"
    r"\\?(?P<quote>[\"'])(?P<quoted>(?:(?!(?P=quote)(?![^\s;|&)\"'])).)*+)(?:(?P=quote)|$)"
    r"|(?P<rest>\S++)",
    re.DOTALL,
)
#: A word that nobody typed; the lexer would take a time that grows with the square of its length.
_ENDLESS = regex(r"[^\s'\"]{5000,}+")
#: Prefixes of a command line in a name.
_PROMPT = "$ "
#: A name that is a command line: variables, a program, and an option after it.
_COMMAND = regex(
    r"\$ |(?:[A-Za-z_]\w*+=(?:'[^']*+'|\"[^\"]*+\"|[^\s'\"]++)*+ )*+(?:[\w.-]*+/)*+[\w.-]++ "
    r"(?=(?:[^-]|(?<![ '\"])-|--(?= ))*+(?<=[ '\"])-{1,2}+[A-Za-z])"
)


def redact(words: Sequence[str], *, marked: bool = False) -> list[str]:
    """Return a command line without the secrets it may contain.

    Parameters
    ----------
    marked : bool
        Whether hidden text, and each secret, is replaced by ``…`` and the digits of its mark.

    Examples
    --------
    >>> redact(["wrk", "-d", "9s", "-H", "Authorization: a", "-H", "Host: a", "http://u:p@h/?x=y"])
    ['wrk', '-d', '9s', '-H', 'Authorization: REDACTED', '-H', 'Host: a', 'http://REDACTED@h/?x=y']
    """
    return list(_redact(words, MARKED if marked else SHOWN))


def redact_command(command: str, *, marked: bool = False) -> str:
    """Return a command line, as typed or quoted, without the secrets it may contain."""
    return _redact_script(command, MARKED if marked else SHOWN)


def redact_label(name: str) -> str:
    """Return a benchmark's, variant's or group's name without secrets.

    A name that looks like a command is treated like one, except for plain words, which distinguish
    names. A mark replaces the middle of a long name, so that names that differ there remain
    distinct. Names that look equal are the same: spaces around a name are ignored, and so is the
    encoding of its accents.

    Examples
    --------
    >>> redact_label("GET /a?token=c0ffee")  # doctest: +ELLIPSIS
    'GET /a?token=…...'
    >>> redact_label("tool --mode fast --zap c0ffee")  # doctest: +ELLIPSIS
    'tool --mode fast --zap …...'
    >>> redact_label("$ git checkout v1")
    '$ git checkout v1'
    """
    name = normalize("NFC", name.strip())
    if _COMMAND.match(name):
        prompt = _PROMPT if name.startswith(_PROMPT) else ""
        shown = prompt + _redact_script(name.removeprefix(prompt), NAMED)
    else:
        shown = redact_name(name)
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST // 2]}{mark(shown)}…{shown[-_LONGEST // 3 :]}"


def redact_value(name: str, value: str) -> str:
    """Return the value of a parameter or fact without secrets; distinct values remain distinct.

    Examples
    --------
    >>> redact_value("db_password", "abc"), redact_value("auth", "basic")  # doctest: +ELLIPSIS
    ('…...', 'basic')
    """
    if name == "query":
        return redact_query(value)
    return redact_label(redact_named(name, value))


def redact_tags(text: str) -> str:
    """Return a metric's tags without secrets; distinct values remain distinct.

    Examples
    --------
    >>> redact_tags("name:GET /,api_key:c0ffee")  # doctest: +ELLIPSIS
    'name:GET /,api_key:…...'
    """
    tags = (tag.partition(":") for tag in text.split(","))
    return redact_name(",".join(f"{name}{sign}{redact_named(name, v)}" for name, sign, v in tags))


def redact_fact(name: str, value: str) -> str:
    """Return the facts about a run without secrets, using the keys of values to recognise them.

    Examples
    --------
    >>> redact_fact("cpu", "EPYC"), redact_fact("note", "key=abc")  # doctest: +ELLIPSIS
    ('EPYC', 'key=…...')
    """
    return redact_text(redact_value(name, value), MARKED)


def _redact(words: Sequence[str], manner: Manner) -> Iterator[str]:
    line = _Line(manner)
    for word in words:
        yield line.show(word)


class _Line:
    """A command line in which the preceding words decide how each word is shown."""

    def __init__(self, manner: Manner) -> None:
        self._manner = manner
        self._program = self._before = ""
        #: Whether the next word that is not an option names a program.
        self._is_due = self._is_first = True
        #: Cached display of values by program and option, and of words: long lines repeat them.
        self._shown: dict[tuple[str, str, str], str] = {}
        self._words: dict[str, str] = {}

    def show(self, word: str) -> str:
        """Return the display of the next word."""
        before, self._before = self._before, ""
        is_first, self._is_first = self._is_first, False
        if word and set(word) <= _CONTROL:
            if not _BEGINS.isdisjoint(word):
                self._is_due, self._program = True, self._program.partition(" ")[0]
            return word
        if word == "--" and self._program == "benchkit":  # a command follows
            self._program, self._is_due = "", True
            return word
        if _HEADER_OPTION.fullmatch(before):
            self._before = word
            return self._show_header(word)
        if _is_announced(before):
            return self._manner.secret(word)
        return self._show_word(word, before, is_first=is_first)

    def _show_word(self, word: str, before: str, *, is_first: bool) -> str:
        if word.startswith("-") and len(word) > 1 and not _NUMERIC.match(word):
            return self._show_option(word)
        if _SCHEME.fullmatch(word):
            self._before = word
            return redact_text(word)
        if _SPACE.search(word) and not _VARIABLE.match(word):
            takes_scripts = self._program in SCRIPTED and before not in self._texts
            takes_scripts |= self._program == "benchkit" and _COMMAND.match(word) is not None
            if is_first or takes_scripts or _SCRIPT.fullmatch(before):
                return _redact_script(word, self._manner)
        if self._program == "git" and not before and word not in PROGRAMS:
            self._program = f"git {word}"
            if self._program in REVISING:
                return word
        is_verb = self._program and word in VERBS
        if not before and (is_verb or self._names_program(word, is_first=is_first)):
            if word not in self._words:
                self._words[word] = redact_text(word)
            return self._words[word]
        if is_first and not _VARIABLE.match(word):  # not a program, so no command follows
            self._is_due = False
        return self._show(word, before)

    @property
    def _texts(self) -> frozenset[str]:
        """The options of the program whose value is a text that is not a secret."""
        return TOOLS.get(self._program, frozenset())

    def _names_program(self, word: str, *, is_first: bool) -> bool:
        if self._program == "benchkit" and not self._is_due:  # a folder may be called `perf`
            return False
        name = PurePath(word).name if "/" in word or "\\" in word else word
        is_program = name in PROGRAMS
        if not is_program and self._is_due and _PROGRAM.fullmatch(word):
            is_program = is_first or not self._program or "/" in word
        if is_program:
            self._program, self._is_due = name, name in WRAPPERS
        return is_program

    def _show_option(self, word: str) -> str:
        if JVM_OPTION.fullmatch(word):
            return word
        if option := _JOINED_HEADER.match(word):
            return option[0] + self._show_header(word[option.end() :])
        name, equals, value = word.partition("=")
        if not self._names_option(name):
            letter, rest = word[:2], word[2:]
            return letter + (
                self._manner.other(rest) if letter == "--" else self._show(rest, letter)
            )
        if not equals:
            self._before = name
            return word
        is_secret = names_secret(name.strip("-"))
        shown = self._manner.secret(value) if is_secret else self._show(value, name)
        return f"{name}={shown}"

    def _names_option(self, name: str) -> bool:
        """Whether a word that begins with a dash is an option's name without a joined value."""
        if _LONG.fullmatch(name) or _CLUSTER.fullmatch(name):
            return True
        is_known = self._program in _GO_TOOLS or names_secret(name.strip("-"))
        return is_known and _GO_OPTION.fullmatch(name) is not None

    def _show(self, value: str, option: str) -> str:
        """Return the display of a value, or of a word that belongs to no option."""
        key = value, option, self._program
        if key not in self._shown:
            self._shown[key] = self._show_parts(value, option)
        return self._shown[key]

    def _show_parts(self, value: str, option: str) -> str:
        """Return the display of a value that may assign others: ``a=b=c``."""
        names = ""
        for _ in range(_NESTED):
            is_plain = self._program == "benchkit" or option in self._texts
            variable = None if is_plain else _VARIABLE.match(value)
            if variable is None or may_be_credential(value, option, self._program):
                return names + self._show_plain(value, option)
            names, value, option = names + variable[0], value[variable.end() :], "--"
            if names_secret(variable[1]):
                return names + self._manner.secret(value)
        return names + self._manner.other(value)

    def _show_plain(self, value: str, option: str) -> str:
        """Return the display of a value that assigns nothing."""
        if may_be_credential(value, option, self._program):
            return mark(value) if self._manner is NAMED else self._manner.other(value)
        if not value or self._program == "benchkit" or option in self._texts:
            return redact_text(value)
        if is_harmless(value, option) or is_served(value, option, self._program):
            return redact_text(value)
        if is_revision(value, option, self._program):
            return redact_text(value, self._manner)
        if ("://" in value and not _SPACE.search(value)) or _TARGET.match(value):
            return redact_text(value, self._manner)
        return self._manner.other(value)

    def _show_header(self, header: str) -> str:
        name, colon, value = header.partition(":")
        if not colon:
            return self._show(header, "-H")
        if name.strip().lower() not in HEADERS:
            hide = self._manner.secret if names_secret(name.strip()) else self._manner.other
            return f"{name}: {hide(value.strip())}"
        return redact_text(header)


def _is_announced(before: str) -> bool:
    """Whether a word is the secret that the preceding word announces."""
    if before.startswith("-"):
        return names_secret(before.strip("-"))
    return _SCHEME.fullmatch(before) is not None


def _redact_script(script: str, manner: Manner) -> str:
    """Redact the words of a shell script; it is only quoted anew if a word is hidden."""
    script = _ENDLESS.sub(lambda match: manner.other(match[0]), redact_connection(script, manner))
    lexer = shlex.shlex(script, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation without its end
        return redact_text(_redact_loosely(script, manner))
    clean = list(_redact(words, manner))
    if clean != words:
        script = " ".join(map(_quote, clean))
    return redact_text(script)


def _quote(word: str) -> str:
    if word and set(word) <= _CONTROL:
        return word
    return word if shlex.quote(plain := word.replace(HIDDEN, "_")) == plain else shlex.quote(word)


def _redact_loosely(script: str, manner: Manner) -> str:
    """Redact a script with unbalanced quotes word by word."""
    matches = list(_LOOSE_WORD.finditer(script))
    words = [match["rest"] or match["start"] + match["quoted"] for match in matches]
    parts, done = [], 0
    for match, word, clean in zip(matches, words, _redact(words, manner), strict=True):
        if clean != word:
            parts += [script[done : match.start()], _quote(clean)]
            done = match.end()
    return "".join((*parts, script[done:]))
