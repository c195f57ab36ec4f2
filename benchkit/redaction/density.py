"""Keys without a name that tells them: words in base64 that are no words of any language."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log2

from benchkit.regexes import regex

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
