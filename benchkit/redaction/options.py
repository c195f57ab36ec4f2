"""Options that carry secrets, in commands that stand in other texts: messages, logs, commits.

Of what is known to be a command, all but the harmless is hidden; of a text only what a program
takes as a password: ``ab -p file`` and ``-p 8080`` stay.
"""

from __future__ import annotations

import re

from benchkit.redaction.harmless import HEADERS, PORT_OR_FILE
from benchkit.regexes import regex

_QUOTED = r"\"[^\"]*+\"|'[^']*+'"
#: What may stand between a program and its option: a dozen words of the same command.
_WORDS = r"(?: ++(?:[^\s'\"|;&<>]{1,80}+|\"[^\"\n]{0,80}+\"|'[^'\n]{0,80}+')){0,12}?"
_SECRET = rf"(?:{_QUOTED}|[^\s'\"]++)"
#: A name and a password behind a colon; an address has two slashes there.
_PAIR = rf"(?=[\"']?[^\s:'\"]++:(?!//))(?:{_QUOTED}|[^\s'\"]++)"
#: Programs with what may follow them, the option that gives a password, and which word is one.
_PASSWORDS = (
    (
        rf"(?:mysql(?:dump|admin|slap|import|show|check)?|mariadb(?:-[a-z]++)?)(?= ){_WORDS}",
        "-p",
        _SECRET,
    ),
    ("sshpass(?: ++-[ev])*+", "-p ?", _SECRET),
    (rf"(?:(?:redis|valkey)-(?:cli|benchmark)|memtier_benchmark)(?= ){_WORDS}", "-a ?", _SECRET),
    (rf"(?:cqlsh|mongo(?:sh|dump|restore|import|export|stat)?)(?= ){_WORDS}", "-p ?", _SECRET),
    (
        rf"(?:docker|podman|nerdctl|skopeo|buildah|helm registry|az|oc) login(?= ){_WORDS}",
        "-p ?",
        _SECRET,
    ),
    (rf"(?:sqlcmd|bcp|osql|mosquitto_(?:pub|sub))(?= ){_WORDS}", "-P ?", _SECRET),
    (rf"ldap(?:add|compare|delete|modify|passwd|search|whoami)(?= ){_WORDS}", "-w ?", _SECRET),
    (rf"(?:smbclient|rpcclient)(?= ){_WORDS}", r"-U ?[\"']?[^\s%'\"]++%", r"[^\s'\"]++"),
    (rf"curl(?= ){_WORDS}", "-[Uu] ?", _PAIR),
    (rf"(?:https?|xh|hey|oha)(?= ){_WORDS}", "-a ?", _PAIR),
    (rf"ab(?= ){_WORDS}", "-[AP] ?", _PAIR),
    (rf"openssl(?= ){_WORDS}", "-[kK] ", _SECRET),
    (rf"7z[az]?(?= ){_WORDS}", "-p", _SECRET),
    (rf"curl(?= ){_WORDS}", "-b ?", rf"(?=[\"']?[\w.-]++=){_SECRET}"),
    (rf"kubectl(?= ){_WORDS}", "--from-literal[ =][^\\s=]++=", _SECRET),
)
_HEADER = r"(?:-H ?|--?(?:[a-z]++-)*+headers?[ =])"
_OTHER = rf"(?!(?i:{'|'.join(sorted(HEADERS))}) ?:)[\w-]++ ?:(?!//) ?"
#: What is kept in front of a secret, and the secret.
PASSWORD = regex(
    "|".join(
        [
            *(
                rf"((?<![\w.-]){program} ++{option}){secret}"
                for program, option, secret in _PASSWORDS
            ),
            # -H 'X-Any: abc', whatever the program
            rf"((?<!\S){_HEADER}(?=[\"'])[\"']{_OTHER})[^'\"\n]++",
            rf"((?<!\S){_HEADER}{_OTHER})(?![\s\"'])[^\s'\"]++",
        ]
    )
)
#: An option that often carries credentials, in a line that any program printed.
_CREDENTIALS = regex(
    r"((?:^|(?<=\s))(?:-[APUapu] ++|-[APUu](?=[^\s:]++:)"
    r"|--?(?:[a-z]++-)*+(?:user|login|username|userpwd)[ =]++))"
    rf"(?:{_QUOTED}|[^\s'\"]++)"
)
#: A long option, and the word behind it.
LONG_OPTION = regex(
    r"(?P<option>(?:^|(?<=[\s'\"(]))--(?P<name>[a-z][\w-]{1,60}+) ++(?:\\\r?\n *+)?+)"
    rf"(?P<value>\$?+(?:{_QUOTED})|(?!-)[^\s'\"]++)"
)
#: What follows the name of an option in a sentence.
SENTENCE = frozenset(
    {"a", "an", "and", "are", "as", "at", "by", "can", "cannot", "expects", "flag"}
    | {"flags", "for", "from", "has", "if", "in", "instead", "into", "is", "may", "must"}
    | {"needs", "not", "of", "on", "option", "options", "or", "requires", "should", "so", "takes"}
    | {"than", "that", "the", "to", "was", "when", "where", "which", "will", "with", "without"}
)


def hide_credentials(text: str, by: str) -> str:
    """Replace what options of any program may carry as credentials; ports and files stay.

    Examples
    --------
    >>> hide_credentials("[tool -u me:c0ffee -p 8080:80 /a] Error 1", "…")
    '[tool -u … -p 8080:80 /a] Error 1'
    """

    def hide(match: re.Match[str]) -> str:
        is_plain = PORT_OR_FILE.fullmatch(match[0].removeprefix(match[1])) is not None
        return match[0] if is_plain else match[1] + by

    return _CREDENTIALS.sub(hide, text)
