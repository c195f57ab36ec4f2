"""Formats of plug-ins, whose failures affect only their files.

Their records are checked on arrival. Those of built-in parsers are not, because types and tests
ensure the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from typing import get_args

from benchkit.errors import DataError, Diagnostic, describe_failure
from benchkit.isolation import isolated
from benchkit.parsers.base import Format, Head, Reading, Record, Repeats, Samples, Source, Status
from benchkit.reading.source import UnreadableError
from benchkit.schema import ROLES, LoadModel

#: Valid values of a field.
_WORDS = {
    "role": ("", *ROLES), "load_model": get_args(LoadModel), "status": get_args(Status),
    "severity": ("error", "warning", "note"),
}  # fmt: skip
#: Limits of integers, as in a store; `Soundness` drops others with a warning.
_LIMITS = {"line": 1 << 53, "last_line": 1 << 53, "run": 1 << 31}
#: The fields of a reading, with their declared types.
_FIELDS = {each.name: str(each.type) for each in fields(Reading) if each.name != "rows"}
#: The parts of a row.
_ROW = {
    "subject": "str | None", "metric": "str", "stat": "str", "value": "float", "unit": "str",
    "n": "int | None", "time": "datetime | None", "resolution": "float | None", "origin": "str",
    "line": "int",
}  # fmt: skip
_SAMPLES = {
    name: _ROW[name] for name in ("metric", "unit", "subject", "stat", "resolution", "origin")
}
_DIAGNOSTIC = dict.fromkeys(("path", "what", "hint", "severity"), "str") | {"line": "int"}
#: Kinds of the arrays of samples in NumPy's notation.
_ARRAYS = {"values": "fiu", "lines": "iu", "times": "M"}
_EXPECTED = {
    "str": "a string", "int": "a whole number", "float": "a number",
    "datetime": "a datetime with a time zone", "dict[str, str]": "a dict of strings",
    "tuple[str, ...]": "a tuple of strings",
}  # fmt: skip
_HINT = "report it to the author of the plug-in"


def confine(form: Format) -> Format:
    """Return a plug-in's format whose failures become errors of the file that it reads."""

    def recognises(head: Head) -> bool:
        with _attended(form.name, head.name):
            return bool(form.recognises(head))

    def plain(text: str) -> Reading | None:
        assert form.plain is not None  # noqa: S101 - is set below only then
        with _blamed(form.name, "a report"):
            reading = form.plain(text)
            if reading is not None:
                _require_reading(reading)
        return reading

    return replace(
        form,
        recognises=recognises,
        parse=lambda source: _parse(form, source),
        plain=plain if form.plain else None,
    )


def _parse(form: Format, source: Source) -> Iterator[Record]:
    """Yield the checked records of a plug-in's parser; complete readings are checked again."""
    readings: dict[int, Reading] = {}
    end = object()
    with _blamed(form.name, source.label):
        records: Iterator[object] = iter(form.parse(source))
    while True:
        with _blamed(form.name, source.label):
            record = next(records, end)
            if record is end:
                break
            checked = _check_record(record, readings)
        yield checked
    with _blamed(form.name, source.label):
        for reading in readings.values():
            _require_reading(reading)


@contextmanager
def _attended(name: str, label: str) -> Iterator[None]:
    """Run a plug-in's code isolated; Ctrl-C names the plug-in, because it may hang."""
    try:
        with isolated():
            yield
    except KeyboardInterrupt:
        what = f"interrupted while the parser plug-in {name} was reading {label}"
        warnings.warn(what, stacklevel=2)
        raise


@contextmanager
def _blamed(name: str, label: str) -> Iterator[None]:
    """Run a plug-in's code isolated; any failure becomes an error that names the plug-in."""
    try:
        with _attended(name, label):
            yield
    except (KeyboardInterrupt, DataError, UnreadableError):
        raise
    except BaseException as error:  # a plug-in may fail in any way
        what = f"the parser plug-in {name} failed to read it ({describe_failure(error)})"
        raise DataError(what, hint=_HINT) from error


def _check_record(record: object, readings: dict[int, Reading]) -> Record:
    """Return a valid record, and remember a reading.

    Raises
    ------
    TypeError or ValueError
        If it is not a record, or samples come before their reading.
    """
    if isinstance(record, Reading):
        _require_reading(record)
        readings[id(record)] = record
    elif isinstance(record, Samples):
        _require_samples(record)
        if id(record.reading) not in readings:
            raise ValueError("its parser yields Samples before their Reading")
    elif isinstance(record, Repeats):
        for reading in record.readings:
            _require_reading(reading)
    elif isinstance(record, Diagnostic):
        _require_fields("a Diagnostic", record, _DIAGNOSTIC)
    else:
        raise TypeError(f"its parser yields {type(record).__name__}, expected Reading")
    return record


def _require_reading(reading: object) -> None:
    if not isinstance(reading, Reading):
        raise TypeError(f"its parser yields {type(reading).__name__}, expected Reading")
    _require_fields("a Reading", reading, _FIELDS)
    if not isinstance(reading.rows, list):
        raise TypeError(f"rows of a Reading is {_show(reading.rows)}, expected a list")
    rows: list[object] = [*reading.rows]
    for row in rows:
        if not isinstance(row, tuple) or len(row) != len(_ROW):
            raise TypeError(f"a row is {_show(row)}, expected a tuple of {len(_ROW)}")
        for (name, kind), value in zip(_ROW.items(), row, strict=True):
            _require(f"{name} of a row", name, kind, value)


def _require_samples(samples: Samples) -> None:
    import numpy as np

    _require_fields("Samples", samples, _SAMPLES)
    for name, kinds in _ARRAYS.items():
        column = getattr(samples, name)
        if name == "times" and column is None:
            continue
        if not isinstance(column, np.ndarray) or column.dtype.kind not in kinds:
            raise TypeError(f"{name} of Samples is {_show(column)}, expected an array of numbers")
        if column.shape != (len(samples.values),):
            raise ValueError(f"{name} of Samples has the shape {column.shape}")
    limits = samples.lines.min(initial=0), samples.lines.max(initial=0)
    if limits[0] < 0 or limits[1] >= _LIMITS["line"]:
        raise ValueError("a line of Samples is out of range")


def _require_fields(owner: str, record: object, declared: dict[str, str]) -> None:
    for name, kind in declared.items():
        _require(f"{name} of {owner}", name, kind, getattr(record, name))


def _require(what: str, name: str, declared: str, value: object) -> None:
    """Reject a value of an undeclared type, an unknown word or a line out of range."""
    kind = declared.removesuffix(" | None")
    if value is None and kind != declared:
        return
    if name in _WORDS and value not in _WORDS[name]:
        words = ", ".join(word for word in _WORDS[name] if word)
        raise ValueError(f"{what} is {_show(value)}, expected one of {words}")
    if kind in _CHECKS and not _CHECKS[kind](value):
        raise TypeError(f"{what} is {_show(value)}, expected {_EXPECTED[kind]}")
    if name in _LIMITS and isinstance(value, int) and not 0 <= value < _LIMITS[name]:
        most = _LIMITS[name] - 1
        raise ValueError(f"{what} is {_show(value)}, expected a number from 0 to {most:,}")


def _show(value: object) -> str:
    """Return a value for a message, shortened if necessary."""
    return repr(value)[:40]


def _is_text(value: object) -> bool:
    """Return whether a value is a string that can be encoded; some surrogates cannot."""
    if not isinstance(value, str):
        return False
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _is_number(value: object) -> bool:
    import numpy as np

    return isinstance(value, int | float | np.integer | np.floating)


def _is_whole_number(value: object) -> bool:
    import numpy as np

    return isinstance(value, int | np.integer)


def _is_time(value: object) -> bool:
    return isinstance(value, datetime) and value.utcoffset() is not None


def _are_entries(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, [*value, *value.values()]))


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(map(_is_text, value))


_CHECKS: dict[str, Callable[[object], bool]] = {
    "str": _is_text,
    "int": _is_whole_number,
    "float": _is_number,
    "datetime": _is_time,
    "dict[str, str]": _are_entries,
    "tuple[str, ...]": _are_texts,
}
