"""Texts without secrets: addresses, messages, names and values.

A secret is recognised by the name it is assigned to (``token=``, ``"api_key":``), by its place in a
URL, or by its shape (``ghp_…``, a JSON web token). Names and numbers in a query are shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from benchkit.redaction.marks import HIDDEN, MARK, mark
from benchkit.redaction.options import LONG_OPTION, SENTENCE, hide_credentials
from benchkit.redaction.rules import (
    BEARER,
    CONNECTION,
    DENSE,
    KEY_LINE,
    LONG_BEARER,
    PASSWORDS,
    PEM,
    QUOTED,
    TELLS,
    TOKEN,
    hide_by_rules,
    is_dense,
)
from benchkit.regexes import regex

REDACTED = "REDACTED"

#: Headers whose values are always secrets.
_CREDENTIALS = frozenset(
    {
        *("authorization", "proxy-authorization", "x-api-key", "x-auth-token", "set-cookie"),
        "ocp-apim-subscription-key",
    }
)

#: Parts of the names of secrets.
_SECRET_NAME = regex(
    rf"(?:{PASSWORDS}|pass)\b"
    r"|secret|token|credential|cookie|sess(?:ion)?[-_.]?id|aws[-_.]session|[cx]srf"
    r"|(?:access|account|api|app|auth|encryption|master|private|shared|signing|storage|subscription)"
    r"[-_.]?key|(?<![a-z])(?:auth|bearer|creds?|cvv|dsn|jwt|licen[cs]e|nonce|t?otp|pin|psk|pw|pwd|sas|sig)"
    r"(?![a-z])|(?:admin|root)pw\b|authorization|connect\.sid|keyfile|passkey|_pat\b|signature",
    re.IGNORECASE,
)
#: Names of a query that are secrets unless the value is a short word: ``?code=US`` is not one.
_QUERY_NAMES = frozenset({"code", "hmac", "sid"})
_SHORT = 5
#: Names whose values are secrets whatever they look like: words are hidden, too (``token=jwt``).
_CERTAIN_NAME = regex(
    rf"(?:{PASSWORDS}|psk|pwd|pw|secret|(?:[-_.]|api|access|auth)token"
    r"|(?:api|access|account|private|secret)[-_.]?key)$|^(?:cvv|t?otp|pin)$",
    re.IGNORECASE,
)
#: Values that distinguish runs and are not secrets: ``auth=basic``, ``max_tokens=128``.
_DISTINGUISHING = regex(TELLS, re.IGNORECASE)
#: A key that is the name itself or its end: ``--key``, ``LICENSE_KEY``, ``licenseKey``.
_KEY_NAME = regex(r"(?:^|[-_.])[kK][eE][yY]$|[a-z]Key$")
#: A quotation mark in HTML.
_ENTITY = r"&(?:quot|#3[49]);"
#: A name and the sign after it, at the beginning of a word or of a part of one.
_ASSIGNED = regex(
    r"(?:(?<![\w.\[\]%:-])|(?<=:)(?=[\w.\[\]%-]++=)|(?<=\$env:)|(?<=\$Env:))"
    r"(?:-D(?=[\w.]++=)|-{0,2}+)(?P<name>[\w.\[\]%-]++)"
    r"(?:(?:=>?|＝)|(?P<spaced> ++(?:=>?|＝) *+)"
    rf"|(?P<colon> *+(?:(?P<closing>\\{{0,3}}+[\"']|{_ENTITY}) *+(?:[:：＝]|=>?) *+\[?|[:：]) *+))"
)
#: A word, or a text in quotes; the colon between it and a message belongs to neither.
_WORD = regex(rf"\$?+(?:{QUOTED})|(?:[^\s'\":]|:(?!\s|$))++")
_PART = regex(rf"{QUOTED}|[^\s&#;,'\"}}]++")
#: A part of a path, or of a Go name: it ends before ``/`` and ``:17: `` of a message.
_SEGMENT = regex(rf"{QUOTED}|(?:[^\s/&#;,:'\"}}]|:(?!\d*+:?(?:\s|$)))++")
_REST = regex(rf"{QUOTED}|[^\"'\n]++")
#: Text after a quoted key: a text in quotes, or escaped ones, which may be cut, or a word.
_KEYED = regex(
    rf"{_ENTITY}[^&\n]*+"
    r"|\"(?:[^\"\\\n]|\\.)*+\"?|'(?:[^'\\\n]|\\.)*+'?"
    r"|\\{1,3}+(?:\"[^\"\n]*+\"?|'[^'\n]*+'?)|[^\s\"',;}]++"
)
#: A colon and a line of a file, or a second colon: neither assigns.
_PLACE = regex(r"\d++:|:")
#: Text that may contain a query: an address, or its path.
_ADDRESS = regex(r"[^\s'\"<>]++")
#: Text that may contain a percent-encoded ``:`` or ``=``, these, and an encoded ``%``.
_ENCODED = regex(r"(?<![\w.~+/*@%-])(?=[\w.~+/*@-]*+%)[\w.~+/*@%-]++")
_SIGN = regex(r"%(?:25)*+3[ADad]")
_REENCODED = regex(r"%(?:25)++(?=[\da-fA-F]{2})")
_USER = regex(r"(://)([^\s/?#'\"]+(?=@))")
#: A query that is a single long word.
_OPAQUE = regex(r"[\w%+/-]{16,}={0,2}")
_ASSIGNS = regex(r"[\w.%$\[\]{}-]++=")
_CLOSING = ").,;:]}`"
#: Values of a query that are not secrets: numbers, variables, and text redacted before.
_SHOWN = regex(
    r"[+-]?\d{0,9}[.,]?\d{0,9}[a-z%]{0,3}|\$?\{{1,2}\w{1,40}\}{0,2}|\$\w{1,40}"
    rf"|{MARK}|REDACTED"
)

#: Full-width characters, mapped to the ASCII ones that they look like, and invisible ones.
_PLAIN = {0xFF01 + at: 0x21 + at for at in range(94)} | dict.fromkeys(
    (0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF), ""
)

#: Whether a name is that of a secret, or becomes one together with its value.
_Test = Callable[[re.Match[str], str], bool]


@dataclass(frozen=True, slots=True)
class Manner:
    """The placeholders for a secret, and for a value that may be one."""

    secret: Callable[[str], str]
    other: Callable[[str], str]


#: For display.
SHOWN = Manner(lambda _: REDACTED, lambda _: HIDDEN)
#: For values that must remain distinct.
MARKED = Manner(mark, mark)
#: Only recognised secrets, not possible ones.
_STABLE = Manner(lambda _: REDACTED, lambda value: value)
#: For distinct values, with plain words and short numbers unchanged: they distinguish names.
NAMED = Manner(mark, lambda value: value if _DISTINGUISHING.fullmatch(value) else mark(value))


def names_secret(name: str) -> bool:
    """Whether an option, a variable or a field with this name contains a secret."""
    return _names_secret(unquote(name), is_key=True)


def redact_connection(text: str, manner: Manner) -> str:
    """Remove the password from the settings of a connection, in which it may contain spaces."""
    return CONNECTION.sub(
        lambda match: match[1] + manner.secret(match[0].removeprefix(match[1])), text
    )


def redact_text(text: str, manner: Manner = SHOWN) -> str:
    """Return a text (a URL, a message, a variable's value) without the secrets it contains."""
    return _redact_dense(_redact_shapes(text, BEARER, _is_secret, _is_short, manner), manner)


def redact_query(query: str) -> str:
    """Return the query of a URL without its secrets; distinct queries remain distinct.

    Examples
    --------
    >>> redact_query("code=c0ffee&size=small")  # doctest: +ELLIPSIS
    'code=…...&size=small'
    """
    text = _redact_shapes(f"?{query}", BEARER, _is_secret, _is_short, MARKED)
    return _redact_parts(text[1:], NAMED)


def redact_message(text: str) -> str:
    """Return a message without the secrets that it quotes.

    Messages contain names and values with a colon between them (``benchmark Token: no result``): of
    these, only headers with credentials are redacted.
    """
    return _redact_shapes(text, BEARER, _is_certain, _is_short, SHOWN)


def redact_quote(text: str) -> str:
    """Return a line that a tool printed without its secrets; text after ``token:`` is one.

    Examples
    --------
    >>> redact_quote("3: panic: api_key: c0ffee"), redact_quote("[curl -u me:c0ffee /a] Error 1")
    ('3: panic: api_key: REDACTED', '[curl -u REDACTED /a] Error 1')
    """
    text = hide_credentials(text, REDACTED)
    return _redact_dense(_redact_shapes(text, BEARER, _is_quoted, _is_short, SHOWN), SHOWN)


def redact_name(text: str) -> str:
    """Return a heading or another name without secrets; words that distinguish runs are kept.

    Examples
    --------
    >>> redact_name("Basic auth, token=jwt")
    'Basic auth, token=jwt'
    >>> redact_name("GET /a?token=c0ffee")  # doctest: +ELLIPSIS
    'GET /a?token=…...'
    """
    return _redact_shapes(text, LONG_BEARER, _is_titled, _distinguishes_runs, NAMED)


def redact_origin(name: str) -> str:
    """Return an origin without secrets: equal in every process and store, as for an identity.

    Examples
    --------
    >>> redact_origin("https://me:c0ffee@ci.example.org/7?branch=fix-all-of-it&token=c0ffee")
    'https://REDACTED@ci.example.org/7?branch=fix-all-of-it&token=REDACTED'
    """
    text = _redact_shapes(name, LONG_BEARER, _is_secret, _is_short, _STABLE)
    return _redact_dense(text, _STABLE)


def redact_named(name: str, value: str) -> str:
    """Return a value, unless its name marks it as a secret."""
    is_named = _SECRET_NAME.search(name) or _CERTAIN_NAME.search(name)
    is_secret = is_named and (_CERTAIN_NAME.search(name) or not _DISTINGUISHING.fullmatch(value))
    return mark(value) if is_secret and value and not value.startswith(HIDDEN) else value


def _redact_shapes(
    text: str, bearer: re.Pattern[str], is_secret: _Test, is_kept: _Test, manner: Manner
) -> str:
    plain = text if text.isascii() else text.translate(_PLAIN)
    if plain != text:
        clean = _redact_shapes(plain, bearer, is_secret, is_kept, manner)
        if clean != plain:
            return clean

    def hide(match: re.Match[str]) -> str:
        kept = match[match.lastindex or 0]
        secret = match[0].removeprefix(kept)
        is_hidden = secret == REDACTED or secret.startswith(HIDDEN)
        return match[0] if is_hidden else kept + manner.secret(secret)

    text = PEM.sub(lambda match: manner.secret(match[0]), text)
    is_command = " -" in text or text.startswith("-")
    text = bearer.sub(hide, hide_by_rules(text, hide, is_command=is_command))
    if is_command:
        text = LONG_OPTION.sub(lambda match: _redact_option(match, manner), text)
    text = _redact_assigned(text, is_secret, is_kept, manner)
    if "?" in text or "://" in text:
        text = _ADDRESS.sub(lambda match: _redact_address(match[0], manner), text)
    if "%" in text:
        text = _ENCODED.sub(lambda match: _redact_encoded(match[0], is_kept, manner), text)
    text = TOKEN.sub(lambda match: manner.secret(match[0]), text)
    return _hide_dense(KEY_LINE, text, manner)


def _redact_encoded(word: str, is_kept: _Test, manner: Manner) -> str:
    """Redact percent-encoded assignments, however often they were encoded."""
    if not _SIGN.search(word):
        return word
    plain = unquote(_REENCODED.sub("%", word))
    clean = _redact_assigned(plain, _is_secret, is_kept, manner)
    if "@" in plain:
        clean = _USER.sub(lambda match: match[1] + manner.secret(match[2]), clean)
    return word if clean == plain else quote(clean, safe=f"*+/@~{HIDDEN}")


def _redact_option(match: re.Match[str], manner: Manner) -> str:
    """Show a long option's value, unless its name is a secret's; words of a sentence remain."""
    name, value = match["name"], match["value"]
    word = value.rstrip(".,;:!?")
    is_word = (
        word.lower() in SENTENCE if _CERTAIN_NAME.search(name) else _DISTINGUISHING.fullmatch(word)
    )
    is_hidden = value == REDACTED or value.startswith(HIDDEN)
    if is_hidden or is_word or not names_secret(name):
        return match[0]
    return match["option"] + manner.secret(value)


def _redact_address(word: str, manner: Manner) -> str:
    """Show the names of a query, its numbers, and placeholders for the rest."""
    bare = word.rstrip(_CLOSING)
    address, sharp, fragment = bare.partition("#")
    path, mark, query = address.partition("?")
    is_assigned = _ASSIGNS.match(query) or _ASSIGNS.match(fragment.rpartition("?")[2])
    is_bare = path.startswith("/") and _OPAQUE.fullmatch(query)
    if "://" not in path and not ("/" in path and is_assigned) and not is_bare:
        return word
    query = _redact_parts(query, manner)
    parts = re.split("([&;?])", fragment)
    fragment = "".join(
        p if _DISTINGUISHING.fullmatch(p) else _redact_part(p, manner) for p in parts
    )
    return f"{path}{mark}{query}{sharp}{fragment}{word[len(bare) :]}"


def _redact_parts(query: str, manner: Manner) -> str:
    return "".join(_redact_part(part, manner) for part in re.split("([&;])", query))


def _redact_part(part: str, manner: Manner) -> str:
    name, equals, value = part.rpartition("=")
    if not value or value in "&;?" or _SHOWN.fullmatch(value):
        return part
    return f"{name}{equals}{manner.other(value)}"


def _redact_dense(text: str, manner: Manner) -> str:
    """Remove text that is not a word of any language: a key without a name to recognise it by."""
    return _hide_dense(DENSE, text, manner)


def _hide_dense(pattern: re.Pattern[str], text: str, manner: Manner) -> str:
    return pattern.sub(
        lambda match: manner.secret(match[0]) if is_dense(match[0]) else match[0], text
    )


def _redact_assigned(text: str, is_secret: _Test, is_kept: _Test, manner: Manner) -> str:
    """Remove values assigned to the name of a secret: ``token=abc``, ``"password": "abc"``."""
    parts, done = [], 0
    for match in _ASSIGNED.finditer(text):
        if match.start() < done or not is_secret(match, ""):
            continue
        value = _value(match).match(text, match.end())
        if value is None or value[0].startswith(HIDDEN) or is_kept(match, value[0]):
            continue
        if value[0].rstrip(_CLOSING) == REDACTED:  # punctuation after the sentence remains
            continue
        secret = value[0].rstrip("}") if match["colon"] else value[0]
        parts += [text[done : match.end()], manner.secret(secret)]
        done = match.end() + len(secret)
    return "".join((*parts, text[done:]))


def _value(match: re.Match[str]) -> re.Pattern[str]:
    """Return where the value after a name ends."""
    if match["closing"]:
        return _KEYED
    if match["colon"] is not None:
        return _REST
    before = match.string[match.start() - 1 : match.start()]
    if before == "/":
        return _SEGMENT
    return _PART if before and before in "?&#;,{" else _WORD


def _is_certain(match: re.Match[str], _: str) -> bool:
    """Whether a name and its sign mark a secret, in prose too."""
    if match["colon"] is None or match["closing"]:
        return _SECRET_NAME.search(unquote(match["name"])) is not None
    return match["name"].lower() in _CREDENTIALS


def _is_titled(match: re.Match[str], _: str) -> bool:
    """Whether a name and its sign mark a secret in a heading: ``token: abc``."""
    is_apart = match["colon"] is not None and match["colon"] != ":"
    return _is_certain(match, "") or (is_apart and _SECRET_NAME.search(match["name"]) is not None)


def _distinguishes_runs(match: re.Match[str], value: str) -> bool:
    """Whether a value, word by word, distinguishes runs and is not a secret."""
    words = (word.strip(",;.()") for word in value.split())
    return not _CERTAIN_NAME.search(match["name"]) and all(map(_DISTINGUISHING.fullmatch, words))


def _is_secret(match: re.Match[str], _: str) -> bool:
    is_key = match["colon"] is None and match["spaced"] is None
    return _is_query(match) or _names_secret(unquote(match["name"]), is_key=is_key)


def _is_quoted(match: re.Match[str], _: str) -> bool:
    is_place = match["colon"] is not None and _PLACE.match(match.string, match.end())
    return not is_place and _is_secret(match, "")


def _is_query(match: re.Match[str]) -> bool:
    is_first = match.string[max(match.start() - 1, 0) : match.start()] in {"?", "&"}
    return is_first and match["name"].lower() in _QUERY_NAMES


def _is_short(match: re.Match[str], value: str) -> bool:
    return _is_query(match) and len(value) <= _SHORT


def _names_secret(name: str, *, is_key: bool) -> bool:
    return _SECRET_NAME.search(name) is not None or (is_key and _KEY_NAME.search(name) is not None)
