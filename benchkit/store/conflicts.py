"""Conflicts with other writers, and the errors that delta-rs raises for them."""

from __future__ import annotations

import importlib
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchkit.errors import StoreError
from benchkit.regexes import regex

#: Seconds for which a writer retries while others commit first.
_PATIENCE = 300.0
_LONGEST_WAIT = 1.0
#: Formatting in messages of delta-rs: colours, and an arrow before the cause of an error.
_COLOURS, _CAUSE = regex(r"\x1b\[[\d;]*m"), "\N{DOWNWARDS ARROW WITH TIP RIGHTWARDS}"

#: Errors of the service that provides an object store; they are not about the content of the store.
#: "Not found" in a request that writes refers to the bucket.
_OF_SERVICE = regex(
    r"Generic \w+(?: client)? error|lacked (?:the necessary|valid auth)"
    r"|not found: Error performing (?:POST|PUT)|loading credentials|credential provider"
)
#: The environment variable for the log level of delta-rs.
_LOG = "RUST_LOG"
_UNREACHED = "check its address, your credentials and the network, and run the command again"


class ConflictError(Exception):
    """Another writer committed first."""


def import_quietly() -> None:
    """Import delta-rs without its log, because its errors already contain what matters.

    To get the log, set its environment variable.
    """
    is_set = _LOG in os.environ
    os.environ.setdefault(_LOG, "off")
    importlib.import_module("deltalake")
    if not is_set:
        del os.environ[_LOG]  # child processes have separate logs


def attempts(url: str) -> Iterator[None]:
    """Yield until the caller has committed, with increasing pauses.

    Raises
    ------
    StoreError
        If other processes changed the store at the same time.
    """
    end, pause = time.monotonic() + _PATIENCE, 0.01
    while time.monotonic() < end:
        yield
        time.sleep(random.uniform(0, pause))  # noqa: S311 - no secret
        pause = min(2 * pause, _LONGEST_WAIT)
    raise StoreError(
        "other processes changed the store at the same time",
        where=url,
        hint="nothing was changed; run the command again",
    )


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn errors of delta-rs into a `StoreError`."""
    from deltalake.exceptions import DeltaError

    try:
        yield
    except (DeltaError, OSError) as error:
        first, _, rest = _COLOURS.sub("", str(error)).partition("\n")
        arrow, _, cause = rest.partition("\n")[0].strip().partition(" ")
        reason = f"{first}: {cause}" if arrow == _CAUSE else first
        advice = _UNREACHED if _OF_SERVICE.search(reason) else "run `benchkit store check`"
        if isinstance(error, PermissionError):
            advice = "make it readable and writable"
        raise StoreError(
            f"the store failed: {reason}",
            where=url,
            hint=f"nothing was changed; {advice}",
        ) from error
