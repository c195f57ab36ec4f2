"""Why a request failed, in one word for the many texts of one cause.

Hey lists a text per connection; as subjects of a metric they would never meet again.
"""

from __future__ import annotations

_WORDS = (
    ("timeout", ("timeout", "deadline exceeded", "timed out")),
    ("dns", ("no such host", "lookup ")),
    ("tls", ("x509:", "tls:", "certificate")),
    ("connect", ("dial ", "connection refused", "connect:")),
    ("write", ("write:", "broken pipe")),
    ("read", ("read:", "eof", "reset by peer", "server closed", "malformed")),
)


def reason_of(error: str) -> str:
    """Return the reason of an error; ``other`` if none is known.

    Examples
    --------
    >>> reason_of('Get "http://h:1/": dial tcp 127.0.0.1:1: connect: connection refused')
    'connect'
    >>> reason_of("Get http://h/: EOF")
    'read'
    """
    text = error.lower()
    return next((word for word, signs in _WORDS if any(sign in text for sign in signs)), "other")
