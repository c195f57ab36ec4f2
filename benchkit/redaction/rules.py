"""Rules for the text before a secret in programs, addresses and headers, and for the secret.

Each rule has words, one of which is in every text that it changes; it is tried on no other.

Also secrets that are recognised by their shape: prefixes, private keys, hashes, base64, schemes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log2

from benchkit.redaction.marks import HIDDEN
from benchkit.redaction.options import PROGRAMS
from benchkit.regexes import regex

#: The word for a password, in several languages.
PASSWORDS = (
    r"pass(?:wd|word|wort|[ -]?phrase|code)|kennwort|mot[-_ ]?de[-_ ]?passe|contrase[nñ]a|senha"
    "|wachtwoord|пароль|密码|密碼|パスワード"
)
#: Words and numbers that distinguish runs.
TELLS = r"[a-z-]{1,12}|[\d.]{1,8}[a-z%]{0,3}"
QUOTED = r"\"[^\"]*+\"|'[^']*+'"
#: ``Password=two words;`` in the settings of a connection.
_SETTING = r"((?:^|;) *+(?-i:Password|Pwd) *+= *+)[^;'\"\n]++(?=;)"
CONNECTION = regex(_SETTING)
#: Text after ``@`` in a name without a password: ``redis:7@sha256:…``, ``node:http@22.8.0``. An
#: address of four numbers is a host.
_DIGEST = r"sha256:[\da-f]{6,}+"
_PINNED = (
    rf"@(?!{_DIGEST}|(?:latest|next|v?\d++|v?\d++(?:\.\d++){{1,2}}"
    r"(?:[-+](?:alpha|beta|canary|dev|next|pre|preview|rc|snapshot)[\d.-]{0,12}+)?)"
    r"(?:$|:$|:?\s|[)\],;'\"]))"
)
#: Words of a command before a secret.
_VERBS = (
    r"vault (?:login|unwrap|(?:operator )?unseal|token (?:capabilities|lookup|renew|revoke))"
    r"(?: -[\w-]{1,40}+(?:=[^\s'\"]{0,80}+)?+){0,9}+"
    r"|(?-i:AUTH)|masterauth|requirepass|rclone obscure"
)
#: A part of the keys of git settings that name a secret.
_GIT_KEY = r"(?=[\w.-]{0,80}(?:auth(?!or)|key|pass|pw|secret|token))"
#: The beginning of such a word, or of its end in a variable: ``DB_PASSWORD``, not ``Get_Token``.
_BEGIN = r"(?:\b|(?-i:(?<=[A-Z\d]_)))"
#: The beginnings of those words.
_PASSWORD_WORDS = ("pass", "kennwort", "mot", "contrase", "senha", "wachtwoord")
#: Words, the text before a secret, which is kept, and the secret.
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
                rf"({_BEGIN}(?:token|secret|api[-_ ]?key|{PASSWORDS}|{_VERBS})"
                r" (?:(?:is|was) )?['\"`]?)"
                r"(?=[^\s'\"]{0,99}\d)[^\s'\"`:=]{8,}+"
            ),
        ),
        # set DB_PASS c0ffeec0ffee1, ENV SECRET_KEY c0ffeec0ffee1
        (
            ("_pass", "_pwd", "_key"),
            (
                r"((?-i:[A-Z\d]_(?:PASS|PWD)|(?:ACCESS|ENCRYPTION|LICENSE|PRIVATE|SECRET|SIGNING)_KEY)"
                r" ['\"]?)(?=[^\s'\"]{0,99}\d)[^\s'\"`:=]{8,}+"
            ),
        ),
        # password: c0ffeec0ffee1, but not a number, file or address
        (
            (*_PASSWORD_WORDS, "pwd"),
            (
                rf"({_BEGIN}(?:{PASSWORDS}|pwd) ?[:：] *+['\"]?)(?=[^\s'\"]{{0,99}}\d)"
                r"(?![\d.,:]++[a-zµ%/]*+(?:\s|$)|[^\s'\"]{0,99}[/.][a-z])[^\s'\":]{6,}+"
            ),
        ),
        # secret: c0ffeec0ffee1, pass: c0ffeec0ffee1, but not --- PASS: TestSum1
        (
            ("secret", "pass"),
            (
                r"(\b(?:secret|(?-i:pass)) ?[:：] *+)(?=[^\s'\"]{0,99}\d)"
                r"(?![\d.,:]++[a-zµ%/]*+(?:\s|$)|[^\s'\"]{0,99}[/.][a-z])[^\s'\":]{8,}+"
            ),
        ),
        # incorrect API key provided: c0ffeec0ffee1
        (
            ("key ", "token ", *_PASSWORD_WORDS),
            (
                rf"(\b(?:key|token|{PASSWORDS}) (?:given|provided|received|supplied): ['\"]?)"
                r"(?=[^\s'\"]{0,99}\d)[^\s'\":]{6,}+"
            ),
        ),
        # jdbc:oracle:thin:user/password@host
        (
            ("jdbc:oracle:",),
            r"(\bjdbc:oracle:[a-z\d]{2,8}:[^\s/:@'\"]++/)[^\s'\"]*(?=@)",
        ),
        # CREATE USER name IDENTIFIED BY 'abc'
        (
            ("identified",),
            r"(\bidentified (?:with [^\s'\"]{1,80} )?(?:by|as) (?:password )?['\"])[^'\"]++",
        ),
        # SET PASSWORD FOR root = 'abc'
        (
            ("set password",),
            r"(\bset password(?: for [^\s=]{1,80})? ?= ?(?:password\()?['\"])[^'\"]++",
        ),
        # AUTH PLAIN abc, as in SMTP
        (
            ("auth plain", "auth login"),
            r"((?-i:\bAUTH (?:PLAIN|LOGIN)) )[\w+/=-]{4,}+",
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
        # export A=abc, docker run -e A=abc, but not a number, word, file or variable
        (
            ("export", "env", "docker", "podman"),
            (
                r"((?<![\w.-])(?:export|env"
                r"|(?:docker|podman) (?:run|exec) (?:[^\s'\"]{1,80} ){0,12}?(?:-e|--env))"
                rf"[ =][a-z_]\w*+=)(?!(?:{TELLS}|[/.~$-][^\s'\"]{{0,99}})(?:[\s'\"`;]|$))"
                r"[^\s'\"`;]++"
            ),
        ),
        # Bearer_abc123, with a blank written as in Go
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
        # echo abc | docker login --password-stdin
        (
            ("--password-stdin",),
            r"(\becho ['\"]?)[^\s'\"|]{1,400}(?=['\"]? ?\|[^|]{0,200}--password-stdin)",
        ),
        # npm config set //registry/:_authToken abc
        (
            (":_",),
            r"(:_(?:authToken|auth|password) )[^\s'\"]++",
        ),
        # git config http.proxyAuthPassword abc
        (
            ("git config",),
            rf"(\bgit config(?: (?:set|-[a-z-]++))*+ {_GIT_KEY}[\w.-]++ )[^\s'\"]++",
        ),
        # curl --cert client.pem:abc
        (
            (".pem:", ".crt:", ".cer:", ".p12:", ".pfx:"),
            r"(\.(?:pem|crt|cer|p12|pfx):)(?!\d++\b)[^\s/'\"]++",
        ),
        # the path of a webhook
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
_HEX = r"[\da-f]{32}"
#: After a prefix that a name may begin with: a word with a digit near its beginning.
_MIXED = r"(?=[\w.+/-]{0,60}\d)"
#: Tokens that begin a word, or a part of one.
_PREFIXED = (
    r"gh[opsur]_\w{6,}+|github_pat_\w{6,}+|gl[a-z]{2,5}-[\w-]{16,}+|GR1348941[\w-]{14,}+",
    r"xox[a-z]-[\w-]{6,}+|xapp-[\w-]{6,}+|(?:AKIA|ASIA)[A-Z0-9]{12,}+|npm_[A-Za-z\d]{30,}+",
    r"sk-(?:proj-|ant-)?+[\w-]{16,}+|[prs]k_(?:live|test)_\w{6,}+|AIza[\w-]{20,}+",
    rf"hf_[A-Za-z\d]{{30,}}+|pypi-[\w-]{{16,}}+|ya29\.{_MIXED}[\w-]{{16,}}+|GOCSPX-[\w-]{{16,}}+",
    rf"dckr_[op]at_[\w-]{{6,}}+|hvs\.[\w-]{{6,}}+|hv[br]\.{_MIXED}[\w-]{{12,}}+",
    r"SG\.[\w-]{6,}+\.[\w-]{6,}+|eyJ[\w-]{6,}+\.[\w-]++(?:\.[\w-]*+)?",
    rf"whsec_{_MIXED}[A-Za-z\d+/]{{16,}}+=*+|SK{_HEX}(?!\w)|key-{_HEX}(?!\w)|dapi{_HEX}(?!\w)",
    # a Discord number in base64, a time, and the token
    r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4,7}[\w-]{0,3}\.[\w-]{6}\.[\w-]{20,}+",
    rf"do[opr]_v1_[\da-f]{{16,}}+|NRAK-[A-Z\d]{{16,}}+|glsa_{_MIXED}\w{{16,}}+",
    rf"glc_{_MIXED}[A-Za-z\d+/]{{20,}}+=*+|HRKU-{_MIXED}[\w-]{{16,}}+|PMAK-[\da-f]{{16,}}+[\w-]*+",
    rf"lin_api_{_MIXED}[A-Za-z\d]{{16,}}+|ntn_{_MIXED}[A-Za-z\d]{{20,}}+",
    rf"dp\.(?:audit|ct|pt|sa|scim|st)\.{_MIXED}[\w.-]{{16,}}+|pscale_(?:pw|tkn)_{_MIXED}[\w.-]{{16,}}+",
    r"shp(?:at|ca|pa|ss)_[\da-fA-F]{16,}+|sq0(?:atp|csp)-[\w-]{16,}+|AGE-SECRET-KEY-1[A-Z\d]{16,}+",
    r"ATATT3[\w-]{16,}+=?[\dA-F]*+|(?:bkua|rubygems|sbp|sq[apu])_[\da-f]{16,}+",
    rf"tskey-{_MIXED}[\w-]{{16,}}+|fm[12]_{_MIXED}[A-Za-z\d+/]{{20,}}+=*+",
    rf"sntry[su]_{_MIXED}[\w+/]{{16,}}+=*+|figd_{_MIXED}[\w-]{{32,}}+|sl\.{_MIXED}[\w.-]{{60,}}+",
    r"(?:gsk_|xai-|ph[cx]_|pplx-|r8_)[A-Za-z\d]{32,}+",
    rf"nvapi-{_MIXED}[\w-]{{40,}}+|(?:tvly-|sb_secret_){_MIXED}[\w-]{{20,}}+",
    rf"LTAI{_MIXED}[A-Za-z\d]{{12,}}+",
)
#: Tokens that are recognised anywhere.
_ANYWHERE = (
    r"gh[opsur]_[A-Za-z\d]{36}|(?:AKIA|ASIA)[A-Z\d]{16}(?![A-Za-z\d])",
    r"eyJ[\w-]{6,512}\.eyJ[\w-]{6,}+(?:\.[\w-]*+)?|\.atlasv1\.[\w-]{16,}+",
    # hashes of passwords, as written by crypt(3)
    r"\$(?:apr1|[156y]|2[abxy])\$(?:[\w./=,]{1,60}\$){1,2}[./A-Za-z\d]{16,}+",
    r"\$argon2(?:id|i|d)\$[^\s'\"]{8,}+",
)
#: A token, or the hash of a password.
TOKEN = regex(f"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXED)})|{'|'.join(_ANYWHERE)}")
#: A key in PEM, whose end may be missing.
PEM = regex(r"-----BEGIN [^-\n]{1,60}-----[\s\S]*?(?:-----END [^-\n]{1,60}-----|\Z)")


#: A possible key in base64, of either alphabet.
DENSE = regex(r"(?<![\w+/=.-])(?:[A-Za-z\d+/]{24,256}|[\w-]{24,256})={0,2}(?![\w+/=.-])")
#: A line of a key in base64, whose first and last line may be missing; or all of it in one line; or
#: a token of Vault in its old form.
KEY_LINE = regex(
    r"(?<![\w+/=.-])(?:[A-Za-z\d+/]{60,}+={0,2}(?![\w+/=.-])|[brs]\.[A-Za-z\d]{24}(?!\w))"
)
#: Number of characters by which a word is judged.
_JUDGED = 256
#: Bits per character, also as a share of the maximum for the text's length, and the share of
#: neighbours of different kinds: text below these limits reads like words.
_BITS, _BITS_SHARE, _TURNS = 4.4, 0.83, 0.4


def hide_by_rules(text: str, hide: Callable[[re.Match[str]], str], *, is_command: bool) -> str:
    """Apply all rules, including those of programs if the text contains options."""
    is_ascii = text.replace(HIDDEN, "").isascii()  # letters of other alphabets can match, too
    lower = text.lower() if is_ascii else ""
    if lower and not _WORDS.search(lower):
        return text
    for words, pattern in (*_RULES, *PROGRAMS) if is_command else _RULES:
        if not lower or any(word in lower for word in words):
            text = pattern.sub(hide, text)
    return text


def is_dense(word: str) -> bool:
    """Whether a word has letters of both cases and digits, and none of them in a pattern."""
    word = word[:_JUDGED]
    kinds = [(sign.islower(), sign.isupper(), sign.isdigit()) for sign in word]
    if not all(map(any, zip(*kinds, strict=True))):
        return False
    turns = sum(one != other for one, other in pairwise(kinds))
    shares = (count / len(word) for count in Counter(word).values())
    bits = -sum(share * log2(share) for share in shares)
    is_varied = bits >= min(_BITS, _BITS_SHARE * log2(len(word)))
    return is_varied and turns >= _TURNS * (len(word) - 1)


_SCHEMES = r"\b(?:bearer|basic|digest) ++"
#: A word of prose, as in ``basic logging`` and ``basic JavaScript``.
_PROSE = r"(?-i:(?:[A-Z]?[a-z]{2,}+){1,4}+[A-Z]{0,4}+|[A-Z]++)(?![^\s'\"`.,;:!?)\]|$])"
#: Text that looks like a credential, and anything after ``Authorization: Basic``.
BEARER = regex(
    r"(\bauthorization\W{1,4}(?:bearer|basic|digest) ++)[^\s'\"]++"
    rf"|({_SCHEMES})(?!{_PROSE})(?=[^\s'\"]*?(?-i:[\dA-Z=]))[^\s'\"]{{8,}}+",
    re.IGNORECASE,
)
#: The same in a name: ``Basic auth`` and ``Digest auth`` are benchmarks.
LONG_BEARER = regex(rf"({_SCHEMES})(?=\S*\d)[^\s'\"]{{8,}}+", re.IGNORECASE)
