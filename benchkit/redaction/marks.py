"""Marks: placeholders for secrets in names, which differ if the secrets differ.

The digits of a mark are from a keyed digest, so that nobody without the key can test guesses. A
store has a private key, so its marks remain comparable; elsewhere each process draws one, unless
the environment sets it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import ParamSpec, TypeVar

#: Placeholder for text that is not known to be harmless; in a mark, digits follow.
HIDDEN = "…"
#: The digits of a mark, and the three without a key from an earlier version.
MARK = r"…[\da-f]{0,12}"
_DIGITS = 12
#: A mark made with a key.
KEYED = rf"{HIDDEN}[\da-f]{{{_DIGITS}}}"
#: The variable that sets the key without a store: processes with one key write equal marks.
VARIABLE = "BENCHKIT_MARK_KEY"
KEY_BYTES = 32

P = ParamSpec("P")
T = TypeVar("T")

_caches: list[_lru_cache_wrapper[object]] = []
_key = b""


def draw_key() -> bytes:
    """Return a new key: that of the environment, or a random one."""
    if text := os.environ.get(VARIABLE):
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    return secrets.token_bytes(KEY_BYTES)


def current_key() -> bytes:
    """Return the key of the marks that this process writes."""
    global _key  # noqa: PLW0603 - one process, one key
    _key = _key or draw_key()
    return _key


def use_key(key: bytes) -> None:
    """Set the key for the marks written from now on."""
    global _key  # noqa: PLW0603 - one process, one key
    if key != _key:
        _key = key
        for cache in _caches:
            cache.cache_clear()


def remember(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function whose results contain marks, until another key is set."""
    cached = lru_cache(1 << 12)(function)
    _caches.append(cached)
    return cached  # type: ignore[return-value]


def mark(value: str) -> str:
    """Return a placeholder for a value, which differs if the value does."""
    content = value.encode("utf-8", "surrogatepass")
    return HIDDEN + hmac.digest(current_key(), content, "sha256").hex()[:_DIGITS]
