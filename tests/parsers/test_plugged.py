"""Records of a plug-in's parser are checked on arrival, and every failure names the plug-in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from benchkit.errors import DataError
from benchkit.parsers.base import Form, Format, Reading, Record, Samples, Source
from benchkit.parsers.plugged import confine


def read(parse: Callable[[Source], Iterator[Record]]) -> list[Record]:
    form = Form(name="text", signature="tempo", versions="1", not_recorded="")
    theirs = Format(
        name="tempo", tools=("tempo",), summary="tempo", recognises=bool, parse=parse, forms=(form,)
    )
    return list(confine(theirs).parse(Source(None, "x.tempo", b"tempo 1\n")))


def make_reading(**changes: object) -> Reading:
    reading = Reading(tool="tempo", form="text", line=1)
    for name, value in changes.items():
        setattr(reading, name, value)
    return reading


def make_samples(reading: Reading, **changes: object) -> Samples:
    columns = {"values": np.array([0.1, 0.2]), "lines": np.array([1, 2])}
    return Samples(**({"reading": reading, "metric": "latency", "unit": "s"} | columns | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"role": "zzz"},
        {"role": "refused"},
        {"load_model": "zzz"},
        {"status": "done"},
        {"run": -5},
        {"run": "z"},
        {"run": 10**30},
        {"run": 1 << 31},
        {"line": "one"},
        {"line": None},
        {"line": 10**30},
        {"last_line": -1},
        {"started_at": "yesterday"},
        {"started_at": datetime(2020, 1, 1)},  # noqa: DTZ001
        {"duration": "x"},
        {"connections": "x"},
        {"connections": 1.5},
        {"command": ["a", 1]},
        {"env": {"a": object()}},
        {"env": "str"},
        {"params": {"connections": 8}},
        {"params": [1]},
        {"headings": ["a"]},
        {"variant": object()},
        {"benchmark": "\ud800x"},
        {"tool": None},
        {"rows": None},
        {"rows": [("latency", 1.0)]},
    ],
)
def test_reading_with_an_invalid_field_is_refused(changes: dict[str, object]) -> None:
    (name,) = changes
    with pytest.raises(DataError, match="the parser plug-in tempo failed to read it") as error:
        read(lambda _: iter([make_reading(**changes)]))
    assert name.removesuffix("s") in error.value.what
    assert error.value.hint == "report it to the author of the plug-in"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 1),
        (1, None),
        (2, 4),
        (3, None),
        (3, "12"),
        (3, [1]),
        (3, 1j),
        (4, None),
        (5, "many"),
        (6, "now"),
        (7, "0.1"),
        (8, None),
        (9, "x"),
        (9, 10**30),
        (9, -1),
    ],
)
def test_row_with_an_invalid_cell_is_refused(place: int, value: object) -> None:
    row: list[object] = [None, "latency", "p50", 0.1, "s", None, None, None, "reported", 1]
    row[place] = value
    with pytest.raises(DataError, match=r"of a row is .*, expected"):
        read(lambda _: iter([make_reading(rows=[tuple(row)])]))


def test_reading_is_checked_again_once_complete() -> None:
    def parse(_: Source) -> Iterator[Record]:
        reading = make_reading()
        yield reading
        reading.role = "zzz"

    with pytest.raises(DataError, match="role of a Reading is 'zzz', expected one of measured"):
        read(parse)


@pytest.mark.parametrize(
    "changes",
    [
        {"metric": 3},
        {"unit": None},
        {"values": [0.1, 0.2]},
        {"values": np.array(["a", "b"])},
        {"lines": np.array([1])},
        {"lines": np.array([1, -7])},
        {"times": np.array([1, 2])},
        {"reading": make_reading()},
    ],
)
def test_invalid_samples_are_refused(changes: dict[str, object]) -> None:
    def parse(_: Source) -> Iterator[Record]:
        reading = make_reading()
        yield reading
        yield make_samples(reading, **changes)

    with pytest.raises(DataError, match="the parser plug-in tempo failed to read it"):
        read(parse)


def test_valid_records_are_accepted() -> None:
    reading = make_reading(
        started_at=datetime(2020, 1, 1, tzinfo=UTC), duration=np.float64(3), run=3, role="part"
    )
    reading.add("latency", "p50", np.float64(0.1), "s", 1)
    reading.connections = np.int64(8)  # type: ignore[assignment]
    records: list[Record] = [
        reading,
        make_samples(reading, times=np.array([0, 1], "datetime64[us]")),
    ]
    assert read(lambda _: iter(records)) == records


class MuteError(Exception):
    """An exception whose message cannot be rendered."""

    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MuteError(), "MuteError"),
        (GeneratorExit(), "GeneratorExit"),
        (BaseException("base"), "BaseException: base"),
        (SystemExit(5), "SystemExit: 5"),
        (StopIteration("x"), "StopIteration: x"),
        (FileNotFoundError("/etc/tempo"), "FileNotFoundError: /etc/tempo"),
    ],
)
def test_any_exception_becomes_an_error_that_names_the_plugin(
    error: BaseException, reason: str
) -> None:
    def parse(_: Source) -> Iterator[Record]:
        raise error

    with pytest.raises(DataError) as raised:
        read(parse)
    assert raised.value.what == f"the parser plug-in tempo failed to read it ({reason})"


def test_text_after_a_masked_secret_is_kept() -> None:
    def parse(_: Source) -> Iterator[Record]:
        raise ZeroDivisionError("boom token=s3cr3tPaSSw0rdXq9")

    with pytest.raises(DataError) as raised:
        read(parse)
    assert str(raised.value) == (
        "the parser plug-in tempo failed to read it (ZeroDivisionError: boom token=REDACTED); "
        "report it to the author of the plug-in"
    )


def test_plugin_cannot_change_directory_or_write_to_stdout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = Path.cwd()

    def parse(_: Source) -> Iterator[Record]:
        os.chdir("/")
        sys.stdout.write("hello\n")
        sys.stdout.close()
        yield make_reading()

    assert len(read(parse)) == 1
    assert Path.cwd() == before
    sys.stdout.write("table\n")
    assert capsys.readouterr() == ("table\n", "hello\n")
