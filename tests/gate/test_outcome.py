"""Noise never fails the gate, and nothing compared never passes it."""

from __future__ import annotations

from dataclasses import replace

import examples
import pytest

from benchkit.errors import ExitCode
from benchkit.gate.outcome import OnInconclusive, check


def test_a_shown_regression_fails_whatever_else_is_shown() -> None:
    outcome = check(examples.tracing(), "pass")
    assert outcome.exit_code is ExitCode.REGRESSION
    assert {row.contrast.variant for row in outcome.regressions} == {
        "otlp",
        "zipkin",
        "skywalking",
    }
    assert not outcome.has_passed


@pytest.mark.parametrize(
    ("on_inconclusive", "code"),
    [("pass", ExitCode.DONE), ("warn", ExitCode.DONE), ("fail", ExitCode.INCONCLUSIVE)],
)
def test_what_is_not_shown_does_what_the_policy_says(
    on_inconclusive: OnInconclusive, code: ExitCode
) -> None:
    outcome = check(examples.published(), on_inconclusive)
    assert outcome.exit_code is code
    assert outcome.not_shown
    assert not outcome.regressions


def test_a_gate_that_compared_nothing_is_a_data_error() -> None:
    nothing = replace(examples.tracing(), rows=())
    assert check(nothing).exit_code is ExitCode.DATA
