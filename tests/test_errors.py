"""Errors and diagnostics: one line with the problem, its place and the remedy."""

from __future__ import annotations

import dataclasses

import pytest

from benchkit import errors, redaction
from benchkit.errors import BenchkitError, Diagnostic, ExitCode, Finding


@pytest.mark.parametrize(
    ("where", "hint", "line"),
    [
        ("", "", "no runs"),
        ("a/b.txt:7", "", "a/b.txt:7: no runs"),
        ("", "name a folder", "no runs; name a folder"),
        ("a/b.txt:7", "name a folder", "a/b.txt:7: no runs; name a folder"),
    ],
)
def test_problem_is_one_line(where: str, hint: str, line: str) -> None:
    assert errors.describe("no runs", where=where, hint=hint) == line
    assert str(BenchkitError("no runs", where=where, hint=hint)) == line


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.BenchkitError, 2),
        (errors.ConfigError, 2),
        (errors.BaselineError, 2),
        (errors.SelectionError, 3),
        (errors.DataError, 3),
        (errors.UnknownFormatError, 3),
        (errors.AmbiguousFormatError, 3),
        (errors.SchemaError, 3),
        (errors.StoreError, 3),
    ],
)
def test_usage_and_data_errors_exit_with_their_codes(kind: type[BenchkitError], code: int) -> None:
    assert kind("x").exit_code == code


def test_exit_codes_are_stable() -> None:
    assert {code.name: int(code) for code in ExitCode} == {
        "DONE": 0,
        "REGRESSION": 1,
        "USAGE": 2,
        "DATA": 3,
        "INCONCLUSIVE": 4,
        "INTERRUPTED": 130,
        "CLOSED": 141,
    }


def test_every_error_is_a_benchkit_error() -> None:
    kinds = [
        kind
        for name, kind in vars(errors).items()
        if name.endswith("Error") and isinstance(kind, type)
    ]
    assert len(kinds) >= 9
    assert all(issubclass(kind, BenchkitError) for kind in kinds)


@pytest.mark.parametrize(("line", "where"), [(7, "a/b.txt:7"), (0, "a/b.txt")])
def test_diagnostic_names_its_line_or_the_whole_source(line: int, where: str) -> None:
    diagnostic = Diagnostic("a/b.txt", line, "truncated", "run it again")
    assert diagnostic.where == where
    assert str(diagnostic) == f"{where}: truncated; run it again"
    assert diagnostic.severity == "error"


def test_diagnostic_is_immutable() -> None:
    diagnostic = Diagnostic("a", 1, "x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        diagnostic.line = 2  # type: ignore[misc]


def test_finding_begins_with_its_code() -> None:
    finding = Finding(
        code="B201", severity="warning", message="2 runs", remedy="add 2", where="otlp"
    )
    assert str(finding) == "B201 otlp: 2 runs; add 2"
    assert finding.numbers == {}


def test_repeated_message_of_a_source_is_redacted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    redacted: list[str] = []

    def redact(text: str) -> str:
        redacted.append(text)
        return text

    monkeypatch.setattr(redaction, "redact_message", redact)
    for line in range(1000):
        Diagnostic("repeated.json", line, "a repeated result needs counts", "use the whole object")
    assert redacted == ["repeated.json", "a repeated result needs counts", "use the whole object"]
