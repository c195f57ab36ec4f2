"""What is left to another thread is done in order, and its errors come back."""

from __future__ import annotations

import time
from threading import Event

import pytest

from benchkit.ingestion.behind import Behind


def wait_for(gate: Event, seconds: float) -> None:
    """Keep the thread busy."""
    gate.wait(seconds)


def test_calls_are_done_in_their_order_and_all_of_them() -> None:
    behind, done = Behind(), list[int]()
    for number in range(20):
        behind.do(done.append, number)
    behind.finish()
    assert done == list(range(20))


def test_its_owner_goes_on_but_not_far() -> None:
    behind, gate = Behind(), Event()
    begun = time.monotonic()
    behind.do(wait_for, gate, 30.0)
    behind.do(gate.set)  # behind the first one: it is not called before that has ended
    assert time.monotonic() - begun < 25
    gate.set()
    behind.finish()


def test_an_error_comes_back_at_a_later_call_or_at_the_end() -> None:
    behind = Behind()
    behind.do(int, "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="invalid literal"):
        behind.finish()
    behind = Behind()
    for turn in range(10):
        try:
            behind.do(int, "x")  # type: ignore[arg-type]
        except ValueError:
            assert turn
            break
    else:
        pytest.fail("no error came back")
    behind.stop()


def test_what_was_not_begun_is_left_out_when_it_stops() -> None:
    behind, gate, done = Behind(), Event(), list[str]()
    behind.do(wait_for, gate, 0.2)
    behind.do(done.append, "late")
    behind.stop()
    assert done == []
