"""Why requests failed, by the words of what tools print of them."""

from __future__ import annotations

__all__ = ["reason_of"]

#: Why requests failed, by words in what programs print.
_REASONS = (
    ("timeout", ("timeout", "deadline exceeded", "timed out", "timedout")),
    ("dns", ("no such host", "lookup ", "enotfound")),
    ("tls", ("x509:", "tls:", "certificate")),
    ("connect", ("dial ", "connection refused", "connect:", "econnrefused")),
    ("write", ("write:", "broken pipe")),
    ("read", ("read:", "eof", "reset by peer", "server closed", "malformed", "econnreset")),
)


def reason_of(error: str) -> str:
    """Return the reason of an error; ``other`` if none is known.

    Examples
    --------
    >>> reason_of('Get "http://h:1/": dial tcp 127.0.0.1:1: connect: connection refused')
    'connect'
    >>> reason_of("Get http://h/: EOF"), reason_of("ETIMEDOUT")
    ('read', 'timeout')
    """
    text = error.lower()
    return next((word for word, signs in _REASONS if any(sign in text for sign in signs)), "other")
