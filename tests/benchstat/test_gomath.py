"""Logarithms and exponentials equal Go's to the last digit: values of go1.26 on x86-64."""

from __future__ import annotations

import math

import pytest

from benchkit.benchstat import gomath

#: C gives another last digit in the first ten lines.
VALUES = [
    ("log", 0.5415973337066713, -0.6132324803897804),
    ("log", 2.63670845861519, 0.9695313432823705),
    ("log", 0.35521734385444725, -1.0350254406371384),
    ("log", 1.6487893143103514, 0.5000412696841927),
    ("log", 5.549303687393723, 1.713672458156501),
    ("exp", 3.5887800771689338, 36.189900101018786),
    ("exp", 26.66252895241921, 379655064493.99554),
    ("exp", 21.057708314290746, 1397161219.0080273),
    ("exp", 1.0223271315750793, 2.7796558680671835),
    ("exp", -0.15325684508663412, 0.8579093437113794),
    ("exp", -744.0, 1e-323),
    ("exp", -745.1, 5e-324),
    ("exp", -740.3, 3.1e-322),
    ("exp", -708.5, 2.006132305331306e-308),
    ("exp", -709.0, 1.216780750623423e-308),
    ("exp", 0.0, 1.0),
    ("log", 5e-324, -709.0895657128241),
    ("log", 1e-310, -709.0850815488945),
    ("exp", 709.5, math.inf),
    ("exp", -math.inf, 0.0),
    ("log", math.inf, math.inf),
]


@pytest.mark.parametrize(("name", "x", "result"), VALUES)
def test_functions_equal_go(name: str, x: float, result: float) -> None:
    assert getattr(gomath, name)(x) == result


@pytest.mark.parametrize(
    ("n", "result"),
    [
        (3, 1.791759469228055),
        (7, 8.525161361065413),
        (21, 45.380138898476915),
        (30, 74.65823634883017),
    ],
)
def test_log_factorials_equal_go(n: int, result: float) -> None:
    assert gomath.log_factorial(n) == result
