"""Take secrets out of a command line before it is written down.

In: the words of a command. Out: the same words with ``REDACTED`` where a secret stood. Why: a
sidecar is committed and sent around, and the token that the load needed must not go with it.

Headers keep their values by an allow-list of names. Passwords in URLs and before a host
(``root:abc@tcp(db)``), what is assigned to a name like a secret's (``token=``, ``--password``,
``--dsn``, ``"api_key":``), ``user:password`` after ``-u`` and its like, and what follows ``Bearer``
and ``Basic`` are taken out wherever they stand, also inside a script given to ``sh -c``. Of a
program that is not known ``-a`` is taken for a password, too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePath

REDACTED = "REDACTED"

#: Headers whose values belong to the workload and are no secrets.
_HEADERS = frozenset(
    {"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"}
    | {"connection", "content-length", "content-type", "expect", "host", "pragma", "te"}
    | {"transfer-encoding", "upgrade", "user-agent"}
)
_HEADER_OPTIONS = ("--header", "-header", "-H")
#: Options whose one letter says nothing: which of them take a secret, tool by tool.
_SECRET_LETTERS = {
    "ab": ("-A", "-C", "-P"),
    "curl": ("-u", "-U", "-b"),
    "hey": ("-a",),
    "oha": ("-a",),
    "redis-benchmark": ("-a",),
    "redis-cli": ("-a",),
}
#: Options of a user and his password, ``me:abc``; two numbers are a user and a group.
_USER_OPTIONS = ("-u", "-U", "--user", "--userpwd", "--proxy-user", "--login", "-user", "-login")
_PAIR = re.compile(r"(?!\d+:\d+$)[^\s:/]+:(?!//)\S+")
#: What follows ``-a`` and is no password: an option, a number, a path, an address.
_PLAIN = re.compile(r"-.*|[\d.]+[a-z%]*|\.{0,2}/.*|[\w+]+://.*|[\w.-]*:\d{1,5}(/.*)?")

_NAME = (
    r"[\w.-]*(?:pass(?:wd|word|phrase)?\b|secret|token|credential|cookie|session[-_.]?id"
    r"|(?:api|access|account|private)[-_.]?key|authorization|signature"
    r"|(?<![a-z])(?:auth|bearer|creds?|dsn|pw|pwd|sig)(?![a-z]))"
    r"[\w.-]*"
)
#: A key that is the name itself or its end: ``--key``, ``LICENSE_KEY``, ``licenseKey``.
_KEY = r"(?:[\w.-]*[-_.])?key|\w*(?-i:[a-z]Key)"
_BEGIN = r"(?:^|(?<=[\s?&#=;,{'\"]))"
_QUOTED = r"\"[^\"]*\"|'[^']*'"
_SECRET_OPTION = re.compile(rf"--?(?:{_NAME}|{_KEY})", re.IGNORECASE)
_RULES = [
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        # scheme://user:password@host
        (r"(://)[^\s/?#'\"]*@", r"\1REDACTED@"),
        # scheme://user:pass/word@host
        (r"(://)[^\s/?#:@'\"]+:(?!\d{1,5}[/?#])[^\s@'\"]*@", r"\1REDACTED@"),
        # user:password@tcp(host)
        (r"(^|[\s='\"])[\w.-]+:[^\s@/:'\"]+@(?!sha256:)", r"\1REDACTED@"),
        # Bearer abc
        (r"\b(bearer|basic|digest) +[^\s'\"]+", r"\1 REDACTED"),
        # token=abc, --token=abc, --env=TOKEN=abc, ?sig=abc, #access_token=abc
        (rf"{_BEGIN}(-{{0,2}}{_NAME}=)(?:{_QUOTED}|[^\s&;,'\"}}]+)", r"\1REDACTED"),
        # --key=abc, LICENSE_KEY=abc, --env=LICENSE_KEY=abc, ?key=abc
        (rf"(?:^|(?<=[\s=]))(-{{0,2}}(?:{_KEY})=)(?:{_QUOTED}|[^\s'\"]+)", r"\1REDACTED"),
        (rf"([?&#](?:{_KEY})=)[^\s&#;'\"]+", r"\1REDACTED"),
        # --user=me:abc
        (
            r"(?:^|(?<=\s))(--?(?:user|userpwd|proxy-user|login)=)(?!\d+:\d+\b)[^\s:/]+:\S+",
            r"\1REDACTED",
        ),
        # "password": "abc", Cookie: a=b; c=d
        (rf"{_BEGIN}({_NAME}[\"']? *: *)(?:{_QUOTED}|[^\"'\n]*[^\"'\n}}])", r"\1REDACTED"),
    )
]


def redact(words: Sequence[str]) -> list[str]:
    """Return a command line without the secrets it holds.

    Parameters
    ----------
    words : sequence of str

    Examples
    --------
    >>> redact(["wrk", "-H", "Authorization: Bearer abc", "-H", "Host: a", "http://u:p@h/?sig=x"])
    ['wrk', '-H', 'Authorization: REDACTED', '-H', 'Host: a', 'http://REDACTED@h/?sig=REDACTED']
    """
    return list(_redact(words))


def redact_text(text: str) -> str:
    """Return a text (a URL, a variable's value) without the secrets it holds."""
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text


def _redact(words: Sequence[str]) -> Iterator[str]:
    letters: tuple[str, ...] = ()
    before = ""
    for word in words:
        letters = _SECRET_LETTERS.get(PurePath(word).name, letters)
        if before in _HEADER_OPTIONS:
            yield _redact_header(word)
            before = ""
        elif before in letters or _asks_for(before, word):
            yield REDACTED
            before = ""
        else:
            yield _redact_word(word, letters)
            before = word


def _asks_for(option: str, word: str) -> bool:
    """Tell whether a word is the secret that an option of any program asks for."""
    if option in _USER_OPTIONS:
        return _PAIR.fullmatch(word) is not None
    if option == "-a":
        return _PLAIN.fullmatch(word) is None
    return _SECRET_OPTION.fullmatch(option) is not None


def _redact_word(word: str, letters: tuple[str, ...]) -> str:
    for option in ("--header=", "-header=", "-H"):
        if word.startswith(option) and ":" in word:
            return option + _redact_header(word.removeprefix(option))
    for letter in letters:
        if word.startswith(letter) and word != letter:
            return letter + REDACTED
    if word.startswith("-u") and _PAIR.fullmatch(word[2:]):
        return f"-u{REDACTED}"
    return _redact_script(word) if re.search(r"[ \t\r\n]", word) else redact_text(word)


def _redact_header(header: str) -> str:
    name, colon, _ = header.partition(":")
    if colon and name.strip().lower() not in _HEADERS:
        return f"{name}: {REDACTED}"
    return redact_text(header)


def _redact_script(script: str) -> str:
    """Redact the words of a shell's script; it is quoted anew only if one of them held a secret."""
    script = redact_text(script)
    lexer = shlex.shlex(script, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation without its end
        return script
    clean = redact(words)
    if clean == words:
        return script
    return " ".join(w if set(w) <= set("();<>|&") else shlex.quote(w) for w in clean)
