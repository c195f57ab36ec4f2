"""Credentials behind the scheme that they are of: ``Basic dXNlcjpwdw==``."""

from __future__ import annotations

import re

from benchkit.regexes import regex

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
