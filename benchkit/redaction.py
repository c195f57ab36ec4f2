"""The removal of secrets from commands, URLs and messages, before they are shown or stored.

Headers keep their values by an allow-list of names. Otherwise a secret is recognised by the name
it is assigned to (``token=``, ``--password``, ``"api_key":``), by the option of a known program
(``mysql -p``, ``curl -u``), by its place in a URL, or by its own shape (``ghp_…``, a JSON web
token). Scripts given to ``sh -c`` are read word by word. After ``-a`` any program gets a password.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from urllib.parse import unquote

REDACTED = "REDACTED"

#: Headers whose values belong to the workload and are no secrets.
_HEADERS = frozenset(
    {"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"}
    | {"connection", "content-length", "content-type", "expect", "host", "pragma", "te"}
    | {"transfer-encoding", "upgrade", "user-agent"}
)
#: Headers whose values are always secrets.
_CREDENTIALS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "x-auth-token", "set-cookie"}
)
_HEADER_OPTION = re.compile(r"-H|-hdr|--?(?:[a-z]+-)*headers?")
_JOINED_HEADER = re.compile(r"(?:-H|--?(?:[a-z]+-)*headers?=)(?=.*:)")
#: Options whose one letter says nothing: those that take a secret, joined or apart, by program.
_SECRET_LETTERS = {
    "ab": ("-A", "-C", "-P"),
    "cloud login": ("-t",),
    "cqlsh": ("-p",),
    "curl": ("-u", "-U", "-b"),
    "docker login": ("-p",),
    "hey": ("-a",),
    "k6 login": ("-t",),
    "ldapsearch": ("-w",),
    "mongo": ("-p",),
    "mongosh": ("-p",),
    "oha": ("-a",),
    "redis-benchmark": ("-a",),
    "redis-cli": ("-a",),
    "sqlcmd": ("-P",),
    "sshpass": ("-p",),
}
#: The same, joined only: apart, the word after the option is something else.
_JOINED_LETTERS = dict.fromkeys(
    ("mariadb", "mariadb-dump", "mysql", "mysqladmin", "mysqldump", "mysqlslap"), ("-p",)
)
#: Options of a user and his password, ``me:abc``; two numbers are a user and a group.
_USER_OPTIONS = (
    *("-u", "-U", "--user", "--userpwd", "--proxy-user", "--login", "-user", "-login"),
    "--authenticate",
)
_PAIR = re.compile(r"(?!\d+:\d+$)[^\s:/]+:(?!//)\S+")
_SPACE = re.compile(r"[ \t\r\n]")
#: What follows ``-a`` and is no password: an option, a number, a path, an address.
_PLAIN = re.compile(r"-.*|[\d.]+[a-z%]*|\.{0,2}/.*|[\w+]+://.*|[\w.-]*:\d{1,5}(/.*)?")

#: What the name of a secret contains.
_SECRET_NAME = re.compile(
    r"pass(?:wd|word|phrase)?\b|secret|token|credential|cookie|session[-_.]?id|aws[-_.]session"
    r"|(?:api|access|account|private|encryption|signing)[-_.]?key|authorization|signature"
    r"|(?<![a-z])(?:auth|bearer|creds?|dsn|jwt|licen[cs]e|pw|pwd|sig)(?![a-z])",
    re.IGNORECASE,
)
#: What is a secret in a query if it is no short word: ``?code=US`` is none.
_QUERY_NAMES = frozenset({"code", "hmac", "otp", "sid"})
_SHORT = 5
#: Names whose values are secrets whatever they look like: no word (``token=jwt``) is kept.
_CERTAIN_NAME = re.compile(
    r"(?:pass(?:wd|word|phrase)|pwd|pw|secret|(?:[-_.]|api|access|auth)token"
    r"|(?:api|access|account|private|secret)[-_.]?key)$",
    re.IGNORECASE,
)
#: Values that tell runs apart and are no secrets: ``auth=basic``, ``max_tokens=128``.
_TELLING = re.compile(r"[a-z-]{1,12}|[\d.]{1,8}[a-z%]{0,3}", re.IGNORECASE)
#: A key that is the name itself or its end: ``--key``, ``LICENSE_KEY``, ``licenseKey``.
_KEY_NAME = re.compile(r"(?:^|[-_.])[kK][eE][yY]$|[a-z]Key$")
_OPTION = re.compile(r"--?([\w.-]++)")
_VARIABLE = re.compile(r"-{0,2}+([\w.-]++)=")
#: The option of a shell before a script.
_SCRIPT = re.compile(r"-[a-z]*c")
#: A word of a script whose quotes do not balance: one that begins it, or its value, is a quote.
_LOOSE_WORD = re.compile(
    r"(?P<start>(?:-[\w-]*+=?|[\w.-]++=)?+)"
    r"\\?(?P<quote>[\"'])(?P<quoted>(?:(?!(?P=quote)(?![^\s;|&)\"'])).)*+)(?:(?P=quote)|$)"
    r"|(?P<rest>\S++)",
    re.DOTALL,
)
#: A name and the sign behind it, at the beginning of a word or of a part of one.
_ASSIGNED = re.compile(
    r"(?:^|(?<=[\s?&#=;,{('\"]))-{0,2}+(?P<name>[\w.\[\]%-]++)"
    r"(?:=|(?P<spaced> ++= *+)|(?P<colon>[\"']? *+: *+))"
)
_QUOTED = r"\"[^\"]*+\"|'[^']*+'"
_WORD = re.compile(rf"{_QUOTED}|[^\s'\"]++")
_PART = re.compile(rf"{_QUOTED}|[^\s&#;,'\"}}]++")
_REST = re.compile(rf"{_QUOTED}|[^\"'\n]++")
#: A word that announces a secret in the next one: ``authorization:Bearer``.
_SCHEME = re.compile(r"(?:^|.*[:=\s])(?:bearer|basic|digest)", re.IGNORECASE)
#: ``Password=two words;`` in the settings of a connection.
_CONNECTION = r"((?:^|;) *+(?-i:Password|Pwd) *+= *+)[^;'\"\n]++(?=;)"
_CONNECTION_SETTING = re.compile(_CONNECTION)
_SCHEMES = r"\b(bearer|basic|digest) ++"
_RULES = [
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        # scheme://user:password@host
        (r"(://)[^\s/?#'\"]*@", r"\1REDACTED@"),
        # scheme://user:pass/word@host
        (r"(://)[^\s/?#:@'\"]++:(?!\d{1,5}[/?#])(?:(?!://)[^\s@'\"])*+@", r"\1REDACTED@"),
        # user:password@tcp(host)
        (r"(^|[\s='\"])[\w.-]++:[^\s@/:'\"]++@(?!sha256:)", r"\1REDACTED@"),
        (_CONNECTION, r"\1REDACTED"),
        # --user=me:abc
        (
            r"(?:^|(?<=\s))(--?(?:user|userpwd|proxy-user|login|authenticate)=)(?!\d++:\d++\b)[^\s:/]++:\S++",
            r"\1REDACTED",
        ),
        # curl --cert client.pem:abc
        (r"(\.(?:pem|crt|cer|p12|pfx)):(?!\d++\b)[^\s/'\"]++", r"\1:REDACTED"),
        # the path of a web hook
        (
            r"(\bhooks\.slack\.com/|\bdiscord(?:app)?\.com/api/webhooks/|"  # noqa: ISC004
            r"\.webhook\.office\.com/|\boutlook\.office\.com/webhook/)[^\s'\"]++",
            r"\1REDACTED",
        ),
        # the path of a Telegram bot
        (r"(/bot\d{6,}+:)[\w-]++", r"\1REDACTED"),
    )
]
#: Bearer abc
_BEARER = re.compile(rf"{_SCHEMES}[^\s'\"]++", re.IGNORECASE)
#: The same in a name: ``Basic auth`` and ``Digest auth`` are benchmarks.
_LONG_BEARER = re.compile(rf"{_SCHEMES}(?=\S*\d)[^\s'\"]{{8,}}+", re.IGNORECASE)
#: Secrets that are known by their shape, wherever they stand.
_SHAPED = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[opsur]_\w{6,}+|github_pat_\w{6,}+|gl[a-z]{2,5}-[\w-]{16,}+"
    r"|xox[a-z]-[\w-]{6,}+|xapp-[\w-]{6,}+|(?:AKIA|ASIA)[A-Z0-9]{12,}+|npm_\w{16,}+"
    r"|sk-(?:proj-|ant-)?+[\w-]{16,}+|[prs]k_(?:live|test)_\w{6,}+|AIza[\w-]{20,}+|hf_\w{16,}+"
    r"|pypi-[\w-]{16,}+|dckr_pat_[\w-]{6,}+|hvs\.[\w-]{6,}+|SG\.[\w-]{6,}+\.[\w-]{6,}+"
    r"|eyJ[\w-]{6,}+\.[\w-]++(?:\.[\w-]*+)?)"
)


#: Whether a name, or with it a value, is one.
_Test = Callable[[re.Match[str], str], bool]


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
    """Return a text (a URL, a message, a variable's value) without the secrets it holds."""
    return _redact_shapes(text, _BEARER, _is_secret, _is_short)


def redact_message(text: str) -> str:
    """Return a message without the secrets that it quotes.

    Names and values stand in messages with a colon between them (``benchmark Token: no result``):
    of those only the headers of credentials count.
    """
    return _redact_shapes(text, _BEARER, _is_certain, _is_short)


def redact_name(text: str) -> str:
    """Return a heading or another name without secrets; words that tell runs apart are kept.

    Examples
    --------
    >>> redact_name("Basic auth, token=jwt"), redact_name("GET /a?token=c0ffee")
    ('Basic auth, token=jwt', 'GET /a?token=REDACTED')
    """
    return _redact_shapes(text, _LONG_BEARER, _is_certain, _tells)


def redact_value(name: str, value: str) -> str:
    """Return the value of a parameter or fact, or that it is a secret by its name.

    Examples
    --------
    >>> redact_value("db_password", "abc"), redact_value("auth", "basic")
    ('REDACTED', 'basic')
    """
    is_named = _SECRET_NAME.search(name) or _CERTAIN_NAME.search(name)
    if value and is_named and (_CERTAIN_NAME.search(name) or not _TELLING.fullmatch(value)):
        return REDACTED
    return redact_name(value)


def redact_command(command: str) -> str:
    """Return a command line, as it was typed or quoted, without the secrets it holds."""
    return _redact_script(command)


def _redact_shapes(text: str, bearer: re.Pattern[str], is_secret: _Test, is_kept: _Test) -> str:
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    text = bearer.sub(r"\1 REDACTED", text)
    return _SHAPED.sub(REDACTED, _redact_assigned(text, is_secret, is_kept))


def _redact_assigned(text: str, is_secret: _Test, is_kept: _Test) -> str:
    """Take out what is assigned to the name of a secret: ``token=abc``, ``"password": "abc"``."""
    parts, done = [], 0
    for match in _ASSIGNED.finditer(text):
        if match.start() < done or not is_secret(match, ""):
            continue
        value = _value(match).match(text, match.end())
        if value is not None and not is_kept(match, value[0]):
            parts += [text[done : match.end()], REDACTED]
            done = match.end() + len(value[0].rstrip("}") if match["colon"] else value[0])
    return "".join((*parts, text[done:]))


def _value(match: re.Match[str]) -> re.Pattern[str]:
    """Return how far the value reaches that stands behind a name."""
    if match["colon"] is not None:
        return _REST
    before = match.string[match.start() - 1 : match.start()]
    return _PART if before and before in "?&#;,{" else _WORD


def _is_certain(match: re.Match[str], _: str) -> bool:
    """Whether a name and its sign are those of a secret in prose, too."""
    if match["colon"] is None:
        return _SECRET_NAME.search(unquote(match["name"])) is not None
    return match["name"].lower() in _CREDENTIALS


def _tells(match: re.Match[str], value: str) -> bool:
    """Whether a value tells runs apart and is no secret."""
    return not _CERTAIN_NAME.search(match["name"]) and _TELLING.fullmatch(value) is not None


def _is_secret(match: re.Match[str], _: str) -> bool:
    is_key = match["colon"] is None and match["spaced"] is None
    return _is_query(match) or _names_secret(unquote(match["name"]), is_key=is_key)


def _is_query(match: re.Match[str]) -> bool:
    is_first = match.string[max(match.start() - 1, 0) : match.start()] in {"?", "&"}
    return is_first and match["name"].lower() in _QUERY_NAMES


def _is_short(match: re.Match[str], value: str) -> bool:
    return _is_query(match) and len(value) <= _SHORT


def _names_secret(name: str, *, is_key: bool) -> bool:
    return _SECRET_NAME.search(name) is not None or (is_key and _KEY_NAME.search(name) is not None)


def _redact(words: Sequence[str]) -> Iterator[str]:
    letters: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    before = ""
    for word in words:
        program = PurePath(word).name
        letters = _SECRET_LETTERS.get(program, letters)
        letters = _SECRET_LETTERS.get(f"{before} {word}", letters)
        joined = _JOINED_LETTERS.get(program, joined)
        if _HEADER_OPTION.fullmatch(before):
            yield _redact_header(word)
            before = word
        elif before in letters or _takes_secret(before, word):
            yield REDACTED
            before = ""
        else:
            is_script = _SCRIPT.fullmatch(before) is not None
            yield _redact_word(word, (*letters, *joined), is_script=is_script)
            before = word


def _takes_secret(option: str, word: str) -> bool:
    """Whether a word is the secret that the one before it announces, whatever the program."""
    if option in _USER_OPTIONS:
        return _PAIR.fullmatch(word) is not None
    if option == "-a":
        return _PLAIN.fullmatch(word) is None
    if _SCHEME.fullmatch(option):
        return True
    named = _OPTION.fullmatch(option)
    return named is not None and _names_secret(named[1], is_key=True)


def _redact_word(word: str, letters: tuple[str, ...], *, is_script: bool) -> str:
    assigned = None if is_script else _VARIABLE.match(word)
    if assigned is not None and _names_secret(assigned[1], is_key=True):
        return assigned[0] + REDACTED
    if option := _JOINED_HEADER.match(word):
        return option[0] + _redact_header(word[option.end() :])
    for letter in letters:
        if word.startswith(letter) and word != letter:
            return letter + REDACTED
    if word.startswith("-u") and _PAIR.fullmatch(word[2:]):
        return f"-u{REDACTED}"
    return _redact_script(word) if _SPACE.search(word) else redact_text(word)


def _redact_header(header: str) -> str:
    name, colon, _ = header.partition(":")
    if colon and name.strip().lower() not in _HEADERS:
        return f"{name}: {REDACTED}"
    return redact_text(header)


def _redact_script(script: str) -> str:
    """Redact the words of a shell's script; it is quoted anew only if one of them held a secret."""
    script = _CONNECTION_SETTING.sub(r"\1REDACTED", script)
    lexer = shlex.shlex(script, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:  # a quotation without its end
        return redact_text(_redact_loosely(script))
    clean = redact(words)
    if clean != words:
        script = " ".join(w if set(w) <= set("();<>|&") else shlex.quote(w) for w in clean)
    return redact_text(script)


def _redact_loosely(script: str) -> str:
    """Redact word by word a script whose quotes do not balance."""
    matches = list(_LOOSE_WORD.finditer(script))
    words = [match["rest"] or match["start"] + match["quoted"] for match in matches]
    parts, done = [], 0
    for match, word, clean in zip(matches, words, redact(words), strict=True):
        if clean != word:
            parts += [script[done : match.start()], shlex.quote(clean)]
            done = match.end()
    return "".join((*parts, script[done:]))
