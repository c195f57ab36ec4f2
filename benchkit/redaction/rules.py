"""What programs, addresses and headers show in front of a secret, and the secret.

Each rule has words of which one stands in every text that it changes: it is tried on no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from benchkit.redaction.marks import HIDDEN
from benchkit.redaction.options import PROGRAMS
from benchkit.regexes import regex

#: The word for a password, in some languages.
PASSWORDS = (
    r"pass(?:wd|word|wort|phrase)|kennwort|mot[-_ ]?de[-_ ]?passe|contrase[nñ]a|senha|wachtwoord"
    "|пароль|密码|密碼|パスワード"
)
#: Words and numbers that tell runs apart.
TELLS = r"[a-z-]{1,12}|[\d.]{1,8}[a-z%]{0,3}"
QUOTED = r"\"[^\"]*+\"|'[^']*+'"
#: ``Password=two words;`` in the settings of a connection.
_SETTING = r"((?:^|;) *+(?-i:Password|Pwd) *+= *+)[^;'\"\n]++(?=;)"
CONNECTION = regex(_SETTING)
#: What follows ``@`` in a name that holds no password: ``redis:7@sha256:…``, ``node:http@22.8.0``.
#: An address of four numbers is a host.
_DIGEST = r"sha256:[\da-f]{6,}+"
_PINNED = (
    rf"@(?!{_DIGEST}|(?:latest|next|v?\d++|v?\d++(?:\.\d++){{1,2}}"
    r"(?:[-+](?:alpha|beta|canary|dev|next|pre|preview|rc|snapshot)[\d.-]{0,12}+)?)"
    r"(?:$|:$|:?\s|[)\],;'\"]))"
)
#: Words of a command in front of a secret.
_VERBS = (
    r"vault (?:login|unwrap|(?:operator )?unseal|token (?:capabilities|lookup|renew|revoke))"
    r"(?: -[\w-]{1,40}+(?:=[^\s'\"]{0,80}+)?+){0,9}+"
    r"|(?-i:AUTH)|masterauth|requirepass|rclone obscure"
)
#: The beginnings of those words.
_PASSWORD_WORDS = ("pass", "kennwort", "mot", "contrase", "senha", "wachtwoord")
#: Words, and what is kept in front of a secret, and the secret.
_RULES = [
    (words, regex(pattern, re.IGNORECASE))
    for words, pattern in (
        # scheme://user:password@host
        (
            ("@",),
            rf"(://)[^\s/?#'\"]*(?=@(?!{_DIGEST}))",
        ),
        # scheme://user:pass/word@host
        (
            ("@",),
            rf"(://)[^\s/?#:@'\"]++:(?!\d{{1,5}}[/?#])(?:(?!://)[^\s@'\"])*+(?=@(?!{_DIGEST}))",
        ),
        # user:password@tcp(host), but not git:HEAD@{1} and mailto:me@host
        (
            ("@",),
            rf"((?:^|(?<=[\s/='\"])))(?!git:[^\s@]*+@\{{|mailto:)[\w.-]++:[^\s@/:'\"]++(?={_PINNED})",
        ),
        # //user:password@host
        (
            ("@",),
            r"((?:^|(?<=[\s='\"]))//)[^\s/?#'\"]*(?=@)",
        ),
        (
            ("password", "pwd"),
            rf"{_SETTING}",
        ),
        # token c0ffeec0ffee1, with password 'c0ffeec0ffee1', the password is c0ffeec0ffee1
        (
            (*_PASSWORD_WORDS, "token", "secret", "key", "vault", "auth", "pass", "rclone"),
            (
                rf"(\b(?:token|secret|api[-_ ]?key|{PASSWORDS}|{_VERBS}) (?:(?:is|was) )?['\"`]?)"
                r"(?=[^\s'\"]{0,99}\d)[^\s'\"`:=]{8,}+"
            ),
        ),
        # password: c0ffeec0ffee1, but no number, file or address
        (
            (*_PASSWORD_WORDS, "pwd"),
            (
                rf"(\b(?:{PASSWORDS}|pwd) ?[:：] *+)(?=[^\s'\"]{{0,99}}\d)"
                r"(?![\d.,:]++[a-zµ%/]*+(?:\s|$)|[^\s'\"]{0,99}[/.][a-z])[^\s'\":]{6,}+"
            ),
        ),
        # secret: c0ffeec0ffee1, pass: c0ffeec0ffee1, but no --- PASS: TestSum1
        (
            ("secret", "pass"),
            (
                r"(\b(?:secret|(?-i:pass)) ?[:：] *+)(?=[^\s'\"]{0,99}\d)"
                r"(?![\d.,:]++[a-zµ%/]*+(?:\s|$)|[^\s'\"]{0,99}[/.][a-z])[^\s'\":]{8,}+"
            ),
        ),
        # Cookie: sid=abc
        (
            ("cookie",),
            r"(\bcookie: *+)(?=[\w.-]++=)[^'\"`\n]++",
        ),
        # <password>abc</password>
        (
            ("</",),
            rf"(<[\w:.-]{{0,40}}(?:{PASSWORDS}|pass|psk|pwd|secret|token|api-?key)>)[^<\n]++(?=</)",
        ),
        # aws_secret_access_key abc123, token abcdef.0123456789abcdef
        (
            ("aws",),
            (
                r"(\baws[_ ](?:secret[_ ](?:access[_ ])?key|session[_ ]token)[ :=]++(?:is )?)"
                r"(?=[^\s'\"]{0,99}\d)[^\s'\"]{8,}+"
            ),
        ),
        (
            ("token",),
            r"(\btoken\W{1,3})[a-z\d]{6}\.[a-z\d]{16}(?!\w)",
        ),
        # export A=abc, docker run -e A=abc, but no number, word, file or variable
        (
            ("export", "env", "docker", "podman"),
            (
                r"((?<![\w.-])(?:export|env"
                r"|(?:docker|podman) (?:run|exec) (?:[^\s'\"]{1,80} ){0,12}?(?:-e|--env))"
                rf"[ =][a-z_]\w*+=)(?!(?:{TELLS}|[/.~$-][^\s'\"]{{0,99}})(?:[\s'\"`;]|$))"
                r"[^\s'\"`;]++"
            ),
        ),
        # Bearer_abc123, as Go writes a blank
        (
            ("bearer_", "basic_", "digest_"),
            r"((?:(?<=[\W_])|^)(?:bearer|basic|digest)_++)(?=[^\W_]*\d)(?=[^\W_]{8})[^\s/'\"]++",
        ),
        # sqlplus user/password@db, wpa_passphrase network abc, htpasswd -b file user abc
        (
            ("sqlplus", "sqlldr", "expdp", "impdp", "wpa_passphrase", "mc alias", "htpasswd"),
            (
                r"(\b(?:sqlplus|sqlldr|expdp|impdp|wpa_passphrase [^\s'\"]{1,80}"
                r"|mc alias set [^\s'\"]{1,80} [^\s'\"]{1,400}"
                r"|htpasswd (?:-[a-z]{1,9} ){0,9}?-[a-z]{0,9}b[a-z]{0,9} [^\s'\"]{1,200}) )"
                rf"(?:{QUOTED}|[^'\"\n]++)"
            ),
        ),
        # echo user:abc | chpasswd
        (
            ("chpasswd",),
            r"(\becho ['\"]?[^\s:'\"]{1,80}:)[^\s'\"]{1,400}(?=['\"]? ?\| ?(?:sudo )?chpasswd\b)",
        ),
        # npm config set //registry/:_authToken abc
        (
            (":_",),
            r"(:_(?:authToken|auth|password) )[^\s'\"]++",
        ),
        # curl --cert client.pem:abc
        (
            (".pem:", ".crt:", ".cer:", ".p12:", ".pfx:"),
            r"(\.(?:pem|crt|cer|p12|pfx):)(?!\d++\b)[^\s/'\"]++",
        ),
        # the path of a web hook
        (
            ("hooks", "webhook"),
            (
                r"(\bhooks\.slack\.com/|\bdiscord(?:app)?\.com/api/webhooks/"
                r"|\.webhook\.office\.com/|\boutlook\.office\.com/webhook/)[^\s'\"]++"
            ),
        ),
        # the same without its host
        (
            ("services", "webhook"),
            (
                r"([/_]services[/_]T[A-Za-z\d]{6,}+[/_]B[A-Za-z\d]{6,}+[/_]|/api/webhooks/\d{6,}+/"
                r"|/webhookb2/)[^\s/'\"]++"
            ),
        ),
        # the path of a Telegram bot
        (
            ("/bot",),
            r"(/bot\d{6,}+:)[\w-]++",
        ),
    )
]
#: Any word of a rule: most texts have none, and most of those are short.
_WORDS = regex("|".join(sorted({re.escape(w) for words, _ in (*_RULES, *PROGRAMS) for w in words})))


def hide_by_rules(text: str, hide: Callable[[re.Match[str]], str], *, is_command: bool) -> str:
    """Replace what the rules take out, and those of programs where there are options."""
    is_ascii = text.replace(HIDDEN, "").isascii()  # letters of other alphabets can match, too
    lower = text.lower() if is_ascii else ""
    if lower and not _WORDS.search(lower):
        return text
    for words, pattern in (*_RULES, *PROGRAMS) if is_command else _RULES:
        if not lower or any(word in lower for word in words):
            text = pattern.sub(hide, text)
    return text
