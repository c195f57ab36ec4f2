"""A process that ends what benchkit started if that itself is killed and cannot do so."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

#: Reads groups of processes, the last line of them counts; its input ends with benchkit.
_SCRIPT = """
while read -r line; do groups=$line; done
for signal in TERM KILL; do
    for group in $groups; do kill -s $signal -- -$group; done
    sleep 2
done 2> /dev/null
"""


@contextmanager
def guarding() -> Iterator[Callable[[Collection[int]], None]]:
    """Give what names the groups of processes that end if this process is killed meanwhile."""
    with subprocess.Popen(  # noqa: S603 - a script of its own
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # so that no signal to this group ends it, too
    ) as guard:

        def name(groups: Collection[int]) -> None:
            if guard.stdin:
                with suppress(OSError):
                    print(*groups, file=guard.stdin, flush=True)

        try:
            yield name
        finally:
            guard.kill()
