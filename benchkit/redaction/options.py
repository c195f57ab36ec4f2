"""Options that carry secrets, in commands within other texts: messages, logs, commits.

In a command, everything except the harmless parts is hidden; in other text only what a program
takes as a password: ``ab -p file`` and ``-p 8080`` remain.
"""

from __future__ import annotations

import re

from benchkit.redaction.harmless import HEADERS, PORT_OR_FILE
from benchkit.regexes import regex

_QUOTED = r"\"[^\"]*+\"|'[^']*+'"
#: Text between a program and its option: up to a dozen words of the same command.
_WORDS = r"(?: ++(?:[^\s'\"|;&<>]{1,80}+|\"[^\"\n]{0,80}+\"|'[^'\n]{0,80}+')){0,12}?"
_SECRET = rf"(?:{_QUOTED}|[^\s'\"]++)"
#: A name and a password after a colon; an address has two slashes there.
_PAIR = rf"(?=[\"']?[^\s:'\"]++:(?!//))(?:{_QUOTED}|[^\s'\"]++)"
#: Words, one of which is in each command of these programs; possible text after the program; the
#: option that takes a password; and the pattern of a password.
_PASSWORDS = (
    (
        ("mysql", "mariadb"),
        rf"(?:mysql(?:dump|admin|slap|import|show|check)?|mariadb(?:-[a-z]++)?)(?= ){_WORDS}",
        *("-p", _SECRET),
    ),
    (("sshpass",), "sshpass(?: ++-[ev])*+", "-p ?", _SECRET),
    (
        ("redis", "valkey", "memtier"),
        rf"(?:(?:redis|valkey)-(?:cli|benchmark)|memtier_benchmark)(?= ){_WORDS}",
        *("-a ?", _SECRET),
    ),
    (
        ("cqlsh", "mongo"),
        rf"(?:cqlsh|mongo(?:sh|dump|restore|import|export|stat)?)(?= ){_WORDS}",
        *("-p ?", _SECRET),
    ),
    (
        ("login",),
        rf"(?:docker|podman|nerdctl|skopeo|buildah|helm registry|az|oc) login(?= ){_WORDS}",
        *("-p ?", _SECRET),
    ),
    (
        ("sqlcmd", "bcp", "osql", "mosquitto"),
        rf"(?:sqlcmd|bcp|osql|mosquitto_(?:pub|sub))(?= ){_WORDS}",
        *("-P ?", _SECRET),
    ),
    (
        ("ldap",),
        rf"ldap(?:add|compare|delete|modify|passwd|search|whoami)(?= ){_WORDS}",
        *("-w ?", _SECRET),
    ),
    (
        ("smbclient", "rpcclient"),
        rf"(?:smbclient|rpcclient)(?= ){_WORDS}",
        *(r"-U ?[\"']?[^\s%'\"]++%", r"[^\s'\"]++"),
    ),
    (("curl",), rf"curl(?= ){_WORDS}", "-[A-GI-Za-z]{0,8}?[Uu] ?", _PAIR),
    (("http", "xh", "hey", "oha"), rf"(?:https?|xh|hey|oha)(?= ){_WORDS}", "-a ?", _PAIR),
    (("ab",), rf"ab(?= ){_WORDS}", "-[AP] ?", _PAIR),
    (
        ("openssl",),
        rf"openssl(?= ){_WORDS}",
        *("-(?:[kK]|psk|pass(?:in|out)?) (?:pass:)?", _SECRET),
    ),
    (("zip",), rf"(?:un)?zip(?= ){_WORDS}", "-P ?", _SECRET),
    (("doctl", "k6"), rf"(?:doctl auth init|k6 (?:cloud )?login)(?= ){_WORDS}", "-t ", _SECRET),
    (("7z",), rf"7z[az]?(?= ){_WORDS}", "-p", _SECRET),
    (("curl", "ab"), rf"(?:curl|ab)(?= ){_WORDS}", "-[bC] ?", rf"(?=[\"']?[\w.-]++=){_SECRET}"),
    (("kubectl",), rf"kubectl(?= ){_WORDS}", "--from-literal[ =][^\\s=]++=", _SECRET),
)
_HEADER = r"(?:-H ?|--?(?:[a-z]++-)*+headers?[ =])"
_OTHER = rf"(?!(?i:{'|'.join(sorted(HEADERS))}) ?:)[\w-]++ ?:(?!//) ?"
#: Words, the text before a secret, which is kept, and the secret.
PROGRAMS = [
    *(
        (words, regex(rf"((?<![\w.-]){program} ++{option}){secret}"))
        for words, program, option, secret in _PASSWORDS
    ),
    # --proxy-user me:abc, whatever the program, but not `--user 1000:1000`
    (
        ("user", "login", "authenticate"),
        regex(
            r"((?<!\S)--?(?:[a-z]++-)*+(?:user|login|authenticate)[ =])"
            rf"(?!\d++:\d++(?:\s|$)){_PAIR}"
        ),
    ),
    # -H 'X-Any: abc', whatever the program
    (("-h", "header"), regex(rf"((?<!\S){_HEADER}(?=[\"'])[\"']{_OTHER})[^'\"\n]++")),
    (("-h", "header"), regex(rf"((?<!\S){_HEADER}{_OTHER})(?![\s\"'])[^\s'\"]++")),
]
#: An option that often carries credentials, in a line that any program printed.
_CREDENTIALS = regex(
    r"((?:^|(?<=\s))(?:-[APUapu] ++|-[APUu](?=[^\s:]++:)"
    r"|--?(?:[a-z]++-)*+(?:user|login|username|userpwd)[ =]++))"
    rf"(?:{_QUOTED}|[^\s'\"]++)"
)
#: A long option, and the word after it.
LONG_OPTION = regex(
    r"(?P<option>(?:^|(?<=[\s'\"(]))--?(?P<name>[a-z][\w.-]{1,60}+) ++(?:\\\r?\n *+)?+)"
    rf"(?P<value>\$?+(?:{_QUOTED})|(?!-)[^\s'\"]++)"
)
#: Text after the name of an option in a sentence.
SENTENCE = frozenset(
    {"a", "an", "and", "are", "as", "at", "by", "can", "cannot", "expects", "flag"}
    | {"flags", "for", "from", "has", "if", "in", "instead", "into", "is", "may", "must"}
    | {"needs", "not", "of", "on", "option", "options", "or", "requires", "should", "so", "takes"}
    | {"than", "that", "the", "to", "was", "when", "where", "which", "will", "with", "without"}
)


def hide_credentials(text: str, by: str) -> str:
    """Replace possible credentials in options of any program; ports and files remain.

    Examples
    --------
    >>> hide_credentials("[tool -u me:c0ffee -p 8080:80 /a] Error 1", "…")
    '[tool -u … -p 8080:80 /a] Error 1'
    """

    def hide(match: re.Match[str]) -> str:
        is_plain = PORT_OR_FILE.fullmatch(match[0].removeprefix(match[1])) is not None
        return match[0] if is_plain else match[1] + by

    return _CREDENTIALS.sub(hide, text)
