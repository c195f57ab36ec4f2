"""A piece of work like that of a server under load, in a process of its own.

It computes, copies more memory than a cache holds, and exchanges messages with a second process.
This file is run by itself, so it imports nothing of benchkit.
"""

from __future__ import annotations

import os
import socket
import sys
import time

#: Of one round: about a third of a millisecond each.
_STEPS, _BYTES, _MESSAGES = 8_000, 1 << 22, 12
_MESSAGE = b"x" * 64


def work(rounds: int, peer: socket.socket) -> float:
    """Do so many rounds of work, and return how many seconds they took."""
    source, target = bytearray(_BYTES), bytearray(_BYTES)
    start = time.perf_counter()
    for _ in range(rounds):
        for _ in range(_STEPS):
            pass
        target[:] = source
        for _ in range(_MESSAGES):
            peer.sendall(_MESSAGE)
            peer.recv(len(_MESSAGE))
    return time.perf_counter() - start


def answer(peer: socket.socket) -> None:
    """Send every message back until there are no more."""
    while message := peer.recv(len(_MESSAGE)):
        peer.sendall(message)


def main(rounds: int) -> None:
    """Work with a second process, and print how long it took."""
    mine, other = socket.socketpair()
    if not os.fork():
        mine.close()
        answer(other)
        os._exit(0)
    other.close()
    print(repr(work(rounds, mine)))  # noqa: T201 - read by the process that started this one


if __name__ == "__main__":
    main(int(sys.argv[1]))
