"""Secrets that are known by their shape: prefixes, private keys, hashes, base64, schemes."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log2

from benchkit.regexes import regex

_HEX = r"[\da-f]{32}"
#: Behind a prefix that a name may begin with: a word with a digit near its beginning.
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
    # a number of Discord's in base64, a time, and the token
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
#: Those that are known wherever they stand.
_ANYWHERE = (
    r"gh[opsur]_[A-Za-z\d]{36}|(?:AKIA|ASIA)[A-Z\d]{16}(?![A-Za-z\d])",
    r"eyJ[\w-]{6,512}\.eyJ[\w-]{6,}+(?:\.[\w-]*+)?|\.atlasv1\.[\w-]{16,}+",
    # hashes of passwords, as crypt(3) writes them
    r"\$(?:apr1|[156y]|2[abxy])\$(?:[\w./=,]{1,60}\$){1,2}[./A-Za-z\d]{16,}+",
    r"\$argon2(?:id|i|d)\$[^\s'\"]{8,}+",
)
#: A token, or the hash of a password.
TOKEN = regex(f"(?<![A-Za-z0-9])(?:{'|'.join(_PREFIXED)})|{'|'.join(_ANYWHERE)}")
#: A key in PEM, whose end may be missing.
PEM = regex(r"-----BEGIN [^-\n]{1,60}-----[\s\S]*?(?:-----END [^-\n]{1,60}-----|\Z)")


#: What may be a key in base64, of either alphabet.
DENSE = regex(r"(?<![\w+/=.-])(?:[A-Za-z\d+/]{24,256}|[\w-]{24,256})={0,2}(?![\w+/=.-])")
#: A line of a key in base64, whose first and last line may be missing; or all of it in one; or a
#: token of Vault in its old form.
KEY_LINE = regex(
    r"(?<![\w+/=.-])(?:[A-Za-z\d+/]{60,}+={0,2}(?![\w+/=.-])|[brs]\.[A-Za-z\d]{24}(?!\w))"
)
#: Characters of a word by which it is judged.
_JUDGED = 256
#: Bits a character, at most and as a share of what so many characters can have, and the share of
#: neighbours of different kinds: below them a text reads like words.
_BITS, _BITS_SHARE, _TURNS = 4.4, 0.83, 0.4


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
#: What looks like a credential, and whatever follows ``Authorization: Basic``.
BEARER = regex(
    r"(\bauthorization\W{1,4}(?:bearer|basic|digest) ++)[^\s'\"]++"
    rf"|({_SCHEMES})(?!{_PROSE})(?=[^\s'\"]*?(?-i:[\dA-Z=]))[^\s'\"]{{8,}}+",
    re.IGNORECASE,
)
#: The same in a name: ``Basic auth`` and ``Digest auth`` are benchmarks.
LONG_BEARER = regex(rf"({_SCHEMES})(?=\S*\d)[^\s'\"]{{8,}}+", re.IGNORECASE)
